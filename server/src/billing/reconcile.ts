import type { LedgerProof } from '@tollgate/contract';
import { type RawBuilder, sql } from 'kysely';
import type { Clock } from '../platform/clock.ts';
import { nowSeconds } from '../platform/clock.ts';
import type { Database } from '../storage/database.ts';
import { movementsOnly } from './accounts.ts';
import { lastProof, readMark } from './proof-state.ts';
import { agentChecks, type Check, inPart } from './prove-agents.ts';
import { proveReceipts, receiptsVerdict } from './prove-receipts.ts';
import { type Difference, idsOf, proveSums, sumChecks } from './prove-sums.ts';
import { proveUsage, usageCheck } from './prove-usage.ts';
import type { Signer } from './receipts.ts';

const checks: readonly Check[] = [
  {
    name: 'held_equals_open_holds',
    detail: 'held of every wallet = sum of its open holds',
    query: `
      SELECT 'user:' || wallet.user_id AS what, COALESCE(sums.total, 0) AS expected, wallet.held AS found
      FROM wallet LEFT JOIN (SELECT user_id, SUM(amount) AS total FROM hold GROUP BY user_id) AS sums
        ON sums.user_id = wallet.user_id
      WHERE wallet.held <> COALESCE(sums.total, 0) ORDER BY wallet.user_id LIMIT 1`,
  },
  {
    name: 'token_arithmetic',
    detail: 'remain + used + held of every limited token = granted',
    query: `
      SELECT 'token:' || id AS what, granted_quota AS expected, remain_quota + used_quota + held_quota AS found FROM token
      WHERE unlimited_quota = 0 AND granted_quota <> remain_quota + used_quota + held_quota ORDER BY id LIMIT 1`,
  },
  {
    name: 'token_held_equals_open_holds',
    detail: 'held of every token = sum of its open holds',
    query: `
      SELECT 'token:' || token.id AS what, COALESCE(sums.total, 0) AS expected, token.held_quota AS found
      FROM token LEFT JOIN (SELECT token_id, SUM(amount) AS total FROM hold GROUP BY token_id) AS sums
        ON sums.token_id = token.id
      WHERE token.held_quota <> COALESCE(sums.total, 0) ORDER BY token.id LIMIT 1`,
  },
  {
    name: 'task_holds_kept',
    detail: 'every hold of a task has an open task that will close it',
    query: `
      SELECT 'hold:' || hold.id AS what, 1 AS expected, 0 AS found FROM hold
      LEFT JOIN task ON task.hold_id = hold.id AND task.closed_at = 0
      WHERE hold.keeper = 'task' AND task.id IS NULL ORDER BY hold.id LIMIT 1`,
  },
  {
    name: 'nothing_below_zero',
    detail: 'no wallet and no token is below 0',
    query: `
      SELECT what, 0 AS expected, lowest AS found FROM (
        SELECT 'user:' || user_id AS what, CASE WHEN available < held THEN available ELSE held END AS lowest FROM wallet
        UNION ALL SELECT 'token:' || id, CASE WHEN remain_quota < held_quota THEN remain_quota ELSE held_quota END FROM token
      ) AS lows WHERE lowest < 0 ORDER BY what LIMIT 1`,
  },
  {
    name: 'used_codes_credited',
    detail: 'every used code was credited once, with its quota',
    each: 'redemption',
    query: `
      SELECT 'redemption:' || redemption.id AS what, redemption.quota AS expected, COALESCE(transfer.amount, 0) AS found
      FROM redemption LEFT JOIN transfer ON transfer.ref = 'redeem:' || redemption.id
      WHERE ${inPart('redemption.id')} AND (
        (redemption.status = 3 AND (transfer.amount IS NULL OR transfer.amount <> redemption.quota))
        OR (redemption.status <> 3 AND transfer.amount IS NOT NULL))
      ORDER BY redemption.id LIMIT 1`,
  },
  {
    name: 'paid_orders_credited',
    detail: 'every paid order was credited once, and no other order was',
    each: 'topup_order',
    query: `
      SELECT 'order:' || topup_order.trade_no AS what, topup_order.quota AS expected, COALESCE(transfer.amount, 0) AS found
      FROM topup_order LEFT JOIN transfer ON transfer.ref = topup_order.provider || ':' || topup_order.trade_no
      WHERE ${inPart('topup_order.id')} AND (
        (topup_order.state IN ('paid', 'paid_late', 'refunded')) <> (transfer.amount IS NOT NULL)
        OR (topup_order.state = 'paid' AND transfer.amount <> topup_order.quota))
      ORDER BY topup_order.id LIMIT 1`,
  },
  {
    name: 'rewards_paid',
    detail: 'every paid invite reward was booked once, and none that waits',
    each: 'invite_reward',
    query: `
      SELECT 'reward:' || invite_reward.id AS what, invite_reward.amount AS expected, COALESCE(transfer.amount, 0) AS found
      FROM invite_reward LEFT JOIN transfer ON transfer.ref = invite_reward.ref
      WHERE ${inPart('invite_reward.id')} AND (
        (invite_reward.state = 'paid') <> (transfer.amount IS NOT NULL)
        OR (invite_reward.state = 'paid' AND transfer.amount <> invite_reward.amount))
      ORDER BY invite_reward.id LIMIT 1`,
  },
  {
    name: 'rebates_returned',
    detail: 'what went back of every inviter’s paid rewards = the movements back, and never more than is to go back',
    query: `
      SELECT what, expected, found FROM (
        SELECT 'reward:' || id || ' returned' AS what, 0 AS expected, 1 AS found FROM invite_reward
        WHERE returned > reversed OR reversed > amount OR (state <> 'paid' AND returned > 0)
        UNION ALL
        SELECT 'user:' || COALESCE(said.inviter_id, sums.user_id) || ' rebates returned',
          COALESCE(said.total, 0), COALESCE(sums.total, 0)
        FROM (SELECT inviter_id, SUM(returned) AS total FROM invite_reward GROUP BY inviter_id) AS said
        FULL JOIN (
          SELECT user_id, SUM(amount) AS total FROM transfer
          WHERE ${movementsOnly} AND kind = 'reversal' AND to_account = 'invite' GROUP BY user_id
        ) AS sums ON sums.user_id = said.inviter_id
      ) AS facts WHERE expected <> found ORDER BY what LIMIT 1`,
  },
  ...agentChecks,
];

