import type { Database, Transaction } from '../storage/database.ts';

/** There is one row. */
export const stateId = 1;

/** Nothing was proven so far. */
export const freshState = { id: stateId, due_at: 0, log_id: 0, checked_at: 0, ok: 1, difference: '' };

/** What the last hourly proof left: up to which row receipts were proven, when, and what it found. */
export async function lastProof({ read }: Pick<Database, 'read'>) {
  const row = await read.selectFrom('proof_state').selectAll().where('id', '=', stateId).executeTakeFirst();
  return row === undefined || row.checked_at === 0 ? undefined : row;
}

/** Up to which row of the log receipts are not looked at again; 0 = all are. */
export async function readMark({ read }: Pick<Database, 'read'>): Promise<number> {
  const state = await read.selectFrom('proof_state').select('log_id').where('id', '=', stateId).executeTakeFirst();
  return state?.log_id ?? 0;
}

/** When the first row of the log was written up to which receipts have not been proven yet; undefined = there is none. Unix seconds. */
export async function unprovenSince(db: Pick<Database, 'read'>): Promise<number | undefined> {
  const row = await db.read
    .selectFrom('log')
    .select('created_at')
    .where('id', '>', await readMark(db))
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  return row?.created_at;
}

/**
 * Takes the receipts so far as read: the key that signed them is gone, and nothing of them could be proven ever again. The
 * whole proof is due at once.
 */
export async function passReceipts({ query }: Transaction): Promise<void> {
  const newest = await query.selectFrom('log').select('id').orderBy('id', 'desc').limit(1).executeTakeFirst();
  const passed = { log_id: newest?.id ?? 0, due_at: 0 };
  await query
    .insertInto('proof_state')
    .values({ ...freshState, ...passed })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(passed))
    .execute();
}
