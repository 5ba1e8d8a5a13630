import { parseObject } from '@tollgate/wire';
import * as z from 'zod/mini';
import { sha256 } from '../../platform/crypto.ts';
import { PublicError } from '../../platform/errors.ts';
import type { SystemClient } from '../../platform/http/system-client.ts';
import { type Log, redactText } from '../../platform/log.ts';
import type { Options } from '../../settings/index.ts';
import {
  type AskedOrder,
  type AskFault,
  askedKind,
  disputeKind,
  type Judgement,
  type Notice,
  type PaymentProvider,
  type Saying,
} from './provider.ts';

type StripeOptions = Pick<Options, 'StripeApiSecret' | 'StripeWebhookSecret' | 'StripePriceId' | 'StripeCurrency'>;

export const stripeName = 'stripe';
const callTimeoutMs = 10_000;
const toleranceSeconds = 300;
const maxShownLength = 128;
const maxReason = 500;
const plain = z.string().check(z.minLength(1), z.maxLength(255), z.regex(/^\P{Cc}*$/u));
const cents = z.number().check(z.int(), z.minimum(0), z.maximum(Number.MAX_SAFE_INTEGER));

/** Both secrets: without the second nobody could prove that something was paid. */
export function isStripeReady({ StripeApiSecret, StripeWebhookSecret }: StripeOptions): boolean {
  return StripeApiSecret.trim() !== '' && StripeWebhookSecret.trim() !== '';
}

/** The judge of Stripe's webhooks; the library verifies them. It is loaded with the first one that comes. */
export function createStripe(options: () => StripeOptions): PaymentProvider {
  return {
    name: stripeName,
    maxNoticeBytes: 65_536,
    isConfigured: () => isStripeReady(options()),
    judge: (notice) => (notice.asked === true ? judgeAnswer(notice) : judge(notice, options().StripeWebhookSecret)),
    ask: (http, order) => ask(http, options(), order),
  };
}

async function judge({ raw, signature, receivedMs }: Notice, secret: string): Promise<Judgement> {
  const { Stripe } = await import('stripe');
  let proven: unknown;
  try {
    proven = Stripe.webhooks.constructEvent(raw, signature, secret, toleranceSeconds, undefined, receivedMs);
  } catch {
    const saying: Saying = { says: 'refused', verdict: 'bad_signature', detail: 'the signature is not the service’s' };
    return { saying, kind: '', digest: `unproven:${sha256(raw)}`, summary: {} };
  }
  const parsed = eventShape.safeParse(proven);
  if (!parsed.success) {
    const saying: Saying = { says: 'nothing', detail: 'an event of another form' };
    return { saying, kind: '', digest: `odd:${sha256(raw)}`, summary: {} };
  }
  const event = parsed.data;
  const { object } = event.data;
  const summary = { event: event.id, type: event.type, ...shown(object) };
  return { saying: say(event.type, event.id, object), kind: event.type, digest: `event:${event.id}`, summary };
}

/** The page as the service has it now, with what was given back of its payment. */
async function ask(
  http: SystemClient,
  options: StripeOptions,
  { pageRef }: AskedOrder,
): Promise<{ raw: string } | { fault: AskFault }> {
  if (pageRef === '') return { fault: 'unnumbered' };
  try {
    const client = await clientOf(http, options);
    const session = await client.checkout.sessions.retrieve(pageRef, { expand: ['payment_intent.latest_charge'] });
    return { raw: JSON.stringify(session) };
  } catch (error) {
    const status = Number((error as { statusCode?: unknown }).statusCode ?? 0);
    return { fault: status >= 400 && status < 500 && status !== 429 ? 'unknown' : 'unreachable' };
  }
}

const answerShape = z.object({
  id: plain,
  status: z.nullish(z.string()),
  payment_intent: z.nullish(
    z.union([
      z.string(),
      z.object({ latest_charge: z.nullish(z.union([z.string(), z.object({ amount_refunded: cents, currency: plain })])) }),
    ]),
  ),
});

