import { role } from '@tollgate/contract';
import { type Selectable, sql } from 'kysely';
import { type Actor, recordAudit } from '../audit/index.ts';
import { PublicError } from '../platform/errors.ts';
import { formatLogQuota, type Options } from '../settings/index.ts';
import type { Transaction, Work } from '../storage/database.ts';
import type { TopupOrderTable } from '../storage/schema.ts';
import { transfer } from './accounts.ts';
import { reverseDividend } from './dividends.ts';
import { voidRebate } from './invite.ts';
import type { Saying } from './payments/provider.ts';
import { closeEntry, earlyRefunds } from './topup-inbox.ts';
import { creditRef, type Effect, furtherNumber, logTopup, type SettleContext, service } from './topup-settle.ts';

type Order = Selectable<TopupOrderTable>;
type Refund = Extract<Saying, { says: 'refund' }>;
/** What was credited; `id` 0: it has no order. */
type Payment = Pick<Order, 'id' | 'provider' | 'trade_no' | 'money_cents'>;

const paidStates = ['paid', 'paid_late'] as const;

/** Takes back what a refund covers, as far as the user still has it; the rest is named in the detail. */
export async function settleRefund(tx: Transaction, refund: Refund, context: SettleContext): Promise<Effect> {
  const { provider, options, now } = context;
  const payment = (await lockPaidOrder(tx, provider, refund)) ?? (await givenWithoutOrder(tx, provider, refund));
  if (payment === undefined) return { verdict: 'noted', detail: 'a refund of no order of ours', orderId: 0 };
  const { id: orderId, trade_no: tradeNo, money_cents: whole } = payment;
  const part = Math.min(refund.cents, whole);
  const back = await takeBack(tx, payment, { part, ref: refundRef(payment, refund.eventId), actorId: 0, options, now });
  if (back === undefined) return { verdict: 'refunded', detail: 'nothing more to take back', orderId };
  const detail = { quota: back.taken, missing: back.missing, event: refund.eventId };
  const target = `order:${tradeNo}`;
  await tx.perform(recordAudit({ actor: service(provider), action: 'payment.refund', target, detail, now }));
  const rest = back.missing > 0 ? `${back.missing} could not be taken back` : '';
  return { verdict: 'refunded', detail: rest, orderId };
}

/** Refunds that were told before their payment was credited: noted then, due now. The payment is locked by the caller. */
export async function settleEarlyRefunds(tx: Transaction, providerRef: string, context: SettleContext): Promise<void> {
  for (const row of await earlyRefunds(tx, context.provider, providerRef)) {
    const { money_cents: cents, currency, digest } = row;
    const refund = { says: 'refund', providerRef, cents, currency, eventId: digest } as const;
    await closeEntry(tx, row.id, await settleRefund(tx, refund, context));
  }
}

/** An update that changes nothing locks the row: refunds of one order, and its reversal, come one after the other. */
function lockPaidOrder(tx: Transaction, provider: string, { providerRef }: Refund): Promise<Order | undefined> {
  return tx.query
    .updateTable('topup_order')
    .set((column) => ({ completed_at: column.ref('completed_at') }))
    .where('provider', '=', provider)
    .where('provider_ref', '=', providerRef)
    .where('state', 'in', [...paidStates, 'refunded'])
    .returningAll()
    .executeTakeFirst();
}

/**
 * A payment that named no order of its service, or one that another payment had paid, and was given to a user by hand: what is
 * known of it is what it said.
 */
async function givenWithoutOrder(tx: Transaction, provider: string, { providerRef }: Refund): Promise<Payment | undefined> {
  const said = await tx.query
    .selectFrom('payment_inbox')
    .select(['provider', 'trade_no', 'money_cents'])
    .where('verdict', '=', 'credited_by_hand')
    .where('provider', '=', provider)
    .where('provider_ref', '=', providerRef)
    .where('money_cents', '>', 0)
    .orderBy('id')
    .executeTakeFirst();
  if (said === undefined) return undefined;
  const further = { ...said, id: 0, trade_no: furtherNumber(said.trade_no, providerRef) };
  return (await creditOf(tx, further)) === undefined ? { ...said, id: 0 } : further;
}

/** Of the movement back; `event` is unique for the payment. */
function refundRef({ provider, trade_no }: Payment, event: string): string {
  return `${creditRef(provider, trade_no)}:refund:${event}`;
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
  // Who was credited by hand is whose quota goes.
  const credit = await creditOf(tx, order);
  const owners = [order.user_id, credit?.user_id ?? order.user_id];
  const highest = await tx.query
    .selectFrom('users')
    .select((of) => of.fn.max('role').as('role'))
    .where('id', 'in', owners)
    .executeTakeFirst();
  if (reversal.role !== role.root && reversal.role <= Number(highest?.role ?? 0)) throw new PublicError('user_level_write');
  const ref = refundRef(order, 'reversal');
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

/** Undefined: everything was taken back before. The order's row, or the payment, is locked by the caller. */
async function takeBack(
  tx: Transaction,
  payment: Payment,
  { part, ref, actorId, options, now }: Return,
): Promise<{ taken: number; missing: number } | undefined> {
  const { id, trade_no: tradeNo, money_cents: whole } = payment;
  await reverseDividend(tx, { topupId: id, part, whole, actorId, now });
  if (part === whole) {
    await tx.query.updateTable('topup_order').set({ state: 'refunded' }).where('id', '=', id).execute();
    await voidRebate(tx, creditRef(payment.provider, tradeNo));
  }
  const credit = await creditOf(tx, payment);
  if (credit === undefined) return undefined;
  const { user_id: userId, amount } = credit;
  const total = Number((BigInt(amount) * BigInt(part)) / BigInt(whole));
  const wanted = total - (await takenBack(tx, payment, userId));
  if (wanted <= 0) return undefined;
  const taken = Math.min(wanted, await tx.perform(availableOf(userId)));
  if (taken > 0) {
    const movement = { from: `user:${userId}`, to: 'payment', amount: taken, kind: 'refund', ref } as const;
    await tx.perform(transfer({ ...movement, userId, actorId, now, note: tradeNo }));
    await logTopup(tx, userId, `在线充值退款，扣回 ${formatLogQuota(taken, options)}`, now);
  }
  return { taken, missing: wanted - taken };
}

/** What the payment brought and whom: where it was credited by hand, neither need be what its order says. */
function creditOf(tx: Transaction, { provider, trade_no }: Payment): Promise<{ user_id: number; amount: number } | undefined> {
  const ref = creditRef(provider, trade_no);
  return tx.query.selectFrom('transfer').select(['user_id', 'amount']).where('ref', '=', ref).executeTakeFirst();
}

/** The number of an order may stand on a payment of another service, too: the beginning of the ref tells them apart. */
async function takenBack(tx: Transaction, payment: Payment, userId: number): Promise<number> {
  const begin = refundRef(payment, '');
  const row = await tx.query
    .selectFrom('transfer')
    .select((sum) => sum.fn.sum<number | string | null>('amount').as('total'))
    .where('user_id', '=', userId)
    .where('kind', '=', 'refund')
    .where('to_account', '=', 'payment')
    .where('note', '=', payment.trade_no)
    .where(sql`substr(ref, 1, ${[...begin].length})`, '=', begin)
    .executeTakeFirst();
  return Number(row?.total ?? 0);
}

function* availableOf(userId: number): Work<number> {
  const sql = 'SELECT available FROM wallet WHERE user_id = ?';
  const { rows } = yield { sql, parameters: [userId], lock: 'wait' };
  return Number(rows[0]?.available ?? 0);
}
