import { errors } from '@tollgate/contract';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { type ApiKit, createApiKit, type KitUser } from '../../test/api-kit.ts';
import { onEachEngine, onPostgres, onSqlite } from '../../test/engines.ts';
import { lockWaits } from '../../test/held-open.ts';
import { createCrypto } from '../platform/crypto.ts';
import { openChannelKey, updateChannelIn } from '../routing/index.ts';

const path = '/api/channel/';
const key = 'upstream-secret-0001';
const body = { type: 1, name: 'main', key, models: 'gpt-4o,gpt-4o-mini', group: 'default', priority: 5, weight: 3 };
const crypto = createCrypto(Buffer.alloc(32, 7));

onEachEngine((_name, open) => {
  let kit: ApiKit;
  let as: KitUser;
  const act = async (method: string, where: string, content?: unknown) =>
    (await kit.call({ method, path: path + where, body: content, as })).json;
  const prepare = async (...channels: object[]) => {
    kit = await createApiKit(await open());
    as = await kit.user('admin', 10);
    for (const channel of channels) await act('POST', '', { ...body, ...channel });
  };
  const all = async () => (await act('GET', '?id_sort=true&page_size=100')).data.reverse();
  const fieldOf = async (name: string) => (await all()).map((channel: Record<string, unknown>) => channel[name]);
  const abilities = () => kit.db.read.selectFrom('ability').selectAll().orderBy('channel_id').orderBy('model').execute();
  const audited = async () =>
    (await kit.db.read.selectFrom('audit').select(['action', 'target']).orderBy('seq').execute()).map(
      (row) => `${row.action} ${row.target}`,
    );

  test('a batch deletes what exists, with its abilities, and counts it', async () => {
    await prepare({}, {}, {});
    expect(await act('POST', 'batch', { ids: [1, 3, 3, 77] })).toEqual({ success: true, message: '', data: 2 });
    expect(await fieldOf('id')).toEqual([2]);
    expect(new Set((await abilities()).map((row) => row.channel_id))).toEqual(new Set([2]));
    for (const wrong of [{}, { ids: [] }, { ids: ['1'] }, { ids: [0] }, { ids: 1 }]) {
      expect((await act('POST', 'batch', wrong)).message).toBe('参数错误');
    }
    expect(await audited()).toContain('channel.delete channel:batch');
  });

  test('a batch sets a tag and clears it, on the abilities too', async () => {
    await prepare({}, {}, {});
    expect((await act('POST', 'batch/tag', { ids: [1, 2], tag: 'blue' })).data).toBe(2);
    expect(await fieldOf('tag')).toEqual(['blue', 'blue', '']);
    expect((await abilities()).map((row) => row.tag)).toEqual(['blue', 'blue', 'blue', 'blue', '', '']);
    expect((await act('POST', 'batch/tag', { ids: [1], tag: null })).data).toBe(1);
    expect((await act('POST', 'batch/tag', { ids: [2], tag: '' })).data).toBe(1);
    expect(await fieldOf('tag')).toEqual(['', '', '']);
    expect((await act('POST', 'batch/tag', { tag: 'x' })).message).toBe('参数错误');
  });

  test('a tag edit writes what is given to all its channels and leaves the rest', async () => {
    await prepare({ tag: 'blue' }, { tag: 'blue', models: 'o3' }, { tag: 'red' });
    expect(await act('PUT', 'tag', { tag: 'blue', models: '', groups: '', model_mapping: '', priority: 9, weight: 0 })).toEqual({
      success: true,
      message: '',
    });
    expect(await fieldOf('priority')).toEqual([9, 9, 5]);
    expect(await fieldOf('weight')).toEqual([0, 0, 3]);
    expect(await fieldOf('models')).toEqual([body.models, 'o3', body.models]);
    expect((await abilities()).map((row) => [row.channel_id, row.priority, row.weight])).toEqual([
      [1, 9, 0],
      [1, 9, 0],
      [2, 9, 0],
      [3, 5, 3],
      [3, 5, 3],
    ]);
    await act('PUT', 'tag', { tag: 'blue', new_tag: 'green', models: 'x,y', groups: 'vip', model_mapping: '{"x":"z"}' });
    expect(await fieldOf('tag')).toEqual(['green', 'green', 'red']);
    expect(await fieldOf('group')).toEqual(['vip', 'vip', 'default']);
    expect((await abilities()).filter((row) => row.channel_id === 2)).toMatchObject([
      { group_name: 'vip', model: 'x', tag: 'green' },
      { group_name: 'vip', model: 'y', tag: 'green' },
    ]);
    await act('PUT', 'tag', { tag: 'green', new_tag: '' });
    expect(await fieldOf('tag')).toEqual(['', '', 'red']);
    expect((await abilities()).filter((row) => row.tag === 'green')).toEqual([]);
  });

  test('what a tag edit cannot write is refused with its text and changes nothing', async () => {
    await prepare({ tag: 'blue' });
    expect((await act('PUT', 'tag', { tag: '' })).message).toBe('tag不能为空');
    expect((await act('PUT', 'tag', {})).message).toBe('参数错误');
    expect((await act('PUT', 'tag', { tag: 'blue', priority: 'high' })).message).toBe('参数错误');
    expect((await act('PUT', 'tag', { tag: 'blue', model_mapping: 'no' })).message).toBe(
      'model_mapping 必须是合法的 JSON 格式！',
    );
    expect((await act('PUT', 'tag', { tag: 'blue', models: 'm'.repeat(256) })).message).toBe(`模型名称过长: ${'m'.repeat(64)}`);
    expect((await act('POST', 'tag/enabled', { tag: '' })).message).toBe('tag不能为空');
    expect((await act('POST', 'tag/disabled', {})).message).toBe('参数错误');
    expect(await fieldOf('models')).toEqual([body.models]);
  });

  test('a tag of many channels is written in parts, each of them whole', async () => {
    const many = { tag: 'blue', key: Array.from({ length: 250 }, (_, at) => `${key}-${at}`).join('\n') };
    await prepare(many, { tag: 'red' });
    const inTag = () =>
      kit.db.read
        .selectFrom('ability')
        .select(['tag', 'model', 'enabled', ({ fn }) => fn.countAll<number>().as('count')])
        .groupBy(['tag', 'model', 'enabled'])
        .orderBy('tag')
        .orderBy('model')
        .execute();
    const rows = (tag: string, model: string, enabled: number, count: number) => ({ tag, model, enabled, count });
    const red = [rows('red', 'gpt-4o', 1, 1), rows('red', 'gpt-4o-mini', 1, 1)];
    const counted = async () => (await inTag()).map((row) => ({ ...row, count: Number(row.count) }));
    expect((await act('PUT', 'tag', { tag: 'blue', new_tag: 'green', models: 'o3' })).success).toBe(true);
    expect(await counted()).toEqual([rows('green', 'o3', 1, 250), ...red]);
    await act('POST', 'tag/disabled', { tag: 'green' });
    expect(await counted()).toEqual([rows('green', 'o3', 0, 250), ...red]);
    const audit = kit.db.read.selectFrom('audit').select('detail').where('target', '=', 'tag:green');
    const touched = (await audit.execute()).map(({ detail }) => JSON.parse(detail).touched);
    expect(touched).toEqual([100, 100, 50]);
    expect(await act('PUT', 'tag', { tag: 'blue', models: 'm' })).toEqual({ success: true, message: '' });
  });

  test('many channels are tagged and deleted in parts, each of them whole', async () => {
    const several = (count: number) => Array.from({ length: count }, (_, at) => `${key}-${at}`).join('\n');
    await prepare({ key: several(250) }, { key: several(120), status: 2 }, {});
    const parts = async (name: 'tagged' | 'removed' | 'names', target: string) => {
      const rows = kit.db.read.selectFrom('audit').select('detail').where('target', '=', target).orderBy('seq');
      return (await rows.execute()).flatMap(({ detail }) => JSON.parse(detail)[name] ?? []);
    };
    const ids = Array.from({ length: 250 }, (_, at) => at + 1);
    expect((await act('POST', 'batch/tag', { ids, tag: 'blue' })).data).toBe(250);
    expect(await parts('tagged', 'channel:batch')).toEqual([100, 100, 50]);
    expect((await act('POST', 'batch', { ids: [...ids, 1, 9999] })).data).toBe(250);
    expect(await parts('removed', 'channel:batch')).toEqual([100, 100, 50]);
    expect((await act('DELETE', 'disabled')).data).toBe(120);
    expect(await parts('removed', 'channel:disabled')).toEqual([100, 20]);
    // Nothing else tells which they were.
    const names = (await parts('names', 'channel:disabled')).map((part) => Object.entries(part));
    expect(names.flat()).toEqual(Array.from({ length: 120 }, (_, at) => [`${251 + at}`, 'main']));
    await act('DELETE', '371');
    const audit = await kit.db.read.selectFrom('audit').select('detail').where('target', '=', 'channel:371').execute();
    expect(JSON.parse(audit.at(-1)?.detail ?? '')).toEqual({ name: 'main', type: 1 });
    expect(await abilities()).toEqual([]);
    const list = (count: number, name: string) => Array.from({ length: count }, (_, at) => `${name}${at}`).join(',');
    await act('POST', '', { ...body, key: several(3), models: list(80, 'm'), group: list(60, 'g') });
    await act('POST', 'batch/tag', { ids: [372, 373, 374], tag: 'large' });
    expect((await parts('tagged', 'channel:batch')).slice(3)).toEqual([2, 1]);
    await act('POST', 'batch', { ids: [372, 373, 374] });
    expect((await parts('removed', 'channel:batch')).slice(3)).toEqual([2, 1]);
  });

  test('more rows than may be written at once are refused with their number, of all channels or of one', async () => {
    await prepare({ tag: 'blue' });
    const list = (count: number) => Array.from({ length: count }, (_, at) => `n${at}`).join(',');
    const refused = (count: number) => `密钥数 × 模型数 × 分组数最多为 100000，现为 ${count}`;
    const keys = (count: number) => list(count).replaceAll(',', '\n');
    expect((await act('POST', '', { ...body, key: keys(200), models: list(600) })).message).toBe(refused(120_000));
    expect((await act('POST', '', { ...body, key: keys(1001) })).message).toBe('一次最多 1000 个密钥');
    expect((await act('PUT', '', { id: 1, models: list(1001), group: list(100) })).message).toBe(refused(100_100));
    expect((await act('PUT', 'tag', { tag: 'blue', models: list(1001), groups: list(100) })).message).toBe(refused(100_100));
    expect(await fieldOf('models')).toEqual([body.models]);
  });

  test('a tag switches all its channels, and switching on forgets why they were off', async () => {
    await prepare({ tag: 'blue' }, { tag: 'blue' }, { tag: '' });
    await kit.db.transaction((tx) =>
      tx.query.updateTable('channel').set({ status: 3, other_info: '{"status_reason":"x"}' }).where('id', '=', 2).execute(),
    );
    await act('POST', 'tag/disabled', { tag: 'blue' });
    expect(await fieldOf('status')).toEqual([2, 2, 1]);
    expect((await abilities()).map((row) => row.enabled)).toEqual([0, 0, 0, 0, 1, 1]);
    await act('POST', 'tag/enabled', { tag: 'blue' });
    expect(await fieldOf('status')).toEqual([1, 1, 1]);
    expect(await fieldOf('other_info')).toEqual(['', '', '']);
    expect((await abilities()).every((row) => row.enabled === 1)).toBe(true);
    const events = await kit.db.read.selectFrom('channel_event').select(['channel_id', 'kind', 'actor']).orderBy('id').execute();
    expect(events).toContainEqual({ channel_id: 1, kind: 'disabled', actor: 'admin' });
  });

  test('switching a tag, or a channel, on leaves the credentials alone of what was on, and those that a person switched off; a copy has these off, too', async () => {
    const three = { key: 'key-one-012345\nkey-two-012345\nkey-three-01', setting: '{"multi_key":"random"}', tag: 'blue' };
    await prepare(three, three, { ...three, tag: 'red' });
    for (const id of [1, 2, 3]) await act('PUT', `${id}/key`, { key_index: 1, enabled: false });
    const dead = [1, 2, 3].map((id) => ({ channel_id: id, key_hmac: crypto.hmac('channel-key', 'key-three-01'), changed_at: 1 }));
    const rows = dead.map((row) => ({ ...row, reason: 'dead' }));
    await kit.db.transaction((tx) => tx.query.insertInto('channel_key').values(rows).execute());
    for (const id of [2, 3]) await act('PUT', '', { id, status: 2 });
    await act('POST', 'tag/enabled', { tag: 'blue' });
    await act('PUT', '', { id: 3, status: 1 });
    expect(await fieldOf('status')).toEqual([1, 1, 1]);
    const off = kit.db.read.selectFrom('channel_key').select(['channel_id', 'reason']).orderBy('channel_id').orderBy('reason');
    const left = { 1: ['', 'dead'], 2: [''], 3: [''] };
    expect(await off.execute()).toEqual(
      Object.entries(left).flatMap(([id, reasons]) => reasons.map((reason) => ({ channel_id: Number(id), reason }))),
    );
    await act('POST', 'copy/1');
    await act('POST', '', { ...three, name: 'copy', type: 1, models: 'a', group: 'default', key: '', copy_from: 1 });
    expect(await off.where('channel_id', '>', 3).execute()).toEqual([4, 5].map((id) => ({ channel_id: id, reason: '' })));
  });

  test('the credentials that are off are removed, the others stay as they are, and never all of them go', async () => {
    const three = { key: 'key-one-012345\nkey-two-012345\nkey-three-01', setting: '{"multi_key":"random"}' };
    await prepare(three);
    expect((await act('DELETE', '1/key/disabled')).data).toBe(0);
    const off = (...keys: string[]) => {
      const rows = keys.map((one) => ({
        channel_id: 1,
        key_hmac: crypto.hmac('channel-key', one),
        reason: 'dead',
        changed_at: 1,
      }));
      return kit.db.transaction((tx) => tx.query.insertInto('channel_key').values(rows).execute());
    };
    await off('key-one-012345');
    expect((await act('DELETE', '1/key/disabled')).data).toBe(1);
    const stored = () => kit.db.read.selectFrom('channel').selectAll().executeTakeFirstOrThrow();
    expect(openChannelKey(crypto, await stored())).toBe('key-two-012345\nkey-three-01');
    await off('key-two-012345', 'key-three-01');
    expect((await act('DELETE', '1/key/disabled')).success).toBe(false);
    expect((await stored()).key_hint).toBe('…2345 +1');
  });

  test('who looks at the keys of a channel switches the key that is shown, and removes none that went off since', async () => {
    const [two, three, four] = ['key-two-0002', 'key-three-0003', 'key-four-0004'] as const;
    await prepare({ key: `key-one-0001\n${two}\n${three}\n${four}`, setting: '{"multi_key":"random"}' });
    const states = kit.db.read.selectFrom('channel_key').select(['key_hmac', 'changed_at']);
    const hmac = (one: string) => crypto.hmac('channel-key', one);
    const off = async () => (await states.execute()).map(({ key_hmac }) => key_hmac);
    // The list is of before somebody took the first key away.
    await act('PUT', '', { id: 1, key: [two, three, four].join('\n') });
    const moved = await act('PUT', '1/key', { key_index: 1, enabled: false, hint: '…0002' });
    expect([moved.message, await off()]).toEqual([errors.channel_keys_moved.zh, []]);
    await act('PUT', '1/key', { key_index: 0, enabled: false, hint: '…0002' });
    expect(await off()).toEqual([hmac(two)]);
    const { changed_at: seen } = await states.executeTakeFirstOrThrow();
    const row = { channel_id: 1, key_hmac: hmac(four), reason: 'dead', changed_at: seen + 1 };
    await kit.db.transaction((tx) => tx.query.insertInto('channel_key').values(row).execute());
    expect((await act('DELETE', `1/key/disabled?until=${seen}`)).data).toBe(1);
    expect([await off(), (await all())[0].key_hint]).toEqual([[hmac(four)], '…0003 +1']);
  });

  test('keys are added to those that are stored, each once, and to no other destination', async () => {
    await prepare({ key: 'key-one-012345\nkey-two-012345\nkey-one-012345', setting: '{"multi_key":"random"}' });
    const keys = async () => {
      const row = await kit.db.read.selectFrom('channel').selectAll().executeTakeFirstOrThrow();
      return [openChannelKey(crypto, row).split('\n'), row.key_hint];
    };
    expect(await keys()).toEqual([['key-one-012345', 'key-two-012345'], '…2345 +1']);
    await act('PUT', '1/key', { key_index: 0, enabled: false });
    const more = { id: 1, key: 'key-two-012345\nkey-three-01\nkey-three-01', key_mode: 'append' };
    expect((await act('PUT', '', more)).success).toBe(true);
    expect(await keys()).toEqual([['key-one-012345', 'key-two-012345', 'key-three-01'], '…2345 +2']);
    expect(await kit.db.read.selectFrom('channel_key').select('key_hmac').execute()).toHaveLength(1);
    await act('PUT', '', { ...more, key: '' });
    expect((await keys())[1]).toBe('…2345 +2');
    await act('PUT', '', { ...more, base_url: 'https://elsewhere.example' });
    expect((await keys())[0]).toEqual(['key-two-012345', 'key-three-01']);
    await act('PUT', '', { id: 1, key: 'key-four-0123' });
    expect((await keys())[0]).toEqual(['key-four-0123']);
    const many = Array.from({ length: 1000 }, (_, index) => `key-number-${index}`).join('\n');
    expect((await act('PUT', '', { id: 1, key: many, key_mode: 'append' })).success).toBe(false);
  });

  test('a tag names the longest of its model lists', async () => {
    await prepare({ tag: 'blue', models: 'a' }, { tag: 'blue', models: 'a,b,c' }, { tag: 'red', models: 'a,b,c,d' });
    expect((await act('GET', 'tag/models?tag=blue')).data).toBe('a,b,c');
    expect((await act('GET', 'tag/models?tag=none')).data).toBe('');
    const refused = await kit.call({ path: `${path}tag/models`, as });
    expect([refused.status, refused.json.message]).toEqual([400, 'tag不能为空']);
  });

  test('a copy has the credential and the fields, and starts anew', async () => {
    await prepare({ tag: 'blue', base_url: 'https://one.example', setting: '{"force_format":true}' });
    const used = { balance: 12.5, balance_updated_at: 9, response_time_ms: 700, test_time: 8, other_info: '{"a":1}', status: 3 };
    await kit.db.transaction((tx) => tx.query.updateTable('channel').set(used).execute());
    expect(await act('POST', 'copy/1')).toEqual({ success: true, message: '', data: { id: 2 } });
    expect((await all())[1]).toMatchObject({
      ...{ id: 2, name: 'main_复制', tag: 'blue', base_url: 'https://one.example', setting: '{"force_format":true}', status: 1 },
      ...{ balance: 0, balance_updated_time: 0, response_time: 0, test_time: 0, other_info: '', used_quota: 0, priority: 5 },
    });
    const row = await kit.db.read.selectFrom('channel').selectAll().where('id', '=', 2).executeTakeFirstOrThrow();
    expect(openChannelKey(crypto, row)).toBe(key);
    expect((await abilities()).filter((ability) => ability.channel_id === 2)).toHaveLength(2);
    expect((await act('POST', `copy/1?suffix=${encodeURIComponent(' no 2')}&reset_balance=false`)).data).toEqual({ id: 3 });
    expect((await all())[2]).toMatchObject({ name: 'main no 2', balance: 12.5 });
    // What is too long loses of the first name: never what tells the copy apart, and no half of a character.
    await act('PUT', '', { id: 1, name: `${'渠'.repeat(251)}🚀道` });
    expect((await act('POST', 'copy/1')).data).toEqual({ id: 4 });
    expect((await all())[3]).toMatchObject({ name: `${'渠'.repeat(251)}_复制` });
    const missing = await kit.call({ method: 'POST', path: `${path}copy/99`, as });
    expect([missing.status, missing.json.message]).toEqual([404, '渠道不存在']);
  });

  test('repair makes abilities what the channels say, and counts what it mended', async () => {
    await prepare({}, {}, {});
    expect((await act('POST', 'fix')).data).toBe(0);
    const before = await abilities();
    await kit.db.transaction(async (tx) => {
      await tx.query.deleteFrom('ability').where('channel_id', '=', 1).execute();
      await tx.query
        .updateTable('ability')
        .set({ enabled: 0 })
        .where('channel_id', '=', 2)
        .where('model', '=', 'gpt-4o')
        .execute();
      const [row] = before;
      if (row !== undefined)
        await tx.query
          .insertInto('ability')
          .values({ ...row, channel_id: 50 })
          .execute();
    });
    expect(await act('POST', 'fix')).toEqual({ success: true, message: '', data: 3 });
    expect(await abilities()).toEqual(before);
    expect((await act('POST', 'fix')).data).toBe(0);
    expect(await audited()).toContain('channel.repair channel:all');
  });
});

