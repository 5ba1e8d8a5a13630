import type { AgentStatement, StatementQuery } from '@tollgate/contract';
import { type Kysely, type RawBuilder, sql } from 'kysely';
import { dividendSource, feeSink, monthOf, payoutSink } from '../billing/index.ts';
import type { Schema } from '../storage/schema.ts';

/** What of it agents are told apart; what moves between their own accounts is none of these. */
const kindOf: Readonly<Record<string, string>> = { reversal: 'refund', payout: 'withdrawal', conversion: 'withdrawal' };

type Agent = Pick<AgentStatement, 'user_id' | 'username'>;

/**
 * A month of what an agent has earned and was not paid: balance, what matures and what is in withdrawals together, so that it moves
 * by what comes from or goes to the site alone. Throws PublicError for an unknown zone; DatabaseError.
 */
export async function agentStatement(
  read: Kysely<Schema>,
  agent: Agent,
  query: StatementQuery,
  now: number,
): Promise<AgentStatement> {
  const { month, start, end } = monthOf(query, now);
  const sumIf = (condition: RawBuilder<unknown>, what: RawBuilder<unknown> = sql.ref('amount')) =>
    sql<number | string>`SUM(CASE WHEN ${condition} THEN ${what} ELSE 0 END)`;
  const rows = await read
    .selectFrom('transfer')
    .where('unit', '=', 'cent')
    .where('user_id', '=', agent.user_id)
    .where('created_at', '<', end)
    .where((or) =>
      or.or([or('from_account', '=', dividendSource), or('to_account', 'in', [dividendSource, payoutSink, feeSink])]),
    )
    .select(['kind', 'from_account', sumIf(sql`created_at < ${start}`).as('before')])
    .select([sumIf(sql`created_at >= ${start}`).as('within')])
    // A fee is no withdrawal of its own.
    .select([sumIf(sql`created_at >= ${start} AND to_account <> ${feeSink}`, sql.lit(1)).as('count')])
    .groupBy(['kind', 'from_account'])
    .orderBy('kind')
    .execute();
  let opening = 0;
  const moved = new Map<string, { kind: string; count: number; amount: number }>();
  for (const { kind: moves, from_account: from, before, within, count } of rows) {
    const kind = kindOf[moves] ?? moves;
    const sign = from === dividendSource ? 1 : -1;
    opening += sign * Number(before);
    const known = moved.get(kind);
    moved.set(kind, { kind, count: (known?.count ?? 0) + Number(count), amount: (known?.amount ?? 0) + sign * Number(within) });
  }
  const movements = [...moved.values()].filter(({ amount }) => amount !== 0);
  const closing = movements.reduce((sum, { amount }) => sum + amount, opening);
  return { ...agent, month, time_zone: query.time_zone, start, end, opening, movements, closing };
}
