import type { Database } from '../storage/database.ts';

/** There is one row. */
export const stateId = 1;

/** What the last hourly proof left: up to which row receipts were proven, when, and what it found. */
export async function lastProof({ read }: Pick<Database, 'read'>) {
  const row = await read.selectFrom('proof_state').selectAll().where('id', '=', stateId).executeTakeFirst();
  return row === undefined || row.checked_at === 0 ? undefined : row;
}

/** When the first row of the log was written up to which receipts have not been proven yet; undefined = there is none. Unix seconds. */
export async function unprovenSince({ read }: Pick<Database, 'read'>): Promise<number | undefined> {
  const state = await read.selectFrom('proof_state').select('log_id').where('id', '=', stateId).executeTakeFirst();
  const row = await read
    .selectFrom('log')
    .select('created_at')
    .where('id', '>', state?.log_id ?? 0)
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  return row?.created_at;
}
