import { describe, expect, test } from 'vitest';
import { onEachEngine } from '../../../test/engines.ts';
import { FakeClock } from '../../../test/fake-clock.ts';
import {
  anything,
  begin,
  day,
  hour,
  naive,
  pick,
  randomRows,
  rollAll,
  rollAllDying,
  rollupOn,
  seedLog,
  usageRow,
  zero,
} from '../../../test/usage-kit.ts';
import type { Database } from '../../storage/database.ts';
import { percentiles } from './histogram.ts';
import type { UsageFilter } from './parts.ts';
import { usageQuality } from './quality.ts';
import { reviseSums } from './revise.ts';
import { createRollup } from './rollup.ts';
import { groupedSums, isRolledUp, type UsageSums, usageSums } from './sums.ts';

function added(left: UsageSums, right: UsageSums): UsageSums {
  const sums = { ...left };
  for (const key of Object.keys(sums) as (keyof UsageSums)[]) sums[key] += right[key];
  return sums;
}

const filters: Partial<UsageFilter>[] = [
  {},
  { model: 'm1' },
  { model: 'm%' },
  { channel: 2, group: 'vip' },
  { userId: 1 },
  { username: 'u2', model: 'm0' },
  { userId: 3, tokenName: 't1' },
  { userId: 2, tokenId: 21, channel: 1 },
  { tokenName: 't0' },
];