onSqlite((_name, open) => {
  test('an edit of models writes the abilities that differ, a repair nothing of channels that are sound', async () => {
    const kit = await createApiKit(await open());
    const as = await kit.user('admin', 10);
    const act = async (method: string, where: string, content?: unknown) =>
      (await kit.call({ method, path: path + where, body: content, as })).json;
    await act('POST', '', { ...body, group: 'default,vip' });
    const rows = () => kit.db.read.selectFrom('ability').select(['group_name', 'model', 'priority']).orderBy('group_name');
    const named = async () => (await rows().orderBy('model').execute()).map((row) => Object.values(row).join(' '));
    await kit.db.transaction(async (tx) => {
      const refuse = sql`BEGIN SELECT RAISE(ABORT, 'written for nothing'); END`;
      await sql`CREATE TRIGGER kept BEFORE DELETE ON ability WHEN OLD.model = 'gpt-4o' ${refuse}`.execute(tx.query);
      await sql`CREATE TRIGGER same BEFORE UPDATE ON ability WHEN OLD.priority = NEW.priority ${refuse}`.execute(tx.query);
    });
    expect(await act('PUT', '', { id: 1, models: 'gpt-4o,o3' })).toMatchObject({ success: true });
    expect(await named()).toEqual(['default gpt-4o 5', 'default o3 5', 'vip gpt-4o 5', 'vip o3 5']);
    expect(await act('PUT', '', { id: 1, models: 'gpt-4o', priority: 6 })).toMatchObject({ success: true });
    expect(await named()).toEqual(['default gpt-4o 6', 'vip gpt-4o 6']);
    await kit.db.transaction((tx) =>
      sql`CREATE TRIGGER sound BEFORE UPDATE ON channel BEGIN SELECT RAISE(ABORT, 'locked for nothing'); END`.execute(tx.query),
    );
    expect(await act('POST', 'fix')).toMatchObject({ success: true, data: 0 });
  });
});

onPostgres((_name, open) => {
  test('a batch that deletes a channel while it is edited leaves nothing of it behind', async () => {
    const kit = await createApiKit(await open());
    const as = await kit.user('admin', 10);
    const act = (where: string, content: unknown) => kit.call({ method: 'POST', path: path + where, body: content, as });
    await act('', body);
    let removed: ReturnType<typeof act> | undefined;
    await kit.db.transaction(async (tx) => {
      const write = { crypto, actor: { id: 1, username: 'root', ip: '' }, now: 1 };
      await updateChannelIn(tx, { id: 1, models: 'o3' }, write);
      removed = act('batch', { ids: [1] });
      await expect.poll(() => lockWaits(kit.db)).toBe(1);
    });
    expect((await removed)?.json).toEqual({ success: true, message: '', data: 1 });
    expect(await kit.db.read.selectFrom('ability').select('model').execute()).toEqual([]);
  });
});
