import type { Selectable } from 'kysely';
import type { Transaction } from '../storage/database.ts';
import type { PaymentInboxTable } from '../storage/schema.ts';

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
export async function closeEntryAsHand(tx: Transaction, id: number, providerRef: string, detail: string): Promise<void> {
  const done = { verdict: 'credited_by_hand', provider_ref: providerRef, detail };
  const row = tx.query.updateTable('payment_inbox').set(done).where('id', '=', id);
  await row.execute();
}
