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

export async function closeEntryAsHand(tx: Transaction, id: number, detail: string): Promise<void> {
  const row = tx.query.updateTable('payment_inbox').set({ verdict: 'credited_by_hand', detail }).where('id', '=', id);
  await row.execute();
}
