import { sql } from 'kysely';
import type { Database, Transaction } from '../src/storage/database.ts';

/** A transaction of the product's, with its limits, that has done `body` and stays open until `end`, which commits it. */
export async function heldOpen(db: Database, body: (tx: Transaction) => Promise<unknown>): Promise<{ end(): Promise<void> }> {
  const [begun, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const done = db.transaction(async (tx) => {
    await body(tx);
    begun.resolve();
    await over.promise;
  });
  await Promise.race([begun.promise, done]);
  return {
    async end() {
      over.resolve();
      await done;
    },
  };
}

/** How many transactions of this database wait for another one's locks; those of other tests are in databases of their own. */
export async function lockWaits({ read }: Pick<Database, 'read'>): Promise<number> {
  const waiting = sql`SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  return (await waiting.execute(read)).rows.length;
}
