import { noticePaths } from '@tollgate/contract';
import { createLoadingCache } from '../platform/cache.ts';
import { nowSeconds } from '../platform/clock.ts';
import { PublicError } from '../platform/errors.ts';
import type { SystemClient } from '../platform/http/system-client.ts';
import type { Log } from '../platform/log.ts';
import { isClosed, type Options } from '../settings/index.ts';
import { epayForm, epayName, isEpayReady } from './payments/epay.ts';
import { isStripeReady, openCheckout, readPrice, stripeName } from './payments/stripe.ts';
import { moneyText, type Offer, offerOf } from './topup-money.ts';
import { closeOrder, createOrder } from './topup-orders.ts';
import type { Payer, WalletDeps } from './wallet-deps.ts';

/** Where payments begin. Amounts are dollars, or quota where no currency is shown; texts of contract 8.2. */
export interface Tills {
  /** What an amount costs by the form gateway, two decimals. Throws PublicError `topup_amount_low`, `topup_money_low`. */
  quote(user: Payer, amount: number): string;
  /** Stores the order and answers what the browser posts where. */
  pay(user: Payer, wish: { amount: number; method: string }): Promise<{ url: string; fields: Record<string, string> }>;
  /** The same for the hosted payment page; "": only that page tells. */
  checkoutQuote(user: Payer, amount: number): Promise<string>;
  checkout(user: Payer, amount: number): Promise<{ url: string; tradeNo: string }>;
}

/** What old consoles call the methods. */
const aliases: Readonly<Record<string, string>> = { zfb: 'alipay', wx: 'wxpay' };

/** A price of the service's own is asked for again after this; it is shown, and the page itself is what counts. */
const priceTtlMs = 300_000;

export interface TillDeps extends WalletDeps {
  http: SystemClient;
  log: Log;
}

export function createTills(deps: TillDeps): Tills {
  const prices = createLoadingCache({
    clock: deps.clock,
    load: () => readPrice(deps.http, deps.options()),
    max: 4,
    ttlMs: priceTtlMs,
    maxLoads: 4,
    overloaded: () => new PublicError('overloaded'),
  });
  return {
    quote: (user, amount) => moneyText(formOffer(deps.options(), user, amount).cents),
    pay: (user, wish) => pay(deps, user, wish),
    async checkoutQuote(user, amount) {
      const options = deps.options();
      const { cents } = pageOffer(options, user, amount);
      if (options.StripePriceId === '' || !isStripeReady(options)) return moneyText(cents);
      const { StripePriceId: id, StripeCurrency: currency, StripeApiSecret: secret } = options;
      const each = await prices.get(JSON.stringify([id, currency, secret]));
      return each === undefined ? '' : moneyText(each * amount);
    },
    checkout: (user, amount) => checkout(deps, user, amount),
  };
}

function formOffer(options: Options, { group }: Payer, amount: number): Offer {
  if (isClosed(options, ['Price', 'TopupGroupRatio', 'QuotaPerUnit'])) throw new PublicError('topup_unconfigured');
  return accepted(offerOf(options, { amount, group, minimum: options.MinTopUp, price: options.Price }));
}

function pageOffer(options: Options, { group }: Payer, amount: number): Offer {
  // The service's own price is for a dollar.
  const isOther = options.StripePriceId !== '' && !options.DisplayInCurrencyEnabled;
  if (isOther || isClosed(options, ['StripeUnitPrice', 'TopupGroupRatio', 'QuotaPerUnit']))
    throw new PublicError('topup_unconfigured');
  // Where the service has a price of its own, ours says nothing: what is really paid the page tells.
  const price = options.StripePriceId === '' ? options.StripeUnitPrice : 1;
  return accepted(offerOf(options, { amount, group, minimum: options.StripeMinTopUp, price }));
}

function accepted(offer: ReturnType<typeof offerOf>): Offer {
  if (!('code' in offer)) return offer;
  throw new PublicError(offer.code, 'minimum' in offer ? { minimum: offer.minimum } : {});
}

function methodOf(options: Options, wanted: string): string {
  const isOffered = (type: string) => options.PayMethods.some((method) => method.type === type);
  const method = isOffered(wanted) ? wanted : (aliases[wanted] ?? '');
  if (!isOffered(method)) throw new PublicError('topup_method_unknown');
  return method;
}

async function pay(deps: WalletDeps, user: Payer, { amount, method: wanted }: { amount: number; method: string }) {
  const options = deps.options();
  const offer = formOffer(options, user, amount);
  const method = methodOf(options, wanted);
  const base = options.CustomCallbackAddress || options.ServerAddress;
  if (!isEpayReady(options) || base === '') throw new PublicError('topup_unconfigured');
  const now = nowSeconds(deps.clock);
  const tradeNo = await createOrder(deps.db, user, { provider: epayName, method, amount, currency: 'cny', ...offer, now });
  return epayForm(options, {
    tradeNo,
    method,
    amount,
    money: moneyText(offer.cents),
    notifyUrl: `${base}${noticePaths.epay}`,
    returnUrl: `${options.ServerAddress || base}/log`,
  });
}

async function checkout(deps: TillDeps, user: Payer, amount: number) {
  const options = deps.options();
  const offer = pageOffer(options, user, amount);
  if (!isStripeReady(options) || options.ServerAddress === '') throw new PublicError('topup_unconfigured');
  const now = nowSeconds(deps.clock);
  const order = { provider: stripeName, method: stripeName, amount, currency: options.StripeCurrency, ...offer, now };
  const tradeNo = await createOrder(deps.db, user, order);
  const page = { tradeNo, amount, cents: offer.cents, returnUrl: `${options.ServerAddress}/topup`, siteName: options.SystemName };
  try {
    const { url, ...opened } = await openCheckout(deps, options, page);
    await keepPage(deps, tradeNo, opened);
    return { url, tradeNo };
  } catch (error) {
    await deps.db.transaction((tx) => closeOrder(tx, tradeNo, 'failed'));
    throw error;
  }
}

/** A price of the payment service's own decides what is paid, nobody has seen the page yet; by its number the service is asked. */
async function keepPage({ db }: WalletDeps, tradeNo: string, { cents, pageRef }: { cents: number; pageRef: string }) {
  const page = { money_cents: cents, page_ref: pageRef };
  await db.transaction((tx) => tx.query.updateTable('topup_order').set(page).where('trade_no', '=', tradeNo).execute());
}
