import { describe, expect, test, vi } from 'vitest';
import { type ApiKit, createApiKit, type KitUser } from '../../test/api-kit.ts';
import { onEachEngine } from '../../test/engines.ts';
import { createRedemptions, proveLedger, type WalletDeps } from '../billing/index.ts';
import type { Database } from '../storage/database.ts';
import { DatabaseError } from '../storage/errors.ts';

const path = '/api/redemption/';

async function make(kit: ApiKit, as: KitUser, fields: object = {}): Promise<string[]> {
  const made = await kit.call({ method: 'POST', path, body: { name: 'gift', quota: 500_000, count: 1, ...fields }, as });
  expect(made.json).toMatchObject({ success: true });
  return made.json.data;
}

const redeem = (kit: ApiKit, as: KitUser, key: unknown) =>
  kit.call({ method: 'POST', path: '/api/user/topup', body: { key }, as });
const quotaOf = async (kit: ApiKit, as: KitUser) => (await kit.call({ path: '/api/user/self', as })).json.data.quota;

onEachEngine((_name, open) => {
  describe('redemption codes', () => {
    test('a code gives its quota once, with a row in the log; who comes later is told so', async () => {
      const kit = await createApiKit(await open());
      const admin = await kit.user('admin', 10);
      const [alice, bob] = [await kit.user('alice'), await kit.user('bob')];
      const [key = ''] = await make(kit, admin);
      expect(key).toMatch(/^[0-9a-f]{32}$/);
      expect((await redeem(kit, alice, ` ${key} `)).json).toEqual({ success: true, message: '', data: 500_000 });
      const used = '兑换失败，该兑换码已被使用';
      expect((await redeem(kit, bob, key)).json).toEqual({ success: false, message: used });
      // Whose answer was lost on the way.
      const message = `${used}：是您自己兑换的，额度已经到账`;
      expect((await redeem(kit, alice, key)).json).toEqual({ success: false, message });
      expect([await quotaOf(kit, alice), await quotaOf(kit, bob)]).toEqual([500_000, 0]);
      const logs = (await kit.call({ path: '/api/log/self?type=1', as: alice })).json.data.items;
      expect(logs.map(({ content }: { content: string }) => content)).toEqual(['通过兑换码充值 ＄1.000000 额度，兑换码ID 1']);
      const row = (await kit.call({ path: `${path}1`, as: admin })).json.data;
      expect(row).toMatchObject({ id: 1, key, status: 3, used_user_id: alice.id, user_id: admin.id, count: 0, DeletedAt: null });
      expect(row.redeemed_time).toBeGreaterThan(0);
      // Whoever says that a code does not work sends the code.
      const named = await kit.call({ path: `${path}search?keyword=${key.toUpperCase()}`, as: admin });
      expect(named.json.data).toMatchObject([{ id: 1, used_user_id: alice.id }]);
      expect((await kit.call({ path: `${path}search?keyword=${'0'.repeat(32)}`, as: admin })).json.data).toEqual([]);
      expect((await proveLedger({ db: kit.db, clock: kit.clock })).ok).toBe(true);
    });

    test('on a disk that is nearly full nobody redeems or begins to pay, and the code stays good', async () => {
      let hasSpace = false;
      const kit = await createApiKit(await open(), { hasSpace: () => hasSpace });
      const admin = await kit.user('admin', 10);
      const alice = await kit.user('alice');
      const [key = ''] = await make(kit, admin);
      const refused = await redeem(kit, alice, key);
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '30']);
      const pay = { method: 'POST', path: '/api/user/pay', body: { amount: 10, payment_method: 'alipay' }, as: alice };
      expect((await kit.call(pay)).status).toBe(503);
      hasSpace = true;
      expect((await redeem(kit, alice, key)).json).toMatchObject({ success: true });
    });

    test('what is no code, unknown, disabled or deleted gives nothing', async () => {
      const kit = await createApiKit(await open());
      const admin = await kit.user('admin', 10);
      const alice = await kit.user('alice');
      const [off = '', gone = ''] = await make(kit, admin, { count: 2 });
      const [first, second] = (await kit.call({ path, as: admin })).json.data;
      const [offRow, goneRow] = first.key === off ? [first, second] : [second, first];
      await kit.call({ method: 'PUT', path: `${path}?status_only=true`, body: { id: offRow.id, status: 2 }, as: admin });
      await kit.call({ method: 'DELETE', path: `${path}${goneRow.id}`, as: admin });
      const texts = [];
      for (const key of ['', 'x', '0'.repeat(32), gone, off]) texts.push((await redeem(kit, alice, key)).json.message);
      expect(texts).toEqual([
        '未提供兑换码',
        '兑换失败，无效的兑换码',
        '兑换失败，无效的兑换码',
        '兑换失败，无效的兑换码',
        '兑换失败，该兑换码已被使用',
      ]);
      expect(await quotaOf(kit, alice)).toBe(0);
    });

    test('the codes lie sealed in the database', async () => {
      const kit = await createApiKit(await open());
      const [key = ''] = await make(kit, await kit.user('admin', 10));
      const stored = JSON.stringify(await kit.db.read.selectFrom('redemption').selectAll().execute());
      expect(stored).not.toContain(key);
      expect(JSON.stringify(await kit.db.read.selectFrom('audit').selectAll().execute())).not.toContain(key);
    });

    test.each([
      [{ name: '' }, '兑换码名称长度必须在1-20之间'],
      [{ name: 'a'.repeat(21) }, '兑换码名称长度必须在1-20之间'],
      [{ count: 0 }, '兑换码个数必须大于0'],
      [{ count: 101 }, '一次兑换码批量生成的个数不能大于 100'],
      [{ quota: -1 }, '参数错误'],
      [{ quota: 0 }, '参数错误'],
      [{ quota: 1.5 }, '参数错误'],
    ])('%j is not made', async (fields, message) => {
      const kit = await createApiKit(await open());
      const as = await kit.user('admin', 10);
      const body = { name: 'gift', quota: 5, count: 1, ...fields };
      expect((await kit.call({ method: 'POST', path, body, as })).json).toEqual({ success: false, message });
      expect((await kit.call({ path, as })).json.data).toEqual([]);
    });

    test('100 at once are 100 different ones, listed in pages, found by id and by how the name starts', async () => {
      const kit = await createApiKit(await open());
      const as = await kit.user('admin', 10);
      expect(new Set(await make(kit, as, { count: 100, name: 'fifty%' })).size).toBe(100);
      await make(kit, as, { name: 'fifty_one' });
      const page = (await kit.call({ path: `${path}?p=1&page_size=40`, as })).json.data;
      expect(page.map(({ id }: { id: number }) => id)).toEqual(Array.from({ length: 40 }, (_, index) => 61 - index));
      const found = async (keyword: string) =>
        (await kit.call({ path: `${path}search?keyword=${encodeURIComponent(keyword)}`, as })).json.data.length;
      expect([await found('fifty'), await found('fifty%'), await found('101'), await found('ifty')]).toEqual([101, 100, 1, 0]);
      await make(kit, as, { name: 'Été VIP' });
      expect([await found('FIFTY_'), await found('Été v')]).toEqual([1, 1]);
      if (kit.db.engine === 'sqlite') expect(await found('été V')).toBe(1);
    });

    test('are found by status and by pages, each once', async () => {
      const kit = await createApiKit(await open());
      const as = await kit.user('admin', 10);
      for (let batch = 0; batch < 3; batch += 1) await make(kit, as, { count: 50 });
      await kit.db.transaction((tx) => tx.query.updateTable('redemption').set({ status: 3 }).where('id', '<=', 130).execute());
      const ids = async (query: string) =>
        (await kit.call({ path: `${path}${query}`, as })).json.data.map(({ id }: { id: number }) => id);
      const from = (first: number, length: number) => Array.from({ length }, (_, at) => first - at);
      for (const where of ['?', 'search?keyword=&']) {
        expect(await ids(`${where}status=1&page_size=100`)).toEqual(from(150, 20));
        expect(await ids(`${where}status=3&page_size=100&p=1`)).toEqual(from(30, 30));
        expect(await ids(`${where}status=2`)).toEqual([]);
      }
      expect(await ids('search?keyword=')).toEqual(from(150, 150));
      expect(await ids('search?keyword=7&status=3')).toEqual([7]);
      expect((await kit.call({ path: `${path}?status=5`, as })).json.success).toBe(false);
    });

    test('those of a batch that nobody used are withdrawn together, and one audit row says how much that was', async () => {
      const kit = await createApiKit(await open());
      const as = await kit.user('admin', 10);
      const alice = await kit.user('alice');
      const [used, ...rests] = await make(kit, as, { count: 4 });
      await redeem(kit, alice, used);
      await kit.call({ method: 'PUT', path: `${path}?status_only=true`, body: { id: 4, status: 2 }, as });
      const body = { ids: [1, 2, 3, 4, 99] };
      expect((await kit.call({ method: 'POST', path: `${path}batch/disabled`, body, as })).json).toMatchObject({ data: 2 });
      const rows = (await kit.call({ path, as })).json.data.map(({ id, status }: { id: number; status: number }) => [id, status]);
      expect(rows.sort()).toEqual([
        [1, 3],
        [2, 2],
        [3, 2],
        [4, 2],
      ]);
      for (const key of rests) expect((await redeem(kit, alice, key)).json.success).toBe(false);
      const told = kit.db.read.selectFrom('audit').select('detail').where('target', '=', 'redemption:batch');
      const [{ detail } = { detail: '' }] = await told.execute();
      expect(JSON.parse(detail)).toEqual({ status: 2, count: 2, quota: 1_000_000, ids: [2, 3] });
    });

    test('what was used does not change, what is invalid can be swept away', async () => {
      const kit = await createApiKit(await open());
      const as = await kit.user('admin', 10);
      const alice = await kit.user('alice');
      const [key = ''] = await make(kit, as, { count: 3 });
      await redeem(kit, alice, key);
      const rows = (await kit.call({ path, as })).json.data as { id: number; key: string }[];
      const used = rows.find((row) => row.key === key)?.id ?? 0;
      const [spare = { id: 0 }] = rows.filter(({ id }) => id !== used);
      const change = (body: object, query = '') => kit.call({ method: 'PUT', path: `${path}${query}`, body, as });
      const refused = { success: false, message: '兑换码已被使用，无法修改' };
      expect((await change({ id: used, name: 'new', quota: 9 })).json).toEqual(refused);
      expect((await change({ id: used, status: 1 }, '?status_only=true')).json).toEqual(refused);
      expect((await change({ id: spare.id, name: 'new', quota: 9 })).json.data).toMatchObject({ name: 'new', quota: 9 });
      expect((await change({ id: spare.id, status: 2 }, '?status_only=true')).json.data).toMatchObject({ status: 2 });
      const whole = { id: spare.id, name: 'not this', quota: 7, status: 1 };
      expect((await change(whole, '?status_only=true')).json.data).toMatchObject({ status: 1, name: 'new', quota: 9 });
      await change({ ...whole, status: 2 }, '?status_only=true');
      expect((await change({ id: 999, status: 2 }, '?status_only=true')).status).toBe(404);
      expect((await kit.call({ method: 'DELETE', path: `${path}invalid`, as })).json.data).toBe(2);
      expect((await kit.call({ path, as })).json.data).toHaveLength(1);
    });

    test('the audit log says who made, changed and deleted which codes, and what they were worth', async () => {
      const kit = await createApiKit(await open());
      const as = await kit.user('admin', 10);
      const [key = ''] = await make(kit, as, { count: 4, quota: 7 });
      await redeem(kit, await kit.user('alice'), key);
      const shown = (await kit.call({ path, as })).json.data as { id: number; key: string }[];
      const used = shown.find((row) => row.key === key)?.id ?? 0;
      const [first = 0, second = 0, third = 0] = shown.map(({ id }) => id).filter((id) => id !== used);
      const put = (body: object, query = '') => kit.call({ method: 'PUT', path: `${path}${query}`, body, as });
      for (let time = 0; time < 2; time += 1) await put({ id: first, name: 'gift', quota: 9 });
      await put({ id: second, status: 2 }, '?status_only=true');
      await kit.call({ method: 'DELETE', path: `${path}${third}`, as });
      for (let time = 0; time < 2; time += 1) await kit.call({ method: 'DELETE', path: `${path}invalid`, as });
      const rows = await kit.db.read
        .selectFrom('audit')
        .selectAll()
        .where('action', 'like', 'redemption.%')
        .orderBy('seq')
        .execute();
      const told = rows.filter(({ action }) => action !== 'redemption.use');
      expect(told.every(({ actor, ip }) => actor === 'admin' && ip !== '')).toBe(true);
      expect(told.map(({ action, target, detail }) => [action.slice(11), target.slice(11), JSON.parse(detail)])).toEqual([
        [
          'create',
          'gift',
          { name: 'gift', quota: 7, count: 4, ids: expect.toSatisfy((ids) => ids.length === 4 && ids.includes(used)) },
        ],
        ['update', `${first}`, { quota: { from: 7, to: 9 } }],
        ['update', `${second}`, { status: { from: 1, to: 2 } }],
        ['delete', `${third}`, { name: 'gift', quota: 7, status: 1 }],
        [
          'delete',
          'invalid',
          { count: 2, used: { count: 1, quota: 7, ids: [used] }, disabled: { count: 1, quota: 7, ids: [second] } },
        ],
      ]);
    });

    test('a sweep of many codes goes part by part, so that calls need not wait for all of it', async () => {
      const kit = await createApiKit(await open());
      const as = await kit.user('admin', 10);
      const count = 2_500;
      const rows = Array.from({ length: count }, (_, index) => ({
        ...{ user_id: as.id, name: 'old', quota: 2, created_at: 1, deleted_at: null, key_sealed: '' },
        ...{ key_hmac: `${index}`, status: index % 5 === 0 ? 2 : 3 },
      }));
      for (let from = 0; from < count; from += 500) {
        await kit.db.transaction((tx) =>
          tx.query
            .insertInto('redemption')
            .values(rows.slice(from, from + 500))
            .execute(),
        );
      }
      const [kept = ''] = await make(kit, as, { count: 1 });
      expect((await kit.call({ method: 'DELETE', path: `${path}invalid`, as })).json.data).toBe(count);
      const left = (await kit.call({ path, as })).json.data as { key: string }[];
      expect(left.map(({ key }) => key)).toEqual([kept]);
      const told = await kit.db.read.selectFrom('audit').select('detail').where('target', '=', 'redemption:invalid').execute();
      const parts = told.map(({ detail }) => JSON.parse(detail));
      expect(parts.map((part) => part.count)).toEqual([1_000, 1_000, 500]);
      const named = parts.flatMap(({ used, disabled }) => [...used.ids, ...disabled.ids]);
      expect(new Set(named).size).toBe(count);
      expect(parts.reduce((sum, { used, disabled }) => sum + used.quota + disabled.quota, 0)).toBe(2 * count);
    });

    test('a code that somebody switches on again meanwhile is not swept away', async () => {
      const kit = await createApiKit(await open());
      const as = await kit.user('admin', 10);
      const actor = { id: as.id, username: as.name, ip: '' };
      const [code] = await make(kit, as);
      const { db, deps, clock } = kit;
      await deps.redemptions.setStatus(actor, 1, 2);
      const transaction: Database['transaction'] = async (body, options) => {
        await deps.redemptions.setStatus(actor, 1, 1);
        return db.transaction(body, options);
      };
      const sweeping = createRedemptions({ db: { ...db, transaction }, clock } as unknown as WalletDeps);
      expect(await sweeping.removeInvalid(actor)).toBe(0);
      expect((await redeem(kit, as, code)).json).toMatchObject({ success: true });
    });

    test('an account that went meanwhile uses no code up', async () => {
      const kit = await createApiKit(await open());
      const admin = await kit.user('admin', 10);
      const [alice, bob] = [await kit.user('alice'), await kit.user('bob')];
      const [code = ''] = await make(kit, admin);
      await kit.db.transaction((tx) => tx.query.updateTable('users').set({ deleted_at: 1 }).where('id', '=', alice.id).execute());
      // Its session was still good when it asked.
      const payer = { id: alice.id, username: 'alice', group: 'default', ip: '' };
      await expect(kit.deps.redemptions.redeem(payer, code)).rejects.toMatchObject({ code: 'user_deleted' });
      expect((await redeem(kit, bob, code)).json).toMatchObject({ success: true });
    });

    test('after ten failures in an hour nobody guesses on', async () => {
      const kit = await createApiKit(await open(), { apiLimitFactor: 1 });
      const alice = await kit.user('alice');
      for (let count = 0; count < 10; count += 1) expect((await redeem(kit, alice, '0'.repeat(32))).status).toBe(200);
      expect((await redeem(kit, alice, '0'.repeat(32))).status).toBe(429);
    });

    test('a code that is there was no guess, though it gives nothing: used, ended, or one more than each may have', async () => {
      const kit = await createApiKit(await open(), { apiLimitFactor: 1 });
      const [admin, alice, bob] = [await kit.user('admin', 10), await kit.user('alice'), await kit.user('bob')];
      const [first = '', second = '', last = ''] = await make(kit, admin, { count: 3, per_user: 1 });
      const [ended = ''] = await make(kit, admin, { name: 'ended', expired_time: kit.clock.nowMs() / 1000 + 1 });
      kit.clock.advanceMs(2_000);
      for (const code of [first, second]) await redeem(kit, code === first ? alice : bob, code);
      const said = new Set<string>();
      for (const code of [first, second, last, ended])
        for (let count = 0; count < 4; count += 1) said.add((await redeem(kit, alice, code)).json.message);
      expect(said.size).toBe(4);
      const [good = ''] = await make(kit, admin, { name: 'good' });
      expect((await redeem(kit, alice, good)).json).toMatchObject({ success: true });
    });

    test('what could not be judged was no guess: the code is good when the database is back', async () => {
      const kit = await createApiKit(await open(), { apiLimitFactor: 1 });
      const [admin, alice] = [await kit.user('admin', 10), await kit.user('alice')];
      const [code = ''] = await make(kit, admin);
      const away = vi.spyOn(kit.deps.redemptions, 'redeem').mockRejectedValue(new DatabaseError('unavailable', '', 'away'));
      for (let count = 0; count < 10; count += 1) expect((await redeem(kit, alice, code)).status).toBe(503);
      away.mockRestore();
      expect((await redeem(kit, alice, code)).json).toMatchObject({ success: true });
    });
  });
});
