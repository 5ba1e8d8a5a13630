import {
  creditableVerdicts,
  type InboxEntry,
  type InboxVerdict,
  type OrderAnswer,
  type PageOf,
  type ReversedOrder,
  type TopupOrder,
} from '@tollgate/contract';
import { type Actor, recordAudit } from '../audit/index.ts';
import { cautiousClock, nowSeconds } from '../platform/clock.ts';
import { PublicError } from '../platform/errors.ts';
import { fillOwners } from './adjust.ts';
import { LedgerRefusal } from './errors.ts';
import { payDueRewards } from './invite.ts';
import { type Movement, movementsOf } from './movements.ts';
import { createEpay } from './payments/epay.ts';
import { askedKind, type Notice, type Saying } from './payments/provider.ts';
import { createStripe } from './payments/stripe.ts';
import { type AskDeps, askDueOrders, askOrder, readyProvider } from './topup-asks.ts';
import {
  closeEntry,
  entryOf,
  forgetOldEntries,
  isUnderstood,
  lockPayment,
  noticeOf,
  pageOfInbox,
  unmatchedVerdicts,
} from './topup-inbox.ts';
import { closeEntryByHand, lockEntry, settleForeignRefund } from './topup-manual.ts';
import { expireOrders, type OrderFilter, orderById, ordersCsv, pageOfOrders } from './topup-orders.ts';
import { receiveNotice, settleToldRefund } from './topup-receive.ts';
import { type OrderReversal, reverseOrder, settleEarlyRefunds } from './topup-refund.ts';
import { creditByHand, hasOwner, recordEvents, type SettleContext } from './topup-settle.ts';
import { createTills, type TillDeps, type Tills } from './topup-till.ts';
import type { WalletDeps } from './wallet-deps.ts';

interface Paging {
  p: number;
  page_size: number;
}

/** Online payments: what opens them, what their services say of them, and what people do about the rest. */
export interface Topups extends Tills {
  orders(filter: OrderFilter & Paging): Promise<PageOf<TopupOrder>>;
  ordersCsv(filter: OrderFilter): AsyncGenerator<string>;
  /** All movements of a user but the charges of calls, newest first, some at a time. */
  movements(userId: number): AsyncGenerator<readonly Movement[]>;
  /** Throws PublicError `order_not_found`, `order_not_paid`, `user_level_write`. */
  reverse(reversal: Omit<OrderReversal, 'options' | 'now'>): Promise<ReversedOrder>;
  inbox(filter: Paging & { verdict: string; provider: string }): Promise<PageOf<InboxEntry>>;
  unmatched(paging: Paging): Promise<PageOf<InboxEntry>>;
  /** Asks the order's service whether it was paid, and books that. Throws PublicError `order_not_found`, `topup_unconfigured`, `order_ask_...`. */
  ask(actor: Actor, orderId: number): Promise<OrderAnswer>;
  /** The same about some orders that are due by themselves; answers of how many. */
  askDue(): Promise<{ asked: number; credited: number }>;
  /** Undefined while that service is not fully set up: nothing that arrives is to be read. */
  gate(provider: string): { maxBytes: number; receive(notice: Omit<Notice, 'receivedMs'>): Promise<Received> } | undefined;
  /** Judges a stored notification again. Throws PublicError `payment_not_found`, `payment_sealed`, `topup_unconfigured`. */
  replay(actor: Actor, id: number): Promise<InboxEntry>;
  /** Gives an unmatched payment to a user. Throws PublicError `payment_not_found`, `payment_not_open`, `user_not_found`. */
  credit(actor: Actor, id: number, gift: { user_id: number; quota: number }): Promise<InboxEntry>;
  /** Says what a refund in another currency was of its payment. Throws PublicError `payment_not_found`, `payment_not_open`. */
  settleRefund(actor: Actor, id: number, cents: number): Promise<InboxEntry>;
  /** Closes orders and pays rewards whose time has come; in self-use mode fills up the owner's balance. */
  upkeep(): Promise<{ expired: number; rewarded: number }>;
}

export interface Received {
  verdict: InboxVerdict;
  /** The service may stop telling. */
  understood: boolean;
}

