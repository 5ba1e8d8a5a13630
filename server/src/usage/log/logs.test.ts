import { type LogQuery, logType } from '@tollgate/contract';
import { describe, expect, test } from 'vitest';
import { onEachEngine } from '../../../test/engines.ts';
import { FakeClock } from '../../../test/fake-clock.ts';
import { insertLogs } from '../../../test/log-kit.ts';
import { logSegmentRows } from '../../storage/log-segments.ts';
import { createSealer } from '../postings/seal.ts';
import { createLogs } from './logs.ts';
import { insertSystemLog } from './system-log.ts';

const quotaPerUnit = () => 500_000;
const nowMs = 1_800_000_000_000;
const now = nowMs / 1000;
const query: LogQuery = {
  p: 1,
  page_size: 10,
  type: 0,
  token_name: '',
  model_name: '',
  start_timestamp: 0,
  end_timestamp: 0,
  group: '',
  username: '',
  channel: 0,
  request_id: '',
  upstream_request_id: '',
  ip: '',
  before: 0,
};
onEachEngine((_name, open) => {
  describe('the log', () => {
    test('owners see their own rows without channel and admin_info, whatever they filter for', async () => {
      const db = await open();
      const logs = createLogs({ db, quotaPerUnit, clock: new FakeClock(nowMs) });
      const other = JSON.stringify({ model_ratio: 1, admin_info: { use_channel: ['7'] } });
      await insertLogs(db, [{ channel_id: 7, other }, { user_id: 2, username: 'bob' }, { other: '{"admin_info":' }]);
      const page = await logs.page({ kind: 'own', userId: 1 }, { ...query, username: 'bob', channel: 9 });
      expect(page).toMatchObject({ page: 1, page_size: 10, total: 2 });
      expect(page.items).toMatchObject([
        { id: 3, channel: 0, other: '' },
        { id: 1, user_id: 1, channel: 0, channel_name: '', other: '{"model_ratio":1}', is_stream: true },
      ]);
      // Whoever has a key beside its owner does not learn where the owner calls from.
      expect([page.items[0]?.ip, (await logs.ofToken(1, 3))[0]?.ip]).toEqual(['1.2.3.4', '']);
    });

    test('owners do not read of the channel either where a row of another product says it beside admin_info', async () => {
      const db = await open();
      const logs = createLogs({ db, quotaPerUnit, clock: new FakeClock(nowMs) });
      const theirs = { error_code: 'x', channel_id: 7, channel_name: 'cheap reseller', channel_type: 1 };
      await insertLogs(db, [{ other: JSON.stringify(theirs) }]);
      const { items } = await logs.page({ kind: 'own', userId: 1 }, query);
      expect(items).toMatchObject([{ other: '{"error_code":"x"}' }]);
    });

    test('administrators see channels by name, and a deleted one by its number', async () => {
      const db = await open();
      const logs = createLogs({ db, quotaPerUnit, clock: new FakeClock(nowMs) });
      await db.transaction((tx) =>
        tx.query
          .insertInto('channel')
          .values({ ...channel, name: 'main' })
          .execute(),
      );
      await insertLogs(db, [{ channel_id: 1, other: '{"admin_info":1}' }, { channel_id: 99 }]);
      const { items } = await logs.page({ kind: 'all' }, query);
      expect(items).toMatchObject([
        { channel: 99, channel_name: '' },
        { channel: 1, channel_name: 'main', other: '{"admin_info":1}' },
      ]);
    });

    test('filters are exact, only % in a model name is a wildcard', async () => {
      const db = await open();
      const logs = createLogs({ db, quotaPerUnit, clock: new FakeClock(nowMs) });
      await insertLogs(db, [
        { model_name: 'gpt-4o', created_at: now - 100 },
        { model_name: 'GPT-4o-mini', token_name: 'home' },
        { model_name: 'gpt_4o', group_name: 'vip', type: 4 },
        { model_name: 'gpt-4o\\x', username: 'bob', user_id: 2, channel_id: 5 },
      ]);
      const ids = async (filter: Partial<LogQuery>) =>
        (await logs.page({ kind: 'all' }, { ...query, ...filter })).items.map((row) => row.id);
      expect(await ids({ model_name: 'gpt-4o' })).toEqual([1]);
      expect(await ids({ model_name: 'gpt-4o%' })).toEqual([4, 2, 1]);
      expect(await ids({ model_name: 'gpt_4%' })).toEqual([3]);
      expect(await ids({ model_name: '%\\%' })).toEqual([4]);
      expect(await ids({ token_name: 'home' })).toEqual([2]);
      expect(await ids({ token_name: 'hom' })).toEqual([]);
      expect(await ids({ group: 'vip' })).toEqual([3]);
      expect(await ids({ type: 4 })).toEqual([3]);
      expect(await ids({ username: 'bob' })).toEqual([4]);
      expect(await ids({ channel: 5 })).toEqual([4]);
      expect(await ids({ start_timestamp: now })).toEqual([4, 3, 2]);
      expect(await ids({ end_timestamp: now - 1 })).toEqual([1]);
      await expect(ids({ start_timestamp: 1, end_timestamp: now })).rejects.toMatchObject({
        code: 'log_range_too_long',
        message: expect.stringContaining('366'),
      });
    });

    test("an upstream's id narrows pages, sums and what is new for administrators, and says nothing to owners", async () => {
      const db = await open();
      const logs = createLogs({ db, quotaPerUnit, clock: new FakeClock(nowMs), horizon: { settledId: async () => 3 } });
      const other = '{"admin_info":{"route":{"a":[[1,0,200,9,8,"","req_1",0]]}}}';
      await insertLogs(db, [{ other }, { quota: 3 }, { other: '{"frt":7}' }]);
      const wanted = { ...query, upstream_request_id: 'req_1' };
      expect(await logs.page({ kind: 'all' }, wanted)).toMatchObject({
        items: [{ id: 1 }],
        total: 1,
        total_capped: false,
        next_before: 0,
      });
      expect(await logs.page({ kind: 'all' }, { ...wanted, start_timestamp: now + 1 })).toMatchObject({ items: [], total: 0 });
      expect(await logs.stat({ kind: 'all' }, wanted)).toEqual({ quota: 10, rpm: 1, tpm: 10 });
      expect((await logs.tail({ kind: 'all' }, { ...wanted, after: 0 })).items).toMatchObject([{ id: 1 }]);
      expect((await logs.page({ kind: 'own', userId: 1 }, wanted)).total).toBe(3);
    });

    test('an address narrows pages, sums, files and what is new, for owners their own rows', async () => {
      const db = await open();
      const logs = createLogs({ db, quotaPerUnit, clock: new FakeClock(nowMs), horizon: { settledId: async () => 4 } });
      const ip = '203.0.113.9';
      await insertLogs(db, [{ ip }, { quota: 3 }, { ip, user_id: 2, username: 'bob' }, { ip, hidden: 1 }]);
      const wanted = { ...query, ip };
      expect((await logs.page({ kind: 'all' }, wanted)).items).toMatchObject([{ id: 3, ip }, { id: 1 }]);
      expect(await logs.page({ kind: 'own', userId: 1 }, wanted)).toMatchObject({ items: [{ id: 1 }], total: 1, next_before: 0 });
      expect((await logs.stat({ kind: 'all' }, wanted)).quota).toBe(30);
      expect((await logs.stat({ kind: 'own', userId: 1 }, { ...wanted, start_timestamp: now })).quota).toBe(20);
      expect((await logs.tail({ kind: 'own', userId: 1 }, { ...wanted, after: 0 })).items).toMatchObject([{ id: 1 }]);
      let file = '';
      for await (const text of logs.export({ kind: 'own', userId: 1 }, { ...wanted, format: 'csv' })) file += text;
      expect(file).toMatch(/^\uFEFFid,.*,ip,cost_usd\r\n1,.*,203\.0\.113\.9,0\.000020\r\n$/);
    });

    test('the sum of an address is of all its rows, however many a page shows', async () => {
      const db = await open();
      const logs = createLogs({ db, quotaPerUnit, clock: new FakeClock(nowMs) });
      await insertLogs(
        db,
        Array.from({ length: 1_100 }, () => ({ ip: '203.0.113.9', quota: 1 })),
      );
      const wanted = { ...query, ip: '203.0.113.9' };
      expect((await logs.stat({ kind: 'all' }, wanted)).quota).toBe(1_100);
      // All were counted: more pages are no reason to call the number a least one.
      expect(await logs.page({ kind: 'all' }, wanted)).toMatchObject({ total: 1_100, total_capped: false });
    });

    test('it reaches as far as the page beside it, whatever other rows lie between', async () => {
      const db = await open();
      const newest = 24 * logSegmentRows;
      const logs = createLogs({ db, quotaPerUnit, clock: new FakeClock(nowMs) });
      await insertLogs(
        db,
        Array.from({ length: 24 }, (_, segment) => ({ id: segment * logSegmentRows + 5, ip: '203.0.113.9', quota: 1 })),
      );
      await insertLogs(db, [{ id: newest, user_id: 2 }]);
      await createSealer({ db, horizon: { settledId: async () => newest } }).seal(100);
      const wanted = { ...query, ip: '203.0.113.9' };
      expect((await logs.page({ kind: 'own', userId: 1 }, wanted)).total).toBe(24);
      expect((await logs.stat({ kind: 'own', userId: 1 }, wanted)).quota).toBe(24);
    });

    test('pages count from 1 and the total counts all of them', async () => {
      const db = await open();
      const logs = createLogs({ db, quotaPerUnit, clock: new FakeClock(nowMs) });
      await insertLogs(
        db,
        Array.from({ length: 5 }, () => ({})),
      );
      const page = async (p: number) => {
        const { items, total } = await logs.page({ kind: 'all' }, { ...query, p, page_size: 2 });
        return [items.map((row) => row.id), total];
      };
      expect([await page(1), await page(3), await page(4)]).toEqual([
        [[5, 4], 5],
        [[1], 5],
        [[], 5],
      ]);
    });

    test('the sums count consumption only; the rates look at the last minute whatever the range is', async () => {
      const db = await open();
      const logs = createLogs({ db, quotaPerUnit, clock: new FakeClock(nowMs) });
      await insertLogs(db, [
        {},
        { created_at: now - 3600, quota: 7 },
        { type: 4, quota: 1000 },
        { user_id: 2, username: 'bob', quota: 1 },
      ]);
      expect(await logs.stat({ kind: 'all' }, query)).toEqual({ quota: 18, rpm: 2, tpm: 20 });
      expect(await logs.stat({ kind: 'own', userId: 1 }, query)).toEqual({ quota: 17, rpm: 1, tpm: 10 });
      const past = { ...query, start_timestamp: now - 7200, end_timestamp: now - 60 };
      expect(await logs.stat({ kind: 'all' }, past)).toEqual({ quota: 7, rpm: 2, tpm: 20 });
      expect(await logs.stat({ kind: 'all' }, { ...query, model_name: 'none' })).toEqual({ quota: 0, rpm: 0, tpm: 0 });
    });

    test('events cannot pose as consumption', async () => {
      const db = await open();
      const row = { type: logType.consume, userId: 1, username: 'alice', now, content: 'x' };
      await expect(db.transaction((tx) => insertSystemLog(tx, row))).rejects.toThrow(RangeError);
      expect(await db.read.selectFrom('log').selectAll().execute()).toEqual([]);
    });
  });
});

const channel = {
  type: 1,
  key_sealed: '',
  key_hmac: '',
  key_hint: '',
  openai_organization: '',
  test_model: '',
  status: 1,
  weight: 0,
  priority: 0,
  created_at: 0,
  test_time: 0,
  response_time_ms: 0,
  base_url: '',
  other: '',
  balance: 0,
  balance_updated_at: 0,
  models: '',
  group_names: '',
  model_mapping: '',
  status_code_mapping: '',
  auto_ban: 1,
  other_info: '',
  tag: '',
  setting: '',
  param_override: '',
  header_override: '',
};
