import { expect, test } from 'vitest';
import { onPostgres } from '../../../test/engines.ts';
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

const stop = () => Promise.withResolvers<void>();

/** PostgreSQL gives ids before COMMIT. */
onPostgres((_name, open) => {
  test('an id is not rolled up while a transaction with a lower one is still open', async () => {
    const db = await open();
    const horizon = createHorizon(db);
    let finish: () => void = () => undefined;
    let written: () => void = () => undefined;
    const isWritten = new Promise<void>((resolve) => {
      written = resolve;
    });
    const slow = db.transaction(async (tx) => {
      await tx.query
        .insertInto('log')
        .values(usageRow({ created_at: begin }))
        .execute();
      written();
      await new Promise<void>((resolve) => {
        finish = resolve;
      });
    });
    await isWritten;
    await seedLog(db, [usageRow({ created_at: begin })]);
    for (let look = 0; look < 5; look += 1) expect(await horizon.settledId()).toBe(0);
    const rollup = rollupOn(db);
    for (let step = 0; step < 3; step += 1) await rollup.step();
    expect((await usageSums(db.read, anything)).calls).toBe(1);
    finish();
    await slow;
    expect(await horizon.settledId()).toBe(2);
    await rollAll(rollup);
    expect((await usageSums(db.read, anything)).calls).toBe(2);
  });

  test('nor while that one is the newest transaction of all', async () => {
    const db = await open();
    const horizon = createHorizon(db);
    const row = usageRow({ created_at: begin });
    const [begun, mayWrite, written, mayEnd] = [stop(), stop(), stop(), stop()];
    const older = db.transaction(async (tx) => {
      begun.resolve();
      await mayWrite.promise;
      await tx.query.insertInto('log').values(row).execute();
    });
    await begun.promise;
    const newest = db.transaction(async (tx) => {
      await tx.query.insertInto('log').values(row).execute();
      written.resolve();
      await mayEnd.promise;
    });
    await written.promise;
    mayWrite.resolve();
    await older;
    for (let look = 0; look < 5; look += 1) expect(await horizon.settledId()).toBe(0);
    mayEnd.resolve();
    await newest;
    expect(await horizon.settledId()).toBe(2);
  });

  test('a transaction of another database on the same server, however long, holds up nothing', async () => {
    const [db, other] = [await open(), await open()];
    const horizon = createHorizon(db);
    const row = usageRow({ created_at: begin });
    await other.transaction(async (tx) => {
      await tx.query.insertInto('log').values(row).execute();
      await seedLog(db, [row]);
      for (let look = 0; look < 2; look += 1) await horizon.settledId();
      expect(await horizon.settledId()).toBe(1);
    });
  });

  test('rows that are committed in any order are all counted, each once', async () => {
    const db = await open();
    const rollup = rollupOn(db, 'a', 5);
    const random = pick(31);
    const rows = randomRows(40, 17, begin, day);
    const written: UsageSeed[] = [];
    let waiting: { commit: () => void; done: Promise<void> }[] = [];
    const start = async (row: UsageSeed) => {
      let commit: () => void = () => undefined;
      const mayCommit = new Promise<void>((resolve) => {
        commit = resolve;
      });
      let inserted: () => void = () => undefined;
      const isInserted = new Promise<void>((resolve) => {
        inserted = resolve;
      });
      const done = db.transaction(async (tx) => {
        await tx.query.insertInto('log').values(row).execute();
        inserted();
        await mayCommit;
      });
      await isInserted;
      waiting.push({
        commit: () => {
          written.push(row);
          commit();
        },
        done,
      });
    };
    for (const row of rows) {
      if (waiting.length === 3) {
        const [ended] = waiting.splice(random(3), 1);
        ended?.commit();
        await ended?.done;
      }
      await start(row);
      await rollup.step();
      expect(await usageSums(db.read, anything)).toEqual(naive(written, anything));
    }
    for (const { commit, done } of waiting) {
      commit();
      await done;
    }
    waiting = [];
    await rollAll(rollup);
    await db.transaction((tx) => tx.query.deleteFrom('log').execute());
    expect(await usageSums(db.read, anything)).toEqual(naive(rows, anything));
  });
});
