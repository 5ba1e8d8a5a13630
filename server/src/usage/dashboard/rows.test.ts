import type { KyselyPlugin } from 'kysely';
import { expect, test } from 'vitest';
import { onEachEngine } from '../../../test/engines.ts';
import { anything, begin, day, hour, naive, randomRows, rollAll, rollupOn, seedLog } from '../../../test/usage-kit.ts';
import { floorTo } from '../sums/cubes.ts';
import { userHours } from './rows.ts';

onEachEngine((_name, open) => {
  test('usage by user is read day by day, however long the range is', async () => {
    const db = await open();
    const rows = randomRows(300, 5, begin, 20 * day);
    await seedLog(db, rows);
    await rollAll(rollupOn(db, 'a', 100));
    const lengths: number[] = [];
    const counting: KyselyPlugin = {
      transformQuery: ({ node }) => node,
      transformResult: async ({ result }) => {
        lengths.push(result.rows.length);
        return result;
      },
    };
    const look = async (start: number, end: number, step: number) => {
      const found = await userHours(db.read.withPlugin(counting), { ...anything, start, end });
      for (const { created_at, user_id, count, quota } of found) {
        expect(created_at % step).toBe(0);
        const within = { start: Math.max(start, created_at), end: Math.min(end, created_at + step - 1) };
        expect({ calls: count, quota }).toEqual(
          (({ calls, quota: spent }) => ({ calls, quota: spent }))(naive(rows, { ...anything, ...within, userId: user_id })),
        );
      }
      expect(found.map(({ created_at }) => created_at)).toEqual(
        found.map(({ created_at }) => created_at).sort((left, right) => left - right),
      );
      const { calls } = naive(rows, { ...anything, start, end });
      expect(found.reduce((sum, { count }) => sum + count, 0)).toBe(calls);
    };
    const start = begin + 2 * day + 5 * hour;
    await look(start, start + 15 * day - 1, day);
    // Three users a day.
    expect(Math.max(...lengths)).toBeLessThanOrEqual(3);
    await look(start, floorTo(start, day) + 3 * day + 7 * hour - 1, hour);
  });
});
