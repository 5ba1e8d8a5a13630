import { describe, expect, test } from 'vitest';
import { type ApiKit, createApiKit, type KitUser } from '../../test/api-kit.ts';
import { onEachEngine } from '../../test/engines.ts';
import { createCrypto } from '../platform/crypto.ts';
import { openChannelKey } from '../routing/index.ts';

const path = '/api/channel/';
const key = 'upstream-secret-0001';
const body = { type: 1, name: 'main', key, models: 'gpt-4o,gpt-4o-mini', group: 'default,vip', priority: 5, weight: 3 };
const crypto = createCrypto(Buffer.alloc(32, 7));

type Act = (method: string, path: string, body?: unknown) => ReturnType<ApiKit['call']>;

async function prepare(db: Parameters<typeof createApiKit>[0]): Promise<{ kit: ApiKit; admin: KitUser; act: Act }> {
  const kit = await createApiKit(db);
  const admin = await kit.user('admin', 10);
  return { kit, admin, act: (method, where, content) => kit.call({ method, path: where, body: content, as: admin }) };
}

const storedKey = async (kit: ApiKit, id: number) =>
  openChannelKey(crypto, await kit.db.read.selectFrom('channel').selectAll().where('id', '=', id).executeTakeFirstOrThrow());
const abilities = (kit: ApiKit) =>
  kit.db.read.selectFrom('ability').selectAll().orderBy('channel_id').orderBy('group_name').orderBy('model').execute();

