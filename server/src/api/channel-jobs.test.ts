import { describe, expect, test, vi } from 'vitest';
import { type ApiKit, createApiKit, type KitOptions, type KitUser } from '../../test/api-kit.ts';
import { captureLog } from '../../test/capture-log.ts';
import { onEachEngine } from '../../test/engines.ts';
import { FakeClock } from '../../test/fake-clock.ts';
import { createTurns, startChannelRuns } from '../jobs/channel-runs.ts';
import { createJobRunner } from '../jobs/runner.ts';
import { UpstreamFault } from '../platform/http/client.ts';
import type { SystemAnswer, SystemRequest } from '../platform/http/system-client.ts';

const path = '/api/channel/';
const answerText = JSON.stringify({
  choices: [{ message: { content: 'Hello' } }],
  usage: { prompt_tokens: 8, completion_tokens: 1, total_tokens: 9 },
});
const ok: SystemAnswer = { status: 200, text: answerText };
const refusal = (status: number, message: string): SystemAnswer => ({
  status,
  text: JSON.stringify({ error: { message, type: 'upstream', code: null } }),
});

type Upstream = NonNullable<KitOptions['upstream']>;

/** An upstream per channel: each has a host of its own, named by its answer. */
const byHost =
  (answers: Record<string, () => SystemAnswer | Promise<SystemAnswer>>): Upstream =>
  async ({ url }) => {
    const answer = answers[new URL(url).hostname.split('.')[0] ?? ''];
    return answer === undefined ? refusal(404, 'no such host') : answer();
  };