export interface ProofParts {
  db: Database;
  clock: Clock;
  /** Verifies receipts too, newest first. */
  sign?: Signer;
  /** `new`: those since the last hourly proof. */
  receipts?: 'new' | 'all';
  /** How many receipts at most. */
  maxReceipts?: number;
}

type Verdict = LedgerProof['checks'][number];

/** Checks the whole ledger and names the first row that differs. Changes nothing. Throws DatabaseError. */
export async function proveLedger({ db, clock, sign, receipts = 'new', maxReceipts = 10_000 }: ProofParts): Promise<LedgerProof> {
  const results = await proveBalances(db);
  const last = await lastProof(db);
  if (sign) {
    const after = receipts === 'all' ? 0 : await readMark(db);
    const window = { after, order: 'newest', maxRows: maxReceipts } as const;
    results.push(receiptsVerdict(await proveReceipts(db, sign, window), after === 0));
  }
  const hourly = last && { checked_at: last.checked_at, ok: last.ok === 1, difference: last.difference };
  const ok = results.every((result) => result.ok);
  return { ok, checked_at: nowSeconds(clock), checks: results, ...(hourly === undefined ? {} : { hourly }) };
}

/** All but the receipts. */
export async function proveBalances(db: Pick<Database, 'read'>): Promise<Verdict[]> {
  const sums = await proveSums(db);
  const results = sumChecks.map((check) => verdictOf(check, sums.get(check.name)));
  results.push(verdictOf(usageCheck, await proveUsage(db)));
  for (const check of checks) results.push(verdictOf(check, await firstDifference(db, check)));
  return results;
}

/**
 * Rows that one statement compares. PostgreSQL looks up the movements of so few by their refs; for more of them it reads the
 * whole table of transfers, which takes longer than a statement may once that is large.
 */
const partRows = 5_000;

async function firstDifference(db: Pick<Database, 'read'>, { query, each }: Check): Promise<Difference | undefined> {
  if (each === undefined) return (await sql.raw<Difference>(query).execute(db.read)).rows[0];
  const { first, last } = await idsOf(db, each);
  for (let after = first - 1; after < last; after += partRows) {
    const to = after + partRows < last ? after + partRows : Number.MAX_SAFE_INTEGER;
    const { rows } = await partOf(query, { after, to }).execute(db.read);
    if (rows[0] !== undefined) return rows[0];
  }
  return undefined;
}

function partOf(query: string, { after, to }: { after: number; to: number }): RawBuilder<Difference> {
  const pieces = query.split(/(:after|:to)\b/).map((piece) => {
    if (piece === ':after') return sql`${after}`;
    return piece === ':to' ? sql`${to}` : sql.raw(piece);
  });
  return sql<Difference>`${sql.join(pieces, sql.raw(''))}`;
}

function verdictOf({ name, detail }: Pick<Check, 'name' | 'detail'>, difference: Difference | undefined): Verdict {
  if (difference === undefined) return { name, ok: true, detail };
  const { what, expected, found } = difference;
  return { name, ok: false, detail, first_difference: `${what}: ${found} instead of ${expected}` };
}
