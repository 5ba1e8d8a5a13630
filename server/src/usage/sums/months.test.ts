import { expect, test } from 'vitest';
import { onEachEngine } from '../../../test/engines.ts';
import { FakeClock } from '../../../test/fake-clock.ts';
import {
  anything,
  begin,
  day,
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
import { moveUnlogged } from '../log/imported.ts';
import { ceilTo, monthSeconds } from './cubes.ts';
import { reviseSums } from './revise.ts';
import { dearestUsers, groupedSums } from './sums.ts';

const first = ceilTo(begin, monthSeconds);
const span = 3 * monthSeconds;
const range = { ...anything, start: first - 5 * day - 77, end: first + span + 4 * day + 99 };
/** When the last day has been over for a day. */
const afterwards = new FakeClock((first + span + 12 * day) * 1000);
const rowsOf = (count: number, seed: number) => randomRows(count, seed, first - 10 * day, span + 20 * day);
const monthsOf = ({ read }: Database) =>
  read.selectFrom('usage_month').select(['start', 'calls']).where('cube', '=', 3).orderBy('start').execute();
const mark = ({ read }: Database) =>
  read.selectFrom('usage_rollup').select(['closed_to', 'month_to', 'month_owner']).executeTakeFirstOrThrow();

onEachEngine((_name, open) => {
  const expectUsers = async (db: Database, rows: readonly UsageSeed[], filter = range) => {
    const sums = await groupedSums(db.read, filter, { by: ['user_id'] });
    const expected = [1, 2, 3].map((userId) => ({ bucket: 0, user_id: userId, ...naive(rows, { ...filter, userId }) }));
    expect(sums.sort((left, right) => Number(left.user_id) - Number(right.user_id))).toEqual(expected);
    const ranked = expected.sort((left, right) => right.quota - left.quota).map(({ user_id }) => user_id);
    expect((await dearestUsers(db.read, filter, 10)).map(({ user_id }) => user_id)).toEqual(ranked);
  };

  test('sums of users over whole months are those of months, which are made of closed days', async () => {
    const db = await open();
    const rows = rowsOf(300, 7);
    // Times that nobody knew are on the first day of 1970, where what is spent without a row stands, too.
    const timeless = randomRows(20, 8, 0, 3600);
    await seedLog(db, [...rows, ...timeless]);
    await db.transaction((tx) => tx.perform(moveUnlogged(1, 500)));
    await rollAll(rollupOn(db, 'a', 100));
    const none = await mark(db);
    expect(none.month_to).toBeLessThanOrEqual(none.closed_to);
    await expectUsers(db, rows);
    await rollAll(rollupOn(db, 'a', 100, afterwards));
    const { closed_to, month_to } = await mark(db);
    expect(month_to).toBe(closed_to);
    const months = await monthsOf(db);
    expect(new Set(months.map(({ start }) => start)).size).toBe(5);
    expect(months.reduce((sum, { calls }) => sum + calls, 0)).toBe(naive(rows, anything).calls);
    await expectUsers(db, rows);
    const [one] = (await groupedSums(db.read, anything, { by: ['user_id'] })).filter(({ user_id }) => user_id === 1);
    expect(one?.quota).toBe(naive([...rows, ...timeless], { ...anything, userId: 1 }).quota + 500);
    // Days within the whole months are not asked.
    await db.transaction(({ query }) =>
      query
        .deleteFrom('usage_day')
        .where('cube', '=', 3)
        .where('start', '>=', first)
        .where('start', '<', first + span)
        .execute(),
    );
    await expectUsers(db, rows);
  });

  test('late rows and rewritten ones count in them, whatever of a day is there', async () => {
    const db = await open();
    const rows = rowsOf(120, 3);
    // Users beyond a step's share, so that the first day is added in several.
    const crowd = Array.from({ length: 700 }, (_, index) =>
      usageRow({ created_at: first - 11 * day + index, user_id: 10 + index, username: `u${10 + index}` }),
    );
    await seedLog(db, [...rows, ...crowd]);
    const rollup = rollupOn(db, 'a', 500, afterwards);
    const known = [...rows, ...crowd];
    const random = pick(4);
    const owners = new Set<number>();
    for (let turn = 0; (await rollup.step()) === 'more' || turn < 20; turn += 1) {
      owners.add((await mark(db)).month_owner);
      if (turn % 9 !== 0) continue;
      const late = rowsOf(1, 40 + turn);
      await seedLog(db, late);
      known.push(...late);
      const at = random(rows.length);
      const user_id = 1 + random(3);
      const fresh = usageRow({ created_at: first + random(span), quota: turn, user_id, username: `u${user_id}` });
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
    await rollAll(rollup);
    expect(owners.size).toBeGreaterThan(1);
    const perUser = (table: 'usage_month' | 'usage_day') =>
      db.read
        .selectFrom(table)
        .select((of) => ['user_id', 'username', of.fn.sum<number>('quota').as('quota'), of.fn.sum<number>('calls').as('calls')])
        .where('cube', '=', 3)
        .groupBy(['user_id', 'username'])
        .orderBy('user_id')
        .execute();
    expect(await perUser('usage_month')).toEqual(await perUser('usage_day'));
    const month = { ...anything, start: first, end: first + monthSeconds - 1 };
    const sums = await groupedSums(db.read, month, { by: ['user_id'] });
    for (const { user_id, bucket: _all, ...sum } of sums) {
      expect([user_id, sum]).toEqual([user_id, naive(known, { ...month, userId: Number(user_id) })]);
    }
  });

  test('a death at any statement of a step leaves them exact', async () => {
    const db = await open();
    const rows = randomRows(40, 6, first + day, 2 * day);
    await seedLog(db, rows);
    const month = { ...anything, start: first, end: first + monthSeconds - 1 };
    await rollAllDying(db, 30, () => expectUsers(db, rows, month), afterwards);
    expect((await mark(db)).month_to).toBe(first + 3 * day);
    expect((await monthsOf(db)).reduce((sum, { calls }) => sum + calls, 0)).toBe(naive(rows, anything).calls);
  });
});
