import { type Kysely, sql } from 'kysely';
import type { Database } from './database.ts';
import { migrationContext } from './migrations/context.ts';
import { type Migration, migrations } from './migrations/index.ts';

/** Any fixed number: the lock under which nodes that start together take turns. */
const lockKey = 7_206_515;
const timeoutMs = 600_000;

/**
 * Brings the schema up to date in one transaction and returns the names of what was applied. Throws when the database
 * was written by a newer program.
 */
export function migrate(db: Database): Promise<string[]> {
  return db.transaction(
    async (tx) => {
      const query = tx.query as unknown as Kysely<unknown>;
      if (db.engine === 'postgres') {
        await sql`SET LOCAL lock_timeout = ${sql.raw(String(timeoutMs))}`.execute(query);
        await sql`SET LOCAL idle_in_transaction_session_timeout = ${sql.raw(String(timeoutMs))}`.execute(query);
        await sql`SELECT pg_advisory_xact_lock(${sql.raw(String(lockKey))})`.execute(query);
      }
      await sql`CREATE TABLE IF NOT EXISTS migration (name text NOT NULL PRIMARY KEY, applied_at text NOT NULL)`.execute(query);
      const { rows } = await sql<{ name: string }>`SELECT name FROM migration ORDER BY name`.execute(query);
      const pending = notIn(rows);
      for (const { name, up } of pending) {
        await up(migrationContext(db.engine, query));
        await sql`INSERT INTO migration (name, applied_at) VALUES (${name}, CAST(CURRENT_TIMESTAMP AS text))`.execute(query);
      }
      return pending.map((migration) => migration.name);
    },
    { timeoutMs },
  );
}

/** Names of what `migrate` would apply, in order; changes nothing. Throws like `migrate`. */
export async function pendingMigrations(db: Pick<Database, 'read'>): Promise<string[]> {
  const tables = await db.read.introspection.getTables();
  const isNew = !tables.some(({ name }) => name === 'migration');
  const rows = isNew ? [] : (await sql<{ name: string }>`SELECT name FROM migration`.execute(db.read)).rows;
  return notIn(rows).map(({ name }) => name);
}

function notIn(rows: readonly { name: string }[]): Migration[] {
  const applied = new Set(rows.map((row) => row.name));
  const known = new Set(migrations.map((migration) => migration.name));
  const foreign = [...applied].find((name) => !known.has(name));
  if (foreign !== undefined) throw new Error(`The database was written by a newer version (migration ${foreign})`);
  return migrations.filter((migration) => !applied.has(migration.name));
}
