import type { ChannelInput } from '@tollgate/contract';
import fc from 'fast-check';

/** Any text that a console can send: no NUL, no half characters. */
const text = (maxLength: number) =>
  fc.oneof(
    fc.string({ unit: 'binary', maxLength }).map((each) => each.replaceAll('\0', '')),
    fc.string({ unit: fc.constantFrom(...' \n\r\t#:-\'"{}[]>|&*!%@`,?~=<\\0179enyNY.é中\u2028\u0085\ufeff'), maxLength }),
    fc.constantFrom(
      'null',
      'true',
      'no',
      '~',
      '1',
      '0x10',
      '1e3',
      '.inf',
      '2001-01-01',
      '<<',
      '---',
      '...',
      'a: b',
      '- a',
      ' lead',
      'tail ',
    ),
  );
const named = (maxLength: number) => text(maxLength).filter((each) => each.trim() !== '');
const model = fc.stringMatching(/^[a-zA-Z0-9][a-zA-Z0-9:._/*-]{0,11}$/);
const group = fc.constantFrom('default', 'vip', '7', 'svip', '贵宾', 'true');
const key = fc.stringMatching(/^[!-~]{8,40}$/).map((each) => `planted-${each}`);
/** Names that reach into prototypes, and NUL, are refused wherever JSON is entered. */
const json = fc
  .dictionary(fc.stringMatching(/^[a-z0-9 .:#-]{1,8}$/), fc.jsonValue({ maxDepth: 3 }), { maxKeys: 4 })
  .filter((value) => !/"(__proto__|constructor|prototype)"|\\u0000/.test(JSON.stringify(value)));
const setting = fc.record(
  {
    multi_key: fc.constantFrom('random', 'polling'),
    proxy: fc.constantFrom('socks5://user:planted-proxy@proxy.example.com:1080', 'http://proxy.example.com:8080'),
    system_prompt: text(60),
    coalesce_ms: fc.integer({ min: 1, max: 20 }),
    drain_ms: fc.integer({ min: 1, max: 5_000 }),
    hedge_ms: fc.integer({ min: 10, max: 10_000 }),
  },
  { requiredKeys: [] },
);
const asJson = (value: unknown, space: number) => JSON.stringify(value, null, space);

/** What an operator may enter, but for the vendor's own fields. */
export const anyChannel: fc.Arbitrary<ChannelInput> = fc.record({
  type: fc.constantFrom(1, 14, 25),
  name: fc.oneof({ weight: 3, arbitrary: named(20) }, { weight: 1, arbitrary: fc.constant('same') }).map((each) => each.trim()),
  key: fc.array(key, { minLength: 1, maxLength: 3 }).map((keys) => keys.join('\n')),
  models: fc.uniqueArray(model, { minLength: 1, maxLength: 4 }).map(String),
  group: fc.uniqueArray(group, { minLength: 1, maxLength: 3 }).map(String),
  priority: fc.integer({ min: -999, max: 1000 }),
  weight: fc.nat(1000),
  status: fc.constantFrom(1, 2),
  auto_ban: fc.constantFrom(0, 1),
  tag: text(10),
  test_model: text(10),
  openai_organization: text(10),
  other: fc.constantFrom('', '2024-02-01'),
  base_url: fc.constantFrom('', 'https://api.example.com/', 'http://10.0.0.1:8080/path'),
  model_mapping: fc.option(
    fc.dictionary(model, model, { maxKeys: 3 }).map((each) => asJson(each, 0)),
    { nil: '' },
  ),
  param_override: fc.option(
    fc.tuple(json, fc.constantFrom(0, 2)).map(([each, space]) => asJson(each, space)),
    { nil: '' },
  ),
  setting: fc.option(
    setting.map((each) => asJson(each, 1)),
    { nil: '' },
  ),
});

/** Either nothing, or as much as is counted. */
const ratio = fc.oneof(fc.constantFrom(0, 1, 0.1, 1e-7, 999_999.5), fc.double({ min: 1e-9, max: 1000, noNaN: true }));
const ratios = fc.dictionary(model, ratio, { maxKeys: 5, noNullPrototype: true });

/** Values of options of every kind, as they are saved. */
export const anyOptions: fc.Arbitrary<{ key: string; value: string }[]> = fc
  .record(
    {
      ModelRatio: ratios.map((each) => asJson(each, 0)),
      CompletionRatio: ratios.map((each) => asJson(each, 0)),
      ModelPrice: ratios.map((each) => asJson(each, 0)),
      GroupRatio: fc.dictionary(group, ratio).map((each) => asJson(each, 0)),
      UserUsableGroups: fc.dictionary(group, text(10)).map((each) => asJson(each, 0)),
      GroupGroupRatio: fc
        .dictionary(group, fc.dictionary(group, ratio, { maxKeys: 2 }), { maxKeys: 2 })
        .map((each) => asJson(each, 0)),
      GroupLimits: fc.dictionary(group, fc.record({ rpm: fc.nat(100) }), { maxKeys: 2 }).map((each) => asJson(each, 0)),
      AutoGroups: fc.array(group, { maxLength: 3 }).map((each) => asJson(each, 0)),
      SMTPToken: fc.stringMatching(/^[ -~]{0,20}$/).map((each) => `planted-${each}`),
      EpayKey: text(20).map((each) => `planted-${each}`),
      PayAddress: fc.constantFrom('https://pay.example.com', 'https://pay2.example.com/x'),
      Notice: text(80),
      SensitiveWords: text(80),
      SystemName: fc.stringMatching(/^[a-zA-Z中 :#-]{1,20}$/),
      EmailDomainWhitelist: fc.constantFrom('a.example', 'a.example,b.example'),
      RetryTimes: fc.nat(100).map(String),
      AgentDefaultRate: fc.constantFrom('0.1', '0.0000001', '1', '0.25'),
      RegisterEnabled: fc.boolean().map(String),
      InviteHold: fc.constantFrom('none', 'days'),
    },
    { requiredKeys: [] },
  )
  .map((values) => Object.entries(values).map(([name, value]) => ({ key: name, value: String(value) })));
