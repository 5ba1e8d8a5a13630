import { expect, test } from 'vitest';
import { createApiKit } from '../../test/api-kit.ts';
import { onEachEngine } from '../../test/engines.ts';
import { insertLogs } from '../../test/log-kit.ts';

onEachEngine((_name, open) => {
  test('a cursor leads through all rows once, whatever is added meanwhile', async () => {
    const kit = await createApiKit(await open());
    const root = await kit.root();
    await insertLogs(
      kit.db,
      Array.from({ length: 25 }, () => ({ type: 3 })),
    );
    const seen: number[] = [];
    let before = 0;
    do {
      const { data } = (await kit.call({ path: `/api/log/?type=3&page_size=10&before=${before}`, as: root })).json;
      seen.push(...data.items.map((row: { id: number }) => row.id));
      before = data.next_before;
      await insertLogs(kit.db, [{ type: 3 }]);
    } while (before !== 0);
    expect(new Set(seen).size).toBe(25);
    expect(seen).toEqual([...seen].sort((left, right) => right - left));
  });

  test('totals end at 10,000 and say so; pages by number end there too', async () => {
    const kit = await createApiKit(await open());
    const root = await kit.root();
    await insertLogs(
      kit.db,
      Array.from({ length: 10_001 }, () => ({ type: 3 })),
    );
    const page = (query: string) => kit.call({ path: `/api/log/?type=3&${query}`, as: root });
    expect((await page('page_size=1')).json.data).toMatchObject({ total: 10_000, total_capped: true });
    expect((await page('page_size=100&p=100')).json.data.items).toHaveLength(100);
    expect((await page('page_size=100&p=101')).json.success).toBe(false);
    expect((await page('page_size=1&model_name=none')).json.data).toMatchObject({
      total: 0,
      total_capped: false,
      next_before: 0,
    });
  });

  test('a range above a year is refused in words for a file as for a page', async () => {
    const kit = await createApiKit(await open());
    const root = await kit.root();
    for (const path of ['/api/log', '/api/log/export', '/api/log/self/export']) {
      const answer = await kit.call({ path: `${path}?start_timestamp=1&end_timestamp=40000000`, as: root });
      expect([answer.status, answer.json.success, answer.json.message], path).toEqual([200, false, '时间跨度不能超过 366 天']);
    }
    expect((await kit.call({ path: '/api/log/export?start_timestamp=1', as: root })).text).toMatch(/^\uFEFF?id,time,/);
    expect(kit.logged).toEqual([]);
  });

  test('the log takes the range that a dashboard over a year answers, whose links lead there', async () => {
    const kit = await createApiKit(await open());
    const root = await kit.root();
    const at = Math.floor(kit.clock.nowMs() / 3_600_000) * 3600 - 1800;
    const asked = `granularity=day&start_timestamp=${at - 366 * 86_400}&end_timestamp=${at}`;
    const { start, end } = (await kit.call({ path: `/api/data/dashboard?${asked}`, as: root })).json.data;
    expect(end - start).toBeGreaterThan(366 * 86_400);
    const page = await kit.call({ path: `/api/log/?start_timestamp=${start}&end_timestamp=${end}`, as: root });
    expect(page.json).toMatchObject({ success: true, data: { items: [] } });
  });

  test("errors of our own are told in the reader's language on the pages of the log, and kept as the caller was told them", async () => {
    const kit = await createApiKit(await open());
    const root = await kit.root();
    const other = '{"error_code":"","status":403,"admin_info":{}}';
    await insertLogs(kit.db, [{ type: 5, user_id: root.id, request_id: 'r1', content: '分组 vip 已被弃用', other }]);
    const read = async (path: string, language: string) => {
      const { data } = (await kit.call({ path, as: root, headers: { 'Accept-Language': language } })).json;
      return (data.items ?? data)[0].content;
    };
    const lists = ['?type=5', '/self?type=5', '/search?keyword=r1', '/self/search?keyword=r1'];
    for (const list of lists) {
      expect(await read(`/api/log${list}`, 'en')).toBe('The group vip no longer exists');
      expect(await read(`/api/log${list}`, 'zh-CN')).toBe('分组 vip 已被弃用');
    }
  });

  test('hidden rows are on no page and in every sum', async () => {
    const kit = await createApiKit(await open());
    const root = await kit.root();
    await insertLogs(kit.db, [{ quota: 5, hidden: 1, request_id: 'r1' }, { quota: 7 }]);
    expect((await kit.call({ path: '/api/log/?type=2', as: root })).json.data.total).toBe(1);
    expect((await kit.call({ path: '/api/log/?request_id=r1', as: root })).json.data.total).toBe(0);
    expect((await kit.call({ path: '/api/log/stat', as: root })).json.data.quota).toBe(12);
  });

  test('search finds types for everybody, requests, and beginnings of contents for administrators', async () => {
    const kit = await createApiKit(await open());
    const root = await kit.root();
    const alice = await kit.user('alice');
    await insertLogs(kit.db, [
      { user_id: alice.id, type: 3, content: '管理员将用户额度', request_id: 'req-1' },
      { user_id: 999, type: 3, content: '50%_x' },
      { user_id: 999, type: 4, content: '🙂🙂 good' },
    ]);
    const ids = async (path: string, as: typeof root) =>
      (await kit.call({ path, as })).json.data.map((row: { content: string }) => row.content);
    expect(await ids('/api/log/search?keyword=3', root)).toEqual(['50%_x', '管理员将用户额度']);
    expect(await ids(`/api/log/search?keyword=${encodeURIComponent('管理员')}`, root)).toEqual(['管理员将用户额度']);
    expect(await ids(`/api/log/search?keyword=${encodeURIComponent('50%')}`, root)).toEqual(['50%_x']);
    expect(await ids(`/api/log/search?keyword=${encodeURIComponent('🙂🙂')}`, root)).toEqual(['🙂🙂 good']);
    expect(await ids('/api/log/search?keyword=req-1', root)).toEqual(['管理员将用户额度']);
    expect(await ids('/api/log/search?keyword=5', root)).toEqual(['50%_x']);
    expect([await ids('/api/log/search?keyword=0', root), await ids('/api/log/self/search?keyword=0', alice)]).toEqual([[], []]);
    expect(await ids('/api/log/self/search?keyword=3', alice)).toEqual(['管理员将用户额度']);
    expect(await ids(`/api/log/self/search?keyword=${encodeURIComponent('50%')}`, alice)).toEqual([]);
  });

  test('a key reads its own rows from any page, cleaned, and nobody else does', async () => {
    const kit = await createApiKit(await open());
    const alice = await kit.user('alice');
    for (const name of ['one', 'two']) await kit.call({ method: 'POST', path: '/api/token/', body: { name }, as: alice });
    const [two, one] = (await kit.call({ path: '/api/token/', as: alice })).json.data;
    const other = JSON.stringify({ frt: 5, admin_info: { use_channel: ['7'] } });
    await insertLogs(kit.db, [
      { user_id: alice.id, token_id: one.id, channel_id: 7, other },
      { user_id: alice.id, token_id: two.id },
      { user_id: 999, token_id: one.id },
    ]);
    const answer = await kit.call({ path: `/api/log/token?key=sk-${one.key}`, headers: { 'sec-fetch-site': 'cross-site' } });
    expect(answer.headers.get('access-control-allow-origin')).toBe('*');
    expect(answer.json.data).toMatchObject([{ token_id: one.id, user_id: alice.id, channel: 0, other: '{"frt":5}' }]);
    const headers = { Authorization: `Bearer sk-${one.key}` };
    expect((await kit.call({ path: '/api/log/token', headers })).json.data).toEqual(answer.json.data);
    const preflight = await kit.call({ method: 'OPTIONS', path: '/api/log/token' });
    expect([preflight.status, preflight.headers.get('access-control-allow-headers')]).toEqual([204, 'Authorization']);
    const wrong = await kit.call({ path: '/api/log/token?key=sk-wrong' });
    expect(wrong.status).toBe(401);
    for (const each of [preflight, wrong]) expect(each.headers.get('access-control-allow-origin')).toBe('*');
    expect((await kit.call({ path: '/api/log/token', as: alice })).status).toBe(401);
    const ask = async (row: object) => {
      await kit.db.transaction((tx) => tx.query.updateTable('token').set(row).where('id', '=', one.id).execute());
      kit.keyring.invalidate([{ kind: 'token', key: String(one.id) }]);
      return (await kit.call({ path: `/api/log/token?key=sk-${one.key}` })).status;
    };
    expect([await ask({ status: 2 }), await ask({ status: 3 }), await ask({ status: 4 })]).toEqual([401, 401, 200]);
    expect([await ask({ status: 1, expired_at: 1 }), await ask({ expired_at: -1 })]).toEqual([401, 200]);
    expect([await ask({ allow_ips: '203.0.113.0/24' }), await ask({ allow_ips: '' })]).toEqual([403, 200]);
    await kit.db.transaction((tx) => tx.query.updateTable('users').set({ status: 2 }).where('id', '=', alice.id).execute());
    kit.keyring.invalidate([{ kind: 'user', key: String(alice.id) }]);
    expect((await kit.call({ path: `/api/log/token?key=sk-${one.key}` })).status).toBe(401);
  });

  test('deleting old rows needs a time, counts what it deleted and can be watched', async () => {
    const kit = await createApiKit(await open());
    const root = await kit.root();
    const refused = await kit.call({ method: 'DELETE', path: '/api/log/', as: root });
    expect(refused.json).toEqual({ success: false, message: 'target timestamp is required' });
    await insertLogs(kit.db, [
      { id: 5, created_at: 10, type: 3 },
      { id: 6, created_at: 20, type: 3 },
      { id: 7, created_at: 30, type: 3 },
    ]);
    await kit.db.transaction((tx) => tx.query.updateTable('usage_rollup').set({ rolled_to: 100 }).execute());
    const done = await kit.call({ method: 'DELETE', path: '/api/log/?target_timestamp=30', as: root });
    expect(done.json).toMatchObject({ success: true, data: 2 });
    const state = await kit.call({ path: '/api/log/cleanup', as: root });
    expect(state.json.data).toMatchObject({ running: false, deleted: 2, total: 2, target_timestamp: 30, failed: false });
    const actions = await kit.db.read.selectFrom('audit').select('action').where('action', '=', 'log.delete').execute();
    expect(actions).toHaveLength(1);
  });
});
