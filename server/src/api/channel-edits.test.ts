import { expect, test } from 'vitest';
import { createApiKit } from '../../test/api-kit.ts';
import { onEachEngine } from '../../test/engines.ts';

const path = '/api/channel/';
const body = { type: 1, name: 'main', key: 'upstream-secret-0001', models: 'gpt-4o', group: 'default' };

async function start(db: Parameters<typeof createApiKit>[0]) {
  const kit = await createApiKit(db);
  const as = await kit.user('admin', 10);
  const act = (method: string, where: string, content?: unknown) => kit.call({ method, path: where, body: content, as });
  return { kit, act };
}

onEachEngine((_name, open) => {
  test('of two who edit the lists of a channel at once each changes what they changed', async () => {
    const { act } = await start(await open());
    await act('POST', path, { ...body, models: 'a,b,c', group: 'default,vip' });
    const lists = async () => {
      const { models, group } = (await act('GET', `${path}1`)).json.data;
      return [models, group];
    };
    const seen = { seen_models: 'a,b,c', seen_group: 'default,vip' };
    await act('PUT', path, { id: 1, models: 'b,c,new', group: 'default', ...seen });
    expect(await lists()).toEqual(['b,c,new', 'default']);
    // Filled before that was saved.
    const other = await act('PUT', path, { id: 1, models: 'other,a,c', group: 'svip,default,vip', ...seen });
    expect(other.json.data).toMatchObject({ models: 'other,c,new', group: 'svip,default' });
    expect(await lists()).toEqual(['other,c,new', 'svip,default']);
    // Nothing would be left of what both kept.
    expect((await act('PUT', path, { id: 1, models: 'a', seen_models: 'a,other,c,new' })).json.success).toBe(false);
    await act('PUT', path, { id: 1, models: 'a', group: 'vip' });
    expect(await lists()).toEqual(['a', 'vip']);
  });

  test('of two who edit a field of a channel at once neither takes back in silence what the other saved', async () => {
    const { kit, act } = await start(await open());
    await act('POST', path, { ...body, model_mapping: '{"a":"1","b":"1"}', tag: 'one', weight: 0 });
    const seen = { model_mapping: '{"a":"1","b":"1"}', tag: 'one', weight: 0, param_override: '' };
    const save = (fields: Record<string, unknown>) => act('PUT', path, { id: 1, ...fields, seen });
    const first = await save({ model_mapping: '{"a":"2","b":"1","c":"3"}', tag: 'two', weight: 5 });
    expect(first.json.success).toBe(true);
    // Filled before that was saved: other entries of an object go beside it.
    const beside = (await save({ model_mapping: '{"a":"1","d":"4"}', param_override: '{"top_k":1}' })).json;
    expect(JSON.parse(beside.data.model_mapping)).toEqual({ a: '2', c: '3', d: '4' });
    expect(beside.data.param_override).toBe('{"top_k":1}');
    const clash = await save({ model_mapping: '{"a":"9","b":"1"}', tag: 'three', weight: 5, param_override: '{"top_k":2}' });
    expect(clash.status).toBe(409);
    expect(clash.json.message).toContain('model_mapping, tag, param_override 在您编辑期间已被他人修改');
    const stored = (await act('GET', `${path}1`)).json.data;
    expect(stored).toEqual(beside.data);
    // What says nothing of what it saw is written, as by existing tools.
    expect((await act('PUT', path, { id: 1, tag: 'four' })).json.data.tag).toBe('four');
    // What came from elsewhere may be what nobody could enter here, and is put right.
    const odd = { name: '', priority: -5000 };
    await kit.db.transaction((tx) => tx.query.updateTable('channel').set(odd).where('id', '=', 1).execute());
    const mended = await act('PUT', path, { id: 1, name: 'main', priority: 0, seen: odd });
    expect(mended.json.data).toMatchObject({ name: 'main', priority: 0 });
  });

  test("the login of a channel's proxy is read by nobody, stays where the mask comes back, and goes to no other place", async () => {
    const { kit, act } = await start(await open());
    const setting = (proxy: string, more: object = {}) => JSON.stringify({ proxy, ...more });
    const [own, mask] = ['socks5://ann:s3cret@proxy.example:1080', 'socks5://ann:***@proxy.example:1080'];
    await act('POST', path, { ...body, setting: setting(own) });
    await act('POST', path, { ...body, name: 'by token', setting: setting('t0ken@proxy.example') });
    await act('POST', path, { ...body, name: 'open', setting: '{ "proxy": "http://proxy.example" }' });
    const stored = async (id: number) =>
      (await kit.db.read.selectFrom('channel').select('setting').where('id', '=', id).executeTakeFirst())?.setting;
    const shown = await Promise.all([act('GET', path), act('GET', `${path}1`), act('GET', `${path}search?keyword=main`)]);
    for (const { text } of shown) expect(text).not.toMatch(/s3cret|t0ken/);
    const settings = shown[0].json.data.map((row: { setting: string }) => row.setting);
    expect(settings).toEqual(['{ "proxy": "http://proxy.example" }', setting('http://***@proxy.example/'), setting(mask)]);

    const save = (wanted: string, seen?: string) =>
      act('PUT', path, { id: 1, setting: wanted, ...(seen === undefined ? {} : { seen: { setting: seen } }) });
    const saved = await save(setting(mask, { hedge_ms: 50 }), setting(mask));
    expect(saved.json.data.setting).toBe(setting(mask, { hedge_ms: 50 }));
    expect(await stored(1)).toBe(setting(own, { hedge_ms: 50 }));
    // Filled before that was saved.
    await save(setting(mask, { drain_ms: 9 }), setting(mask));
    expect(JSON.parse((await stored(1)) ?? '')).toEqual({ proxy: own, hedge_ms: 50, drain_ms: 9 });
    await act('POST', path, { ...body, key: '', name: 'copy', copy_from: 1, setting: setting(mask) });
    expect(await stored(4)).toBe(setting(own));

    const refusals = await Promise.all([
      save(setting('socks5://ann:***@elsewhere.example:1080')),
      act('POST', path, { ...body, setting: setting(mask) }),
      act('POST', path, { ...body, copy_from: 2, setting: setting(mask) }),
      act('POST', `${path}fetch_models`, { type: 1, key: 'k', base_url: 'https://a.example', setting: setting(mask) }),
    ]);
    const refused = { success: false, message: '代理地址已更改，请重新填写代理的密码' };
    for (const { json } of refusals) expect(json).toMatchObject(refused);
    await save(setting('socks5://ann:new@proxy.example:1080'));
    expect(await stored(1)).toBe(setting('socks5://ann:new@proxy.example:1080'));
  });
});
