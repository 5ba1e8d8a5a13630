import { type GivenBack, logType, role } from '@tollgate/contract';
import { type Actor, recordAudit } from '../audit/index.ts';
import { nowSeconds } from '../platform/clock.ts';
import { PublicError } from '../platform/errors.ts';
import { formatLogQuota } from '../settings/index.ts';
import type { Transaction, Work } from '../storage/database.ts';
import { logSegmentOf, touchLogSegment } from '../storage/log-segments.ts';
import { logBalanceChange, reviseSums, type UsageRow, usageColumns } from '../usage/index.ts';
import { availableOf, transfer } from './accounts.ts';
import { bookedCalls } from './prove-receipts.ts';
import { refundedOf } from './receipts.ts';
import { hasOwner } from './topup-settle.ts';
import type { WalletDeps } from './wallet-deps.ts';

export interface GiveBack {
  /** The row of the log that the call was charged with. */
  logId: number;
  /** What of the charge shall have been given back in all: the same wish twice moves nothing the second time. */
  refunded: number;
  reason: string;
  actor: Actor;
  /** Of the actor. */
  role: number;
}

type GiveBackDeps = Pick<WalletDeps, 'db' | 'clock' | 'changes' | 'options'>;

/**
 * Gives a call's charge back, or a part of it, to the user and to the token that paid, and takes it out of all that was counted
 * (decision 0173). Throws PublicError `request_not_found`, `user_not_found`,
 * `user_level_write`, `refund_range`.
 */
export async function giveBack({ db, clock, changes, options }: GiveBackDeps, wish: GiveBack): Promise<GivenBack> {
  const { logId, refunded, reason, actor } = wish;
  const now = nowSeconds(clock);
  const state = await db.transaction(async (tx) => {
    const row = await lockCharge(tx, logId);
    if (row === undefined) throw new PublicError('request_not_found');
    if (!(await hasOwner(tx, row.user_id))) throw new PublicError('user_not_found');
    await checkLevel(tx, row.user_id, wish.role);
    const before = refundedOf(row.other);
    const charged = row.quota + before;
    if (refunded < before || refunded > charged) throw new PublicError('refund_range', { refunded: before, charged });
    const amount = refunded - before;
    if (amount === 0) return { refunded, charged };
    const { user_id: userId, request_id: call } = row;
    const movement = { from: 'revenue', to: `user:${userId}`, amount, kind: 'refund', userId, actorId: actor.id, now } as const;
    await tx.perform(transfer({ ...movement, ref: `${call}:refund:${refunded}`, note: reason }));
    await tx.perform(takeOut(row, amount));
    const content = `管理员退还调用费用 ${formatLogQuota(amount, options())}，请求ID ${call}，原因：${reason}`;
    await logBalanceChange(tx, { type: logType.admin, userId, username: row.username, now, content });
    const detail = { log: logId, call, model: row.model_name, quota: amount, refunded, charged, reason };
    await tx.perform(recordAudit({ actor, action: 'log.refund', target: `user:${userId}`, detail, now }));
    return { refunded, charged };
  });
  changes.notify();
  return state;
}

type Charge = UsageRow & { id: number; request_id: string };

/** The row as it is under its owner's lock, which everything takes that changes a charge; undefined: nothing was charged for it here. */
async function lockCharge(tx: Transaction, id: number): Promise<Charge | undefined> {
  const read = () => tx.query.selectFrom('log').where('id', '=', id).where('type', '=', logType.consume);
  const owner = await read().select('user_id').executeTakeFirst();
  if (owner === undefined) return undefined;
  await tx.perform(availableOf(owner.user_id));
  const row = await read()
    .select(['id', 'request_id', ...usageColumns])
    .executeTakeFirst();
  const booked = await bookedCalls({ read: tx.query }, row === undefined ? [] : [row.request_id]);
  return row !== undefined && booked.has(row.request_id) ? row : undefined;
}

async function checkLevel(tx: Transaction, userId: number, level: number): Promise<void> {
  const owner = await tx.query.selectFrom('users').select('role').where('id', '=', userId).executeTakeFirst();
  if (level !== role.root && level <= (owner?.role ?? 0)) throw new PublicError('user_level_write');
}

/** Of everything that the charge was counted in, in the order in which a charge locks it. */
function* takeOut(row: Charge, amount: number): Work<void> {
  yield {
    sql: 'UPDATE wallet SET used_quota = used_quota - ? WHERE user_id = ?',
    parameters: [amount, row.user_id],
  };
  yield {
    sql:
      'UPDATE token SET used_quota = used_quota - ?, ' +
      'remain_quota = CASE WHEN unlimited_quota = 1 THEN remain_quota ELSE remain_quota + ? END WHERE id = ?',
    parameters: [amount, amount, row.token_id],
  };
  // What was given back is settled: a process that was taken for dead and comes late with its end changes nothing any more.
  yield { sql: 'DELETE FROM swept WHERE id = ?', parameters: [row.request_id] };
  if (row.channel_id > 0) {
    const sql = 'INSERT INTO channel_charge (channel_id, quota) VALUES (?, ?)';
    yield { sql, parameters: [row.channel_id, -amount] };
  }
  const fresh = { ...row, quota: row.quota - amount, other: withRefund(row.other, refundedOf(row.other) + amount) };
  yield* reviseSums(row.id, fresh);
  const sql = 'UPDATE log SET quota = ?, other = ? WHERE id = ?';
  const { changes } = yield { sql, parameters: [fresh.quota, fresh.other, row.id] };
  // A cleanup was quicker: the books have the sum of the row, and nothing is given back.
  if (changes !== 1) throw new PublicError('request_not_found');
  yield* touchLogSegment(logSegmentOf(row.id));
}

function withRefund(other: string, refunded: number): string {
  try {
    return JSON.stringify({ ...(JSON.parse(other) as object), refunded });
  } catch {
    return JSON.stringify({ refunded });
  }
}
