import { logType, role, userStatus } from '@tollgate/contract';
import { formatLogQuota, type Options } from '../settings/index.ts';
import type { Transaction, Work } from '../storage/database.ts';
import { logBalanceChange } from '../usage/index.ts';
import { availableOf, transfer } from './accounts.ts';
import { LedgerRefusal } from './errors.ts';

export interface Adjustment {
  userId: number;
  /** What the user shall have available. */
  wanted: number;
  /** The balance that `wanted` was thought of: what it moved by meanwhile stays. Absent: `wanted` is meant as it stands. */
  seen?: number | undefined;
  /** The wallet's version beside `seen`: the same `wanted` thought of it is booked once, however often it is asked for. */
  seenVersion?: number | undefined;
  actorId: number;
  /** Why, kept with the movement. */
  note?: string;
  /** Unix seconds. */
  now: number;
}

/**
 * Moves a user's balance to `wanted`, or by what `wanted` differs from `seen`, never below 0, in one movement that is computed
 * under the wallet's lock. Returns the balance before and after. Throws LedgerRefusal.
 */
export function* adjustBalance({
  userId,
  wanted,
  seen,
  seenVersion,
  actorId,
  note = '',
  now,
}: Adjustment): Work<{ before: number; after: number }> {
  if (!Number.isSafeInteger(wanted) || wanted < 0) throw new LedgerRefusal('invalid', `Not a balance: ${wanted}`);
  const sql = 'SELECT available, version FROM wallet WHERE user_id = ?';
  const { rows } = yield { sql, parameters: [userId], lock: 'wait' };
  const [row] = rows;
  if (!row) throw new LedgerRefusal('no_wallet', `User ${userId} has no wallet`);
  const before = Number(row.available);
  // Every movement of a wallet raises its version, and versions never come back.
  const ref = seenVersion === undefined ? `adjust:${userId}:${row.version}` : `adjust:${userId}:${seenVersion}:${wanted}`;
  if (seenVersion !== undefined && (yield* isBooked(ref))) return { before, after: before };
  const after = seen === undefined ? wanted : Math.max(0, before + wanted - seen);
  if (before === after) return { before, after };
  const [from, to] = before < after ? ['adjust', `user:${userId}`] : [`user:${userId}`, 'adjust'];
  yield* transfer({ from, to, amount: Math.abs(after - before), kind: 'adjust', ref, userId, actorId, now, note });
  return { before, after };
}

function* isBooked(ref: string): Work<boolean> {
  const { rows } = yield { sql: 'SELECT 1 AS found FROM transfer WHERE ref = ?', parameters: [ref] };
  return rows.length > 0;
}

/** Dollars. */
const ownersLeast = 100;
const ownersUsual = 200;

/**
 * In self-use mode what calls cost is measured and stands in nobody's way (decision 0119): a super administrator's balance
 * that runs low is filled up, as one movement with its log row. Everybody else has what they were given. Answers how many.
 */
export async function fillOwners(tx: Transaction, options: Options, now: number): Promise<number> {
  const least = ownersLeast * options.QuotaPerUnit;
  const owners = await tx.query
    .selectFrom('users')
    .innerJoin('wallet', 'wallet.user_id', 'users.id')
    .select(['users.id', 'users.username'])
    .where('users.role', '=', role.root)
    .where('users.status', '=', userStatus.enabled)
    .where('users.deleted_at', 'is', null)
    .where('wallet.available', '<', least)
    .orderBy('users.id')
    .execute();
  let filled = 0;
  for (const { id: userId, username } of owners) {
    // Another node may have been first.
    if ((await tx.perform(availableOf(userId))) >= least) continue;
    const adjustment = { userId, wanted: ownersUsual * options.QuotaPerUnit, actorId: 0, note: 'self-use mode', now };
    const { before, after } = await tx.perform(adjustBalance(adjustment));
    const content = `自用模式自动补充额度 ${formatLogQuota(after - before, options)}`;
    await logBalanceChange(tx, { type: logType.system, userId, username, now, content });
    filled += 1;
  }
  return filled;
}
