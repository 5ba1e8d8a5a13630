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
 * a higher one. There the highest visible id is noted, then which transactions of this database run, and it is believed
 * once all of these have ended: whoever was given a lower id is among them or has ended (every transaction of ours has its
 * number from BEGIN on, and ends by its time-outs). A snapshot would not do: those that no later one has overtaken are
 * not among the running in it, while those of other databases are, which write no row here and may take hours. A
 * standby that took over may lack the highest rows, and give their ids to others.
 */
export function createHorizon(db: Database): Horizon {
  if (db.engine === 'sqlite') return { settledId: () => highestId(db) };
  let settled = 0;
  let noted: (Running & { id: number }) | undefined;
  return {
    async settledId() {
      const now = await running(db);
      if (noted && noted.life !== now.life) {
        settled = 0;
        noted = undefined;
      }
      if (noted && !now.numbers.some((number) => noted?.numbers.includes(number))) {
        settled = Math.max(settled, noted.id);
        noted = undefined;
      }
      noted ??= { id: await highestId(db), ...(await running(db)) };
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

interface Running {
  /** Of the transactions of this database that write. */
  readonly numbers: readonly string[];
  readonly life: string;
}

async function running(db: Database): Promise<Running> {
  const { rows } = await sql<{ number: string | null; life: string }>`
    SELECT number, life
    FROM (SELECT ${sql.raw(serverLife)} AS life) AS server
    LEFT JOIN (SELECT CAST(backend_xid AS text) AS number FROM pg_stat_activity WHERE datname = current_database()
               UNION ALL
               SELECT CAST(transaction AS text) FROM pg_prepared_xacts WHERE database = current_database()
              ) AS writing ON number IS NOT NULL`.execute(db.read);
  const [first] = rows;
  if (!first) throw new Error('The database did not say which transactions run');
  return { numbers: rows.flatMap(({ number }) => number ?? []), life: first.life };
}
