import { createHash } from 'node:crypto';
import { Stripe } from 'stripe';
import { expect } from 'vitest';
import type { ApiKit, KitAnswer, KitUser } from './api-kit.ts';

/** A merchant of a form gateway, as root sets it up. */
export const merchant = { id: '1001', key: 'key-of-the-merchant' };
export const webhookSecret = 'whsec_of_the_endpoint';

export async function setUpPayments(kit: ApiKit, more: Record<string, string> = {}): Promise<void> {
  const options = {
    PayAddress: 'https://pay.example.test',
    EpayId: merchant.id,
    EpayKey: merchant.key,
    ServerAddress: 'https://gate.example.test',
    StripeApiSecret: 'sk_test_of_the_merchant',
    StripeWebhookSecret: webhookSecret,
    ...more,
  };
  await kit.deps.settings.save(Object.entries(options).map(([key, value]) => ({ key, value })));
}

export type Form = Readonly<Record<string, string>>;

/** Opens an order and answers the form's fields. */
export async function order(kit: ApiKit, as: KitUser, amount = 10): Promise<Form> {
  const body = { amount, payment_method: 'alipay' };
  const answer = await kit.call({ method: 'POST', path: '/api/user/pay', body, as });
  expect(answer.json.message, answer.text).toBe('success');
  return answer.json.data;
}

/** What the gateway tells once the order is paid; `change` is made before signing. */
export function notice(form: Form, change: Record<string, string> = {}, key = merchant.key): Record<string, string> {
  const fields: Record<string, string> = {
    pid: merchant.id,
    trade_no: `G${form.out_trade_no}`,
    out_trade_no: form.out_trade_no ?? '',
    type: form.type ?? '',
    name: form.name ?? '',
    money: form.money ?? '',
    trade_status: 'TRADE_SUCCESS',
    ...change,
  };
  return { ...fields, sign: md5Sign(fields, key), sign_type: 'MD5' };
}

/** Written down a second time on purpose: the product must agree with the protocol and not with itself. */
export function md5Sign(fields: Form, key: string): string {
  const names = Object.keys(fields).filter((name) => !/^sign(_type)?$/.test(name) && fields[name] !== '');
  const text = names.sort().map((name) => `${name}=${fields[name]}`);
  return createHash('md5')
    .update(text.join('&') + key)
    .digest('hex');
}

const notifyPath = '/api/user/epay/notify';

export function tell(kit: ApiKit, fields: Form | string): Promise<KitAnswer> {
  const query = typeof fields === 'string' ? fields : new URLSearchParams(fields).toString();
  return kit.call({ path: `${notifyPath}?${query}`, peer: '198.51.100.9' });
}

export function tellByForm(kit: ApiKit, fields: Form): Promise<KitAnswer> {
  const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
  return kit.call({ method: 'POST', path: notifyPath, text: new URLSearchParams(fields).toString(), headers });
}

/** The header that proves an event, by the library's own helper. */
export function signEvent(text: string, nowMs: number, secret = webhookSecret): string {
  return Stripe.webhooks.generateTestHeaderString({ payload: text, secret, timestamp: Math.floor(nowMs / 1000) });
}

/** An event as the payment service sends it. */
export function sendEvent(kit: ApiKit, event: object, secret = webhookSecret): Promise<KitAnswer> {
  const text = JSON.stringify({ object: 'event', ...event });
  const signature = signEvent(text, kit.clock.nowMs(), secret);
  return kit.call({ method: 'POST', path: '/api/payment/stripe/webhook', text, headers: { 'Stripe-Signature': signature } });
}

/** Opens an order as if for the hosted page and answers its number. */
export async function hostedOrder(kit: ApiKit, as: KitUser): Promise<string> {
  const tradeNo = (await order(kit, as)).out_trade_no ?? '';
  const hosted = { provider: 'stripe', method: 'stripe' };
  await kit.db.transaction((tx) => tx.query.updateTable('topup_order').set(hosted).where('trade_no', '=', tradeNo).execute());
  return tradeNo;
}

/** The event of a session of the hosted page that was paid. */
export function sessionPaid(id: string, fields: object) {
  const session = { id: 'cs_1', object: 'checkout.session', payment_status: 'paid', payment_intent: 'pi_1', ...fields };
  return { id, type: 'checkout.session.completed', data: { object: session } };
}

/** The event of a refund; `amount_refunded` is what was given back in all so far. */
export function chargeRefunded(id: string, fields: object) {
  return { id, type: 'charge.refunded', data: { object: { id: 'ch_1', object: 'charge', payment_intent: 'pi_1', ...fields } } };
}

/** The event that a payer's bank took money back; `amount` is what was withdrawn for this dispute. */
export function disputeWithdrawn(id: string, fields: object) {
  const dispute = { id: 'dp_1', object: 'dispute', charge: 'ch_1', payment_intent: 'pi_1', reason: 'fraudulent', ...fields };
  return { id, type: 'charge.dispute.funds_withdrawn', data: { object: dispute } };
}

export async function quotaOf(kit: ApiKit, as: KitUser): Promise<number> {
  return (await kit.call({ path: '/api/user/self', as })).json.data.quota;
}

/** Verdicts of the inbox, oldest first. */
export async function verdicts(kit: ApiKit): Promise<string[]> {
  const rows = await kit.db.read.selectFrom('payment_inbox').select('verdict').orderBy('id').execute();
  return rows.map(({ verdict }) => verdict);
}
