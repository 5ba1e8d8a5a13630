import { expect, test } from 'vitest';
import { onPostgres } from '../../../test/engines.ts';
import { heldOpen } from '../../../test/held-open.ts';
import {
  anything,
  begin,
  day,
  naive,
  pick,
  randomRows,
  rollAll,
  rollupOn,
  seedLog,
  type UsageSeed,
  usageRow,
} from '../../../test/usage-kit.ts';
import { createHorizon } from '../../storage/horizon.ts';
import { usageSums } from './sums.ts';

/** PostgreSQL gives ids before COMMIT. */
onPostgres((_name, open) => {
  test('an id is not rolled up while a transaction with a lower one is still open', async () => {
    const db = await open();
    const horizon = createHorizon(db);
    const row = usageRow({ created_at: begin });
    const slow = await heldOpen(db, (tx) => tx.query.insertInto('log').values(row).execute());
    await seedLog(db, [row]);
    for (let look = 0; look < 5; look += 1) expect(await horizon.settledId()).toBe(0);
    const rollup = rollupOn(db);
    for (let step = 0; step < 3; step += 1) await rollup.step();
    expect((await usageSums(db.read, anything)).calls).toBe(1);
    await slow.end();
    expect(await horizon.settledId()).toBe(2);
    await rollAll(rollup);
    expect((await usageSums(db.read, anything)).calls).toBe(2);
  });

  test('nor while that one is the newest transaction of all', async () => {
    const db = await open();
    const horizon = createHorizon(db);
    const row = usageRow({ created_at: begin });
    const [begun, mayWrite] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const older = db.transaction(async (tx) => {
      begun.resolve();
      await mayWrite.promise;
      await tx.query.insertInto('log').values(row).execute();
    });
    await begun.promise;
    const newest = await heldOpen(db, (tx) => tx.query.insertInto('log').values(row).execute());
    mayWrite.resolve();
    await older;
    for (let look = 0; look < 5; look += 1) expect(await horizon.settledId()).toBe(0);
    await newest.end();
    expect(await horizon.settledId()).toBe(2);
  });

  test('a transaction of another database on the same server, however long, holds up nothing', async () => {
    const [db, other] = [await open(), await open()];
    const horizon = createHorizon(db);
    const row = usageRow({ created_at: begin });
    const long = await heldOpen(other, (tx) => tx.query.insertInto('log').values(row).execute());
    await seedLog(db, [row]);
    for (let look = 0; look < 2; look += 1) await horizon.settledId();
    expect(await horizon.settledId()).toBe(1);
    await long.end();
  });

  test('rows that are committed in any order are all counted, each once', async () => {
    const db = await open();
    const rollup = rollupOn(db, 'a', 5);
    const random = pick(31);
    const rows = randomRows(40, 17, begin, day);
    const written: UsageSeed[] = [];
    const waiting: { row: UsageSeed; end(): Promise<void> }[] = [];
    const commit = async ({ row, end }: (typeof waiting)[0]) => {
      written.push(row);
      await end();
    };
    for (const row of rows) {
      if (waiting.length === 3) {
        const ended = waiting.splice(random(3), 1);
        await Promise.all(ended.map(commit));
      }
      waiting.push({ row, ...(await heldOpen(db, (tx) => tx.query.insertInto('log').values(row).execute())) });
      await rollup.step();
      expect(await usageSums(db.read, anything)).toEqual(naive(written, anything));
    }
    for (const each of waiting) await commit(each);
    await rollAll(rollup);
    await db.transaction((tx) => tx.query.deleteFrom('log').execute());
    expect(await usageSums(db.read, anything)).toEqual(naive(rows, anything));
  });
});
