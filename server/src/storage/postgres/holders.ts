import { type Kysely, sql } from 'kysely';
import type { Schema } from '../schema.ts';

/** What keeps PostgreSQL from clearing away rows that nobody needs any more. */
export interface Holder {
  readonly kind: 'process' | 'slot' | 'prepared';
  /** As the statement that ends it names it: a number, or a name. */
  readonly name: string;
  /** Program and role of a process; "" = neither is told. */
  readonly who: string;
  /** For how long; 0 = that is not told. */
  readonly seconds: number;
}

/**
 * Seconds: a backup of a large database reads for half an hour; what writes and stays open holds up sums of usage, too.
 * Transactions of the server since then, some hours of a busy site: what belongs to other roles does not tell its time.
 */
const long = { reading: 3_600, writing: 300, transactions: 1_000_000 };

/** Of this database, the one that has been there for longest; undefined where all are of now. Throws DatabaseError. */
export async function longestHolder(read: Kysely<Schema>, most = long): Promise<Holder | undefined> {
  const { rows } = await sql<Holder>`
    SELECT kind, name, who, seconds
    FROM (SELECT 'process' AS kind, CAST(pid AS text) AS name, concat_ws(', ', nullif(application_name, ''), usename) AS who,
                 greatest(age(backend_xmin), age(backend_xid)) AS age, backend_xid IS NOT NULL AS writes,
                 now() - xact_start AS lasts
          FROM pg_stat_activity
          WHERE pid <> pg_backend_pid() AND (datname = current_database() OR backend_type = 'walsender')
          UNION ALL
          SELECT 'slot', CAST(slot_name AS text), '', age(xmin), false, NULL FROM pg_replication_slots
          UNION ALL
          SELECT 'prepared', gid, CAST(owner AS text), age(transaction), true, now() - prepared
          FROM pg_prepared_xacts WHERE database = current_database()
         ) AS holder,
         LATERAL (SELECT CAST(coalesce(extract(epoch FROM lasts), 0) AS integer) AS seconds) AS told
    WHERE age > ${sql.lit(most.transactions)}
       OR age IS NOT NULL AND seconds > CASE WHEN writes THEN ${sql.lit(most.writing)} ELSE ${sql.lit(most.reading)} END
    ORDER BY age DESC LIMIT 1`.execute(read);
  return rows[0];
}

/** Replication slots that nobody reads and that keep more than `bytes` of the journal. Throws DatabaseError. */
export async function forgottenSlots(read: Kysely<Schema>, bytes = 4 * 2 ** 30): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    SELECT CAST(slot_name AS text) AS name FROM pg_replication_slots
    WHERE NOT active AND pg_wal_lsn_diff(CASE WHEN pg_is_in_recovery() THEN NULL ELSE pg_current_wal_lsn() END, restart_lsn) > ${bytes}
    ORDER BY slot_name`.execute(read);
  return rows.map(({ name }) => name);
}
