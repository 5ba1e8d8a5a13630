import { sql } from 'kysely';
import type { Database } from './database.ts';

/** A sample of each table is read, whatever its size. */
const timeoutMs = 600_000;

/**
 * Gathers what PostgreSQL plans by, which a restore does not bring along: until then lists read whole tables, and the largest ones wait
 * longest for it. Nothing on SQLite: its backup is the whole file. Throws DatabaseError.
 */
export async function gatherStatistics(db: Database): Promise<void> {
  if (db.engine !== 'postgres') return;
  await db.transaction(({ query }) => sql`ANALYZE`.execute(query), { timeoutMs });
}
