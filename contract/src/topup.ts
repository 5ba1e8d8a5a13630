import * as z from 'zod/mini';
import { countedPage, filter, mostAmount, rowId, timeRange } from './fields.ts';
import { data, defineRoute, type PageOf, type StreamAnswer } from './route.ts';
import type { InboxVerdict, OrderState } from './topup-states.ts';

/** An online top-up. */
export interface TopupOrder {
  id: number;
  user_id: number;
  /** "" for one's own. */
  username: string;
  /** `epay` or `stripe`. */
  provider: string;
  payment_method: string;
  trade_no: string;
  /** As it was entered: dollars, or quota where no currency is shown. */
  amount: number;
  /** What is credited, fixed when the order was made. */
  quota: number;
  /** What is to be paid, two decimals; what was paid where that was credited by hand. */
  money: string;
  /** What of it was given back so far, two decimals. */
  refunded: string;
  currency: string;
  status: OrderState;
  create_time: number;
  expire_time: number;
  /** 0 = not yet. */
  complete_time: number;
}

/** The same as other gateways tell it (contract 8.2, 9.4): what was paid, late or not, is a `success`, and money is a number. */
export interface OrderElsewhere extends Omit<TopupOrder, 'money' | 'refunded' | 'status'> {
  money: number;
  refunded: number;
  status: Exclude<OrderState, 'paid' | 'paid_late'> | 'success';
}

/** An order that was taken back. */
export interface ReversedOrder extends TopupOrder {
  /** Quota that was taken back of the user. */
  taken: number;
  /** Quota that could not be taken back: the user no longer had it. */
  missing: number;
}

/** What a payment service says of an order it was asked about: `unpaid` so far, `closed` by it, or what its payment brought. */
export type OrderOutcome = InboxVerdict | 'unpaid' | 'closed';

export interface OrderAnswer {
  outcome: OrderOutcome;
  /** As it is now. */
  order: TopupOrder;
}

/** One payment notification, or an answer about an order (kind `query`); the same one again only raises `seen`. */
export interface InboxEntry {
  id: number;
  provider: string;
  kind: string;
  verdict: InboxVerdict;
  detail: string;
  trade_no: string;
  order_id: number;
  /** Two decimals, "" when it names no money. */
  money: string;
  currency: string;
  /** JSON of the parameters without signatures and personal data. */
  summary: string;
  seen: number;
  received_at: number;
  last_at: number;
}

/** The least is judged by the service, which has a text for it. */
const amount = z.number().check(z.int(), z.minimum(-mostAmount), z.maximum(mostAmount));
/** Sent by old consoles, without a meaning. */
const topUpCode = z._default(z.nullish(z.string().check(z.maxLength(255))), '');
/** The range is of the time when they were made. */
const orderFilters = { username: filter, trade_no: filter, status: filter, ...timeRange };

/** The caller's own wallet (contract 1.13, 8.1, 8.2). */
export const topupRoutes = {
  /** Redeems a code; answers the quota that was added. */
  redeem: defineRoute({
    method: 'POST',
    path: '/api/user/topup',
    access: 'user',
    sessionOnly: true,
    body: z.object({ key: z._default(z.string().check(z.trim(), z.maxLength(255)), '') }),
    data: data<number>(),
  }),
  /** `{message: "success", data: "12.34"}` or `{message: "error", data: text}`. */
  amount: defineRoute({
    method: 'POST',
    path: '/api/user/amount',
    access: 'user',
    sessionOnly: true,
    body: z.object({ amount, top_up_code: topUpCode }),
    data: data<string>(),
  }),
  /** `{message: "success", data: form fields, url: where to post them}` or `{message: "error", data: text}`. */
  pay: defineRoute({
    method: 'POST',
    path: '/api/user/pay',
    access: 'user',
    sessionOnly: true,
    body: z.object({ amount, top_up_code: topUpCode, payment_method: z._default(z.string().check(z.maxLength(64)), '') }),
    data: data<Record<string, string> | string>(),
  }),
  /** Opens a hosted payment page; the browser goes to `url`. */
  checkout: defineRoute({
    method: 'POST',
    path: '/api/user/checkout',
    access: 'user',
    sessionOnly: true,
    body: z.object({ amount }),
    data: data<{ url: string; trade_no: string }>(),
  }),
  /** What `checkout` would ask for: `{message, data}` like `amount`; "" = the payment page will tell. */
  checkoutAmount: defineRoute({
    method: 'POST',
    path: '/api/user/checkout/amount',
    access: 'user',
    sessionOnly: true,
    body: z.object({ amount }),
    data: data<string>(),
  }),
  records: defineRoute({
    method: 'GET',
    path: '/api/user/topup/records',
    access: 'user',
    query: z.object(countedPage),
    data: data<PageOf<TopupOrder>>(),
  }),
  /** The same under the address and in the words that other gateways have. */
  self: defineRoute({
    method: 'GET',
    path: '/api/user/topup/self',
    access: 'user',
    query: z.object(countedPage),
    data: data<PageOf<OrderElsewhere>>(),
  }),
  /** The same as CSV, all rows. */
  recordsExport: defineRoute({
    method: 'GET',
    path: '/api/user/topup/records/export',
    access: 'user',
    data: data<StreamAnswer>(),
  }),
} as const;