export function createTopups(deps: TillDeps): Topups {
  const { db, clock, options } = deps;
  const cautious = cautiousClock(clock);
  const services = [createEpay(options), createStripe(options)];
  const own = { ...deps, providers: new Map(services.map((provider) => [provider.name, provider])) };
  return {
    ...createTills(deps),
    orders: (filter) => pageOfOrders(db.read, filter),
    ordersCsv: (filter) => ordersCsv(db.read, filter),
    movements: (userId) => movementsOf(db.read, userId),
    async reverse(reversal) {
      const back = await db.transaction((tx) => reverseOrder(tx, { ...reversal, options: options(), now: nowSeconds(clock) }));
      deps.changes.notify();
      return { ...(await orderById(db.read, reversal.orderId)), ...back };
    },
    inbox: ({ verdict, ...filter }) => pageOfInbox(db.read, { ...filter, verdicts: verdict === '' ? [] : [verdict] }),
    unmatched: (paging) => pageOfInbox(db.read, { ...paging, verdicts: unmatchedVerdicts }),
    gate(name) {
      const provider = readyProvider(own, name);
      if (provider === undefined) return undefined;
      return {
        maxBytes: provider.maxNoticeBytes,
        async receive(notice) {
          const verdict = await receiveNotice(deps, provider, { ...notice, receivedMs: clock.nowMs() });
          return { verdict, understood: isUnderstood(verdict) };
        },
      };
    },
    async ask(actor, orderId) {
      const outcome = await askOrder(own, actor, orderId);
      return { outcome, order: await orderById(db.read, orderId) };
    },
    askDue: () => askDueOrders(own),
    replay: (actor, id) => replay(own, actor, id),
    credit: (actor, id, gift) => credit(own, actor, id, gift),
    async settleRefund(actor, id, cents) {
      const context = { options: options(), now: nowSeconds(clock) };
      await db.transaction((tx) => settleForeignRefund(db, tx, { id, cents, actor }, context));
      deps.changes.notify();
      return entryOf(await findEntry(deps, id));
    },
    async upkeep() {
      const now = nowSeconds(clock);
      const due = nowSeconds(cautious);
      const expired = await db.transaction((tx) => expireOrders(tx, now));
      const rewarded = await db.transaction((tx) => payDueRewards(tx, options(), { now, due }));
      await db.transaction((tx) => forgetOldEntries(tx, due));
      const filled = options().SelfUseModeEnabled ? await db.transaction((tx) => fillOwners(tx, options(), now)) : 0;
      if (rewarded + filled > 0) deps.changes.notify();
      return { expired, rewarded };
    },
  };
}

async function findEntry(deps: WalletDeps, id: number) {
  const row = await deps.db.read.selectFrom('payment_inbox').selectAll().where('id', '=', id).executeTakeFirst();
  if (row === undefined) throw new PublicError('payment_not_found');
  return row;
}

async function replay(deps: AskDeps, actor: Actor, id: number): Promise<InboxEntry> {
  const row = await findEntry(deps, id);
  const provider = readyProvider(deps, row.provider);
  if (provider === undefined) throw new PublicError('topup_unconfigured');
  const notice = noticeOf(deps.crypto, row);
  if (notice === undefined) throw new PublicError('payment_sealed');
  const verdict = await receiveNotice(deps, provider, notice, row.digest);
  const detail = { from: row.verdict, to: verdict };
  const event = { actor, action: 'payment.replay', target: `payment:${id}`, detail, now: nowSeconds(deps.clock) } as const;
  await deps.db.transaction((tx) => tx.perform(recordAudit(event)));
  return entryOf(await findEntry(deps, id));
}

type Entry = Awaited<ReturnType<typeof findEntry>>;

type Said = Pick<Extract<Saying, { says: 'paid' }>, 'providerRef' | 'refunded'>;

/**
 * What is not kept beside a payment: its number where it came before those were, and what was given back of it where it is an
 * answer. It is judged once more; `providerRef` "" = it is not believed any more.
 */
async function saidBy({ crypto, providers }: AskDeps, row: Entry): Promise<Said> {
  const { provider, provider_ref: providerRef } = row;
  if (providerRef !== '' && row.kind !== askedKind) return { providerRef };
  const notice = noticeOf(crypto, row);
  const { saying } = (notice && (await providers.get(provider)?.judge(notice))) ?? {};
  return saying?.says === 'paid' ? { ...saying, providerRef: providerRef || saying.providerRef } : { providerRef };
}

async function credit(
  deps: AskDeps,
  actor: Actor,
  id: number,
  { user_id: userId, quota }: { user_id: number; quota: number },
): Promise<InboxEntry> {
  const now = nowSeconds(deps.clock);
  const options = deps.options();
  const known = await findEntry(deps, id);
  const said = await saidBy(deps, known);
  const { providerRef } = said;
  try {
    await deps.db.transaction(async (tx) => {
      await lockPayment(deps.db, tx, known.provider, providerRef);
      const row = await lockEntry(tx, id);
      if (row === undefined) throw new PublicError('payment_not_found');
      if (!creditableVerdicts.some((verdict) => verdict === row.verdict)) throw new PublicError('payment_not_open');
      if (!(await hasOwner(tx, userId))) throw new PublicError('user_not_found');
      const payment = { provider: row.provider, tradeNo: row.trade_no };
      const paid = { cents: row.money_cents, currency: row.currency, providerRef };
      const context: SettleContext = { provider: row.provider, options, now, events: [] };
      const { events } = context;
      const done = await creditByHand(tx, { ...payment, ...paid, userId, quota, actor, options, now, events });
      if (!done) throw new PublicError('payment_not_open');
      await closeEntryByHand(tx, id, providerRef, `user ${userId}, ${quota}`);
      await settleEarlyRefunds(tx, providerRef, context);
      const refund = await settleToldRefund(tx, said, context);
      if (refund?.verdict === 'unmatched_refund' && refund.orderId !== 0) await closeEntry(tx, id, refund);
      await recordEvents(tx, events);
    });
  } catch (error) {
    if (error instanceof LedgerRefusal && error.code === 'no_wallet') throw new PublicError('user_not_found');
    if (error instanceof LedgerRefusal && error.code === 'ref_reused') throw new PublicError('payment_not_open');
    throw error;
  }
  deps.changes.notify();
  return entryOf(await findEntry(deps, id));
}
