import { expect, test } from 'vitest';
import { onEachEngine } from '../../test/engines.ts';
import { FakeClock } from '../../test/fake-clock.ts';
import { systemClock } from '../platform/clock.ts';
import { createChangeReader, longestChangeMs } from './change-reader.ts';
import { notifyChange } from './changes.ts';
import type { Database } from './database.ts';

onEachEngine((engine, open) => {
  test('a change with a lower number is found for as long as a transaction that tells of changes may take', async () => {
    const db = await open();
    const clock = new FakeClock(0);
    const reader = createChangeReader({ db, clock });
    await reader.changesSince();
    const at = (seq: number) =>
      db.transaction((tx) =>
        tx.query
          .insertInto('change')
          .values({ seq, kind: 'channel', key: String(seq), created_at: 1 })
          .execute(),
      );
    await at(101);
    await reader.changesSince();
    clock.advanceMs(longestChangeMs);
    await reader.changesSince();
    await at(100);
    expect((await reader.changesSince()).map(({ key }) => key)).toEqual(['100']);
  });

  test('when reading breaks off between two pages, all of them come with the next look', async () => {
    const real = await open();
    let reads = 0;
    let failsAt = Number.POSITIVE_INFINITY;
    const db: Database = {
      ...real,
      get read() {
        reads += 1;
        if (reads === failsAt) throw new Error('the database is away');
        return real.read;
      },
    };
    const reader = createChangeReader({ db, clock: systemClock });
    await reader.changesSince();
    await real.transaction(async (tx) => {
      for (let i = 0; i < 1_500; i += 1) await tx.perform(notifyChange('channel', String(i), 1));
    });
    // PostgreSQL is asked whether it was started anew, too.
    failsAt = reads + (engine === 'postgres' ? 3 : 2);
    await expect(reader.changesSince()).rejects.toThrow('away');
    expect((await reader.changesSince()).map(({ key }) => Number(key))).toEqual(Array.from({ length: 1_500 }, (_, i) => i));
    expect(await reader.changesSince()).toEqual([]);
  });
});