/** Judges a page as its notifications would be; the same state of it is the same row of the inbox. */
function judgeAnswer({ raw }: Notice): Judgement {
  const session = parseObject(raw);
  const parsed = answerShape.safeParse(session);
  if (!parsed.success) {
    const saying: Saying = { says: 'refused', verdict: 'malformed', detail: 'not a payment page' };
    return { saying, kind: askedKind, digest: `odd:${sha256(raw)}`, summary: {} };
  }
  const { id, status, payment_intent: intent } = parsed.data;
  const charge = typeof intent === 'object' ? intent?.latest_charge : undefined;
  const back = typeof charge === 'object' && charge !== null ? charge : { amount_refunded: 0, currency: '' };
  const refunded = { cents: back.amount_refunded, currency: back.currency };
  const state = status === 'expired' ? closed(session, 'expired') : paid(session);
  const saying = state.says === 'paid' && refunded.cents > 0 ? { ...state, refunded } : state;
  const summary = { ...shown(session), ...(refunded.cents > 0 && { amount_refunded: refunded.cents }) };
  return { saying, kind: askedKind, digest: `query:${id}:${sha256(JSON.stringify(saying))}`, summary };
}

function shown(object: unknown): Record<string, string | number> {
  const fields = (typeof object === 'object' && object !== null ? object : {}) as Readonly<Record<string, unknown>>;
  const names = ['id', 'amount', 'amount_total', 'amount_refunded', 'currency', 'payment_status', 'client_reference_id'];
  return Object.fromEntries(
    names.flatMap((name): [string, string | number][] => {
      const value = fields[name];
      if (typeof value === 'number') return [[name, value]];
      return typeof value === 'string' ? [[name, value.slice(0, maxShownLength)]] : [];
    }),
  );
}

/** References come as ids or, expanded, as the object itself. */
const reference = z.union([plain, z.object({ id: plain })]);
const eventShape = z.object({ id: plain, type: plain, data: z.object({ object: z.unknown() }) });
const closedShape = z.object({ client_reference_id: plain });
const paidShape = z.object({
  id: plain,
  client_reference_id: plain,
  amount_total: cents,
  currency: plain,
  payment_status: plain,
  payment_intent: z.nullish(reference),
});
const refundShape = z.object({ payment_intent: reference, amount_refunded: cents, currency: plain });
const disputeShape = z.object({ payment_intent: reference, amount: cents, currency: plain });
const somethingElse: Saying = { says: 'nothing', detail: 'of something else that the account sells' };

function say(type: string, eventId: string, object: unknown): Saying {
  switch (type) {
    case 'checkout.session.completed':
    case 'checkout.session.async_payment_succeeded':
      return paid(object);
    case 'checkout.session.expired':
      return closed(object, 'expired');
    case 'checkout.session.async_payment_failed':
      return closed(object, 'failed');
    case 'charge.refunded':
      return refunded(object, eventId);
    case disputeKind:
      return disputed(object, eventId);
    default:
      return { says: 'nothing', detail: 'an event without effect here' };
  }
}

function paid(object: unknown): Saying {
  const parsed = paidShape.safeParse(object);
  if (!parsed.success) return somethingElse;
  const { id, client_reference_id: tradeNo, amount_total: total, currency, payment_status: status } = parsed.data;
  if (status !== 'paid') return { says: 'nothing', detail: `payment_status ${status}` };
  const providerRef = idOf(parsed.data.payment_intent) || id;
  return { says: 'paid', tradeNo, method: '', cents: total, currency, providerRef };
}

function closed(object: unknown, state: 'expired' | 'failed'): Saying {
  const parsed = closedShape.safeParse(object);
  return parsed.success ? { says: 'closed', tradeNo: parsed.data.client_reference_id, state } : somethingElse;
}

function refunded(object: unknown, eventId: string): Saying {
  const parsed = refundShape.safeParse(object);
  if (!parsed.success) return somethingElse;
  const { payment_intent: intent, amount_refunded: amount, currency } = parsed.data;
  return { says: 'refund', providerRef: idOf(intent), cents: amount, currency, eventId };
}

function disputed(object: unknown, eventId: string): Saying {
  const parsed = disputeShape.safeParse(object);
  if (!parsed.success) return somethingElse;
  const { payment_intent: intent, amount, currency } = parsed.data;
  return { says: 'refund', providerRef: idOf(intent), cents: amount, currency, eventId, isDispute: true };
}