onEachEngine((_name, open) => {
  describe('rolled up usage', () => {
    test('sums equal those over the rows for every filter and range, whatever part of the log is rolled up', async () => {
      const db = await open();
      const rows = randomRows(120, 11, begin, 3 * day);
      const rollup = rollupOn(db);
      const random = pick(5);
      for (let written = 0; written < rows.length; written += 40) {
        await seedLog(db, rows.slice(written, written + 40));
        for (let step = random(4); step >= 0; step -= 1) await rollup.step();
        const visible = rows.slice(0, written + 40);
        for (const wanted of filters) {
          const start = begin + random(3 * day);
          const end = random(3) === 0 ? 0 : start + random(2 * day);
          const range = random(4) === 0 ? { start: 0, end: 0 } : { start, end };
          const filter = { ...anything, ...wanted, ...range };
          expect([filter, await usageSums(db.read, filter)]).toEqual([filter, naive(visible, filter)]);
        }
      }
      await rollAll(rollup);
      for (const wanted of filters) {
        const filter = { ...anything, ...wanted, start: begin + 17, end: begin + 2 * day + 5 };
        expect([filter, await usageSums(db.read, filter)]).toEqual([filter, naive(rows, filter)]);
      }
    });

    test('any partition of a range sums to the whole, also where the rows of the log are gone', async () => {
      const db = await open();
      const rows = randomRows(80, 3, begin, 2 * day);
      await seedLog(db, rows);
      await rollAll(rollupOn(db));
      await db.transaction((tx) =>
        tx.query
          .deleteFrom('log')
          .where('created_at', '<', begin + day + 1234)
          .execute(),
      );
      const random = pick(9);
      for (const wanted of filters.filter((filter) => isRolledUp({ ...anything, ...filter }))) {
        const whole = { ...anything, ...wanted, start: begin, end: begin + 2 * day };
        const cuts = [begin, ...[0, 1, 2].map(() => begin + random(2 * day)), begin + 2 * day + 1].sort((a, b) => a - b);
        let sum = { ...zero };
        for (let index = 1; index < cuts.length; index += 1) {
          const from = cuts[index - 1] ?? 0;
          const to = cuts[index] ?? 0;
          if (from < to) sum = added(sum, await usageSums(db.read, { ...whole, start: from, end: to - 1 }));
        }
        expect([wanted, sum]).toEqual([wanted, naive(rows, whole)]);
        expect(await usageSums(db.read, whole)).toEqual(sum);
      }
    });

    test('groups and buckets sum to the whole', async () => {
      const db = await open();
      const rows = randomRows(60, 21, begin, 2 * day);
      await seedLog(db, rows);
      await rollupOn(db, 'a', 25).step();
      const filter = { ...anything, start: begin + 100, end: begin + 2 * day };
      for (const by of [['model_name'], ['user_id', 'username'], ['channel_id', 'model_name']] as const) {
        const groups = await groupedSums(db.read, filter, { by });
        expect(groups.reduce<UsageSums>(added, zero)).toEqual(naive(rows, filter));
      }
    });

    test('a row that is rewritten after it was rolled up counts as it is now', async () => {
      const db = await open();
      const rows = randomRows(20, 8, begin, hour);
      await seedLog(db, rows);
      const rollup = rollupOn(db, 'a', 10);
      await rollAll(rollup);
      const fresh = usageRow({ created_at: begin + 2 * hour, quota: 999, model_name: 'm9', user_id: 1, username: 'u1' });
      await db.transaction(async (tx) => {
        await tx.perform(reviseSums(5, fresh));
        await tx.query.updateTable('log').set(fresh).where('id', '=', 5).execute();
      });
      const now = rows.map((row, index) => (index === 4 ? fresh : row));
      for (const wanted of filters) {
        const filter = { ...anything, ...wanted };
        expect([wanted, await usageSums(db.read, filter)]).toEqual([wanted, naive(now, filter)]);
      }
    });

    test('rows that are rewritten between reading and booking are read again', async () => {
      const db = await open();
      const rows = randomRows(12, 4, begin, hour);
      await seedLog(db, rows);
      const fresh = usageRow({ created_at: begin, quota: 5 });
      let disturbed = false;
      const disturbing: Database = {
        ...db,
        run: async (name, input) => {
          if (!disturbed) {
            disturbed = true;
            await db.transaction(async (tx) => {
              await tx.perform(reviseSums(3, fresh));
              await tx.query.updateTable('log').set(fresh).where('id', '=', 3).execute();
            });
          }
          return db.run(name, input);
        },
      };
      await rollAll(rollupOn(disturbing));
      expect(disturbed).toBe(true);
      const now = rows.map((row, index) => (index === 2 ? fresh : row));
      await db.transaction((tx) => tx.query.deleteFrom('log').execute());
      expect(await usageSums(db.read, anything)).toEqual(naive(now, anything));
    });

    test('a death at any statement of a step leaves the sums exact', async () => {
      const db = await open();
      const rows = randomRows(9, 6, begin, 2 * hour);
      await seedLog(db, rows);
      await rollAllDying(db, 3, async () => expect(await usageSums(db.read, anything)).toEqual(naive(rows, anything)));
      expect(await db.read.selectFrom('usage_rollup').select('rolled_to').executeTakeFirst()).toEqual({ rolled_to: 9 });
      expect(await usageSums(db.read, anything)).toEqual(naive(rows, anything));
    });

    test('a row of elsewhere whose JSON tells of more than there can be holds nothing up', async () => {
      const db = await open();
      const others = ['1e300', '9e15', '-5', '2.4', '"x"', '1e999'].map((tokens) => `{"cache_tokens":${tokens},"frt":1e300}`);
      await seedLog(
        db,
        [...others, 'null', '[]', '{'].map((other) => usageRow({ created_at: begin, other })),
      );
      await rollAll(rollupOn(db));
      const [group] = await usageQuality(db.read, { ...anything, start: begin, end: begin + hour - 1 });
      expect(group).toMatchObject({ cached_tokens: 2, prompt_tokens: 36 });
    });

    test('durations of every step are counted, and their texts stay short', async () => {
      const db = await open();
      await seedLog(
        db,
        Array.from({ length: 80 }, () => usageRow({ created_at: begin })),
      );
      await rollAll(rollupOn(db, 'a', 1));
      const filter = { ...anything, start: begin, end: begin + hour - 1 };
      const [group] = await usageQuality(db.read, filter);
      expect(percentiles(group?.latency ?? new Map()).samples).toBe(80);
      expect(group).toMatchObject({ cached_tokens: 160, prompt_tokens: 320 });
      const rows = await db.read.selectFrom('usage_hour').select('latency').where('cube', '<>', 3).execute();
      for (const { latency } of rows) expect(latency.split(',').length).toBeLessThanOrEqual(32);
    });

    test('steps that keep the writer long become smaller', async () => {
      const db = await open();
      await seedLog(db, randomRows(700, 14, begin, hour));
      const clock = new FakeClock(begin * 1000);
      const slow: Database = {
        ...db,
        run: async (name, input) => {
          clock.advanceMs(200);
          return db.run(name, input);
        },
      };
      const rollup = createRollup({ db: slow, clock, node: 'a', batch: 400 });
      const marks: number[] = [];
      for (let step = 0; step < 6; step += 1) {
        await rollup.step();
        marks.push((await db.read.selectFrom('usage_rollup').select('rolled_to').executeTakeFirstOrThrow()).rolled_to);
      }
      expect(marks.filter((mark) => mark > 0).slice(0, 4)).toEqual([400, 650, 700, 700]);
    });

    test('of two nodes one works; the other takes over when the first is silent', async () => {
      const db = await open();
      const clock = new FakeClock(begin * 1000);
      const rows = randomRows(30, 2, begin, hour);
      await seedLog(db, rows);
      const first = rollupOn(db, 'a', 10, clock);
      const second = rollupOn(db, 'b', 10, clock);
      await first.step();
      await second.step();
      expect(await first.step()).toBe('more');
      expect(await second.step()).toBe('elsewhere');
      clock.advanceMs(31_000);
      await rollAll(second);
      expect(await first.step()).toBe('elsewhere');
      // The clock ran a day ahead, and was set back before the next start.
      const third = rollupOn(db, 'c', 10, new FakeClock((begin - 86_400) * 1000));
      expect(await third.step()).not.toBe('elsewhere');
      expect(await usageSums(db.read, anything)).toEqual(naive(rows, anything));
    });

    test('two nodes at once never count a row twice', async () => {
      const db = await open();
      const rows = randomRows(60, 13, begin, hour);
      await seedLog(db, rows);
      await Promise.all([rollAll(rollupOn(db, 'a', 5)), rollAll(rollupOn(db, 'a', 9)), rollAll(rollupOn(db, 'b', 4))]);
      await rollAll(rollupOn(db, 'a', 9));
      await db.transaction((tx) => tx.query.deleteFrom('log').execute());
      expect(await usageSums(db.read, anything)).toEqual(naive(rows, anything));
    });
  });
});