/** Orders and notifications of everybody. */
export const paymentRoutes = {
  orders: defineRoute({
    method: 'GET',
    path: '/api/payment/orders',
    access: 'admin',
    query: z.object({ ...countedPage, ...orderFilters }),
    data: data<PageOf<TopupOrder>>(),
  }),
  ordersExport: defineRoute({
    method: 'GET',
    path: '/api/payment/orders/export',
    access: 'admin',
    query: z.object(orderFilters),
    data: data<StreamAnswer>(),
  }),
  /**
   * Takes a paid order back whose money was returned outside of this program: its quota as far as the user still has it,
   * the inviter's rebate and the agent's dividend. Orders of users of one's own or a higher level: root only.
   */
  reverse: defineRoute({
    method: 'POST',
    path: '/api/payment/orders/:id/reverse',
    access: 'admin',
    sessionOnly: true,
    body: z.object({ reason: z._default(z.string().check(z.trim(), z.maxLength(500)), '') }),
    data: data<ReversedOrder>(),
  }),
  /** Asks the payment service about an order whose notification may be lost; what was paid is booked as if it had told. */
  ask: defineRoute({
    method: 'POST',
    path: '/api/payment/orders/:id/ask',
    access: 'admin',
    sessionOnly: true,
    data: data<OrderAnswer>(),
  }),
  inbox: defineRoute({
    method: 'GET',
    path: '/api/payment/inbox',
    access: 'root',
    query: z.object({ ...countedPage, verdict: filter, provider: filter }),
    data: data<PageOf<InboxEntry>>(),
  }),
  /** Judges a stored notification again, with the present settings. */
  replay: defineRoute({ method: 'POST', path: '/api/payment/inbox/:id/replay', access: 'root', data: data<InboxEntry>() }),
  /** Proven payments that found no order to credit, and refunds in another currency than their payment. */
  unmatched: defineRoute({
    method: 'GET',
    path: '/api/payment/unmatched',
    access: 'root',
    query: z.object(countedPage),
    data: data<PageOf<InboxEntry>>(),
  }),
  credit: defineRoute({
    method: 'POST',
    path: '/api/payment/unmatched/:id/credit',
    access: 'root',
    sessionOnly: true,
    body: z.object({
      user_id: rowId,
      quota: z.number().check(z.int(), z.minimum(1), z.maximum(mostAmount)),
    }),
    data: data<InboxEntry>(),
  }),
  /**
   * Takes back what a refund in another currency was of its payment: `cents` of the payment's own currency, in all that was given
   * back of it so far; 0 = nothing.
   */
  refund: defineRoute({
    method: 'POST',
    path: '/api/payment/unmatched/:id/refund',
    access: 'root',
    sessionOnly: true,
    body: z.object({ cents: z.number().check(z.int(), z.minimum(0), z.maximum(mostAmount)) }),
    data: data<InboxEntry>(),
  }),
} as const;

/** Where payment services report to: no session, plain text answers, their own proof of origin. */
export const noticePaths = { epay: '/api/user/epay/notify', stripe: '/api/payment/stripe/webhook' } as const;
