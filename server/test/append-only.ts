import { sql } from 'kysely';
import type { Database } from '../src/storage/database.ts';

/** From now on rows of an append-only table can be changed, as by somebody with full rights on the database. */
export function unlockTable(db: Database, table: 'audit' | 'transfer'): Promise<void> {
  return db.transaction(async (tx) => {
    if (db.engine === 'sqlite') {
      await sql.raw(`DROP TRIGGER ${table}_refuses_update`).execute(tx.query);
      await sql.raw(`DROP TRIGGER ${table}_refuses_delete`).execute(tx.query);
    } else await sql.raw(`ALTER TABLE ${table} DISABLE TRIGGER ${table}_refuses_change`).execute(tx.query);
  });
}
