import type { OrderOutcome } from '@tollgate/contract';
import { type Selectable, sql } from 'kysely';
import { type Actor, recordAudit } from '../audit/index.ts';
import { nowSeconds } from '../platform/clock.ts';
import { PublicError } from '../platform/errors.ts';
import type { SystemClient } from '../platform/http/system-client.ts';
import type { Database } from '../storage/database.ts';
import type { TopupOrderTable } from '../storage/schema.ts';
import type { AskFault, PaymentProvider } from './payments/provider.ts';
import { nextAsk } from './topup-orders.ts';
import { receiveNotice } from './topup-receive.ts';
import type { WalletDeps } from './wallet-deps.ts';

export interface AskDeps extends WalletDeps {
  http: SystemClient;
  providers: ReadonlyMap<string, PaymentProvider>;
}

/** The service of that name once it is fully set up, else undefined. */
export function readyProvider({ providers }: Pick<AskDeps, 'providers'>, name: string): PaymentProvider | undefined {
  const provider = providers.get(name);
  return provider?.isConfigured() === true ? provider : undefined;
}

type Order = Pick<Selectable<TopupOrderTable>, 'id' | 'provider' | 'trade_no' | 'page_ref' | 'created_at' | 'asks' | 'ask_at'>;
const columns = ['id', 'provider', 'trade_no', 'page_ref', 'created_at', 'asks', 'ask_at'] as const;

/** So many questions are under way at once. */
const batch = 4;
/** A service that is out of reach is asked again so long after, times how often it was asked. */
const retrySeconds = 1_800;
/** From then on only at the times when every order is asked about. */
const maxRetries = 8;

/** Asks about some orders whose time has come; answers of how many. Call again while that is more than none. */
export async function askDueOrders(deps: AskDeps): Promise<{ asked: number; credited: number }> {
  const now = nowSeconds(deps.clock);
  const due = await claimDue(deps.db, now);
  const outcomes = await Promise.all(
    due.map(async (order) => {
      const outcome = await askOne(deps, order);
      await askAgain(deps.db, order, nextTime(order, outcome, now));
      return outcome;
    }),
  );
  return { asked: due.length, credited: outcomes.filter((outcome) => outcome.startsWith('credited')).length };
}

/** Of two nodes one gets each order; should it die meanwhile, the order is due again later. */
function claimDue(db: Database, now: number): Promise<Order[]> {
  return db.transaction((tx) => {
    const due = tx.query.selectFrom('topup_order').select('id').where('ask_at', '>', 0).where('ask_at', '<=', now);
    return tx.query
      .updateTable('topup_order')
      .set((column) => ({
        asks: column('asks', '+', 1),
        ask_at: sql<number>`(asks + 1) * ${retrySeconds} + ${now}`,
      }))
      .where('id', 'in', due.orderBy('ask_at').orderBy('id').limit(batch))
      .where('ask_at', '<=', now)
      .returning(columns)
      .execute();
  });
}

/** When to ask again after `outcome`; 0 = never: there is an answer, or nobody will ever give one. */
function nextTime(
  { created_at: createdAt, asks, ask_at: retryAt }: Order,
  outcome: OrderOutcome | AskFault,
  now: number,
): number {
  if (outcome !== 'unpaid' && !isFault(outcome)) return 0;
  const planned = nextAsk(createdAt, now);
  if (outcome !== 'unreachable' || asks >= maxRetries) return planned;
  return planned === 0 ? retryAt : Math.min(retryAt, planned);
}

/** Unless the order was paid or closed meanwhile. */
async function askAgain(db: Database, order: Order, at: number): Promise<void> {
  await db.transaction((tx) => {
    const row = tx.query.updateTable('topup_order').where('id', '=', order.id).where('ask_at', '=', order.ask_at);
    return row.set({ ask_at: at }).execute();
  });
}

const faults: Readonly<
  Record<AskFault, 'order_ask_unreachable' | 'order_ask_unknown' | 'order_ask_insecure' | 'order_ask_unnumbered'>
> = {
  unreachable: 'order_ask_unreachable',
  unknown: 'order_ask_unknown',
  insecure: 'order_ask_insecure',
  unnumbered: 'order_ask_unnumbered',
};

function isFault(outcome: OrderOutcome | AskFault): outcome is AskFault {
  return outcome in faults;
}

/** What is learnt goes the way of a notification (decision 0019); that nothing was paid so far is no news. */
async function askOne(deps: AskDeps, order: Pick<Order, 'provider' | 'trade_no' | 'page_ref'>): Promise<OrderOutcome | AskFault> {
  const provider = readyProvider(deps, order.provider);
  if (provider === undefined) return 'unreachable';
  const answer = await provider.ask(deps.http, { tradeNo: order.trade_no, pageRef: order.page_ref });
  if ('fault' in answer) return answer.fault;
  const notice = { raw: answer.raw, signature: '', receivedMs: deps.clock.nowMs(), asked: true };
  const { saying } = await provider.judge(notice);
  if (saying.says === 'nothing') return 'unpaid';
  // Not what was asked about: nothing of it is believed.
  if (!('tradeNo' in saying) || saying.tradeNo !== order.trade_no) return 'unknown';
  const verdict = await receiveNotice(deps, provider, notice);
  return saying.says === 'closed' ? 'closed' : verdict;
}

/** By hand, whatever state the order is in. Throws PublicError `order_not_found`, `topup_unconfigured`, `order_ask_...`. */
export async function askOrder(deps: AskDeps, actor: Actor, orderId: number): Promise<OrderOutcome> {
  const order = await deps.db.read.selectFrom('topup_order').select(columns).where('id', '=', orderId).executeTakeFirst();
  if (order === undefined) throw new PublicError('order_not_found');
  if (readyProvider(deps, order.provider) === undefined) throw new PublicError('topup_unconfigured');
  const outcome = await askOne(deps, order);
  const event = { actor, action: 'payment.ask', target: `order:${order.trade_no}`, detail: { outcome } } as const;
  await deps.db.transaction((tx) => tx.perform(recordAudit({ ...event, now: nowSeconds(deps.clock) })));
  if (isFault(outcome)) throw new PublicError(faults[outcome]);
  return outcome;
}
