import { type InboxVerdict, logType } from '@tollgate/contract';
import type { Selectable } from 'kysely';
import { type Actor, type AuditEvent, recordAudit } from '../audit/index.ts';
import { formatLogQuota, type Options } from '../settings/index.ts';
import type { Transaction } from '../storage/database.ts';
import type { TopupOrderTable } from '../storage/schema.ts';
import { logBalanceChange } from '../usage/index.ts';
import { transfer } from './accounts.ts';
import { earnDividend } from './dividends.ts';
import { rewardPayment } from './invite.ts';
import type { Saying } from './payments/provider.ts';
import { moneyText } from './topup-money.ts';

/** What a believed notification did. */
export interface Effect {
  verdict: InboxVerdict;
  detail: string;
  orderId: number;
}

export interface SettleContext {
  provider: string;
  options: Options;
  /** Unix seconds. */
  now: number;
  /** For the audit log, at the end: behind its lock, which is one for all, no wallet is waited for. */
  events: AuditEvent[];
}

/** The last thing that is done about a payment. */
export async function recordEvents(tx: Transaction, events: readonly AuditEvent[]): Promise<void> {
  for (const event of events) await tx.perform(recordAudit(event));
}

type Order = Selectable<TopupOrderTable>;
type Paid = Extract<Saying, { says: 'paid' }>;

/** The payment service itself, where the audit log asks who did it. */
export const service = (provider: string): Actor => ({ id: 0, username: provider, ip: '' });

/** The one ref of an order's credit, by whatever way it comes: there is never a second one. Another payment has a `furtherNumber`. */
export function creditRef(provider: string, tradeNo: string): string {
  return `${provider}:${tradeNo}`;
}

/** A payment of an order that another payment has paid before: the order's number does not tell them apart. */
export function furtherNumber(tradeNo: string, providerRef: string): string {
  return `${tradeNo}#${providerRef}`;
}

/** Credits the order that a proven payment names, once (the end of R-58's order of checks). */
export async function settlePaid(tx: Transaction, paid: Paid, context: SettleContext): Promise<Effect> {
  const order = await tx.query.selectFrom('topup_order').selectAll().where('trade_no', '=', paid.tradeNo).executeTakeFirst();
  if (order === undefined) return { verdict: 'unmatched_order', detail: 'no such order', orderId: 0 };
  if (order.completed_at > 0 && (await wasGiven(tx, paid, context.provider))) return repeat(order.id);
  const fault = mismatch(order, paid, context.provider);
  if (fault !== undefined) return { ...fault, orderId: order.id };
  if (order.completed_at === 0 && !(await hasOwner(tx, order.user_id)))
    return { verdict: 'unmatched_order', detail: 'the account of the order is gone', orderId: order.id };
  const isLate = order.state !== 'pending' || context.now > order.expires_at;
  const state = isLate ? 'paid_late' : 'paid';
  const { numUpdatedRows } = await tx.query
    .updateTable('topup_order')
    .set({ state, completed_at: context.now, provider_ref: paid.providerRef, ask_at: 0 })
    .where('id', '=', order.id)
    .where('state', 'in', ['pending', 'expired', 'failed'])
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return told(order.id, await paidBy(tx, order.id), paid.providerRef);
  await credit(tx, order, context);
  return { verdict: isLate ? 'credited_late' : 'credited', detail: '', orderId: order.id };
}

/** Nobody could spend what is credited to an account that was deregistered or removed. */
export async function hasOwner(tx: Transaction, id: number): Promise<boolean> {
  const owner = tx.query.selectFrom('users').select('id').where('id', '=', id).where('deleted_at', 'is', null);
  return (await owner.executeTakeFirst()) !== undefined;
}

/** As it is now: another payment may have come at the same moment. */
async function paidBy(tx: Transaction, orderId: number): Promise<string> {
  const row = tx.query.selectFrom('topup_order').select('provider_ref').where('id', '=', orderId);
  return (await row.executeTakeFirstOrThrow()).provider_ref;
}

function repeat(orderId: number): Effect {
  return { verdict: 'repeat', detail: 'the order was credited before', orderId };
}

/** As a further payment of its order, by hand. */
async function wasGiven(tx: Transaction, { tradeNo, providerRef }: Paid, provider: string): Promise<boolean> {
  const ref = creditRef(provider, furtherNumber(tradeNo, providerRef));
  return (await tx.query.selectFrom('transfer').select('id').where('ref', '=', ref).executeTakeFirst()) !== undefined;
}

/** The same payment again, or real money once more: that waits for a person (decision 0072). */
function told(orderId: number, before: string, providerRef: string): Effect {
  if (before === '' || before === providerRef) return repeat(orderId);
  return { verdict: 'unmatched_order', detail: `the order was paid before by ${before}`, orderId };
}

