import { sql } from 'kysely';
import type { Database } from './database.ts';

/** Up to which id a table's rows are all there. */
export interface Horizon {
  /** No row with this id or a lower one can be committed after this; never less than before. Throws DatabaseError. */
  settledId(): Promise<number>;
}

/**
 * SQLite has one writer: what is visible is complete. PostgreSQL gives ids before COMMIT, so a lower id may appear after
 * a higher one. There the highest visible id is noted together with the newest transaction, and believed once all
 * transactions up to that one have ended: whoever was given a lower id had begun by then (every transaction of ours has
 * its number from BEGIN on, and ends by its time-outs).
 */
export function createHorizon(db: Database, table: 'log'): Horizon {
  if (db.engine === 'sqlite') return { settledId: () => highestId(db, table) };
  let settled = 0;
  let noted: { id: number; before: number } | undefined;
  return {
    async settledId() {
      if (noted && (await transactions(db)).oldest >= noted.before) {
        settled = Math.max(settled, noted.id);
        noted = undefined;
      }
      noted ??= { id: await highestId(db, table), before: (await transactions(db)).next };
      return settled;
    },
  };
}

async function highestId(db: Database, table: 'log'): Promise<number> {
  const row = await db.read
    .selectFrom(table)
    .select((select) => select.fn.max('id').as('id'))
    .executeTakeFirst();
  return Number(row?.id ?? 0);
}

/** Numbers of the oldest transaction that still runs and of the next one to begin. */
async function transactions(db: Database): Promise<{ oldest: number; next: number }> {
  const { rows } = await sql<{ oldest: number; next: number }>`
    SELECT CAST(CAST(pg_snapshot_xmin(pg_current_snapshot()) AS text) AS bigint) AS oldest,
           CAST(CAST(pg_snapshot_xmax(pg_current_snapshot()) AS text) AS bigint) AS next`.execute(db.read);
  const [row] = rows;
  if (!row) throw new Error('The database did not say which transactions run');
  return row;
}
