import { tokenBody } from '@tollgate/contract';
import { describe, expect, test } from 'vitest';
import { type ApiKit, createApiKit } from '../../test/api-kit.ts';
import { onEachEngine } from '../../test/engines.ts';
import { workToken as body, createToken, tokenPath as path } from '../../test/token-kit.ts';
import { sha256 } from '../platform/crypto.ts';

/** Nothing here is what a field is by itself. */
const everyField = {
  ...{ name: 'all', expired_time: 4_000_000_000, remain_quota: 77, unlimited_quota: true },
  ...{ model_limits_enabled: true, model_limits: 'gpt-4o', allow_ips: '10.0.0.0/8', group: 'vip' },
  ...{ rpm: 1, tpm: 2, rpd: 3, quota_day: 4, quota_month: 5, concurrency: 6 },
  ...{ deny_ips: '10.1.0.0/16', rate_limit_enabled: true, rate_limit_count: 7, rate_limit_period: 8, rate_limit_message: 'slow' },
  ...{ mj_mode: 'fast', mj_image_mode: 'custom', mj_image_host: 'https://i.example.com' },
  ...{ backup_pool_enabled: true, strict_conversion: true },
};
const otherValues = {
  ...{ expired_time: -1, remain_quota: 78, unlimited_quota: false },
  ...{ model_limits_enabled: false, model_limits: '', allow_ips: '', group: '' },
  ...{ rpm: 0, tpm: 0, rpd: 0, quota_day: 0, quota_month: 0, concurrency: 0 },
  ...{ deny_ips: '', rate_limit_enabled: false, rate_limit_count: 0, rate_limit_period: 0, rate_limit_message: '' },
  ...{ mj_mode: '', mj_image_mode: '', mj_image_host: '', backup_pool_enabled: false, strict_conversion: false },
};

async function setRow(kit: ApiKit, id: number, row: { status?: number; expired_at?: number; name?: string }) {
  await kit.db.transaction((tx) => tx.query.updateTable('token').set(row).where('id', '=', id).execute());
}

