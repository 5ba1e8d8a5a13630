import { expect, test } from 'vitest';
import { createConfigKit } from '../../test/config-kit.ts';
import { onEachEngine } from '../../test/engines.ts';

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

onEachEngine((_engine, open) => {
  test('export, wipe, apply, export gives the same bytes', async () => {
    const db = await open();
    const kit = await createConfigKit(db);
    await furnish(kit);
    const text = await kit.export();
    expect(await kit.export()).toBe(text);
    expect(await kit.plan(text, true)).toMatchObject({ changes: [], faults: [] });
    await kit.wipe();
    await kit.apply(text);
    expect(await kit.export()).toBe(text);
    expect(await kit.plan(text, true)).toMatchObject({ changes: [], faults: [] });
  });
});
