import type { Database } from '../storage/database.ts';

/** There is one row. */
export const stateId = 1;

/** What the last hourly proof left: up to which row receipts were proven, when, and what it found. */
export async function lastProof({ read }: Pick<Database, 'read'>) {
  const row = await read.selectFrom('proof_state').selectAll().where('id', '=', stateId).executeTakeFirst();
  return row === undefined || row.checked_at === 0 ? undefined : row;
}