onEachEngine((_name, open) => {
  describe('tokens', () => {
    test('the owner reads the key again and again, the database holds it only sealed', async () => {
      const kit = await createApiKit(await open());
      const alice = await kit.user('alice');
      const token = await createToken(kit, alice, {
        model_limits_enabled: true,
        model_limits: 'gpt-4o, gpt-4o ,o3',
        user_id: 1,
        key: 'x',
      });
      expect(token).toMatchObject({
        ...body,
        user_id: alice.id,
        status: 1,
        expired_time: -1,
        used_quota: 0,
        group: '',
        model_limits: 'gpt-4o,o3',
      });
      expect(token.key).toMatch(/^[0-9A-Za-z]{48}$/);
      const stored = JSON.stringify(await kit.db.read.selectFrom('token').selectAll().execute());
      expect(stored).not.toContain(token.key);
      expect(stored).not.toContain(sha256(token.key));
      expect((await kit.call({ path: `/api/token/${token.id}/`, as: alice })).json.data).toEqual(token);
    });

    test("another's token is a missing token, for administrators too", async () => {
      const kit = await createApiKit(await open());
      const token = await createToken(kit, await kit.user('alice'));
      for (const as of [await kit.user('bob'), await kit.user('admin', 10), await kit.root()]) {
        const missing = { success: false, message: '令牌不存在' };
        const attempts = [
          await kit.call({ path: `/api/token/${token.id}`, as }),
          await kit.call({ method: 'PUT', path, body: { id: token.id, ...body }, as }),
          await kit.call({ method: 'PUT', path: '/api/token/?status_only=true', body: { id: token.id, status: 2 }, as }),
          await kit.call({ method: 'DELETE', path: `/api/token/${token.id}/`, as }),
        ];
        for (const answer of attempts) expect([answer.status, answer.json]).toEqual([404, missing]);
        expect((await kit.call({ path, as })).json.data).toEqual([]);
      }
    });

    test('an edit keeps the status and what was used, and sets the quota through the ledger', async () => {
      const kit = await createApiKit(await open());
      const alice = await kit.user('alice');
      const token = await createToken(kit, alice);
      await setRow(kit, token.id, { status: 2 });
      const edit = {
        id: token.id,
        name: 'home',
        remain_quota: 7,
        unlimited_quota: false,
        group: 'vip',
        allow_ips: '10.0.0.0/8\n::1',
      };
      const answer = await kit.call({ method: 'PUT', path, body: edit, as: alice });
      expect(answer.json.data).toMatchObject({ ...edit, status: 2, key: token.key });
      const row = await kit.db.read.selectFrom('token').selectAll().executeTakeFirstOrThrow();
      expect(row).toMatchObject({ granted_quota: 7, remain_quota: 7, used_quota: 0, held_quota: 0 });
    });

    test('a change that names few fields keeps all others as they are, each of them', async () => {
      const kit = await createApiKit(await open());
      const alice = await kit.user('alice');
      expect(Object.keys(everyField).sort()).toEqual(Object.keys(tokenBody.def.shape).sort());
      const made = await createToken(kit, alice, everyField);
      expect(made).toMatchObject(everyField);
      const put = async (fields: object) =>
        (await kit.call({ method: 'PUT', path, body: { id: made.id, name: 'same', ...fields }, as: alice })).json.data;
      expect(await put({})).toEqual({ ...made, name: 'same' });
      let present = { ...made, name: 'same' };
      for (const [field, value] of Object.entries(otherValues)) {
        const changed = await put({ [field]: value });
        // That of the quota alone, which two of them are.
        present = { ...present, [field]: value, quota_version: changed.quota_version };
        expect([field, changed]).toEqual([field, present]);
      }
      const row = await kit.db.read.selectFrom('token').selectAll().executeTakeFirstOrThrow();
      expect(row.granted_quota).toBe(row.remain_quota + row.used_quota + row.held_quota);
    });

    test('a change is judged by what it names: what is stored may have gone out of use', async () => {
      const kit = await createApiKit(await open());
      const alice = await kit.user('alice');
      const token = await createToken(kit, alice, { group: 'vip' });
      const option = { key: 'UserUsableGroups', value: '{"default":"default"}' };
      await kit.call({ method: 'PUT', path: '/api/option/', body: option, as: await kit.root() });
      const put = (fields: object) =>
        kit.call({ method: 'PUT', path, body: { id: token.id, name: 'renamed', ...fields }, as: alice });
      expect((await put({})).json.data).toMatchObject({ name: 'renamed', group: 'vip' });
      expect((await put({ group: 'vip' })).json.message).toBe('无权访问该分组');
      expect((await put({ deny_ips: 'nowhere' })).json.message).toBe('IP 白名单包含无效的地址: nowhere');
      expect((await put({ remain_quota: 2 ** 53 - 1 })).json.message).toBe('参数错误');
    });

    test('a name that was imported longer than new ones may be does not stand in the way of other changes', async () => {
      const kit = await createApiKit(await open());
      const alice = await kit.user('alice');
      const { id } = await createToken(kit, alice);
      const [name, other] = ['x'.repeat(40), 'y'.repeat(40)];
      await setRow(kit, id, { name });
      const put = async (change: object) => (await kit.call({ method: 'PUT', path, body: { id, ...change }, as: alice })).json;
      expect((await put({ name, rpm: 5 })).data).toMatchObject({ name, rpm: 5 });
      expect((await put({ name: other })).message).toBe('令牌名称过长');
    });

    test('the rules of a token are refused with their texts', async () => {
      const kit = await createApiKit(await open());
      const alice = await kit.user('alice');
      const refusal = async (fields: object) =>
        (await kit.call({ method: 'POST', path, body: { ...body, ...fields }, as: alice })).json.message;
      expect(await refusal({ name: '汉'.repeat(31) })).toBe('令牌名称过长');
      expect(await refusal({ name: '汉'.repeat(30) })).toBe('');
      expect(await refusal({ remain_quota: -1 })).toBe('参数错误');
      expect(await refusal({ remain_quota: 1.5 })).toBe('参数错误');
      expect(await refusal({ remain_quota: '5' })).toBe('参数错误');
      expect(await refusal({ remain_quota: 2 ** 53 - 1 })).toBe('参数错误');
      expect(await refusal({ expired_time: 0 })).toBe('参数错误');
      expect(await refusal({ group: 'svip' })).toBe('无权访问该分组');
      expect(await refusal({ group: 'auto' })).toBe('无权访问该分组');
      expect(await refusal({ allow_ips: '10.0.0.1\nnot-an-ip' })).toBe('IP 白名单包含无效的地址: not-an-ip');
      expect(await refusal({ model_limits: 'a b' })).toBe('参数错误');
    });

    test('an expired or exhausted token cannot be switched on until its cause is gone', async () => {
      const kit = await createApiKit(await open());
      const alice = await kit.user('alice');
      const token = await createToken(kit, alice);
      const set = (status: number) =>
        kit.call({ method: 'PUT', path: `${path}?status_only=true`, body: { id: token.id, status }, as: alice });
      await setRow(kit, token.id, { status: 3, expired_at: 1 });
      expect((await set(1)).json.message).toBe('令牌已过期，无法启用，请先修改令牌过期时间，或者设置为永不过期');
      await setRow(kit, token.id, { status: 3, expired_at: -1 });
      expect((await set(1)).json.data.status).toBe(1);
      await kit.call({ method: 'PUT', path, body: { id: token.id, ...body, remain_quota: 0 }, as: alice });
      await setRow(kit, token.id, { status: 4 });
      expect((await set(1)).json.message).toBe('令牌可用额度已用尽，无法启用，请先修改令牌剩余额度，或者设置为无限额度');
      await kit.call({ method: 'PUT', path, body: { id: token.id, ...body, remain_quota: 0, unlimited_quota: true }, as: alice });
      expect((await set(1)).json.data.status).toBe(1);
      expect((await set(3)).json.message).toBe('参数错误');
    });

    test('nor can one that was switched off by hand before its time or quota ended', async () => {
      const kit = await createApiKit(await open());
      const alice = await kit.user('alice');
      const token = await createToken(kit, alice);
      const set = (status: number) =>
        kit.call({ method: 'PUT', path: `${path}?status_only=true`, body: { id: token.id, status }, as: alice });
      await setRow(kit, token.id, { status: 2, expired_at: 1 });
      expect((await set(1)).json.message).toBe('令牌已过期，无法启用，请先修改令牌过期时间，或者设置为永不过期');
      await setRow(kit, token.id, { status: 2, expired_at: -1 });
      await kit.call({ method: 'PUT', path, body: { id: token.id, ...body, remain_quota: 0 }, as: alice });
      expect((await set(1)).json.message).toBe('令牌可用额度已用尽，无法启用，请先修改令牌剩余额度，或者设置为无限额度');
      await kit.call({ method: 'PUT', path, body: { id: token.id, ...body, remain_quota: 1 }, as: alice });
      expect((await set(1)).json.data.status).toBe(1);
    });

    test('with status_only a whole token is taken for its status alone; without, its status is not looked at', async () => {
      const kit = await createApiKit(await open());
      const alice = await kit.user('alice');
      const token = await createToken(kit, alice);
      const put = async (query: string, change: object) => {
        const answer = await kit.call({ method: 'PUT', path: `${path}${query}`, body: { ...token, ...change }, as: alice });
        return answer.json.data ?? answer.json.message;
      };
      expect(await put('?status_only=true', { status: 2, name: 'other' })).toMatchObject({ status: 2, name: token.name });
      expect(await put('', { status: 1, name: 'other' })).toMatchObject({ status: 2, name: 'other' });
      expect(await put('?status_only=true', { status: 'on' })).toBe('参数错误');
      expect(await put('', { name: undefined })).toBe('参数错误');
    });

    test('the audit log says who switched a token off and on, once for each, and who deleted it', async () => {
      const kit = await createApiKit(await open());
      const alice = await kit.user('alice');
      const token = await createToken(kit, alice);
      for (const status of [2, 2, 1])
        await kit.call({ method: 'PUT', path: `${path}?status_only=true`, body: { id: token.id, status }, as: alice });
      for (let time = 0; time < 2; time += 1) await kit.call({ method: 'DELETE', path: `${path}${token.id}`, as: alice });
      const rows = await kit.db.read
        .selectFrom('audit')
        .select(['actor', 'action', 'target'])
        .where('action', 'in', ['token.disable', 'token.enable', 'token.delete'])
        .orderBy('seq')
        .execute();
      const target = `token:${token.id}`;
      expect(rows).toEqual([
        { actor: 'alice', action: 'token.disable', target },
        { actor: 'alice', action: 'token.enable', target },
        { actor: 'alice', action: 'token.delete', target },
      ]);
    });

    test('the audit log says who made a token and who changed what of it, from what to what, and holds no key', async () => {
      const kit = await createApiKit(await open());
      const alice = await kit.user('alice');
      const token = await createToken(kit, alice, { name: 'work', remain_quota: 500 });
      const put = (change: object) =>
        kit.call({ method: 'PUT', path, body: { id: token.id, name: 'work', ...change }, as: alice });
      await put({});
      await put({ remain_quota: 900, expired_time: 2_000_000_000, model_limits_enabled: true, model_limits: 'gpt-4o' });
      await put({ name: 'home', allow_ips: '10.0.0.1', deny_ips: '10.0.0.2', rpm: 5, unlimited_quota: true });
      const list = (count: number) => Array.from({ length: count }, (_, at) => `10.0.1.${at}`).join('\n');
      await put({ name: 'home', allow_ips: list(200) });
      await put({ name: 'home', expired_time: 0 });
      const rows = await kit.db.read
        .selectFrom('audit')
        .selectAll()
        .where('target', '=', `token:${token.id}`)
        .orderBy('seq')
        .execute();
      expect(rows.every(({ actor, actor_id: id }) => actor === 'alice' && id === alice.id)).toBe(true);
      expect(rows.map(({ action, detail }) => [action, JSON.parse(detail)])).toEqual([
        ['token.create', { user: alice.id, name: 'work' }],
        [
          'token.update',
          {
            remain_quota: { from: 500, to: 900 },
            expired_time: { from: -1, to: 2_000_000_000 },
            model_limits_enabled: { from: false, to: true },
            model_limits: { from: '', to: 'gpt-4o' },
          },
        ],
        [
          'token.update',
          {
            name: { from: 'work', to: 'home' },
            allow_ips: { from: '', to: '10.0.0.1' },
            deny_ips: { from: '', to: '10.0.0.2' },
            rpm: { from: 0, to: 5 },
            unlimited_quota: { from: false, to: true },
          },
        ],
        ['token.update', { allow_ips: 'changed' }],
      ]);
      expect(JSON.stringify(rows)).not.toContain(token.key);
    });

    test('search looks into names and into the keys themselves, with and without sk-', async () => {
      const kit = await createApiKit(await open());
      const alice = await kit.user('alice');
      const first = await createToken(kit, alice, { name: 'first_100%' });
      const second = await createToken(kit, alice, { name: 'second' });
      const search = async (query: string) =>
        (await kit.call({ path: `/api/token/search?${query}`, as: alice })).json.data.map((row: { id: number }) => row.id);
      expect(await search(`token=sk-${first.key.slice(5, 30)}`)).toEqual([first.id]);
      expect(await search(`token=${second.key}`)).toEqual([second.id]);
      expect(await search(`token=sk-${'a'.repeat(128)}`)).toEqual([]);
      expect(await search('keyword=FIRST_')).toEqual([first.id]);
      expect(await search('keyword=%25')).toEqual([first.id]);
      expect(await search('')).toEqual([second.id, first.id]);
      await kit.call({ method: 'PUT', path: '/api/token/?status_only=true', body: { id: first.id, status: 2 }, as: alice });
      for (const query of ['', `keyword=first&token=${first.key.slice(5, 30)}`]) {
        expect(await search(`${query}&status=2`)).toEqual([first.id]);
        expect(await search(`${query}&status=3`)).toEqual([]);
      }
      const listed = (await kit.call({ path: '/api/token/?status=2', as: alice })).json.data;
      expect(listed).toMatchObject([{ id: first.id, status: 2 }]);
      expect((await kit.call({ path: '/api/token/?status=5', as: alice })).json.success).toBe(false);
    });

    test('a token that is past its time is found among the expired ones before anybody has used it', async () => {
      const kit = await createApiKit(await open());
      const alice = await kit.user('alice');
      const now = kit.clock.nowMs() / 1_000;
      const [lasting, ending, ended, used] = [
        await createToken(kit, alice, { name: 'lasting' }),
        await createToken(kit, alice, { name: 'ending', expired_time: now }),
        await createToken(kit, alice, { name: 'ended', expired_time: now - 1 }),
        await createToken(kit, alice, { name: 'used', expired_time: now - 1 }),
      ];
      await setRow(kit, used.id, { status: 3 });
      const ids = async (query: string): Promise<number[]> =>
        (await kit.call({ path: `/api/token/${query}`, as: alice })).json.data.map((row: { id: number }) => row.id);
      for (const query of ['?', 'search?']) {
        expect(await ids(`${query}status=3`)).toEqual([used.id, ended.id]);
        expect(await ids(`${query}status=1`)).toEqual([ending.id, lasting.id]);
      }
      expect(await ids('search?keyword=ing&status=1')).toEqual([ending.id, lasting.id]);
      // In its last second it is used, listed and switched on alike.
      for (const status of [2, 1]) {
        const change = { method: 'PUT', path: `${path}?status_only=true`, body: { id: ending.id, status } };
        expect((await kit.call({ ...change, as: alice })).json.data).toMatchObject({ status });
      }
      // The row itself is as the contract says.
      expect((await kit.call({ path: `/api/token/${ended.id}`, as: alice })).json.data.status).toBe(1);
    });

    test('pages are full until the rows run out', async () => {
      const kit = await createApiKit(await open());
      const alice = await kit.user('alice');
      for (let count = 0; count < 5; count++) await createToken(kit, alice);
      const page = async (query: string) => (await kit.call({ path: `/api/token/?${query}`, as: alice })).json.data.length;
      expect([await page('p=0&size=2'), await page('p=1&size=2'), await page('p=2&size=2'), await page('p=3&size=2')]).toEqual([
        2, 2, 1, 0,
      ]);
    });
  });
});
