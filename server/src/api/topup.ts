import type { OrderElsewhere, paymentRoutes, TopupOrder, topupRoutes } from '@tollgate/contract';
import type { Payer, Redemptions, Topups } from '../billing/index.ts';
import { PublicError } from '../platform/errors.ts';
import type { Downloads } from './downloads.ts';
import type { ApiLimits } from './limits.ts';
import { actorOf, type Call, type Handlers, signedIn } from './types.ts';

interface Parts {
  redemptions: Redemptions;
  topups: Topups;
  limits: ApiLimits;
  downloads: Downloads;
  hasSpace(): boolean;
}

export function topupHandlers({ redemptions, topups, limits, downloads, hasSpace }: Parts): Handlers<typeof topupRoutes> {
  return {
    redeem(call) {
      const user = payerOf(call);
      refuseUnless(hasSpace());
      return limits.countFailedRedeem(user.id, () => redemptions.redeem(user, call.body.key));
    },
    amount: (call) => topups.quote(payerOf(call), call.body.amount),
    async pay(call) {
      refuseUnless(hasSpace());
      const { amount, payment_method: method } = call.body;
      const { url, fields } = await topups.pay(payerOf(call), { amount, method });
      call.add({ url });
      return fields;
    },
    async checkout(call) {
      refuseUnless(hasSpace());
      const { url, tradeNo } = await topups.checkout(payerOf(call), call.body.amount);
      return { url, trade_no: tradeNo };
    },
    checkoutAmount: (call) => topups.checkoutQuote(payerOf(call), call.body.amount),
    records: (call) => topups.orders({ ...call.query, userId: signedIn(call).user.id }),
    async self(call) {
      const page = await topups.orders({ ...call.query, userId: signedIn(call).user.id });
      return { ...page, items: page.items.map(elsewhere) };
    },
    recordsExport(call) {
      const texts = topups.ordersCsv({ userId: signedIn(call).user.id });
      return downloads.file(call, { name: 'orders', texts });
    },
  };
}

function elsewhere({ money, refunded, status, ...order }: TopupOrder): OrderElsewhere {
  const amounts = { money: Number(money), refunded: Number(refunded) };
  return { ...order, ...amounts, status: status === 'paid' || status === 'paid_late' ? 'success' : status };
}

export function paymentHandlers({ topups, downloads }: Pick<Parts, 'topups' | 'downloads'>): Handlers<typeof paymentRoutes> {
  return {
    orders: (call) => topups.orders(call.query),
    ordersExport: (call) => downloads.file(call, { name: 'orders', texts: topups.ordersCsv(call.query) }),
    reverse(call) {
      const { reason } = call.body;
      if (reason === '') throw new PublicError('order_reason_missing');
      return topups.reverse({ orderId: call.id, actor: actorOf(call), role: signedIn(call).user.role, reason });
    },
    ask: (call) => topups.ask(actorOf(call), call.id),
    inbox: (call) => topups.inbox(call.query),
    replay: (call) => topups.replay(actorOf(call), call.id),
    unmatched: (call) => topups.unmatched(call.query),
    credit: (call) => topups.credit(actorOf(call), call.id, call.body),
    refund: (call) => topups.settleRefund(actorOf(call), call.id, call.body.cents),
  };
}

/** What a payment service tells of money that came is booked all the same. */
function refuseUnless(hasSpace: boolean): void {
  if (!hasSpace) throw new PublicError('disk_full', {}, 30);
}

function payerOf(call: Pick<Call, 'identity' | 'caller'>): Payer {
  const { user } = signedIn(call);
  return { id: user.id, username: user.username, group: user.group, ip: call.caller.address.ip };
}
