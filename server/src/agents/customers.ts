import type { AgentCustomer, PageOf } from '@tollgate/contract';
import { type Kysely, sql } from 'kysely';
import { agentCurrency, movementsOnly } from '../billing/index.ts';
import { type CsvColumn, csvOf, csvTime } from '../platform/csv.ts';
import { masked } from '../platform/masked.ts';
import { countRows, pageOf } from '../storage/page.ts';
import type { Schema } from '../storage/schema.ts';

/** Users who came by the agent's link, newest first, with masked names. */
export function pageOfCustomers(
  read: Kysely<Schema>,
  agentId: number,
  query: { p: number; page_size: number },
): Promise<PageOf<AgentCustomer>> {
  return pageOf(read, customersOf(read, agentId), query, (page) => readCustomers(read, agentId, page));
}

export function customersCsv(read: Kysely<Schema>, agentId: number): AsyncGenerator<string> {
  return csvOf(columns, ({ before, limit }) =>
    readCustomers(read, agentId, customersOf(read, agentId).where('users.id', '<', before).limit(limit)),
  );
}

const columns: readonly CsvColumn<AgentCustomer>[] = [
  ['id', (row) => row.id],
  ['username', (row) => row.username],
  ['registered', (row) => csvTime(row.created_at)],
  ['topup_cents', (row) => row.topup_money],
  ['dividend_cents', (row) => row.dividend],
];

function customersOf(read: Kysely<Schema>, agentId: number) {
  return read.selectFrom('users').where('users.inviter_id', '=', agentId);
}

async function readCustomers(
  read: Kysely<Schema>,
  agentId: number,
  rows: ReturnType<typeof customersOf>,
): Promise<AgentCustomer[]> {
  const users = await rows.select(['id', 'username', 'created_at']).orderBy('id', 'desc').execute();
  if (users.length === 0) return [];
  const ids = users.map(({ id }) => id);
  const paid = await sums(paidOf(read, 'payer.id', ids));
  const dividends = await sums(dividendsOf(read, agentId, ids));
  return users.map(({ id, username, created_at }) => ({
    id,
    username: masked(username),
    created_at,
    topup_money: paid.get(id) ?? 0,
    dividend: dividends.get(id) ?? 0,
  }));
}

/** How many users came by each agent's link, and what they paid. */
export async function reachOfAgents(
  read: Kysely<Schema>,
  agentIds: readonly number[],
): Promise<ReadonlyMap<number, { customers: number; paid: number }>> {
  if (agentIds.length === 0) return new Map();
  const came = sql<Sum>`SELECT inviter_id AS id, COUNT(*) AS total FROM users WHERE inviter_id IN (${sql.join(agentIds)}) GROUP BY inviter_id`;
  const counts = await sums(came.execute(read));
  const paid = await sums(paidOf(read, 'payer.inviter_id', agentIds));
  return new Map(agentIds.map((id) => [id, { customers: counts.get(id) ?? 0, paid: paid.get(id) ?? 0 }]));
}

export function countCustomersSince(read: Kysely<Schema>, agentId: number, since: number): Promise<number> {
  return countRows(customersOf(read, agentId).where('users.created_at', '>=', since));
}

interface Sum {
  id: number | string;
  total: number | string;
}
type Sums = Promise<{ rows: Sum[] }>;

async function sums(query: Sums): Promise<ReadonlyMap<number, number>> {
  const { rows } = await query;
  return new Map(rows.map(({ id, total }) => [Number(id), Number(total)]));
}

/**
 * What was paid and not given back, in cents of the agents' currency: payments in another one count as they did for a dividend,
 * and not at all where there was none. Who was credited paid, whosever order it was.
 */
function paidOf(read: Kysely<Schema>, by: 'payer.id' | 'payer.inviter_id', ids: readonly number[]): Sums {
  const column = sql.ref(by);
  const counted = sql`COALESCE(agent_dividend.topup_money,
      CASE WHEN topup_order.currency = ${agentCurrency} THEN topup_order.money_cents ELSE 0 END)`;
  // No product of two amounts in whole numbers: it may be beyond them.
  const kept = sql`ROUND(${counted} * 1.0 * (topup_order.money_cents - topup_order.refunded_cents) / topup_order.money_cents)`;
  // No condition on the state, by whose index all payments of the site would be read.
  return sql<Sum>`
    SELECT ${column} AS id, SUM(CASE WHEN topup_order.state IN ('paid', 'paid_late') THEN ${kept} ELSE 0 END) AS total
    FROM transfer JOIN users AS payer ON payer.id = transfer.user_id
    JOIN topup_order ON topup_order.trade_no = transfer.note AND transfer.ref = topup_order.provider || ':' || topup_order.trade_no
    LEFT JOIN agent_dividend ON agent_dividend.topup_id = topup_order.id
    WHERE ${column} IN (${sql.join(ids)}) AND transfer.kind = 'payment' AND ${sql.raw(movementsOnly)}
    GROUP BY ${column}`.execute(read);
}

function dividendsOf(read: Kysely<Schema>, agentId: number, ids: readonly number[]): Sums {
  // The sign keeps the database from all dividends of the agent.
  return sql<Sum>`
    SELECT user_id AS id, SUM(amount - reversed) AS total FROM agent_dividend
    WHERE +agent_id = ${agentId} AND user_id IN (${sql.join(ids)}) GROUP BY user_id`.execute(read);
}
