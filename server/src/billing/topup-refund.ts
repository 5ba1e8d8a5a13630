import { role } from '@tollgate/contract';
import type { Selectable } from 'kysely';
import { type Actor, recordAudit } from '../audit/index.ts';
import { PublicError } from '../platform/errors.ts';
import { formatLogQuota, type Options } from '../settings/index.ts';
import type { Transaction, Work } from '../storage/database.ts';
import type { TopupOrderTable } from '../storage/schema.ts';
import { transfer } from './accounts.ts';
import { reverseDividend } from './dividends.ts';
import { voidRebate } from './invite.ts';
import type { Saying } from './payments/provider.ts';
import { creditRef, type Effect, logTopup, type SettleContext, service } from './topup-settle.ts';

type Order = Selectable<TopupOrderTable>;
type Refund = Extract<Saying, { says: 'refund' }>;

const paidStates = ['paid', 'paid_late'] as const;

/** Takes back what a refund covers, as far as the user still has it; the rest is named in the detail. */
export async function settleRefund(tx: Transaction, refund: Refund, context: SettleContext): Promise<Effect> {
  const { provider, options, now } = context;
  // An update that changes nothing locks the row: refunds of one order come one after the other.
  const order = await tx.query
    .updateTable('topup_order')
    .set((column) => ({ completed_at: column.ref('completed_at') }))
    .where('provider', '=', provider)
    .where('provider_ref', '=', refund.providerRef)
    .where('state', 'in', [...paidStates, 'refunded'])
    .returningAll()
    .executeTakeFirst();
  if (order === undefined) return { verdict: 'noted', detail: 'a refund of no order of ours', orderId: 0 };
  const part = Math.min(refund.cents, order.money_cents);
  const ref = `${creditRef(provider, order.trade_no)}:refund:${refund.eventId}`;
  const back = await takeBack(tx, order, { part, ref, actorId: 0, options, now });
  if (back === undefined) return { verdict: 'refunded', detail: 'nothing more to take back', orderId: order.id };
  const detail = { quota: back.taken, missing: back.missing, event: refund.eventId };
  const target = `order:${order.trade_no}`;
  await tx.perform(recordAudit({ actor: service(provider), action: 'payment.refund', target, detail, now }));
  const rest = back.missing > 0 ? `${back.missing} could not be taken back` : '';
  return { verdict: 'refunded', detail: rest, orderId: order.id };
}

export interface OrderReversal {
  orderId: number;
  actor: Actor;
  /** Of the actor. */
  role: number;
  reason: string;
  options: Options;
  /** Unix seconds. */
  now: number;
}

/**
 * Takes a paid order back in whole, once: an administrator returned its money. Throws PublicError `order_not_found`,
 * `order_not_paid`, `user_level_write`.
 */
export async function reverseOrder(tx: Transaction, reversal: OrderReversal): Promise<void> {
  const { orderId, actor, reason, options, now } = reversal;
  const order = await tx.query
    .updateTable('topup_order')
    .set({ state: 'refunded' })
    .where('id', '=', orderId)
    .where('state', 'in', paidStates)
    .returningAll()
    .executeTakeFirst();
  if (order === undefined) throw await whyNotReversed(tx, orderId);
  const owner = await tx.query.selectFrom('users').select('role').where('id', '=', order.user_id).executeTakeFirst();
  if (reversal.role !== role.root && reversal.role <= (owner?.role ?? 0)) throw new PublicError('user_level_write');
  const ref = `${creditRef(order.provider, order.trade_no)}:refund:reversal`;
  const back = await takeBack(tx, order, { part: order.money_cents, ref, actorId: actor.id, options, now });
  const detail = { quota: back?.taken ?? 0, missing: back?.missing ?? 0, reason };
  await tx.perform(recordAudit({ actor, action: 'payment.reverse', target: `order:${order.trade_no}`, detail, now }));
}

async function whyNotReversed(tx: Transaction, orderId: number): Promise<PublicError> {
  const order = await tx.query.selectFrom('topup_order').select('id').where('id', '=', orderId).executeTakeFirst();
  return new PublicError(order === undefined ? 'order_not_found' : 'order_not_paid');
}

interface Return {
  /** Cents that were given back, in all so far. */
  part: number;
  /** Of the movement. */
  ref: string;
  actorId: number;
  options: Options;
  now: number;
}

/** Undefined: everything was taken back before. The order's row is locked by the caller. */
async function takeBack(
  tx: Transaction,
  order: Order,
  { part, ref, actorId, options, now }: Return,
): Promise<{ taken: number; missing: number } | undefined> {
  const whole = order.money_cents;
  await reverseDividend(tx, { topupId: order.id, part, whole, actorId, now });
  if (part === whole) {
    await tx.query.updateTable('topup_order').set({ state: 'refunded' }).where('id', '=', order.id).execute();
    await voidRebate(tx, creditRef(order.provider, order.trade_no));
  }
  const credit = await creditOf(tx, order);
  const total = Number((BigInt(credit.quota) * BigInt(part)) / BigInt(whole));
  const wanted = total - (await takenBack(tx, order, credit.userId));
  if (wanted <= 0) return undefined;
  const taken = Math.min(wanted, await tx.perform(availableOf(credit.userId)));
  if (taken > 0) {
    const movement = { from: `user:${credit.userId}`, to: 'payment', amount: taken, kind: 'refund', ref } as const;
    await tx.perform(transfer({ ...movement, userId: credit.userId, actorId, now, note: order.trade_no }));
    await logTopup(tx, credit.userId, `在线充值退款，扣回 ${formatLogQuota(taken, options)}`, now);
  }
  return { taken, missing: wanted - taken };
}

/** What the order brought and whom: where it was credited by hand, neither need be what the order says. */
async function creditOf(tx: Transaction, order: Order): Promise<{ userId: number; quota: number }> {
  const row = await tx.query
    .selectFrom('transfer')
    .select(['user_id', 'amount'])
    .where('ref', '=', creditRef(order.provider, order.trade_no))
    .executeTakeFirst();
  return { userId: row?.user_id ?? order.user_id, quota: row?.amount ?? order.quota };
}

async function takenBack(tx: Transaction, order: Order, userId: number): Promise<number> {
  const row = await tx.query
    .selectFrom('transfer')
    .select((sum) => sum.fn.sum<number | string | null>('amount').as('total'))
    .where('user_id', '=', userId)
    .where('kind', '=', 'refund')
    .where('to_account', '=', 'payment')
    .where('note', '=', order.trade_no)
    .executeTakeFirst();
  return Number(row?.total ?? 0);
}

function* availableOf(userId: number): Work<number> {
  const sql = 'SELECT available FROM wallet WHERE user_id = ?';
  const { rows } = yield { sql, parameters: [userId], lock: 'wait' };
  return Number(rows[0]?.available ?? 0);
}
