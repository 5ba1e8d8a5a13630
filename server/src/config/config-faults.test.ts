import { expect, test } from 'vitest';
import { createCrypto } from '../platform/crypto.ts';
import { optionShapes } from '../settings/index.ts';
import { planFor, readConfig } from './plan.ts';
import type { Present } from './present.ts';
import { Secret } from './value.ts';

const crypto = createCrypto(Buffer.alloc(32, 7));
const other = createCrypto(Buffer.alloc(32, 8));
const env = { KEY: 'sk-planted-1', MANY: 'sk-planted-1\nsk-planted-2', EMPTY: ' ', SECRET_KEY: '07'.repeat(32) };
const nothing: Present = {
  channels: [],
  options: new Map([...optionShapes].map(([key, { fallback }]) => [key, fallback])),
  unreadable: [],
};

/** `line: text` of every fault. */
function faultsOf(text: string, present = nothing): string[] {
  const { plan } = planFor(present, readConfig(text, { crypto, env }), { prune: false });
  expect(JSON.stringify(plan.faults)).not.toContain('planted');
  return plan.faults.map((fault) => `${fault.line}: ${fault.text}`);
}

const channel = (...fields: string[]) =>
  ['version: 1', 'channels:', '  - name: a', '    type: OpenAI', '    models: [m]', '    groups: [default]', ...fields].join(
    '\n',
  );
const keyed = (...fields: string[]) => channel('    keys: [{ env: KEY }]', ...fields);

test('a sound file has no faults', () => {
  expect(faultsOf(keyed('prices: { m: { ratio: 1 } }', 'groups: {}', 'options:'))).toEqual([]);
});

test.each([
  ['', ['0: the file is empty']],
  ['- a', ['1: the file: must be a map of names to values', '1: version: must be 1']],
  ['channels: []', ['1: version: must be 1']],
  ['version: 2', ['1: version: must be 1']],
  ['version: 1\nchanels: []', ['2: chanels: there is no such section; there are version, channels, prices, groups, options']],
  ['version: 1\nchannels: {}', ['2: channels: must be a list']],
  ['version: 1\nchannels: [\n', [expect.stringMatching(/^\d: this is not YAML/)]],
  ['version: 1\noptions:\n  RetryTimes: 1\n  RetryTimes: 2', ['4: this name stands twice']],
  ['version: 1\noptions: &a\n  Notice: *a', [expect.stringContaining('anchors and aliases')]],
  ['version: 1\noptions: { Notice: .nan }', ['2: not a text, number or flag']],
  ['version: 1\noptions: { Notice: "a\\0b" }', [expect.stringContaining('cannot be stored')]],
  [`version: 1\noptions: { GroupLimits: ${'['.repeat(100)}${']'.repeat(100)} }`, ['2: nested too deeply']],
  [
    `version: 1\noptions: ${'['.repeat(200_000)}`,
    ['2: this is not YAML (resource exhaustion)', '2: this is not YAML (bad indent)'],
  ],
  ['x'.repeat(16_000_001), ['0: the file is longer than 16000000 characters']],
])('what is no configuration is refused with its line: %#', (text, faults) => {
  expect(faultsOf(text)).toEqual(faults);
});