onEachEngine((_name, open) => {
  describe('runs over all channels', () => {
    let kit: ApiKit;
    let as: KitUser;
    const act = async (method: string, where: string, content?: unknown) =>
      (await kit.call({ method, path: path + where, body: content, as })).json;
    const prepare = async (upstream: Upstream, hosts: readonly string[], more: object = {}) => {
      kit = await createApiKit(await open(), { upstream });
      as = await kit.user('admin', 10);
      for (const host of hosts) {
        const channel = { type: 1, name: host, key: 'upstream-key-1', models: 'gpt-4o', group: 'default', ...more };
        await act('POST', '', { ...channel, base_url: `https://${host}.example` });
      }
    };
    const jobs = async () => (await act('GET', 'jobs')).data;
    const ended = (kind: 'test' | 'balance') =>
      expect.poll(async () => (await jobs())[kind].running, { timeout: 5_000, interval: 5 }).toBe(false);
    const statuses = async () =>
      (await kit.db.read.selectFrom('channel').select('status').orderBy('id').execute()).map(({ status }) => status);
    const option = async (values: Record<string, unknown>) => {
      const root = await kit.root();
      for (const [key, value] of Object.entries(values))
        expect((await kit.call({ method: 'PUT', path: '/api/option/', body: { key, value }, as: root })).json.success).toBe(true);
    };

    test('a second start is refused while one runs, progress shows, and root hears of the end', async () => {
      const { promise: gate, resolve: release } = Promise.withResolvers<void>();
      await prepare(byHost({ one: () => ok, two: () => gate.then(() => ok), three: () => refusal(500, 'broken') }), [
        'one',
        'two',
        'three',
      ]);
      expect(await act('GET', 'test')).toEqual({ success: true, message: '' });
      expect(await act('GET', 'test')).toEqual({ success: false, message: '测试已在运行中' });
      await expect.poll(async () => (await jobs()).test, { interval: 5 }).toMatchObject({ running: true, done: 1, total: 3 });
      expect((await jobs()).balance).toEqual({ running: false, done: 0, total: 0, failed: 0, results: [] });
      release();
      await ended('test');
      expect((await jobs()).test).toMatchObject({
        ...{ running: false, done: 3, total: 3, failed: 1 },
        results: [
          { id: 1, name: 'one', success: true, message: '' },
          { id: 2, name: 'two', success: true },
          { id: 3, name: 'three', success: false, message: 'status code 500: broken' },
        ],
      });
      expect(await kit.toldRoot()).toEqual([{ event: 'channel_test', type: 'channel_test', values: ['3', '1'] }]);
      expect((await act('GET', 'test')).success).toBe(true);
      await ended('test');
      const starts = await kit.db.read.selectFrom('audit').select('action').where('target', '=', 'channel:all').execute();
      expect(starts).toEqual([{ action: 'channel.test' }, { action: 'channel.test' }]);
    });

    test('a dead channel goes and one that came back returns, when the options say so', async () => {
      const hosts = ['dead', 'back', 'manual', 'spared'];
      await prepare(
        byHost({ dead: () => refusal(401, 'bad key'), back: () => ok, manual: () => ok, spared: () => refusal(401, 'bad key') }),
        hosts,
      );
      await act('PUT', '', { id: 3, status: 2 });
      await act('PUT', '', { id: 4, auto_ban: 0 });
      await kit.db.transaction((tx) => tx.query.updateTable('channel').set({ status: 3 }).where('id', '=', 2).execute());
      await act('GET', 'test');
      await ended('test');
      expect(await statuses()).toEqual([1, 3, 2, 1]);
      await option({ AutomaticDisableChannelEnabled: true, AutomaticEnableChannelEnabled: true });
      await act('GET', 'test');
      await ended('test');
      expect(await statuses()).toEqual([3, 1, 2, 1]);
      expect((await jobs()).test.results.map(({ id }: { id: number }) => id)).toEqual([1, 2, 4]);
      expect((await kit.toldRoot()).slice(1)).toMatchObject([
        { type: 'channel_update_1_3', values: ['bad key'] },
        { type: 'channel_update_2_1', values: [] },
        { type: 'channel_test' },
      ]);
      expect(JSON.parse((await act('GET', '1')).data.other_info).status_reason).toBe('bad key');
    });

    test('a dead credential of several goes alone, and the next test uses another', async () => {
      const used: string[] = [];
      const upstream: Upstream = async ({ headers }) => {
        used.push(headers?.authorization ?? '');
        return used.at(-1) === 'Bearer first-key-1' ? refusal(401, 'bad key') : ok;
      };
      await prepare(upstream, ['two'], { key: 'first-key-1\nsecond-key-2', setting: '{"multi_key":"random"}' });
      await option({ AutomaticDisableChannelEnabled: true });
      for (let run = 0; run < 2; run += 1) {
        await act('GET', 'test');
        await ended('test');
      }
      expect(used).toEqual(['Bearer first-key-1', 'Bearer second-key-2']);
      expect(await statuses()).toEqual([1]);
      expect((await kit.toldRoot())[0]).toMatchObject({ type: 'channel_update_1_key' });
    });

    test('one credential of several is tested alone, also one that is switched off', async () => {
      const used: string[] = [];
      const upstream: Upstream = async ({ headers }) => {
        used.push(headers?.authorization ?? '');
        return used.at(-1) === 'Bearer second-key-2' ? refusal(401, 'bad key') : ok;
      };
      await prepare(upstream, ['two'], { key: 'first-key-1\nsecond-key-2', setting: '{"multi_key":"random"}' });
      await act('PUT', '1/key', { key_index: 0, enabled: false });
      expect(await act('GET', 'test/1?key_index=0')).toMatchObject({ success: true });
      expect(await act('GET', 'test/1?key_index=1')).toMatchObject({ success: false, message: 'status code 401: bad key' });
      expect(used).toEqual(['Bearer first-key-1', 'Bearer second-key-2']);
      expect((await act('GET', 'test/1?key_index=2')).success).toBe(false);
      expect(used).toHaveLength(2);
    });

    test('an empty account of several goes alone, the next run asks another, and the last one takes the channel along', async () => {
      const used: string[] = [];
      const upstream: Upstream = async ({ headers }) => {
        used.push(headers?.authorization ?? '');
        return { status: 200, text: JSON.stringify({ total_remaining: 0 }) };
      };
      await prepare(upstream, ['two'], { type: 12, key: 'first-key-1\nsecond-key-2', setting: '{"multi_key":"random"}' });
      await option({ AutomaticDisableChannelEnabled: true });
      const seen: number[] = [];
      for (let run = 0; run < 2; run += 1) {
        await act('GET', 'update_balance');
        await ended('balance');
        seen.push(...(await statuses()));
      }
      expect(used).toEqual(['Bearer first-key-1', 'Bearer second-key-2']);
      expect(seen).toEqual([1, 3]);
      expect((await kit.toldRoot()).map(({ type }) => type)).toEqual(['channel_update_1_key', 'channel_update_1_3']);
    });

    test('of a channel whose first key alone counts from now on that key is all there is: a dead one takes it along', async () => {
      const setting = '{"multi_key":"random"}';
      const bad = async () => refusal(401, 'bad key');
      await prepare(bad, ['several'], { key: 'first-key-1\nsecond-key-2\nthird-key-3', setting });
      await option({ AutomaticDisableChannelEnabled: true });
      const run = async () => {
        await act('GET', 'test');
        await ended('test');
        return statuses();
      };
      expect(await run()).toEqual([1]);
      const hint = async () => (await act('GET', '1')).data.key_hint;
      expect(await hint()).toMatch(/ \+2$/);
      await act('PUT', '', { id: 1, setting: '{}' });
      expect(await hint()).not.toContain('+');
      // Its first key was off among the others.
      expect(await kit.db.read.selectFrom('channel_key').selectAll().execute()).toEqual([]);
      expect(await run()).toEqual([3]);
      await act('PUT', '', { id: 1, status: 1, setting });
      expect(await hint()).toMatch(/ \+2$/);
      expect(await run()).toEqual([1]);
    });

    test('a slow channel goes with its figures; a fault of our own never makes one go', async () => {
      const slow = () => {
        kit.clock.advanceMs(6_500);
        return ok;
      };
      const local = () => {
        kit.clock.advanceMs(6_500);
        throw new UpstreamFault('local', 'EMFILE');
      };
      await prepare(byHost({ slow, local }), ['slow', 'local']);
      await option({ AutomaticDisableChannelEnabled: true });
      await act('GET', 'test');
      await ended('test');
      expect(await statuses()).toEqual([3, 1]);
      expect((await kit.toldRoot())[0]).toMatchObject({ type: 'channel_update_1_3', values: ['响应时间 6.50s 超过阈值 5.00s'] });
      expect((await act('GET', '1')).data.response_time).toBe(6500);
      expect((await act('GET', '2')).data.response_time).toBe(0);
    });

    test('a threshold of 0 calls no channel slow: none goes for its time, and one that answers again returns', async () => {
      const slow = () => {
        kit.clock.advanceMs(6_500);
        return ok;
      };
      await prepare(byHost({ slow, back: slow }), ['slow', 'back']);
      await kit.db.transaction((tx) => tx.query.updateTable('channel').set({ status: 3 }).where('id', '=', 2).execute());
      const automatic = { AutomaticDisableChannelEnabled: true, AutomaticEnableChannelEnabled: true };
      await option({ ...automatic, ChannelDisableThreshold: 0 });
      await act('GET', 'test');
      await ended('test');
      expect(await statuses()).toEqual([1, 1]);
    });

    test('balances: of enabled channels that have one; an empty account goes, unless it is spared', async () => {
      const balance = (left: number) => () => ({ status: 200, text: JSON.stringify({ total_remaining: left }) });
      const { promise: gate, resolve: release } = Promise.withResolvers<void>();
      const upstream = byHost({
        full: () => gate.then(balance(5)),
        empty: balance(0),
        spared: balance(-1),
        off: balance(3),
        odd: () => ok,
      });
      await prepare(upstream, ['full', 'empty', 'spared', 'off', 'odd'], { type: 12 });
      await act('PUT', '', { id: 3, auto_ban: 0 });
      await act('PUT', '', { id: 4, status: 2 });
      await act('POST', '', { type: 25, name: 'none', key: 'upstream-key-1', models: 'm', group: 'default' });
      await option({ AutomaticDisableChannelEnabled: true });
      expect(await act('GET', 'update_balance')).toEqual({ success: true, message: '' });
      expect((await act('GET', 'update_balance')).message).toBe('余额更新已在运行中');
      release();
      await ended('balance');
      expect((await jobs()).balance.results).toEqual([
        { id: 1, name: 'full', success: true, message: '', balance: 5 },
        { id: 2, name: 'empty', success: true, message: '', balance: 0 },
        { id: 3, name: 'spared', success: true, message: '', balance: -1 },
        { id: 5, name: 'odd', success: false, message: 'total_remaining is missing' },
      ]);
      expect(await statuses()).toEqual([1, 3, 1, 2, 1, 1]);
      expect((await kit.toldRoot()).map(({ type, values }) => [type, ...values])).toContainEqual([
        'channel_update_2_3',
        '余额不足',
      ]);
      expect((await act('GET', '1')).data).toMatchObject({ balance: 5, balance_updated_time: 1_800_000_000 });
    });

    test('a stopping server gives the present test up, starts none, and blames nobody', async () => {
      const { promise: reached, resolve: reach } = Promise.withResolvers<void>();
      const waiting = ({ signal }: SystemRequest) =>
        new Promise<SystemAnswer>((_, reject) => {
          reach();
          signal?.addEventListener('abort', () => reject(new UpstreamFault('timeout', 'given up')), { once: true });
        });
      await prepare(waiting, ['one', 'two']);
      await option({ AutomaticDisableChannelEnabled: true });
      await act('GET', 'test');
      await reached;
      await kit.stopRuns();
      expect((await jobs()).test).toMatchObject({ running: false, done: 1 });
      expect((await act('GET', 'test')).message).toBe('服务正在重启，请稍后再试');
      expect(await statuses()).toEqual([1, 1]);
      expect(await kit.toldRoot()).toEqual([]);
      expect(kit.logged).toEqual([]);
    });
  });
});

