import type { KyselyPlugin } from 'kysely';
import { expect, test } from 'vitest';
import { onEachEngine } from '../../../test/engines.ts';
import { anything, begin, day, hour, naive, randomRows, rollAll, rollupOn, seedLog, usageRow } from '../../../test/usage-kit.ts';
import { floorTo } from '../sums/cubes.ts';
import { userHours, userMonths } from './rows.ts';

onEachEngine((_name, open) => {
  test("a user's months are all there, whichever of them the sums have", async () => {
    const db = await open();
    const at = (month: number) => usageRow({ created_at: Date.UTC(2027, month, 9) / 1000 });
    const read = async () => {
      const months: [string, number][] = [];
      for await (const rows of userMonths(db.read, 1, Date.UTC(2027, 11) / 1000))
        for (const { month, calls } of rows) months.push([month, calls]);
      return months;
    };
    expect(await read()).toEqual([]);
    await seedLog(db, [at(6)]);
    await rollAll(rollupOn(db));
    // An import brings what was before, and between.
    await seedLog(db, [at(1), at(3), at(3), { ...at(4), user_id: 2 }, at(8)]);
    const all = [
      ['2027-02', 1],
      ['2027-04', 2],
      ['2027-07', 1],
      ['2027-09', 1],
    ];
    expect(await read()).toEqual(all);
    await rollAll(rollupOn(db));
    expect(await read()).toEqual(all);
  });

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
