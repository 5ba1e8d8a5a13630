import type { Work } from '../storage/database.ts';
import { transfer } from './accounts.ts';
import { LedgerRefusal } from './errors.ts';

export interface Adjustment {
  userId: number;
  /** What the user shall have available. */
  wanted: number;
  /** The balance that `wanted` was thought of: what it moved by meanwhile stays. Absent: `wanted` is meant as it stands. */
  seen?: number | undefined;
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
  const after = seen === undefined ? wanted : Math.max(0, before + wanted - seen);
  if (before === after) return { before, after };
  const [from, to] = before < after ? ['adjust', `user:${userId}`] : [`user:${userId}`, 'adjust'];
  // Every movement of a wallet raises its version, and versions never come back.
  const ref = `adjust:${userId}:${Number(row.version)}`;
  yield* transfer({ from, to, amount: Math.abs(after - before), kind: 'adjust', ref, userId, actorId, now, note });
  return { before, after };
}