onEachEngine((_name, open) => {
  describe('channels', () => {
    test('one row per key line, each with its abilities, and the key in no answer', async () => {
      const { kit, act } = await prepare(await open());
      const created = await act('POST', path, { ...body, key: `${key}\n\n  ${key}-b \n`, used_quota: 5, balance: 9 });
      expect(created.json).toEqual({ success: true, message: '' });
      const list = await act('GET', path);
      expect(list.json.data).toHaveLength(2);
      expect(list.json.data[0]).toMatchObject({
        id: 2,
        key: '',
        key_hint: '…01-b',
        status: 1,
        auto_ban: 1,
        used_quota: 0,
        balance: 0,
        models: body.models,
        group: body.group,
      });
      expect([await storedKey(kit, 1), await storedKey(kit, 2)]).toEqual([key, `${key}-b`]);
      const rows = JSON.stringify(await kit.db.read.selectFrom('channel').selectAll().execute());
      for (const text of [
        rows,
        list.text,
        (await act('GET', `${path}2`)).text,
        (await act('GET', `${path}search?keyword=main&tag_mode=true`)).text,
      ]) {
        expect(text).not.toContain(key);
      }
      expect(await abilities(kit)).toHaveLength(8);
      expect((await abilities(kit))[0]).toMatchObject({
        group_name: 'default',
        model: 'gpt-4o',
        channel_id: 1,
        enabled: 1,
        priority: 5,
        weight: 3,
      });
    });

    test('an update writes the keys that are present, clears text with "" and never the credential', async () => {
      const { kit, act } = await prepare(await open());
      await act('POST', path, { ...body, tag: 'blue', model_mapping: '{"a":"b"}' });
      const answer = await act('PUT', path, { id: 1, key: '', tag: '', model_mapping: null, models: 'o3', priority: -3 });
      expect(answer.json.data).toMatchObject({
        id: 1,
        key: '',
        tag: '',
        model_mapping: '',
        models: 'o3',
        priority: -3,
        weight: 3,
        name: 'main',
      });
      expect(await storedKey(kit, 1)).toBe(key);
      expect(await abilities(kit)).toMatchObject([
        { group_name: 'default', model: 'o3', priority: -3, tag: '' },
        { group_name: 'vip', model: 'o3', priority: -3, tag: '' },
      ]);
    });

    test('switching off and on flips every ability and forgets the reason', async () => {
      const { kit, act } = await prepare(await open());
      await act('POST', path, body);
      await act('PUT', path, { id: 1, status: 2 });
      expect(new Set((await abilities(kit)).map((row) => row.enabled))).toEqual(new Set([0]));
      expect((await act('GET', `${path}models_enabled`)).json.data).toEqual([]);
      await kit.db.transaction((tx) =>
        tx.query.updateTable('channel').set({ status: 3, other_info: '{"status_reason":"x"}' }).execute(),
      );
      expect((await act('PUT', path, { id: 1, status: 3, name: 'renamed' })).json.data).toMatchObject({
        status: 3,
        name: 'renamed',
      });
      expect((await act('PUT', path, { id: 1, status: 1 })).json.data).toMatchObject({ status: 1, other_info: '' });
      expect((await act('GET', `${path}models_enabled`)).json.data).toEqual(['gpt-4o', 'gpt-4o-mini']);
      expect((await act('PUT', path, { id: 1, status: 3 })).json.message).toBe('参数错误');
    });

    test('a credential does not follow its channel to another destination', async () => {
      const { kit, act } = await prepare(await open());
      await act('POST', path, { ...body, base_url: 'https://one.example/' });
      await act('PUT', path, { id: 1, base_url: 'https://one.example/other/path' });
      expect(await storedKey(kit, 1)).toBe(key);
      const moved = await act('PUT', path, { id: 1, base_url: 'https://evil.example', status: 1 });
      expect(moved.json.data).toMatchObject({ status: 2, key_hint: '' });
      expect(await storedKey(kit, 1)).toBe('');
      const entered = await act('PUT', path, { id: 1, key: 'entered-again' });
      expect(entered.json.data).toMatchObject({ status: 2, other_info: '' });
      await act('PUT', path, { id: 1, key: 'a-new-credential', status: 1 });
      expect(await storedKey(kit, 1)).toBe('a-new-credential');
      await act('PUT', path, { id: 1, base_url: 'https://two.example', key: 'for-the-new-place' });
      expect(await storedKey(kit, 1)).toBe('for-the-new-place');
      await act('PUT', path, { id: 1, type: 43, base_url: '' });
      expect(await storedKey(kit, 1)).toBe('');
    });

    test('what the account had left is not told of one at another destination', async () => {
      const { kit, act } = await prepare(await open());
      await act('POST', path, { ...body, base_url: 'https://one.example' });
      const after = async (change: object) => {
        const read = { balance: 0.25, balance_updated_at: 9 };
        await kit.db.transaction((tx) => tx.query.updateTable('channel').set(read).execute());
        const { balance, balance_updated_time } = (await act('PUT', path, { id: 1, ...change })).json.data;
        return [balance, balance_updated_time];
      };
      expect(await after({ name: 'renamed' })).toEqual([0.25, 9]);
      expect(await after({ key: 'a-new-one', base_url: 'https://one.example/v1' })).toEqual([0.25, 9]);
      expect(await after({ key: 'for-the-new-place', base_url: 'https://two.example' })).toEqual([0, 0]);
      expect(await after({ base_url: 'https://three.example' })).toEqual([0, 0]);
      expect(await after({ base_url: 'https://four.example' })).toEqual([0, 0]);
    });

    test('without TLS a proxy is a destination, too: another one, or none, and the credential stays behind', async () => {
      const { kit, act } = await prepare(await open());
      const through = (proxy: string) => ({ setting: JSON.stringify({ proxy }) });
      const [first, second] = ['http://one.proxy.example:8080', 'socks5://two.proxy.example'];
      const keyed = (change: object) => act('PUT', path, { id: 1, key, status: 1, ...change });
      const moved = (change: object) => act('PUT', path, { id: 1, status: 1, ...change });
      await act('POST', path, { ...body, base_url: 'http://plain.example' });
      await moved(through(''));
      expect(await storedKey(kit, 1)).toBe(key);
      for (const [before, after] of [
        [{ setting: '' }, through(first)],
        [through(first), through(second)],
        [through(first), { setting: '{}' }],
        [through(first), { setting: null }],
      ]) {
        await keyed({ ...before });
        expect(await storedKey(kit, 1)).toBe(key);
        const { data } = (await moved({ ...after })).json;
        expect(data).toMatchObject({ status: 2, key_hint: '' });
        expect(data.other_info).toContain('渠道地址已更改，请重新填写密钥');
        expect(await storedKey(kit, 1)).toBe('');
      }
      await keyed(through(first));
      await moved({ setting: JSON.stringify({ hedge_ms: 50, proxy: ` ${first} ` }) });
      expect(await storedKey(kit, 1)).toBe(key);
      // With TLS a proxy reads nothing.
      await keyed({ base_url: 'https://tls.example', ...through(first) });
      await moved(through(second));
      expect(await storedKey(kit, 1)).toBe(key);
      await moved({ base_url: 'http://tls.example' });
      expect(await storedKey(kit, 1)).toBe('');
    });

    test('a copy takes the credential only to the same type and address', async () => {
      const { kit, act } = await prepare(await open());
      await act('POST', path, { ...body, base_url: 'https://one.example' });
      const copy = { ...body, key: '', name: 'main_复制', base_url: 'https://one.example/', copy_from: 1 };
      expect((await act('POST', path, copy)).json.success).toBe(true);
      expect(await storedKey(kit, 2)).toBe(key);
      const missing = '请填写渠道名称和渠道密钥！';
      expect((await act('POST', path, { ...copy, base_url: 'https://evil.example' })).json.message).toBe(missing);
      expect((await act('POST', path, { ...copy, type: 43 })).json.message).toBe(missing);
      expect((await act('POST', path, { ...copy, copy_from: undefined })).json.message).toBe(missing);
      expect((await act('POST', path, { ...copy, copy_from: 77 })).status).toBe(404);
      const proxied = { setting: '{"proxy":"http://proxy.example"}' };
      await act('POST', path, { ...body, base_url: 'http://plain.example' });
      const plain = { ...copy, base_url: 'http://plain.example', copy_from: 3 };
      expect((await act('POST', path, { ...plain, ...proxied })).json.message).toBe(missing);
      await act('PUT', path, { id: 3, key, ...proxied });
      expect((await act('POST', path, plain)).json.message).toBe(missing);
      expect((await act('POST', path, { ...plain, ...proxied })).json.success).toBe(true);
      expect(await storedKey(kit, 4)).toBe(key);
      expect((await act('POST', path, { ...copy, status: 3, other_info: '{}' })).json.success).toBe(true);
      expect((await act('GET', `${path}5`)).json.data).toMatchObject({ status: 1, other_info: '' });
    });

    test('what cannot work is refused with its text and leaves nothing behind', async () => {
      const { kit, act } = await prepare(await open());
      const refusal = async (fields: object) => (await act('POST', path, { ...body, ...fields })).json.message;
      expect(await refusal({ type: 99_999 })).toBe('未知的渠道类型');
      expect(await refusal({ models: ' , ' })).toBe('请至少选择一个模型！');
      expect(await refusal({ group: '' })).toBe('请至少选择一个分组！');
      expect(await refusal({ group: 'default,big spenders' })).toMatch(/^分组名「big spenders」无法使用/);
      expect(await refusal({ models: `gpt-4o,${'m'.repeat(256)}` })).toBe(`模型名称过长: ${'m'.repeat(64)}`);
      expect(await refusal({ models: 'a b' })).toBe('模型名称不合法: a b');
      expect(await refusal({ key: ' \n ' })).toBe('请填写渠道名称和渠道密钥！');
      expect(await refusal({ model_mapping: '{"a":1}' })).toBe('model_mapping 必须是合法的 JSON 格式！');
      expect(await refusal({ param_override: '[]' })).toBe('param_override 必须是合法的 JSON 格式！');
      expect(await refusal({ setting: '{"a":1,"a":2}' })).toBe('setting 必须是合法的 JSON 格式！');
      for (const proxy of ['"ftp://a"', '7', '"http://"']) {
        expect(await refusal({ setting: `{"proxy":${proxy}}` })).toBe('代理只支持 http、https 和 socks5 地址');
      }
      for (const url of ['ftp://x.example', 'https://user:pw@x.example', 'https://{model}.example', 'nonsense', 'https://']) {
        expect(await refusal({ base_url: url })).toMatch(/^接口地址不合法: 须以 http/);
      }
      expect(await refusal({ type: 8, base_url: '' })).toBe('该类型的渠道必须填写接口地址');
      expect(await refusal({ key: 'ключ' })).toBe('参数错误');
      expect((await act('GET', path)).json.data).toEqual([]);
      expect(await abilities(kit)).toEqual([]);
    });

    test('order is priority, then the newest; id_sort is the newest', async () => {
      const { act } = await prepare(await open());
      for (const priority of [1, 9, 1]) await act('POST', path, { ...body, priority });
      const ids = async (query: string) => (await act('GET', `${path}?${query}`)).json.data.map((row: { id: number }) => row.id);
      expect(await ids('')).toEqual([2, 3, 1]);
      expect(await ids('id_sort=true')).toEqual([3, 2, 1]);
      expect([await ids('page_size=2&p=0'), await ids('page_size=2&p=1')]).toEqual([[2, 3], [1]]);
    });

    test('tag mode pages over tags and answers all their channels', async () => {
      const { act } = await prepare(await open());
      for (const tag of ['b', 'a', '', 'a', 'c']) await act('POST', path, { ...body, tag, priority: 0 });
      const ids = async (where: string) => (await act('GET', `${path}${where}`)).json.data.map((row: { id: number }) => row.id);
      expect(await ids('?tag_mode=true&page_size=2&p=0')).toEqual([4, 2, 1]);
      expect(await ids('?tag_mode=true&page_size=2&p=1')).toEqual([5]);
      expect(await ids('search?keyword=2&tag_mode=true')).toEqual([4, 2]);
    });

    test('search meets ids, names, whole credentials, models and groups, and takes wildcards as they are written', async () => {
      const { act } = await prepare(await open());
      await act('POST', path, { ...body, name: 'Alpha_1', models: 'gpt-4o', group: 'vip' });
      await act('POST', path, { ...body, name: 'Beta%', models: 'claude-x', group: 'vip2', key: 'another-secret-1' });
      const ids = async (query: string) =>
        (await act('GET', `${path}search?${query}`)).json.data.map((row: { id: number }) => row.id);
      expect(await ids('keyword=2')).toEqual([2]);
      expect(await ids('keyword=alpha_')).toEqual([1]);
      expect(await ids('keyword=%25')).toEqual([2]);
      expect(await ids('keyword=another-secret-1')).toEqual([2]);
      expect(await ids('keyword=another-secret')).toEqual([]);
      expect(await ids('model=claude')).toEqual([2]);
      expect(await ids('group=vip')).toEqual([1]);
      expect(await ids('group=VIP')).toEqual([]);
      expect(await ids('group=null')).toEqual([2, 1]);
    });

    test('list and search are narrowed by status and type, together with all else and in tag mode', async () => {
      const { kit, act } = await prepare(await open());
      for (const [status, type, tag] of [
        [1, 1, 'a'],
        [2, 1, 'b'],
        [1, 14, 'b'],
        [1, 14, 'c'],
      ])
        await act('POST', path, { ...body, status, type, tag, priority: 0 });
      await kit.db.transaction((tx) => tx.query.updateTable('channel').set({ status: 3 }).where('id', '=', 4).execute());
      const ids = async (query: string) => (await act('GET', `${path}${query}`)).json.data.map((row: { id: number }) => row.id);
      for (const where of ['?', 'search?keyword=main&', 'search?group=default&model=gpt&']) {
        expect(await ids(`${where}status=1`)).toEqual([3, 1]);
        expect(await ids(`${where}status=2`)).toEqual([2]);
        expect(await ids(`${where}status=3`)).toEqual([4]);
        expect(await ids(`${where}type=14`)).toEqual([4, 3]);
        expect(await ids(`${where}type=14&status=1`)).toEqual([3]);
        expect(await ids(`${where}status=&type=0`)).toEqual([4, 3, 2, 1]);
        expect(await ids(`${where}type=14&page_size=1&p=1`)).toEqual([3]);
        expect(await ids(`${where}status=2&tag_mode=true`)).toEqual([3, 2]);
      }
      for (const wrong of ['status=4', 'status=-1', 'type=x', 'type=100001'])
        expect((await act('GET', `${path}?${wrong}`)).json.success).toBe(false);
    });

    test('search meets whole credentials of any length, alone or one of several', async () => {
      const { act } = await prepare(await open());
      const long = `sk-proj-${'aB3_'.repeat(39)}`;
      await act('POST', path, { ...body, key: long });
      await act('POST', path, { ...body, key: `${key}\n${long}`, setting: '{"multi_key":"random"}' });
      const found = async (keyword: string) =>
        (await act('GET', `${path}search?keyword=${encodeURIComponent(keyword)}`)).json.data.map((row: { id: number }) => row.id);
      expect(long).toHaveLength(164);
      expect(await found(long)).toEqual([2, 1]);
      expect(await found(long.slice(0, -1))).toEqual([]);
      expect((await act('GET', `${path}search?keyword=${'x'.repeat(4097)}`)).json.success).toBe(false);
    });

    test('search minds no capitals, and meets a name of any alphabet as it is written', async () => {
      const { kit, act } = await prepare(await open());
      await act('POST', path, { ...body, name: 'Österreich Тест' });
      const found = async (keyword: string) =>
        (await act('GET', `${path}search?keyword=${encodeURIComponent(keyword)}`)).json.data.length;
      for (const keyword of ['Österreich', 'Тест', 'ÖSTERREICH', 'тЕСТ'].slice(0, kit.db.engine === 'sqlite' ? 4 : 2))
        expect([keyword, await found(keyword)]).toEqual([keyword, 1]);
      expect(await found('REICH')).toBe(1);
    });

    test('a search is answered by pages, and a tag is found however many channels another one has', async () => {
      const { act } = await prepare(await open());
      await act('POST', path, { ...body, tag: 'big', key: Array.from({ length: 104 }, (_, at) => `${key}-${at}`).join('\n') });
      await act('POST', path, { ...body, tag: 'small', priority: 0 });
      const rows = async (query: string): Promise<{ id: number; tag: string }[]> =>
        (await act('GET', `${path}search?keyword=main&${query}`)).json.data;
      const ids = async (query: string) => (await rows(query)).map(({ id }) => id);
      expect((await rows('')).length).toBe(100);
      expect(await ids('p=1')).toEqual(await ids('p=1&page_size=100'));
      expect([(await ids('p=1')).length, (await ids('p=10&page_size=10')).at(-1)]).toEqual([5, 105]);
      const tags = async (query: string) => new Set((await rows(`tag_mode=true&${query}`)).map(({ tag }) => tag));
      expect(await tags('')).toEqual(new Set(['big', 'small']));
      expect(await tags('page_size=1&p=1')).toEqual(new Set(['small']));
    });

    test('removing takes the abilities along, and every write records its change', async () => {
      const { kit, act } = await prepare(await open());
      for (const status of [1, 2, 1]) await act('POST', path, { ...body, status });
      await kit.db.transaction((tx) => tx.query.updateTable('channel').set({ status: 3 }).where('id', '=', 3).execute());
      expect((await act('DELETE', '/api/channel/disabled')).json.data).toBe(2);
      expect(new Set((await abilities(kit)).map((row) => row.channel_id))).toEqual(new Set([1]));
      expect((await act('DELETE', '/api/channel/1/')).json).toEqual({ success: true, message: '' });
      expect(await abilities(kit)).toEqual([]);
      expect((await act('DELETE', '/api/channel/1/')).status).toBe(404);
      const changes = await kit.db.read.selectFrom('change').select('key').where('kind', '=', 'channel').orderBy('seq').execute();
      expect(changes.map((change) => change.key)).toEqual(['1', '2', '3', '*', '1']);
    });

    test('a user sees the enabled models of the groups that are open to them', async () => {
      const { kit, act } = await prepare(await open());
      await act('POST', path, { ...body, models: 'open-model', group: 'default' });
      await act('POST', path, { ...body, models: 'closed-model', group: 'svip' });
      await act('POST', path, { ...body, models: 'off-model', group: 'vip', status: 2 });
      await act('POST', path, { ...body, models: 'gone-model', group: 'gone' });
      const offered = { default: '默认分组', vip: 'vip分组', gone: '没有倍率的分组' };
      await kit.deps.settings.save([{ key: 'UserUsableGroups', value: JSON.stringify(offered) }]);
      const as = await kit.user('alice');
      expect((await kit.call({ path: '/api/user/models', as })).json.data).toEqual(['open-model']);
      expect((await kit.call({ path: '/api/user/self/groups', as })).json.data).toEqual({
        default: { ratio: 1, desc: '默认分组' },
        vip: { ratio: 1, desc: 'vip分组' },
      });
      // In their own group people call without a ratio, too.
      await kit.db.transaction((tx) =>
        tx.query.updateTable('users').set({ group_name: 'gone' }).where('id', '=', as.id).execute(),
      );
      expect((await kit.call({ path: '/api/user/models', as })).json.data).toEqual(['gone-model', 'open-model']);
      expect((await kit.call({ path: '/api/models', as })).json.data).toEqual({
        1: ['gpt-4o', 'gpt-4o-mini'],
        25: ['other-chat'],
      });
      expect((await act('GET', `${path}models`)).json.data[0]).toMatchObject({
        id: 'gpt-4o',
        object: 'model',
        owned_by: 'OpenAI',
      });
    });
  });
});
