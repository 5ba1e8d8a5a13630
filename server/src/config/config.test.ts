import { expect, test } from 'vitest';
import { createConfigKit } from '../../test/config-kit.ts';
import { onEachEngine } from '../../test/engines.ts';
import type { Database } from '../storage/database.ts';

/** Everything that one channel can have, and three that share a name. */
async function furnish({ channels, settings }: Awaited<ReturnType<typeof createConfigKit>>): Promise<void> {
  await channels.create({
    ...{
      type: 1,
      name: 'Main: "1" # 主',
      key: 'sk-planted-main-000000001\nsk-planted-main-000000002',
      base_url: 'https://api.example.com/',
    },
    ...{ models: 'gpt-4o,4,gpt-4o-mini', group: 'default,vip', priority: -5, weight: 7, tag: 'a\ttag', auto_ban: 0 },
    ...{ test_model: 'gpt-4o-mini', openai_organization: 'org-1', model_mapping: '{ "4": "gpt-4", "gpt-4o": "x: y" }' },
    ...{ status_code_mapping: '{"429":"500"}', param_override: '{"seed": 12345678901234567890, "a": {"b": [1.0, true, null]}}' },
    header_override: '{"x-team":"1","authorization":"Bearer {api_key}"}',
    setting:
      '{"multi_key":"polling","proxy":"socks5://user:planted-proxy-password@proxy.example.com:1080","system_prompt":"one\\ntwo\\r\\n  three \\n"}',
  });
  await channels.create({
    type: 25,
    name: 'same',
    key: 'sk-planted-b\nsk-planted-a\nsk-planted-a',
    models: 'm',
    group: 'default',
  });
  await channels.create({
    ...{
      type: 41,
      name: 'json',
      other: '{"default":"us-central1","m":"europe-west1"}',
      models: 'm',
      group: 'default',
      status: 2,
    },
    key: '{"client_email":"a@b.example","private_key":"-----BEGIN\\nplanted-private\\n"}',
  });
  await settings.save([
    { key: 'ModelRatio', value: '{"gpt-4o":1.25,"m":0.0000001,"gpt-4-all":1}' },
    { key: 'PriceTiers', value: '{"m":[{"up_to":200000,"ratio":1,"completion":2},{"ratio":2,"completion":2}]}' },
    { key: 'CompletionRatio', value: '{"gpt-4o":4}' },
    { key: 'GroupRatio', value: '{"default":1,"vip":0.5,"7":2}' },
    { key: 'UserUsableGroups', value: '{"vip":"贵宾","default":"默认","auto":"自动"}' },
    { key: 'GroupGroupRatio', value: '{"vip":{"default":0.9}}' },
    { key: 'GroupLimits', value: '{"default":{"rpm":60}}' },
    { key: 'AutoGroups', value: '["vip","default"]' },
    { key: 'SMTPServer', value: 'mail.example.com' },
    { key: 'SMTPToken', value: 'planted-mail-password' },
    { key: 'PayAddress', value: 'https://pay.example.com' },
    { key: 'EpayKey', value: 'planted-pay-key' },
    { key: 'Notice', value: 'Line\n\n  - indented\nlast: yes' },
    { key: 'AlertErrorRate', value: '0.0000001' },
    { key: 'RetryTimes', value: '0' },
    { key: 'RegisterEnabled', value: 'false' },
  ]);
}

const small = (fields: string) =>
  `version: 1\nchannels:\n  - name: a\n    type: OpenAI\n    models: [m]\n    groups: [default]\n${fields}`;
const withKey = (fields = '') => small(`    keys: [{ env: KEY_A }]\n${fields}`);

