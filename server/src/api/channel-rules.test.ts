import { channelTypes } from '@tollgate/contract';
import { expect, test } from 'vitest';
import { type ApiKit, createApiKit, type KitUser } from '../../test/api-kit.ts';
import { onEachEngine } from '../../test/engines.ts';
import { createCrypto } from '../platform/crypto.ts';
import { openChannelKey } from '../routing/index.ts';

const path = '/api/channel/';
const crypto = createCrypto(Buffer.alloc(32, 7));
const serviceAccount = JSON.stringify(
  { type: 'service_account', client_email: 'a@b.test', private_key: 'line one\nline two' },
  null,
  2,
);
const keys: Readonly<Record<number, string>> = { 15: 'a|b', 18: 'a|b|c', 23: 'a|b|c', 33: 'a|b|c', 41: serviceAccount };

/** A body that this type accepts. */
function bodyOf(type: number, more: object = {}): object {
  const known = channelTypes.find((entry) => entry.type === type);
  return {
    type,
    name: `type ${type}`,
    key: keys[type] ?? 'plain-credential-1',
    models: 'm',
    group: 'default',
    ...(known?.needsAddress === true ? { base_url: 'https://own.example/x' } : {}),
    ...(known?.other?.required === true ? { other: 'us-central1' } : {}),
    ...more,
  };
}