test.each([
  [['    modles: [m]'], /^8: channel a: modles: there is no such field; there are name, keys, type/],
  [['    priority: high'], /^8: channel a: priority: must be a whole number$/],
  [['    priority: -1000'], /^8: channel a: priority: /],
  [['    auto_ban: 1'], /^8: channel a: auto_ban: must be true or false$/],
  [['    status: auto'], /^8: channel a: status: must be enabled or disabled$/],
  [['    base_url: ftp://example.com'], /^8: channel a: base_url: .*starts with http:\/\//],
  [['    model_mapping: { m: 1 }'], /^8: channel a: model_mapping: /],
  [['    model_mapping: "{"'], /^8: channel a: model_mapping: /],
  [['    header_override: { x-api-key: abc }'], /^8: channel a: header_override: .*x-api-key/],
  [['    setting: { proxy: gopher://example.com }'], /^8: channel a: setting: /],
  [['    setting: [1]'], /^8: channel a: setting: must be a map, or JSON as a text$/],
  [['    setting: { proxy: { env: NONE } }'], /^8: channel a: setting.proxy: the environment has no NONE$/],
])('a channel is judged by the rules of the console, field by field: %j', (fields, fault) => {
  expect(faultsOf(keyed(...fields))).toEqual([expect.stringMatching(fault)]);
});

test.each([
  ['sk-planted-plain', /^7: channel a: keys: must be a list/],
  ['[sk-planted-plain]', /^7: channel a: keys: a secret stands here as .* never in plain$/],
  ['[{ env: NONE }]', /^7: channel a: keys: the environment has no NONE$/],
  ['[{ env: EMPTY }]', /^7: channel a: keys: the environment has no EMPTY$/],
  ['[{ env: SECRET_KEY }]', /^7: channel a: keys: SECRET_KEY belongs to the server itself$/],
  ['[{ env: "a b" }]', /^7: channel a: keys: not a name/],
  ['[{ env: MANY }]', /^7: channel a: keys: more than one needs setting.multi_key/],
  ['[{ env: KEY }, { env: KEY }]', /^7: channel a: keys: more than one needs setting.multi_key/],
  ['[{ sealed: nonsense }]', /^7: channel a: keys: cannot be opened: not a sealed value$/],
  [`[{ sealed: ${other.sealAlike('sk-planted', 'config/channel/key/https://api.openai.com')} }]`, /another master key/],
  [
    `[{ sealed: ${crypto.sealAlike('sk-planted', 'config/channel/key/https://evil.example')} }]`,
    /sealed for another place or address/,
  ],
])('keys are references that can be opened, for the place that they were sealed for: %s', (keys, fault) => {
  expect(faultsOf(channel(`    keys: ${keys}`))).toEqual([expect.stringMatching(fault)]);
});

test('several channels, prices, groups and options: every fault is listed, in the order of the lines', () => {
  const text = `version: 1
channels:
  - type: OpenAI
  - name: b
    type: Nothing
    models: [m, 4]
    groups: []
  - name: c
    type: Vertex AI
    models: [m]
    groups: [default]
    keys: []
prices:
  m: { ratio: -1, rate: 2 }
  n: 3
  o: { tiers: [{ ratio: 1, upto: 5 }] }
groups:
  vip: { ratio: -2 }
options:
  NoSuchOption: 1
  RetryTimes: 1.5
  RegisterEnabled: yes
  ModelRatio: { m: 1 }
  Chats: text
  SMTPToken: planted-plain
  EpayKey: { sealed: ${crypto.sealAlike('k', 'config/option/EpayKey/https://pay.example.com')} }
  GitHubOAuthEnabled: true
`;
  const lines = faultsOf(text);
  expect(lines.map((fault) => fault.replace(/^(\d+: [^:]+: [^:]+)(:.*)?$/, '$1'))).toEqual([
    '3: channel : name',
    expect.stringMatching(/^5: channel b: type/),
    expect.stringMatching(/^6: channel b: models/),
    expect.stringMatching(/^8: channel c/),
    expect.stringMatching(/^14: prices: m/),
    expect.stringMatching(/^14: prices: m/),
    '15: prices: n',
    '16: prices: o',
    '18: groups: vip',
    '20: options: NoSuchOption',
    '21: options: RetryTimes',
    '22: options: RegisterEnabled',
    '23: options: ModelRatio',
    '24: options: Chats',
    '25: options: SMTPToken',
    '26: options: EpayKey',
    '27: options: GitHubOAuthEnabled',
  ]);
});

test('a group that no user or channel could be in is refused as in the console; one that is here stays', () => {
  const text = 'version: 1\ngroups:\n  "a,b": { ratio: 1 }\n';
  expect(faultsOf(text)).toEqual([expect.stringMatching(/^3: groups: .*a,b/)]);
  expect(faultsOf('version: 1\noptions: { AutoGroups: ["a b"] }')).toEqual([expect.stringMatching(/^2: groups: .*a b/)]);
  const options = new Map([...nothing.options, ['TopupGroupRatio', '{"a,b":1}']]);
  expect(faultsOf(text, { ...nothing, options })).toEqual([]);
});

test('a key does not go to another address because a file says so', () => {
  const row = {
    ...{ id: 1, type: 1, name: 'a', base_url: 'https://api.example.com', models: 'm', group_names: 'default', status: 1 },
    ...{ key_sealed: 'x', key_hmac: 'x', setting: '', auto_ban: 1, weight: 0, priority: 0 },
  } as never;
  const present: Present = { ...nothing, channels: [{ row, fields: new Map([['type', 'OpenAI']]), keys: [] }] };
  const sealed = crypto.sealAlike('sk-planted', 'config/channel/key/https://api.example.com');
  expect(faultsOf(channel(`    keys: [{ sealed: ${sealed} }]`, '    base_url: https://api.example.com/v2'), present)).toEqual([]);
  expect(faultsOf(channel(`    keys: [{ sealed: ${sealed} }]`, '    base_url: https://evil.example'), present)).toEqual([
    expect.stringContaining('sealed for another place'),
  ]);
});

test('nor to another proxy, where the address is without TLS', () => {
  const place = { type: 1, name: 'a', base_url: 'http://plain.example', models: 'm', group_names: 'default', status: 1 };
  const row = { id: 1, key_sealed: 'x', key_hmac: 'x', setting: '', auto_ban: 1, weight: 0, priority: 0, ...place } as never;
  const fields = new Map<string, string>([['base_url', 'http://plain.example']]);
  const present: Present = { ...nothing, channels: [{ row, fields, keys: [new Secret('sk-planted')] }] };
  const at = (setting: string, keys = '') => channel('    base_url: http://plain.example', `    setting: ${setting}`, keys);
  const sealed = crypto.sealAlike('sk-planted', 'config/channel/key/http://plain.example');
  const evil = '{ proxy: "http://evil.example" }';
  expect(faultsOf(at('{ hedge_ms: 50 }'), present)).toEqual([]);
  expect(faultsOf(at(evil), present)).toEqual([expect.stringContaining('goes to another address: say its keys')]);
  expect(faultsOf(at(evil, '    keys: [{ env: KEY }]'), present)).toEqual([]);
  expect(faultsOf(at('{}', `    keys: [{ sealed: ${sealed} }]`), present)).toEqual([]);
  for (const setting of [evil, '{ proxy: { keep: true } }']) {
    expect(faultsOf(at(setting, `    keys: [{ sealed: ${sealed} }]`), present)).toEqual([
      expect.stringContaining('sealed for another place'),
    ]);
  }
});

test('a secret that was entered for another address is asked for with the address', () => {
  const options = new Map([...nothing.options, ['SMTPServer', 'mail.example.com'], ['SMTPToken', 'planted']]);
  const moved = 'version: 1\noptions:\n  SMTPServer: mail.evil.example\n';
  expect(faultsOf(moved, { ...nothing, options })).toEqual([
    expect.stringContaining('SMTPToken: was entered for another address'),
  ]);
  expect(faultsOf(`${moved}  SMTPToken: { env: KEY }\n`, { ...nothing, options })).toEqual([]);
  expect(faultsOf(`${moved}  SMTPToken: ''\n`, { ...nothing, options })).toEqual([]);
});
