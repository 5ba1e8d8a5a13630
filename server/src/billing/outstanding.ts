import type { LedgerSources, LedgerState } from '@tollgate/contract';
import { sql } from 'kysely';
import { type Clock, nowSeconds } from '../platform/clock.ts';
import type { Database } from '../storage/database.ts';
import { movementsOnly } from './accounts.ts';
import { lastProof } from './proof-state.ts';
import { isOpen } from './redeem-validity.ts';
import { shownSum } from './shown-sum.ts';

/** Where quota comes from, in the order of the answer. */
const sources = ['payment', 'redeem', 'grant', 'invite', 'adjust', 'opening'] as const;

interface Balances {
  available: unknown;
  held: unknown;
  users: unknown;
}

/** Whose an account is; the platform's are themselves. */
const ownerOf = sql<string>`CASE WHEN account LIKE 'user:%:affiliate' THEN 'affiliate' WHEN account LIKE 'user:%' THEN 'user'
  WHEN account LIKE 'agent:%' THEN 'agents' ELSE account END`;

/** What users have and what codes are worth, and what the last hourly proof found. Throws DatabaseError. */
export async function ledgerState({ read }: Pick<Database, 'read'>, clock: Clock): Promise<LedgerState> {
  const now = nowSeconds(clock);
  const last = await lastProof({ read });
  const wallets = await sql<Balances>`
    SELECT ${shownSum(sql.ref('available'))} AS available, ${shownSum(sql.ref('held'))} AS held, SUM(CASE WHEN available + held > 0 THEN 1 ELSE 0 END) AS users
    FROM wallet JOIN users ON users.id = wallet.user_id WHERE users.deleted_at IS NULL`.execute(read);
  const codes = await read
    .selectFrom('redemption')
    .select(({ fn }) => [fn.countAll<number | string>().as('count'), shownSum(sql.ref('quota')).as('quota')])
    .where((where) => isOpen(where, now))
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  const sums = wallets.rows[0];
  return {
    ...(last && { hourly: { checked_at: last.checked_at, ok: last.ok === 1, difference: last.difference } }),
    available: Number(sums?.available ?? 0),
    held: Number(sums?.held ?? 0),
    users: Number(sums?.users ?? 0),
    codes: Number(codes?.count ?? 0),
    codes_quota: Number(codes?.quota ?? 0),
  };
}

/**
 * Where quota came from, and what is owed beside balances: adds up every movement that is no charge, account by account as an
 * index has them, before it is told whose each is. Throws DatabaseError.
 */
export async function ledgerSources({ read }: Pick<Database, 'read'>): Promise<LedgerSources> {
  const movements = sql.raw(movementsOnly);
  const { rows } = await sql<{ owner: string; total: unknown }>`
    SELECT ${ownerOf} AS owner, ${shownSum(sql.ref('total'))} AS total FROM (
      SELECT to_account AS account, SUM(amount) AS total FROM transfer WHERE ${movements} GROUP BY to_account
      UNION ALL SELECT from_account, -SUM(amount) FROM transfer WHERE ${movements} GROUP BY from_account
    ) AS sides GROUP BY 1`.execute(read);
  const flows = new Map(rows.map(({ owner, total }) => [owner, Number(total)]));
  return {
    sources: sources.map((account) => ({ account, amount: 0 - (flows.get(account) ?? 0) })).filter(({ amount }) => amount !== 0),
    affiliate: flows.get('affiliate') ?? 0,
    agents: flows.get('agents') ?? 0,
  };
}