onEachEngine((_name, open) => {
  test('a node that is gone keeps its turn for its own period, not for another that was chosen since', async () => {
    const db = await open();
    const clock = new FakeClock(1_800_000_000_000);
    const gone = createTurns({ db, clock, node: 'gone' });
    const node = createTurns({ db, clock, node: 'node' });
    expect(await gone('test', 86_400)).toBe(true);
    expect([await node('test', 86_400), await node('balance', 86_400)]).toEqual([false, true]);
    expect([await node('test', 300), await gone('test', 300)]).toEqual([true, false]);
    clock.advanceMs(300_000);
    expect(await node('test', 300)).toBe(true);
  });
});

describe('periodic runs', () => {
  const options = { ChannelTestFrequency: 0, ChannelUpdateFrequency: 0 };
  const make = () => {
    const jobs = { startTest: vi.fn(async () => {}), startBalance: vi.fn(async () => {}), state: vi.fn(), stop: vi.fn() };
    const clock = new FakeClock(1_800_000_000_000);
    const current = { ...options };
    const isOurs = vi.fn(async () => true);
    const runs = startChannelRuns({
      jobs,
      options: () => current,
      clock,
      isOurs,
      runner: createJobRunner({ clock, log: captureLog() }),
    });
    void runs.stop();
    return { jobs, clock, current, isOurs, runs };
  };

  test('one node at a time begins a run', async () => {
    const { jobs, clock, current, isOurs, runs } = make();
    current.ChannelUpdateFrequency = 10;
    clock.advanceMs(600_000);
    isOurs.mockResolvedValueOnce(false);
    await runs.tick();
    expect(isOurs).toHaveBeenCalledWith('balance', 600);
    expect(jobs.startBalance).not.toHaveBeenCalled();
    clock.advanceMs(600_000);
    await runs.tick();
    expect(jobs.startBalance).toHaveBeenCalledTimes(1);
  });

  test('one that the database kept from beginning is begun with the next look, not a period later', async () => {
    const { jobs, clock, current, isOurs, runs } = make();
    current.ChannelTestFrequency = 1_440;
    clock.advanceMs(86_400_000);
    isOurs.mockRejectedValueOnce(new Error('the database is away'));
    await runs.tick();
    jobs.startTest.mockRejectedValueOnce(new Error('the database is away'));
    await runs.tick();
    expect(jobs.startTest).toHaveBeenCalledTimes(1);
    await runs.tick();
    await runs.tick();
    expect(jobs.startTest).toHaveBeenCalledTimes(2);
  });

  test('never when off, then once per period, the first a full period after the start', async () => {
    const { jobs, clock, current, runs } = make();
    clock.advanceMs(3_600_000);
    await runs.tick();
    expect(jobs.startTest).not.toHaveBeenCalled();
    current.ChannelTestFrequency = 90;
    await runs.tick();
    clock.advanceMs(1_800_000);
    await runs.tick();
    await runs.tick();
    expect(jobs.startTest).toHaveBeenCalledTimes(1);
    clock.advanceMs(90 * 60_000);
    await runs.tick();
    expect(jobs.startTest).toHaveBeenCalledTimes(2);
    expect(jobs.startBalance).not.toHaveBeenCalled();
  });
});
