import { type Dashboard, role } from '@tollgate/contract';
import { beforeEach, describe, expect, test } from 'vitest';
import { type ApiKit, createApiKit, type KitUser } from '../../test/api-kit.ts';
import { onEachEngine } from '../../test/engines.ts';
import { seedLog, usageRow } from '../../test/usage-kit.ts';
import { createRollup } from '../usage/index.ts';

const hour = 3600;

onEachEngine((_name, open) => {
  describe('usage data', () => {
    let kit: ApiKit;
    let alice: KitUser;
    let boss: KitUser;
    let now: number;
    beforeEach(async () => {
      kit = await createApiKit(await open());
      alice = await kit.user('alice');
      boss = await kit.user('boss', role.admin);
      now = Math.floor(kit.clock.nowMs() / 1000);
      const base = now - (now % hour);
      const mine = { user_id: alice.id, username: 'alice' };
      await seedLog(kit.db, [
        usageRow({ created_at: base - 2 * hour, ...mine, quota: 100, model_name: 'a' }),
        usageRow({
          created_at: base - 2 * hour + 5,
          ...mine,
          quota: 20,
          model_name: 'a',
          other: '{"duration_ms":100}',
          is_stream: 0,
        }),
        usageRow({ created_at: base - hour, ...mine, quota: 7, model_name: 'b', channel_id: 9 }),
        usageRow({ created_at: base - hour, user_id: 77, username: 'other', quota: 1000, model_name: 'c' }),
        usageRow({ created_at: base - hour, ...mine, type: 5, quota: 0, model_name: 'a' }),
        usageRow({ created_at: base - hour, ...mine, type: 4, quota: 0 }),
      ]);
      const rollup = createRollup({ db: kit.db, clock: kit.clock, node: 'a', batch: 4 });
      for (let step = 0; step < 4; step += 1) await rollup.step();
    });
    const get = (who: KitUser, path: string) =>
      kit.call({ path, headers: { Cookie: who.cookie, 'New-Api-User': String(who.id) } });

    test('the lists of contract 1.10 add up to the log, and users see themselves only', async () => {
      const all = (await get(boss, '/api/data/')).json.data as { quota: number; count: number; token_used: number }[];
      expect(all).toHaveLength(3);
      expect(all.reduce((sum, row) => sum + row.quota, 0)).toBe(1127);
      const named = (await get(boss, '/api/data/?username=alice&default_time=hour')).json.data;
      const own = (await get(alice, '/api/data/self/')).json.data;
      expect(named).toEqual(own);
      expect(own).toMatchObject([
        { id: 1, user_id: alice.id, username: 'alice', model_name: 'a', count: 2, quota: 120, token_used: 20 },
        { id: 2, model_name: 'b', count: 1, quota: 7, token_used: 10 },
      ]);
      const users = (await get(boss, '/api/data/users')).json.data as { username: string; quota: number }[];
      expect(users.filter(({ username }) => username === 'alice').reduce((sum, { quota }) => sum + quota, 0)).toBe(127);
    });

    test('who asks again a moment later is given what was read before, of whole hours; after the interval it is read anew', async () => {
      const base = now - (now % hour);
      const total = async (start: number, end: number) => {
        const path = `/api/data/self?start_timestamp=${start}&end_timestamp=${end}`;
        return (await get(alice, path)).json.data.reduce((sum: number, { quota }: { quota: number }) => sum + quota, 0);
      };
      // The end of the first hour is asked for, and all of it is answered.
      expect(await total(base - 2 * hour + 3, base + 1)).toBe(127);
      await seedLog(kit.db, [usageRow({ created_at: base, user_id: alice.id, username: 'alice', quota: 5 })]);
      expect(await total(base - 2 * hour + 9, base + 7)).toBe(127);
      expect(await total(base - hour, base + 7)).toBe(12);
      kit.clock.advanceMs(300_000);
      expect(await total(base - 2 * hour + 10, base + 8)).toBe(132);
    });

    test('users are told apart by hour in a week, however its seconds lie, and by day in more', async () => {
      const rows = async (seconds: number) => {
        const start = now + 7 - seconds;
        const list = (await get(boss, `/api/data/users?start_timestamp=${start}&end_timestamp=${now + 7}`)).json.data;
        return list.filter(({ username }: { username: string }) => username === 'alice').length;
      };
      expect([await rows(7 * 24 * hour), await rows(8 * 24 * hour)]).toEqual([2, 1]);
    });

    test('a range above a month is refused in the words of the contract', async () => {
      const answer = await get(alice, `/api/data/self?start_timestamp=${now - 2_592_001}&end_timestamp=${now}`);
      expect(answer.json).toMatchObject({ success: false, message: '时间跨度不能超过 1 个月' });
    });

    test('the dashboard of a user has all that is theirs and nothing of others', async () => {
      const page = (await get(alice, '/api/data/self/dashboard?username=other&channel=1')).json.data as Dashboard;
      expect(page.totals).toMatchObject({ calls: 3, errors: 1, quota: 127, tokens: 30, streams: 2 });
      expect(page.totals.latency.samples).toBe(3);
      expect(page.totals.latency.p99).toBeGreaterThan(900 / 1.1);
      expect(page.totals.latency.p99).toBeLessThan(900 * 1.1);
      expect(page.totals.first_token.samples).toBe(2);
      expect(page.totals.cached).toBeCloseTo(4 / 12);
      expect(page.models.map(({ model_name, quota, errors }) => [model_name, quota, errors])).toEqual([
        ['a', 120, 1],
        ['b', 7, 0],
      ]);
      expect(page.models[0]?.series.map(({ quota }) => quota).reduce((sum, quota) => sum + quota, 0)).toBe(120);
      expect(page.buckets).toHaveLength(24);
      expect([page.users, page.channels]).toEqual([[], []]);
    });

    test('administrators see users and channels, also filtered', async () => {
      const page = (await get(boss, '/api/data/dashboard?granularity=day&time_zone=Asia/Shanghai')).json.data as Dashboard;
      expect(page.users.map(({ username, quota }) => [username, quota])).toEqual([
        ['other', 1000],
        ['alice', 127],
      ]);
      expect(page.channels.reduce((sum, { quota }) => sum + quota, 0)).toBe(1127);
      expect(page.buckets.length).toBeGreaterThanOrEqual(7);
      const one = (await get(boss, '/api/data/dashboard?username=alice&model_name=b')).json.data as Dashboard;
      expect([one.totals.quota, one.users.length, one.channels.map(({ id }) => id)]).toEqual([7, 0, [9]]);
      const model = (await get(boss, '/api/data/dashboard?model_name=b')).json.data as Dashboard;
      expect([model.totals.quota, model.users]).toEqual([7, []]);
    });

    test('who has another name now is found by it with all that was before; the former one finds what carries it', async () => {
      const moved = { method: 'PUT', path: '/api/user', body: { id: alice.id, username: 'alicia' }, as: boss };
      expect((await kit.call(moved)).json).toMatchObject({ success: true });
      const later = {
        type: 2,
        created_at: now - (now % hour) - hour,
        user_id: alice.id,
        username: 'alicia',
        quota: 3,
        model_name: 'a',
      };
      await seedLog(kit.db, [usageRow(later)]);
      const sums = async (username: string) => {
        const read = async (path: string) => (await get(boss, `${path}username=${username}`)).json.data;
        const list = (await read('/api/log/?')) as { items: { id: number }[]; total: number };
        const exported = await (await get(boss, `/api/log/export?format=ndjson&username=${username}`)).text;
        const rows = (await read('/api/data/?')) as { quota: number }[];
        const page = (await read('/api/data/dashboard?')) as Dashboard;
        return {
          rows: [list.items.length, list.total, exported.trim().split('\n').length],
          quota: [(await read('/api/log/stat?')).quota, rows.reduce((sum, { quota }) => sum + quota, 0), page.totals.quota],
          users: page.users.length,
        };
      };
      expect(await sums('alicia')).toEqual({ rows: [6, 6, 6], quota: [130, 130, 130], users: 0 });
      expect(await sums('alice')).toEqual({ rows: [5, 5, 5], quota: [127, 127, 127], users: 0 });
      const ranked = ((await get(boss, '/api/data/dashboard')).json.data as Dashboard).users;
      expect(ranked.map(({ username, quota }) => [username, quota])).toEqual([
        ['other', 1000],
        ['alicia', 130],
      ]);
      const tail = async () => (await get(boss, '/api/log/tail?after=0&username=alicia')).json.data.items.length;
      await expect.poll(tail).toBe(6);
      // Somebody else is called so now, whose rows nobody takes for those of before, or the other way round.
      await kit.user('alice');
      expect(await sums('alice')).toEqual({ rows: [5, 5, 5], quota: [127, 127, 127], users: 0 });
    });

    test('what each token of a user took is told apart, the dearest first, for a month at most', async () => {
      const mine = { created_at: now - (now % hour) - hour, user_id: alice.id, username: 'alice', model_name: 'a' };
      const few = Array.from({ length: 11 }, (_, index) => usageRow({ ...mine, token_name: `few${index}`, quota: 11 - index }));
      await seedLog(kit.db, [usageRow({ ...mine, token_name: '', quota: 500 }), ...few]);
      const tokens = async (who: KitUser, path: string) => ((await get(who, path)).json.data as Dashboard).tokens;
      const own = await tokens(alice, '/api/data/self/dashboard');
      expect(own.map(({ token_name, quota }) => [token_name, quota])).toEqual([
        ['t1', 127],
        ...[11, 10, 9, 8, 7, 6, 5, 4].map((quota, index) => [`few${index}`, quota]),
        ['', 500 + 3 + 2 + 1],
      ]);
      expect(await tokens(boss, '/api/data/dashboard?username=alice')).toEqual(own);
      expect(await tokens(boss, '/api/data/dashboard')).toEqual([]);
      const long = `start_timestamp=${now - 40 * 86_400}&granularity=day`;
      expect(await tokens(alice, `/api/data/self/dashboard?${long}`)).toEqual([]);
    });

    test('ten users have a place of their own, the others are one row behind them', async () => {
      const created_at = now - (now % hour) - hour;
      const few = Array.from({ length: 12 }, (_, index) =>
        usageRow({ created_at, user_id: 100 + index, username: `few${index}`, quota: 1 + index, model_name: 'c' }),
      );
      await seedLog(kit.db, few);
      const { users } = (await get(boss, '/api/data/dashboard')).json.data as Dashboard;
      expect(users.map(({ quota }) => quota)).toEqual([1000, 127, 12, 11, 10, 9, 8, 7, 6, 5, 1 + 2 + 3 + 4]);
      expect(users.at(-1)).toMatchObject({ user_id: 0, username: '', calls: 4 });
    });

    test('a channel that only fails is shown, however many others are dearer', async () => {
      const created_at = now - (now % hour) - hour;
      const dear = Array.from({ length: 60 }, (_, index) => usageRow({ created_at, channel_id: 100 + index }));
      await seedLog(kit.db, [...dear, usageRow({ created_at, channel_id: 99, type: 5, quota: 0 })]);
      const { channels } = (await get(boss, '/api/data/dashboard')).json.data as Dashboard;
      expect(channels.at(-1)).toMatchObject({ id: 99, calls: 0, errors: 1 });
    });

    test.each(['hour', 'day', 'week'])('the points of every model add up to it, by %s', async (granularity) => {
      const page = (await get(boss, `/api/data/dashboard?granularity=${granularity}&time_zone=America/New_York`)).json
        .data as Dashboard;
      for (const { series, quota, calls } of page.models) {
        expect(series).toHaveLength(page.buckets.length);
        expect(series.reduce((sum, point) => sum + point.quota, 0)).toBe(quota);
        expect(series.reduce((sum, point) => sum + point.calls, 0)).toBe(calls);
      }
      expect(page.models.reduce((sum, { quota }) => sum + quota, 0)).toBe(1127);
    });

    test.each(['hour', 'day', 'week'])(
      'days whose midnight lies within an hour of UTC begin and end there: neither sums nor points by %s have anything of the day before',
      async (granularity) => {
        const at = (text: string) => Date.parse(`${text}+05:30`) / 1000;
        const [first, end] = [at('2027-01-04T00:00'), at('2027-01-15T00:00')];
        const row = (created_at: number, quota: number) =>
          usageRow({ created_at, quota, user_id: alice.id, username: 'alice', model_name: 'm' });
        const rows = [row(first - 60, 1), row(first + 60, 20), row(first + hour, 300), row(end - 60, 4000), row(end + 60, 50000)];
        await seedLog(kit.db, rows.slice(0, 3));
        await createRollup({ db: kit.db, clock: kit.clock, node: 'a' }).step();
        await seedLog(kit.db, rows.slice(3));
        const range = `start_timestamp=${first}&end_timestamp=${end - 1}`;
        const view = `granularity=${granularity}&time_zone=Asia/Kolkata&model_name=m`;
        const page = (await get(alice, `/api/data/self/dashboard?${range}&${view}`)).json.data as Dashboard;
        expect(page).toMatchObject({ start: first, end: end - 1, totals: { quota: 4320, calls: 3 } });
        const points = page.models[0]?.series.flatMap(({ quota }, point) => (quota === 0 ? [] : [[page.buckets[point], quota]]));
        const byHour = [
          [first, 20],
          [first + hour / 2, 300],
          [end - hour / 2, 4000],
        ];
        const byDay = [
          [first, 320],
          [end - 24 * hour, 4000],
        ];
        const byWeek = [
          [first, 320],
          [first + 7 * 24 * hour, 4000],
        ];
        expect(points).toEqual({ hour: byHour, day: byDay, week: byWeek }[granularity]);
      },
    );

    test.each([
      ['day', 0],
      ['hour', 20 * 24],
    ])(
      'eleven of many models have a place of their own, the others are one row behind them, by %s',
      async (granularity, hours) => {
        const many = Array.from({ length: 20 }, (_, index) =>
          usageRow({
            created_at: now - (index % 3) * hour,
            user_id: 77,
            username: 'other',
            quota: 1001 + index,
            model_name: `x${index}`,
          }),
        );
        await seedLog(kit.db, many);
        const page = (
          await get(
            boss,
            `/api/data/dashboard?granularity=${granularity}&start_timestamp=${hours && now - hours * hour}&time_zone=Asia/Kolkata`,
          )
        ).json.data as Dashboard;
        expect(page.models.map(({ model_name }) => model_name)).toEqual([
          ...many
            .map((row) => row.model_name)
            .toReversed()
            .slice(0, 11),
          '',
        ]);
        const whole = 1127 + many.reduce((sum, { quota }) => sum + Number(quota), 0);
        expect([page.totals.quota, page.models.reduce((sum, { quota }) => sum + quota, 0)]).toEqual([whole, whole]);
        expect(page.models.at(-1)?.series.reduce((sum, { calls }) => sum + calls, 0)).toBe(page.models.at(-1)?.calls);
        expect(page.models.at(-1)).toMatchObject({ calls: 13, latency: { samples: 4 } });
      },
    );

    test('an answer is kept for DataExportInterval and then read again', async () => {
      const first = (await get(alice, '/api/data/self/dashboard')).json.data as Dashboard;
      await seedLog(kit.db, [usageRow({ created_at: now, user_id: alice.id, username: 'alice', quota: 3 })]);
      expect((await get(alice, '/api/data/self/dashboard')).json.data).toEqual(first);
      kit.clock.advanceMs(first.refresh_seconds * 1000 + 1);
      expect(((await get(alice, '/api/data/self/dashboard')).json.data as Dashboard).totals.quota).toBe(130);
    });

    test.each([
      'time_zone=Mars/Olympus&granularity=day',
      'granularity=month',
      'start_timestamp=1&granularity=hour',
      'start_timestamp=1900000000&end_timestamp=1800000000',
    ])('%s is refused', async (query) => {
      expect((await get(alice, `/api/data/self/dashboard?${query}`)).json.success).toBe(false);
    });
  });
});