onEachEngine((_name, open) => {
  let kit: ApiKit;
  let as: KitUser;
  const prepare = async () => {
    kit = await createApiKit(await open());
    as = await kit.user('admin', 10);
  };
  const send = async (method: string, body: object) => (await kit.call({ method, path, body, as })).json;
  const create = async (type: number, more: object = {}): Promise<string> => (await send('POST', bodyOf(type, more))).message;
  const newest = async () => (await kit.call({ path: `${path}?id_sort=true`, as })).json.data[0];

  test('every type of the contract can be stored and is listed, spoken or not', async () => {
    await prepare();
    for (const { type } of channelTypes) expect([type, await create(type)]).toEqual([type, '']);
    const list = (await kit.call({ path: `${path}?page_size=100`, as })).json.data as { type: number }[];
    expect(new Set(list.map(({ type }) => type))).toEqual(new Set(channelTypes.map(({ type }) => type)));
  });

  test('a map of statuses holds statuses, as texts or numbers', async () => {
    await prepare();
    const wrong = '状态码映射的两边都必须是 100 到 599 的状态码';
    for (const mapping of ['{"429":"abc"}', '{"4xx":"500"}', '{"500":null}', '{"500":5000}', '{"429":"503","":"503"}'])
      expect([mapping, await create(1, { status_code_mapping: mapping })]).toEqual([mapping, wrong]);
    for (const mapping of ['{"429":"503"," 400":500}', '{"500":"307"}', '{}', ''])
      expect([mapping, await create(1, { status_code_mapping: mapping })]).toEqual([mapping, '']);
  });

  test('what was pasted along with a credential is no part of it; parts and JSON stay', async () => {
    await prepare();
    const stored = async (type: number, key: string) => {
      expect([key, await create(type, { key, setting: '{"multi_key":"random"}' })]).toEqual([key, '']);
      const rows = kit.db.read.selectFrom('channel').selectAll().orderBy('id', 'desc');
      return openChannelKey(crypto, await rows.executeTakeFirstOrThrow());
    };
    const pasted = [
      '"sk-a",',
      "  'sk-b';",
      'Bearer sk-c',
      '“bearer sk-d”，',
      '\u200bsk-\ufeffe\u00a0',
      '"Bearer \'sk-f\'",\r',
      '",",',
    ];
    expect(await stored(1, pasted.join('\n'))).toBe('sk-a\nsk-b\nsk-c\nsk-d\nsk-e\nsk-f');
    expect(await stored(1, 'bearer-of-keys/"+="x')).toBe('bearer-of-keys/"+="x');
    expect(await stored(33, '"AK"|"SK/+="|us-east-1,')).toBe('AK|SK/+=|us-east-1');
    expect(await stored(8, '{"token":"a",}')).toBe('{"token":"a",}');
    expect(await stored(41, serviceAccount)).toBe(JSON.stringify(JSON.parse(serviceAccount)));
    expect(await create(1, { key: '" , "' })).toBe('请填写渠道名称和渠道密钥！');
  });

  test('a region is a name or a JSON map with a default', async () => {
    await prepare();
    expect(await create(41, { other: '' })).toBe('部署地区不能为空');
    expect(await create(41, { other: undefined })).toBe('部署地区不能为空');
    expect(await create(41, { other: '{"a":"us-east5"}' })).toBe('部署地区必须包含default字段');
    expect(await create(41, { other: '{"default":""}' })).toBe('部署地区必须包含default字段');
    const wrong = '部署地区不合法，应为地区名称或模型到地区的 JSON 对象';
    for (const other of ['{"default":', '{"default":1}', 'Us West', '{"default":"us","m":"a/b"}']) {
      expect([other, await create(41, { other })]).toEqual([other, wrong]);
    }
    expect(await create(41, { other: '{"default":"us-central1","m":"us-east5"}' })).toBe('');
    const { id } = await newest();
    expect((await send('PUT', { id, priority: 3 })).data).toMatchObject({ priority: 3 });
    expect((await send('PUT', { id, type: 41, other: '' })).message).toBe('部署地区不能为空');
    expect((await send('PUT', { id, other: '{}' })).message).toBe('部署地区必须包含default字段');
  });

  test('a service account is one credential, whatever its line breaks', async () => {
    await prepare();
    expect(await create(41)).toBe('');
    const list = (await kit.call({ path, as })).json.data;
    expect(list).toHaveLength(1);
    const row = await kit.db.read.selectFrom('channel').selectAll().executeTakeFirstOrThrow();
    expect(JSON.parse(openChannelKey(crypto, row))).toEqual(JSON.parse(serviceAccount));
    for (const key of ['no json', '[]', '{"a":1', '"text"']) {
      expect([key, await create(41, { key })]).toEqual([key, '密钥格式应为 service-account.json']);
    }
  });

  test('credentials of several parts are complete on every line', async () => {
    await prepare();
    const formats = {
      15: 'APIKey|SecretKey',
      18: 'APPID|APISecret|APIKey',
      23: 'AppId|SecretId|SecretKey',
      33: 'AccessKey|SecretKey[|SessionToken]|Region',
    };
    for (const [type, format] of Object.entries(formats)) {
      expect(await create(Number(type), { key: 'only-one-part' })).toBe(`密钥格式应为 ${format}`);
      expect(await create(Number(type), { key: `${keys[Number(type)]}\na|` })).toBe(`密钥格式应为 ${format}`);
    }
    expect(await create(15, { key: 'a|b\nc|d' })).toBe('');
    const list = (await kit.call({ path, as })).json.data;
    expect(list).toHaveLength(2);
    expect((await send('PUT', { id: list[0].id, key: 'half' })).message).toBe('密钥格式应为 APIKey|SecretKey');
  });

  test('versions, ids and plugins keep to what an address or a header can carry', async () => {
    await prepare();
    const wrong = '渠道附加字段的格式不正确';
    for (const [type, other] of [
      [3, '2024/12'],
      [3, '?x=1'],
      [39, '../v4'],
      [39, 'a b'],
      [21, 'a/b'],
      [17, 'a b'],
      [18, 'v 2'],
      [24, 'v1/x'],
    ] as const) {
      expect([type, other, await create(type, { other })]).toEqual([type, other, wrong]);
    }
    for (const [type, other] of [
      [3, '2024-12-01-preview'],
      [39, '0123456789abcdef'],
      [21, 'kb_1'],
      [17, 'plugin.v1'],
      [18, 'v4.0'],
      [24, 'v1beta'],
    ] as const) {
      expect([type, other, await create(type, { other })]).toEqual([type, other, '']);
      expect((await newest()).other).toBe(other);
    }
    expect(await create(18)).toBe('');
    expect((await newest()).other).toBe('v2.1');
  });

  test('own headers are texts, never those of the connection, and never hold a credential in plain', async () => {
    await prepare();
    const wrong = 'header_override 必须是合法的 JSON 格式！';
    for (const header_override of [
      '[]',
      '{"x-a":1}',
      '{"host":"a"}',
      '{"Content-Length":"1"}',
      '{"x a":"1"}',
      '{"x-a":"1\\n2"}',
    ]) {
      expect([header_override, await create(1, { header_override })]).toEqual([header_override, wrong]);
    }
    const secret = '请求头 authorization 的密钥请填写在密钥栏，此处用 {api_key} 代替';
    expect(await create(1, { header_override: '{"Authorization":"Bearer planted"}' })).toBe(secret);
    const header_override = '{"X-Region":"eu","Authorization":"Token {api_key}"}';
    expect(await create(1, { header_override })).toBe('');
    expect((await newest()).header_override).toBe(header_override);
    const { id } = await newest();
    expect((await send('PUT', { id, header_override: '' })).data.header_override).toBe('');
  });

  test('an address stands where the type needs one, and {model} only where it is complete', async () => {
    await prepare();
    for (const type of [3, 8, 36, 47]) expect(await create(type, { base_url: '' })).toBe('该类型的渠道必须填写接口地址');
    expect(await create(8, { base_url: 'https://own.example/{model}/run' })).toBe('');
    expect(await create(8, { base_url: 'https://own.example/{key}/run' })).toMatch(/^接口地址不合法: 须以 http.*\{model\}$/);
    expect(await create(1, { base_url: 'https://own.example/{model}' })).toMatch(/^接口地址不合法: 须以 http.*\{model\}$/);
    const { id } = await newest();
    expect((await send('PUT', { id, type: 1 })).message).toMatch(/^接口地址不合法: 须以 http.*\{model\}$/);
  });
});
