import { logType, role } from '@tollgate/contract';
import { type Selectable, sql } from 'kysely';
import { type Actor, recordAudit } from '../audit/index.ts';
import { PublicError } from '../platform/errors.ts';
import { formatLogQuota, type Options } from '../settings/index.ts';
import type { Transaction } from '../storage/database.ts';
import type { TopupOrderTable } from '../storage/schema.ts';
import { logBalanceChange } from '../usage/index.ts';
import { availableOf, freeHeld, transfer } from './accounts.ts';
import { reverseDividend } from './dividends.ts';
import { type Reversed, reverseRebate } from './invite-reversal.ts';
import { disputeKind, type Saying } from './payments/provider.ts';
import { closeEntry, earlyRefunds } from './topup-inbox.ts';
import { moneyText } from './topup-money.ts';
import { creditRef, type Effect, furtherNumber, type SettleContext, service } from './topup-settle.ts';

type Order = Selectable<TopupOrderTable>;
type Refund = Extract<Saying, { says: 'refund' }>;
/** What was credited; `id` 0: it has no order. */
type Payment = Pick<Order, 'id' | 'provider' | 'trade_no' | 'money_cents' | 'currency'>;

const paidStates = ['paid', 'paid_late'] as const;

/** Of a refund whose share of the payment a person has said. */
export const itsOwn = '';

/**
 * Cents of two currencies cannot be compared, and a dispute may be won: a person says which part of the payment it was
 * (decisions 0098, 0151).
 */
function forAPerson({ cents, currency, isDispute }: Refund, payment: Payment): Omit<Effect, 'orderId'> {
  const paid = `${moneyText(payment.money_cents)} ${payment.currency}`;
  const what = isDispute === true ? 'withdrawn for a dispute' : 'refunded';
  return { verdict: 'unmatched_refund', detail: `${moneyText(cents)} ${currency} were ${what} of a payment of ${paid}` };
}

/** Takes back what a refund covers, as far as the user still has it; the rest is named in the detail. */
export async function settleRefund(tx: Transaction, refund: Refund, context: SettleContext): Promise<Effect> {
  const { provider, options, now, events } = context;
  const payment = (await lockPaidOrder(tx, provider, refund)) ?? (await givenWithoutOrder(tx, provider, refund));
  if (payment === undefined) return { verdict: 'noted', detail: 'a refund of no order of ours', orderId: 0 };
  const { id: orderId, trade_no: tradeNo, money_cents: whole } = payment;
  const isForeign = refund.currency !== payment.currency && refund.currency !== itsOwn;
  if (isForeign || refund.isDispute === true) return { ...forAPerson(refund, payment), orderId };
  const part = Math.min(refund.cents, whole);
  const back = await takeBack(tx, payment, { part, ref: refundRef(payment, refund.eventId), actorId: 0, options, now });
  if (!back.isNew) return { verdict: 'refunded', detail: 'nothing more to take back', orderId };
  const detail = { ...detailOf(back), event: refund.eventId };
  const target = `order:${tradeNo}`;
  events.push({ actor: service(provider), action: 'payment.refund', target, detail, now });
  const rest = back.missing > 0 ? `${back.missing} could not be taken back` : '';
  return { verdict: 'refunded', detail: rest, orderId };
}

/** Refunds that were told before their payment was credited: noted then, due now. The payment is locked by the caller. */
export async function settleEarlyRefunds(tx: Transaction, providerRef: string, context: SettleContext): Promise<void> {
  for (const row of await earlyRefunds(tx, context.provider, providerRef)) {
    const { money_cents: cents, currency, digest, kind } = row;
    const refund: Refund = { says: 'refund', providerRef, cents, currency, eventId: digest };
    if (kind === disputeKind) refund.isDispute = true;
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
    .select(['provider', 'trade_no', 'money_cents', 'currency'])
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
 * Takes a paid order back in whole, once: an administrator returned its money. Answers the quota that was taken back of the
 * user, and what was missing. Throws PublicError `order_not_found`, `order_not_paid`, `user_level_write`.
 */
export async function reverseOrder(tx: Transaction, reversal: OrderReversal): Promise<Pick<Back, 'taken' | 'missing'>> {
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
  const detail = { ...detailOf(back), reason };
  await tx.perform(recordAudit({ actor, action: 'payment.reverse', target: `order:${order.trade_no}`, detail, now }));
  return { taken: back.taken, missing: back.missing };
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

interface Back {
  /** Of the user's quota. */
  taken: number;
  missing: number;
  /** Of the inviter's rebate. */
  rebate: Reversed;
  /** Everything had been taken back of the user before. */
  isNew: boolean;
}

/** From the agent, the user and the inviter. The order's row, or the payment, is locked by the caller. */
async function takeBack(tx: Transaction, payment: Payment, back: Return): Promise<Back> {
  const { id, money_cents: whole } = payment;
  const { part, actorId, options, now } = back;
  await reverseDividend(tx, { topupId: id, part, whole, actorId, now });
  const order = tx.query.updateTable('topup_order').where('id', '=', id);
  // Of several refunds, each of which tells the sum, an older one may come last.
  await order.set({ refunded_cents: part }).where('refunded_cents', '<', part).execute();
  if (part === whole) await order.set({ state: 'refunded' }).execute();
  const quota = await takeQuota(tx, payment, back);
  const paymentRef = creditRef(payment.provider, payment.trade_no);
  const rebate = await reverseRebate(tx, { paymentRef, part, whole, actorId, options, now });
  return { ...(quota ?? { taken: 0, missing: 0 }), rebate, isNew: quota !== undefined };
}

/** Undefined: everything was taken back before. */
async function takeQuota(
  tx: Transaction,
  payment: Payment,
  { part, ref, actorId, options, now }: Return,
): Promise<Pick<Back, 'taken' | 'missing'> | undefined> {
  const { trade_no: tradeNo, money_cents: whole } = payment;
  const credit = await creditOf(tx, payment);
  if (credit === undefined) return undefined;
  const { user_id: userId, amount } = credit;
  const total = Number((BigInt(amount) * BigInt(part)) / BigInt(whole));
  const wanted = total - (await takenBack(tx, payment, userId));
  if (wanted <= 0) return undefined;
  const available = await tx.perform(availableOf(userId));
  // What is held is the user's, too: calls that hold much and cost little would keep it from every refund.
  const freed = available < wanted ? await tx.perform(freeHeld(userId, wanted - available)) : 0;
  const taken = Math.min(wanted, available + freed);
  if (taken > 0) {
    const movement = { from: `user:${userId}`, to: 'payment', amount: taken, kind: 'refund', ref } as const;
    await tx.perform(transfer({ ...movement, userId, actorId, now, note: tradeNo }));
    const content = `在线充值退款，扣回 ${formatLogQuota(taken, options)}`;
    await logBalanceChange(tx, { type: logType.topup, userId, now, content });
  }
  return { taken, missing: wanted - taken };
}

/** What the audit log says of it. */
function detailOf({ taken, missing, rebate }: Back): Record<string, number> {
  const { taken: rebateTaken, owed: rebateOwed } = rebate;
  return { quota: taken, missing, ...(rebateTaken + rebateOwed > 0 && { rebate: rebateTaken, rebate_owed: rebateOwed }) };
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
