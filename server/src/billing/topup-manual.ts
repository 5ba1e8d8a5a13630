import type { Selectable } from 'kysely';
import type { Actor } from '../audit/index.ts';
import { PublicError } from '../platform/errors.ts';
import type { Database, Transaction } from '../storage/database.ts';
import type { PaymentInboxTable } from '../storage/schema.ts';
import { closeEntry, lockPayment } from './topup-inbox.ts';
import { itsOwn, settleRefund } from './topup-refund.ts';
import { recordEvents, type SettleContext } from './topup-settle.ts';

/** The row of the inbox, held until the end of the transaction. */
export function lockEntry(tx: Transaction, id: number): Promise<Selectable<PaymentInboxTable> | undefined> {
  return tx.query
    .updateTable('payment_inbox')
    .set((column) => ({ seen: column.ref('seen') }))
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirst();
}

/** Its refunds find it by `providerRef`. */
export async function closeEntryByHand(tx: Transaction, id: number, providerRef: string, detail: string): Promise<void> {
  const done = { verdict: 'credited_by_hand', provider_ref: providerRef, detail };
  await tx.query.updateTable('payment_inbox').set(done).where('id', '=', id).execute();
}

/**
 * Takes back what a person says that a refund in another currency, or a dispute, was of its payment: `cents` of the payment's
 * own currency, in all so far; 0 = nothing. Throws PublicError `payment_not_found`, `payment_not_open`.
 */
export async function settleForeignRefund(
  db: Database,
  tx: Transaction,
  { id, cents, actor }: { id: number; cents: number; actor: Actor },
  context: Omit<SettleContext, 'provider' | 'events'>,
): Promise<void> {
  const known = await tx.query.selectFrom('payment_inbox').selectAll().where('id', '=', id).executeTakeFirst();
  if (known === undefined) throw new PublicError('payment_not_found');
  // Of a refund its own row names the payment; of an answer about a page, the payment's.
  const { provider, provider_ref: ofAnswer, trade_no: ofRefund } = known;
  const providerRef = ofAnswer === '' ? ofRefund : ofAnswer;
  await lockPayment(db, tx, provider, providerRef);
  if ((await lockEntry(tx, id))?.verdict !== 'unmatched_refund') throw new PublicError('payment_not_open');
  const refund = { says: 'refund', providerRef, cents, currency: itsOwn, eventId: `hand:${id}` } as const;
  const events: SettleContext['events'] = [];
  const effect = await settleRefund(tx, refund, { ...context, provider, events });
  await closeEntry(tx, id, { ...effect, verdict: 'refunded' });
  const detail = { by_hand: true, cents, result: effect.detail };
  await recordEvents(tx, [...events, { actor, action: 'payment.refund', target: `payment:${id}`, detail, now: context.now }]);
}