onEachEngine((_engine, open, { place }) => {
  test('export, wipe, apply, export gives the same bytes; no secret stands in any of it', async () => {
    const db = await open();
    const kit = await createConfigKit(db);
    await furnish(kit);
    const text = await kit.export();
    expect(await kit.export()).toBe(text);
    expect(await kit.plan(text, true)).toMatchObject({ changes: [], faults: [] });
    const bare = await kit.export('none');
    expect(await kit.plan(bare, true)).toMatchObject({ changes: [], faults: [] });
    await kit.wipe();
    const plan = await kit.apply(text);
    expect(await kit.export()).toBe(text);
    expect(await kit.plan(text, true)).toMatchObject({ changes: [], faults: [] });
    const written = await Promise.all(
      (['audit', 'option_version', 'change', 'channel_event'] as const).map((table) =>
        db.read.selectFrom(table).selectAll().execute(),
      ),
    );
    for (const seen of [text, bare, await kit.export('env'), JSON.stringify(plan), JSON.stringify(written)]) {
      expect(seen).not.toContain('planted');
    }
    await kit.wipe();
    const faults = (await kit.plan(bare)).faults.map(({ text: fault }) => fault);
    expect(faults).toEqual([
      'channel Main: "1" # 主: is new and needs keys ([] = none)',
      'channel Main: "1" # 主: is new: there is no proxy to keep',
      'channel json: is new and needs keys ([] = none)',
      ...Array.from({ length: 3 }, () => 'channel same: is new and needs keys ([] = none)'),
    ]);
  });

  test('names in the environment stand for keys and secrets, the same ones each time', async () => {
    const env = {
      ...{ TOLLGATE_KEY_FIRST_1: 'sk-1', TOLLGATE_KEY_FIRST_2: 'sk-2', TOLLGATE_KEY_FCDD0CB0: 'sk-3' },
      ...{ TOLLGATE_OPTION_SMTPTOKEN: 'mail-password' },
    };
    const kit = await createConfigKit(await open(), env);
    const common = { type: 1, models: 'm', group: 'default' };
    await kit.channels.create({ ...common, name: 'first', key: 'sk-1\nsk-2', setting: '{"multi_key":"random"}' });
    await kit.channels.create({ ...common, name: '备用', key: 'sk-3' });
    await kit.settings.save([{ key: 'SMTPToken', value: 'mail-password' }]);
    const text = await kit.export('env');
    expect([...text.matchAll(/env: (\S+)/g)].map(([, name]) => name)).toEqual(Object.keys(env));
    expect(await kit.plan(text)).toMatchObject({ changes: [], faults: [] });
    await kit.wipe();
    await kit.apply(text);
    expect(await kit.export('env')).toBe(text);
    expect(await createConfigKit(await open(), {}).then((other) => other.plan(text))).toMatchObject({
      faults: Object.keys(env).map((name) => ({ text: expect.stringContaining(`the environment has no ${name}`) })),
    });
  });

  test('a plan tells field by field and changes nothing; applying does that, and a plan after it is empty', async () => {
    const db = await open();
    const kit = await createConfigKit(db, { KEY_A: 'planted-one', KEY_B: 'planted-two' });
    await kit.apply(withKey('    priority: 3\n'));
    await kit.channels.create({ type: 1, name: 'other', key: 'sk-other', models: 'm', group: 'default' });
    const before = await kit.export();
    const wanted = `${small('    keys: [{ env: KEY_B }]\n    weight: 2\n    status: disabled\n')}prices:\n  m: { ratio: 2 }\ngroups:\n  vip: {}\noptions:\n  RetryTimes: 5\n`;
    const plan = await kit.plan(wanted);
    expect(plan.changes).toEqual([
      {
        ...{ action: 'change', section: 'channels', name: 'a' },
        fields: [
          { field: 'priority', from: 3 },
          { field: 'status', to: 'disabled' },
          { field: 'weight', to: 2 },
          { field: 'keys', secret: true },
        ],
      },
      { action: 'create', section: 'prices', name: 'm', fields: [{ field: 'ratio', to: 2 }] },
      {
        ...{ action: 'delete', section: 'groups', name: 'vip' },
        fields: [
          { field: 'label', from: 'vip分组' },
          { field: 'ratio', from: 1 },
          { field: 'topup_ratio', from: 1 },
        ],
      },
      { action: 'create', section: 'options', name: 'RetryTimes', fields: [{ field: 'value', from: 2, to: 5 }] },
    ]);
    expect(plan.unnamed).toMatchObject({ channels: 1, options: 0 });
    expect(await kit.export()).toBe(before);
    await db.transaction((tx) => tx.query.updateTable('channel').set({ used_quota: 77, balance: 5, test_time: 9 }).execute());
    await kit.apply(wanted);
    expect(await kit.plan(wanted)).toMatchObject({ changes: [], faults: [] });
    expect(await kit.rows()).toMatchObject([
      { name: 'a', priority: 0, weight: 2, status: 2, used_quota: 77, balance: 5, test_time: 9 },
      { name: 'other', used_quota: 77 },
    ]);
    const abilities = await db.read
      .selectFrom('ability')
      .select(['channel_id', 'enabled', 'weight'])
      .orderBy('channel_id')
      .execute();
    expect(abilities).toMatchObject([{ enabled: 0, weight: 2 }, { enabled: 1 }]);
    const acts = await db.read.selectFrom('audit').select(['action', 'actor']).orderBy('seq', 'desc').limit(2).execute();
    expect(acts[0]).toEqual({ action: 'config.apply', actor: 'command line' });
    expect((await kit.rows())[0]?.key_hmac).toBe(kit.crypto.hmac('channel-key', 'planted-two'));
  });

  test('only --prune deletes what a file does not name, in the sections that it has, and never secrets', async () => {
    const kit = await createConfigKit(await open());
    await furnish(kit);
    const places = 'options:\n  SMTPServer: mail.example.com\n  PayAddress: https://pay.example.com\n';
    await kit.apply(`version: 1\nchannels: []\n${places}`);
    expect(await kit.rows()).toHaveLength(5);
    expect(await kit.plan('version: 1\nchannels:\nprices:\ngroups:\noptions:\n', true)).toMatchObject({
      changes: [],
      faults: [],
    });
    expect((await kit.plan('version: 1\noptions: {}\n', true)).faults).toMatchObject([
      { text: expect.stringContaining('SMTPToken: was entered for another address') },
      { text: expect.stringContaining('EpayKey: was entered for another address') },
    ]);
    await kit.apply(`version: 1\nchannels: []\n${places}`, true);
    expect(await kit.rows()).toHaveLength(0);
    const text = await kit.export();
    expect(text).toContain('贵宾');
    expect([...text.slice(text.indexOf('options:')).matchAll(/^ {2}(\w+):/gm)].map(([, name]) => name)).toEqual([
      ...['SMTPServer', 'SMTPToken', 'PayAddress', 'EpayKey'],
    ]);
  });

  test('a channel that was switched off by itself stays as it is; what is said of it is what an operator wants', async () => {
    const db = await open();
    const kit = await createConfigKit(db, { KEY_A: 'sk-a' });
    await kit.apply(withKey());
    await db.transaction((tx) => tx.query.updateTable('channel').set({ status: 3 }).execute());
    expect((await kit.plan(withKey())).changes).toEqual([]);
    await kit.apply(withKey('    weight: 1\n'));
    expect(await kit.rows()).toMatchObject([{ status: 3, weight: 1 }]);
    await kit.apply(withKey('    status: disabled\n'));
    expect(await kit.rows()).toMatchObject([{ status: 2 }]);
    await kit.apply(withKey());
    expect(await kit.rows()).toMatchObject([{ status: 1 }]);
  });

  test('groups that a file does not name keep their places in the list; those that it names stand in its order', async () => {
    const kit = await createConfigKit(await open());
    const labels = '{"default":"D","vip":"V","svip":"S"}';
    await kit.settings.save([{ key: 'UserUsableGroups', value: labels }]);
    const order = async (...groups: string[]) => {
      const named = groups.map((group) => `  ${group}: { label: ${group}, ratio: 1, topup_ratio: 1 }\n`);
      const text = `version: 1\ngroups:\n${named.join('')}`;
      await kit.apply(text);
      expect((await kit.plan(text)).changes).toEqual([]);
      await kit.settings.refresh();
      return [...kit.settings.current().UserUsableGroups.keys()];
    };
    expect(await order('vip')).toEqual(['default', 'vip', 'svip']);
    expect(await order('svip', 'new', 'default')).toEqual(['svip', 'vip', 'new', 'default']);
    expect(await order('vip', 'more', 'svip', 'default', 'new')).toEqual(['vip', 'more', 'svip', 'default', 'new']);
  });

  test('a key that stands twice is stored once, and the file is done then', async () => {
    const kit = await createConfigKit(await open(), { KEY_A: 'planted-one', KEY_B: 'planted-two' });
    const text = small('    setting: { multi_key: random }\n    keys: [{ env: KEY_A }, { env: KEY_B }, { env: KEY_A }]\n');
    await kit.apply(text);
    expect(await kit.plan(text)).toMatchObject({ changes: [], faults: [] });
  });

  test('of several channels with one name each finds its own again', async () => {
    const kit = await createConfigKit(await open());
    await kit.channels.create({ type: 1, name: 'same', key: 'sk-1\nsk-2\nsk-3', models: 'm', group: 'default' });
    const ids = (await kit.rows()).map(({ id }) => id);
    const [head = '', ...entries] = (await kit.export()).split(/(?= {2}- name: same)/);
    const [tail = ''] = /\nprices:[\s\S]*/.exec(entries[2] ?? '') ?? [];
    const third = (entries[2] ?? '').replace(tail, '\n');
    const rest = [third.replace('type: OpenAI', 'type: OpenAI\n    weight: 9'), entries[0]].join('');
    const plan = await kit.apply(head + rest + tail, true);
    expect(plan.changes.map(({ action }) => action)).toEqual(['change', 'delete']);
    const kept = await kit.rows();
    expect(ids).toEqual(expect.arrayContaining(kept.map(({ id }) => id)));
    expect(kept.filter(({ weight }) => weight === 9)).toHaveLength(1);
    expect(await kit.plan(await kit.export(), true)).toMatchObject({ changes: [] });
  });

  test('of two at once on one database the second sees what the first did: no channel comes twice', async () => {
    const where = await place();
    const kits = await Promise.all([1, 2].map(async () => createConfigKit(await open({ place: where }), { KEY_A: 'sk-a' })));
    const plans = await Promise.all(kits.map((kit, index) => kit.apply(withKey(`    weight: ${index + 1}\n`))));
    expect(plans.flatMap(({ changes }) => changes.map(({ action }) => action)).sort()).toEqual(['change', 'create']);
    expect(await kits[0]?.rows()).toHaveLength(1);
  });

  test('cut off anywhere, applying changes nothing', async () => {
    const db = await open();
    const kit = await createConfigKit(db);
    await furnish(kit);
    const text = await kit.export();
    await kit.wipe();
    const state = async () =>
      JSON.stringify(
        await Promise.all(
          (['channel', 'ability', 'option', 'audit', 'change'] as const).map((table) =>
            db.read.selectFrom(table).selectAll().execute(),
          ),
        ),
      );
    const before = await state();
    for (const step of [2, 5, 17, 40]) {
      const cut = await createConfigKit(cuttingOff(db, step));
      await expect(cut.apply(text), `step ${step}`).rejects.toThrow('cut off');
      expect(await state()).toBe(before);
    }
    await kit.apply(text);
    expect(await kit.export()).toBe(text);
  });
});

/** A database whose transactions end at the given work inside of them. */
function cuttingOff(db: Database, step: number): Database {
  return {
    ...db,
    transaction: (body, options) => {
      let left = step;
      return db.transaction(async (tx) => {
        const perform: typeof tx.perform = (work) => {
          left -= 1;
          return left <= 0 ? Promise.reject(new Error('cut off')) : tx.perform(work);
        };
        return body({ query: tx.query, perform });
      }, options);
    },
  };
}
