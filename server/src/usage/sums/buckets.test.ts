import type { Granularity } from '@tollgate/contract';
import { describe, expect, test } from 'vitest';
import { onEachEngine } from '../../../test/engines.ts';
import { FakeClock } from '../../../test/fake-clock.ts';
import { anything, begin, day, hour, naive, pick, randomRows, rollAll, rollupOn, seedLog } from '../../../test/usage-kit.ts';
import { pointsOf } from '../dashboard/time.ts';
import type { UsageFilter } from './parts.ts';
import { groupedSums } from './sums.ts';

/** Three days before New York changes its clocks. */
const march = begin + 55 * day;
const span = 12 * day;
const zones = ['UTC', 'Asia/Shanghai', 'America/New_York', 'Asia/Kolkata', 'Pacific/Auckland', 'Pacific/Kiritimati'];
const filters: Partial<UsageFilter>[] = [{}, { model: 'm%' }, { channel: 2, group: 'vip' }, { userId: 1 }, { username: 'u2' }];

onEachEngine((_name, open) => {
  describe('sums by points in time', () => {
    test('are those of the rows, in every zone, also over a change of clocks', async () => {
      const db = await open();
      const rows = randomRows(400, 33, march, span);
      await seedLog(db, rows.slice(0, 360));
      // The days of users are closed, too.
      await rollAll(rollupOn(db, 'a', 50, new FakeClock((march + span) * 1000)));
      await seedLog(db, rows.slice(360));
      const random = pick(12);
      for (const zone of zones) {
        for (const granularity of ['hour', 'day', 'week'] satisfies Granularity[]) {
          for (const wanted of filters) {
            const start = march + random(3 * day);
            const filter = { ...anything, ...wanted, start, end: march + span - random(3 * day) };
            const buckets = pointsOf(granularity, zone, filter.start, filter.end);
            const bucketOf = ({ created_at: at }: { created_at: number }) => buckets.numberOf(Math.max(start, at - (at % hour)));
            const numbers = [...new Set(rows.map(bucketOf))];
            const expected = numbers.flatMap((bucket) =>
              ['m0', 'm1', 'm2'].map((model_name) => {
                const own = rows.filter((row) => bucketOf(row) === bucket);
                return {
                  bucket,
                  model_name,
                  ...naive(
                    own.filter((row) => row.model_name === model_name),
                    filter,
                  ),
                };
              }),
            );
            const found = await groupedSums(db.read, filter, { by: ['model_name'], buckets });
            const inOrder = (list: typeof found) =>
              list
                .filter(({ calls, errors, quota }) => calls !== 0 || errors !== 0 || quota !== 0)
                .toSorted((a, b) => a.bucket - b.bucket || String(a.model_name).localeCompare(String(b.model_name)));
            expect([zone, granularity, filter, inOrder(found)]).toEqual([zone, granularity, filter, inOrder(expected)]);
          }
        }
      }
    });
  });
});
