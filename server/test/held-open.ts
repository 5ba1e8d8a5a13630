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
