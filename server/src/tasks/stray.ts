import type { Database } from '../storage/database.ts';
import type { GateParts } from './gate.ts';

const atOnce = 100;

/**
 * Gives back what is held for tasks that are over or never were: a submit that was frozen long enough has its hold after its
 * task was given up. A row is there before its hold and closed after it, so that none of these holds can be wanted any more.
 */
export async function releaseStray({ db, ledger }: Pick<GateParts, 'db' | 'ledger'>): Promise<readonly string[]> {
  const ids = await strayHolds(db);
  for (const id of ids) await ledger.release(id);
  return ids;
}

async function strayHolds(db: Database): Promise<string[]> {
  const rows = await db.read
    .selectFrom('hold')
    .leftJoin('task', (join) => join.onRef('task.hold_id', '=', 'hold.id').on('task.closed_at', '=', 0))
    .select('hold.id')
    .where('hold.keeper', '=', 'task')
    .where('task.id', 'is', null)
    .limit(atOnce)
    .execute();
  return rows.map(({ id }) => id);
}
