import type { Work } from '../storage/database.ts';
import { transfer } from './accounts.ts';
import { LedgerRefusal } from './errors.ts';

export interface Adjustment {
  userId: number;
  /** What the user shall have available. */
  wanted: number;
  actorId: number;
  /** Unix seconds. */
  now: number;
}

/**
 * Brings a user's balance to `wanted` by one movement of the difference, computed under the wallet's lock, so that calls
 * and other movements of meanwhile are neither lost nor undone. Returns what was there before. Throws LedgerRefusal.
 */
export function* adjustBalance({ userId, wanted, actorId, now }: Adjustment): Work<{ before: number }> {
  if (!Number.isSafeInteger(wanted) || wanted < 0) throw new LedgerRefusal('invalid', `Not a balance: ${wanted}`);
  const sql = 'SELECT available, version FROM wallet WHERE user_id = ?';
  const { rows } = yield { sql, parameters: [userId], lock: 'wait' };
  const [row] = rows;
  if (!row) throw new LedgerRefusal('no_wallet', `User ${userId} has no wallet`);
  const before = Number(row.available);
  if (before === wanted) return { before };
  const [from, to] = before < wanted ? ['adjust', `user:${userId}`] : [`user:${userId}`, 'adjust'];
  // Every movement of a wallet raises its version, and versions never come back.
  const ref = `adjust:${userId}:${Number(row.version)}`;
  yield* transfer({ from, to, amount: Math.abs(wanted - before), kind: 'adjust', ref, userId, actorId, now, note: '' });
  return { before };
}