function mismatch(order: Order, paid: Paid, provider: string): Omit<Effect, 'orderId'> | undefined {
  if (order.provider !== provider) return { verdict: 'unmatched_method', detail: `the order is for ${order.provider}` };
  // This payment was credited before; if by hand, its order says since then what was paid.
  if (order.completed_at > 0 && order.provider_ref === paid.providerRef) return undefined;
  if (paid.method !== '' && order.method !== paid.method) {
    return { verdict: 'unmatched_method', detail: `the order is for ${order.method}` };
  }
  if (order.money_cents !== paid.cents || order.currency !== paid.currency) {
    const wanted = `${moneyText(order.money_cents)} ${order.currency}`;
    return { verdict: 'unmatched_money', detail: `${moneyText(paid.cents)} ${paid.currency} instead of ${wanted}` };
  }
  return undefined;
}

async function credit(tx: Transaction, order: Order, { provider, options, now, events }: SettleContext): Promise<void> {
  const ref = creditRef(provider, order.trade_no);
  const { user_id: userId, quota } = order;
  const movement = { from: 'payment', to: `user:${userId}`, amount: quota, kind: 'payment', ref } as const;
  await tx.perform(transfer({ ...movement, userId, actorId: userId, now, note: order.trade_no }));
  const money = `${moneyText(order.money_cents)}0000`;
  const content = `使用在线充值成功，充值金额: ${formatLogQuota(quota, options)}，支付金额：${money}`;
  await logBalanceChange(tx, { type: logType.topup, userId, now, content });
  await rewardPayment(tx, { userId, quota, ref, options, now });
  const paid = { cents: order.money_cents, currency: order.currency };
  await earnDividend(tx, { order: { id: order.id, tradeNo: order.trade_no }, userId, quota, ...paid, options, now });
  const detail = { quota, money: moneyText(order.money_cents), currency: order.currency };
  const event = { actor: service(provider), action: 'payment.credit', target: `order:${order.trade_no}` } as const;
  events.push({ ...event, detail, now });
}

export interface ManualCredit {
  provider: string;
  tradeNo: string;
  userId: number;
  quota: number;
  /** What was paid, and the service's own number of the payment. */
  cents: number;
  currency: string;
  providerRef: string;
  actor: Actor;
  options: Options;
  now: number;
  events: AuditEvent[];
}

/**
 * Gives a payment without a matching order to a user. An order of its number says from then on what was paid, so that a
 * refund finds it and takes its share of that. False when that payment was credited before.
 */
export async function creditByHand(tx: Transaction, manual: ManualCredit): Promise<boolean> {
  const { provider, tradeNo, userId, quota, cents, currency, actor, options, now } = manual;
  const money = cents > 0 ? { money_cents: cents, currency } : {};
  const order = await tx.query
    .updateTable('topup_order')
    .set({ state: 'paid_late', completed_at: now, provider_ref: manual.providerRef, ask_at: 0, ...money })
    .where('trade_no', '=', tradeNo)
    .where('provider', '=', provider)
    .where('state', 'in', ['pending', 'expired', 'failed'])
    .returning('id')
    .executeTakeFirst();
  const before = order === undefined ? await paymentOf(tx, manual) : undefined;
  if (before === '') return false;
  const number = before === undefined ? tradeNo : furtherNumber(tradeNo, manual.providerRef);
  const movement = { from: 'payment', to: `user:${userId}`, amount: quota, kind: 'payment' } as const;
  const ref = creditRef(provider, number);
  if (!(await tx.perform(transfer({ ...movement, ref, userId, actorId: actor.id, now, note: number })))) return false;
  const content = `使用在线充值成功，充值金额: ${formatLogQuota(quota, options)}（管理员入账）`;
  await logBalanceChange(tx, { type: logType.topup, userId, now, content });
  await rewardPayment(tx, { userId, quota, ref, options, now });
  if (order !== undefined) {
    await earnDividend(tx, { order: { id: order.id, tradeNo }, userId, quota, cents, currency, options, now });
  }
  const detail = { quota, user_id: userId, by_hand: true, money: moneyText(cents), currency };
  manual.events.push({ actor, action: 'payment.credit', target: `order:${number}`, detail, now });
  return true;
}

/**
 * By which payment this number was paid already: as an order of the same provider, or by hand where it is none; "" = that could be
 * this one. Undefined: it was not.
 */
async function paymentOf(tx: Transaction, { tradeNo, provider, providerRef }: ManualCredit): Promise<string | undefined> {
  const order = tx.query
    .selectFrom('topup_order')
    .select('provider_ref')
    .where('trade_no', '=', tradeNo)
    .where('provider', '=', provider);
  const row = await order.executeTakeFirst();
  const given = tx.query
    .selectFrom('payment_inbox')
    .select('provider_ref')
    .where('verdict', '=', 'credited_by_hand')
    .where('provider', '=', provider)
    .where('trade_no', '=', tradeNo);
  const payments = row === undefined ? await given.execute() : [row];
  const isThis = ({ provider_ref: known }: { provider_ref: string }) =>
    known === providerRef || known === '' || providerRef === '';
  return payments.some(isThis) ? '' : payments[0]?.provider_ref;
}