function idOf(value: string | { id: string } | null | undefined): string {
  return typeof value === 'string' ? value : (value?.id ?? '');
}

export interface CheckoutOrder {
  tradeNo: string;
  /** Dollars of quota. */
  amount: number;
  cents: number;
  /** Where the browser goes afterwards. */
  returnUrl: string;
  siteName: string;
}

/**
 * What the service's own price (`StripePriceId`) asks for one dollar of quota, in cents of the operator's currency; undefined:
 * it is no plain price of that currency, or the service does not say.
 */
export async function readPrice(http: SystemClient, options: StripeOptions): Promise<number | undefined> {
  try {
    const price = await (await clientOf(http, options)).prices.retrieve(options.StripePriceId);
    const isPlain = price.billing_scheme === 'per_unit' && !price.transform_quantity && price.currency === options.StripeCurrency;
    return isPlain ? (price.unit_amount ?? undefined) : undefined;
  } catch {
    return undefined;
  }
}

/**
 * A hosted payment page: `cents` is what it will really ask for, in the operator's currency: in another one what is paid would
 * match no order. Throws PublicError `topup_start_failed`; the log says why.
 */
export async function openCheckout(
  { http, log }: { http: SystemClient; log: Log },
  options: StripeOptions,
  order: CheckoutOrder,
): Promise<{ url: string; cents: number; pageRef: string }> {
  const client = await clientOf(http, options);
  const item =
    options.StripePriceId === ''
      ? { quantity: 1, price_data: priceData(options, order) }
      : { quantity: order.amount, price: options.StripePriceId };
  try {
    const session = await client.checkout.sessions.create(
      {
        mode: 'payment',
        client_reference_id: order.tradeNo,
        metadata: { trade_no: order.tradeNo },
        line_items: [item],
        success_url: order.returnUrl,
        cancel_url: order.returnUrl,
      },
      { idempotencyKey: order.tradeNo },
    );
    const { id: pageRef, url, amount_total: cents, currency } = session;
    const isOurs = (currency ?? options.StripeCurrency) === options.StripeCurrency;
    if (!url || cents === null || cents < 1 || !isOurs) throw new Error('no page, no sum, or another currency');
    return { url, cents, pageRef };
  } catch (error) {
    const reason = reasonOf(error, options.StripeApiSecret);
    log.warn({ reason, tradeNo: order.tradeNo }, 'a payment page could not be opened');
    throw new PublicError('topup_start_failed');
  }
}

/** What the library says, and what it heard itself of a service that is out of reach; without the secret. */
function reasonOf(error: unknown, secret: string): string {
  const { message, detail } = error as { message?: unknown; detail?: { message?: unknown } };
  const said = [message, detail?.message].filter((text) => typeof text === 'string');
  return redactText(said.join(' '), secret).slice(0, maxReason);
}

async function clientOf(http: SystemClient, { StripeApiSecret }: StripeOptions) {
  const { Stripe } = await import('stripe');
  const httpClient = Stripe.createFetchHttpClient(fetchOver(http));
  return new Stripe(StripeApiSecret, { httpClient, maxNetworkRetries: 0, telemetry: false, timeout: callTimeoutMs });
}

function priceData({ StripeCurrency }: StripeOptions, { cents, siteName, amount }: CheckoutOrder) {
  return { currency: StripeCurrency, unit_amount: cents, product_data: { name: `${siteName || 'Top-up'} ${amount}` } };
}

/** The library's calls go through the guarded client like everything else that leaves. */
function fetchOver(http: SystemClient) {
  return async (input: string | URL | Request, init: RequestInit = {}): Promise<Response> => {
    const headers = new Headers(init.headers);
    headers.delete('content-length');
    const answer = await http.request({
      url: input instanceof Request ? input.url : String(input),
      method: init.method === 'GET' ? 'GET' : 'POST',
      headers: Object.fromEntries(headers),
      body: typeof init.body === 'string' ? init.body : undefined,
      timeoutMs: callTimeoutMs,
      maxBytes: 262_144,
    });
    return new Response(answer.text, { status: answer.status, headers: { 'content-type': 'application/json' } });
  };
}
