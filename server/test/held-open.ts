import { sql } from 'kysely';
import type { Database, Transaction } from '../src/storage/database.ts';

/**
 * A transaction that has done `body` and stays open until `end`, which commits it: PostgreSQL ends one of the product's that is
 * idle for seconds, which those who look at it meanwhile may take on a busy machine.
 */
export async function heldOpen(db: Database, body: (tx: Transaction) => Promise<unknown>): Promise<{ end(): Promise<void> }> {
  const [begun, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const done = db.transaction(
    async (tx) => {
      if (db.engine === 'postgres') await sql`SET LOCAL idle_in_transaction_session_timeout = 0`.execute(tx.query);
      await body(tx);
      begun.resolve();
      await over.promise;
    },
    { timeoutMs: 60_000 },
  );
  await Promise.race([begun.promise, done]);
  return {
    async end() {
      over.resolve();
      await done;
    },
  };
}
