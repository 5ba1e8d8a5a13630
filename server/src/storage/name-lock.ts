import { sql } from 'kysely';
import type { Database, Transaction } from './database.ts';

/** Any fixed number: whose names these are. */
const space = 7_206_517;

/**
 * Whoever else locks the same name waits until this transaction ends: for what has no row yet that could be locked. Take
 * it before any row. SQLite has one writer, nobody is beside it. Throws DatabaseError, kind `busy`.
 */
export async function lockName({ engine }: Pick<Database, 'engine'>, { query }: Transaction, name: string): Promise<void> {
  if (engine === 'postgres') await sql`SELECT pg_advisory_xact_lock(${sql.lit(space)}, hashtext(${name}))`.execute(query);
}
