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
  type UsageSeed,
  usageRow,
} from '../../../test/usage-kit.ts';
import type { Database } from '../../storage/database.ts';
import { percentiles } from './histogram.ts';
import { usageQuality } from './quality.ts';
import { reviseSums } from './revise.ts';
import { groupedSums, usageSums } from './sums.ts';

const days = 4;
/** When the last day has been over for a day. */
const afterwards = new FakeClock((begin + (days + 1) * day) * 1000);
const closedDays = ({ read }: Database) =>
  read.selectFrom('usage_day').select(['start', 'owner', 'calls']).where('cube', '=', 6).orderBy('start').execute();
const mark = ({ read }: Database) =>
  read.selectFrom('usage_rollup').select(['closed_to', 'closed_owner']).executeTakeFirstOrThrow();

/** Of users: everything, part of it, and what only hours know. */
const filters = [
  { userId: 1 },
  { username: 'u2' },
  { userId: 3, model: 'm1' },
  { userId: 1, channel: 2, group: 'vip' },
  { userId: 2, tokenName: 't1' },
];

onEachEngine((_name, open) => {
  describe('closed days of users', () => {
    const expectSums = async (db: Database, rows: readonly UsageSeed[], seed: number) => {
      const random = pick(seed);
      for (const wanted of filters) {
        const start = begin + random(2 * day);
        for (const range of [{}, { start, end: start + random(2 * day) }]) {
          const filter = { ...anything, ...wanted, ...range };
          expect([filter, await usageSums(db.read, filter)]).toEqual([filter, naive(rows, filter)]);
        }
      }
    };

    test('are made of the hours once the next day is over, too, and sum to the same', async () => {
      const db = await open();
      // Some have no time: an import did not find one.
      const rows = [
        ...randomRows(200, 7, begin, days * day),
        ...randomRows(9, 8, 0, day),
        ...randomRows(9, 8, begin - 99 * day, day),
      ];
      await seedLog(db, rows);
      const clock = new FakeClock((begin + 2 * day) * 1000 - 1);
      await rollAll(rollupOn(db, 'a', 50, clock));
      const closed = async () => [...new Set((await closedDays(db)).map(({ start }) => start))];
      expect(await closed()).toEqual([0, begin - 99 * day]);
      clock.advanceMs(1);
      await rollAll(rollupOn(db, 'a', 50, clock));
      expect(await mark(db)).toEqual({ closed_to: begin + day, closed_owner: 0 });
      expect(await closed()).toEqual([0, begin - 99 * day, begin]);
      await expectSums(db, rows, 1);
      await rollAll(rollupOn(db, 'a', 50, afterwards));
      expect(await mark(db)).toEqual({ closed_to: begin + days * day, closed_owner: 0 });
      const calls = (await closedDays(db)).reduce((sum, row) => sum + row.calls, 0);
      expect(calls).toBe(naive(rows, anything).calls);
      await expectSums(db, rows, 2);
    });

    test('their rows answer in place of the hours, durations too', async () => {
      const db = await open();
      await seedLog(db, randomRows(120, 9, begin, days * day));
      await rollAll(rollupOn(db, 'a', 50));
      const filter = { ...anything, userId: 1, start: begin, end: begin + days * day - 1 };
      const look = async () => {
        const groups = await groupedSums(db.read, filter, { by: ['model_name', 'channel_id'] });
        const quality = await usageQuality(db.read, filter);
        const told = quality.map(({ name, latency, firstToken, cached_tokens }) => ({
          ...{ name, cached_tokens, latency: percentiles(latency), firstToken: percentiles(firstToken) },
        }));
        return {
          groups: new Set(groups.map((group) => JSON.stringify(group))),
          told: new Set(told.map((one) => JSON.stringify(one))),
        };
      };
      const byHours = await look();
      expect(byHours.groups.size).toBeGreaterThan(4);
      await rollAll(rollupOn(db, 'a', 50, afterwards));
      expect(await look()).toEqual(byHours);
      await db.transaction(({ query }) => query.deleteFrom('usage_hour').where('cube', '=', 4).execute());
      expect(await look()).toEqual(byHours);
    });

    test('late rows and rewritten ones count in them, whatever of a day is closed', async () => {
      const db = await open();
      const rows = randomRows(60, 3, begin, days * day);
      await seedLog(db, rows);
      // Users beyond a step's share, so that a day is closed in several.
      const crowd = Array.from({ length: 300 }, (_, index) =>
        usageRow({ created_at: begin + day + index, user_id: 10 + index, username: `u${10 + index}` }),
      );
      await seedLog(db, crowd);
      const rollup = rollupOn(db, 'a', 500, afterwards);
      const known = [...rows, ...crowd];
      const random = pick(4);
      const owners = new Set<number>();
      for (let turn = 0; turn < 12; turn += 1) {
        await rollup.step();
        owners.add((await mark(db)).closed_owner);
        const late = randomRows(2, 40 + turn, begin - day, (days + 1) * day);
        await seedLog(db, late);
        known.push(...late);
        await rollup.step();
        const at = random(rows.length);
        const user_id = 1 + random(3);
        const fresh = usageRow({ created_at: begin + random(days * day), quota: turn, user_id, username: `u${user_id}` });
        await db.transaction(async (tx) => {
          await tx.perform(reviseSums(at + 1, fresh));
          await tx.query
            .updateTable('log')
            .set(fresh)
            .where('id', '=', at + 1)
            .execute();
        });
        known[at] = fresh;
      }
      expect(owners.size).toBeGreaterThan(1);
      await rollAll(rollup);
      await expectSums(db, known, 5);
      // Hours do not know more than the days.
      const perOwner = (table: 'usage_hour' | 'usage_day', cube: number) =>
        db.read
          .selectFrom(table)
          .select((of) => ['owner', of.fn.sum<number>('quota').as('quota'), of.fn.sum<number>('calls').as('calls')])
          .where('cube', '=', cube)
          .where('start', '<', begin + days * day)
          .groupBy('owner')
          .orderBy('owner')
          .execute();
      expect(await perOwner('usage_day', 6)).toEqual(await perOwner('usage_hour', 4));
    });

    test('a death at any statement of a step leaves them exact', async () => {
      const db = await open();
      const rows = randomRows(30, 6, begin, 2 * hour);
      await seedLog(db, rows);
      let deaths = 0;
      await rollAllDying(db, 30, () => expectSums(db, rows, ++deaths), afterwards);
      expect(deaths).toBeGreaterThan(10);
      expect((await mark(db)).closed_to).toBe(begin + day);
      await expectSums(db, rows, 1);
    });
  });
});
