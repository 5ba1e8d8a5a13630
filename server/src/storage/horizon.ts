import { sql } from 'kysely';
import type { Database } from './database.ts';
import { serverLife } from './postgres/life.ts';

/** Up to which id the rows of the log are all there. */
export interface Horizon {
  /** No row with this id or a lower one can be committed after this; never less than before, but after a restart of PostgreSQL. Throws DatabaseError. */
  settledId(): Promise<number>;
}

/**
 * SQLite has one writer: what is visible is complete. PostgreSQL gives ids before COMMIT, so a lower id may appear after
 * a higher one. There the highest visible id is noted together with the newest transaction, and believed once all
 * transactions up to that one have ended: whoever was given a lower id had begun by then (every transaction of ours has
 * its number from BEGIN on, and ends by its time-outs). A standby that took over may lack the highest rows, and give their
 * ids to others.
 */
export function createHorizon(db: Database): Horizon {
  if (db.engine === 'sqlite') return { settledId: () => highestId(db) };
  let settled = 0;
  let noted: { id: number; before: number; life: string } | undefined;
  return {
    async settledId() {
      const { oldest, life } = await transactions(db);
      if (noted && noted.life !== life) {
        settled = 0;
        noted = undefined;
      }
      if (noted && oldest >= noted.before) {
        settled = Math.max(settled, noted.id);
        noted = undefined;
      }
      noted ??= { id: await highestId(db), before: (await transactions(db)).next, life };
      return settled;
    },
  };
}

async function highestId(db: Database): Promise<number> {
  const row = await db.read
    .selectFrom('log')
    .select((select) => select.fn.max('id').as('id'))
    .executeTakeFirst();
  return Number(row?.id ?? 0);
}

/** Numbers of the oldest transaction that still runs and of the next one to begin. */
async function transactions(db: Database): Promise<{ oldest: number; next: number; life: string }> {
  const { rows } = await sql<{ oldest: number; next: number; life: string }>`
    SELECT CAST(CAST(pg_snapshot_xmin(pg_current_snapshot()) AS text) AS bigint) AS oldest,
           CAST(CAST(pg_snapshot_xmax(pg_current_snapshot()) AS text) AS bigint) AS next,
           ${sql.raw(serverLife)} AS life`.execute(db.read);
  const [row] = rows;
  if (!row) throw new Error('The database did not say which transactions run');
  return row;
}
