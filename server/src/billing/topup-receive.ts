import type { InboxVerdict } from '@tollgate/contract';
import { nowSeconds } from '../platform/clock.ts';
import type { Transaction } from '../storage/database.ts';
import { LedgerRefusal } from './errors.ts';
import type { Judgement, Notice, PaymentProvider, Saying } from './payments/provider.ts';
import { closeEntry, isFinal, lockPayment, openEntry, wasBelieved } from './topup-inbox.ts';
import { closeOrder } from './topup-orders.ts';
import { settleEarlyRefunds, settleRefund } from './topup-refund.ts';
import { type Effect, recordEvents, type SettleContext, settlePaid } from './topup-settle.ts';
import type { WalletDeps } from './wallet-deps.ts';

/**
 * Judges a notification, books what it brings and stores it with its verdict, all in one transaction: whoever reads the
 * verdict reads it after the commit. `digest` names the row of one that is judged again. Throws DatabaseError; then nothing happened and the service will tell again.
 */
export async function receiveNotice(
  deps: WalletDeps,
  provider: PaymentProvider,
  notice: Notice,
  digest?: string,
): Promise<InboxVerdict> {
  const judged = await provider.judge(notice);
  const judgement = digest === undefined ? judged : { ...judged, digest };
  const verdict = await bookOrSetAside(deps, provider, notice, judgement);
  deps.changes.notify();
  return verdict;
}

async function bookOrSetAside(
  deps: WalletDeps,
  provider: PaymentProvider,
  notice: Notice,
  judgement: Judgement,
): Promise<InboxVerdict> {
  const { saying } = judgement;
  const store = (effect: (tx: Transaction) => Promise<Effect>) =>
    deps.db.transaction(async (tx) => {
      await lockPayment(deps.db, tx, provider.name, 'providerRef' in saying ? saying.providerRef : '');
      const row = await openEntry(tx, deps.crypto, { provider: provider.name, notice, judgement });
      // What was proven before a key was changed still waits for whoever it waited for.
      const isKept = isFinal(row.verdict) || (saying.says === 'refused' && wasBelieved(row.verdict));
      if (isKept) return row.verdict as InboxVerdict;
      const result = await effect(tx);
      await closeEntry(tx, row.id, result);
      return result.verdict;
    });
  try {
    return await store((tx) => effectOf(tx, deps, provider.name, judgement));
  } catch (error) {
    // The ledger will never take it, so that telling again is no use: a person must look.
    if (!(error instanceof LedgerRefusal)) throw error;
    return store(async () => ({ verdict: 'unmatched_order', detail: error.message, orderId: 0 }));
  }
}

async function effectOf(tx: Transaction, deps: WalletDeps, provider: string, judgement: Judgement): Promise<Effect> {
  const context: SettleContext = { provider, options: deps.options(), now: nowSeconds(deps.clock), events: [] };
  const effect = await settle(tx, judgement, context);
  await recordEvents(tx, context.events);
  return effect;
}

async function settle(tx: Transaction, { saying }: Judgement, context: SettleContext): Promise<Effect> {
  if (saying.says === 'refused') return { verdict: saying.verdict, detail: saying.detail, orderId: 0 };
  if (saying.says === 'paid') {
    const effect = await settlePaid(tx, saying, context);
    if (effect.verdict.startsWith('credited')) await settleEarlyRefunds(tx, saying.providerRef, context);
    const refund = await settleToldRefund(tx, saying, context);
    return refund?.verdict === 'unmatched_refund' ? refund : effect;
  }
  if (saying.says === 'refund') return settleRefund(tx, saying, context);
  if (saying.says === 'nothing') return { verdict: 'noted', detail: saying.detail, orderId: 0 };
  await closeOrder(tx, saying.tradeNo, saying.state);
  return { verdict: 'noted', detail: saying.state, orderId: 0 };
}

/** An answer about a payment says what was given back of it, too: in all so far, so that a refund told elsewhere counts once. */
export async function settleToldRefund(
  tx: Transaction,
  { refunded, providerRef }: Pick<Extract<Saying, { says: 'paid' }>, 'refunded' | 'providerRef'>,
  context: SettleContext,
): Promise<Effect | undefined> {
  if (refunded === undefined) return undefined;
  return settleRefund(tx, { says: 'refund', providerRef, ...refunded, eventId: `query:${refunded.cents}` }, context);
}
