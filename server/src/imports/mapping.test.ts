import { channelBody } from '@tollgate/contract';
import { expect, test } from 'vitest';
import { channelRow, fixtureTables, tokenRow, userRow } from '../../test/import-kit.ts';
import { isOptionKey } from '../settings/index.ts';
import { mapChannel } from './map-channel.ts';
import { mapCode } from './map-code.ts';
import { mapOptions } from './map-options.ts';
import { mapToken } from './map-token.ts';
import { mapUser } from './map-user.ts';
import { detectProduct } from './product.ts';
import { typeOf } from './providers/channel-types.ts';
import { meanings } from './report.ts';

type Name = keyof typeof fixtureTables;

test.each(['new-api', 'one-api', 'one-hub', 'laisky'] as const)('%s is told from the others by what only it has', (name) => {
  const tables = new Map(Object.entries(fixtureTables[name]).map(([table, columns]) => [table, new Set(Object.keys(columns))]));
  expect(detectProduct({ tables })).toBe(name);
});

test('the same number of a channel type means another vendor in each product', () => {
  const types = (number: number) => (['new-api', 'one-api', 'one-hub'] as const).map((product) => typeOf(product, number)?.type);
  expect(types(24)).toEqual([24, 24, undefined]);
  expect(types(25)).toEqual([25, 25, 24]);
  expect(types(36)).toEqual([36, 43, 34]);
  expect(types(4)).toEqual([4, 1, 1]);
  expect(types(45)).toEqual([45, 48, 40]);
  expect(types(57)).toEqual([undefined, undefined, undefined]);
  expect(typeOf('laisky', 57)?.type).toBe(1011);
  expect(typeOf('new-api', 100)).toBeUndefined();
});

test('what a site of new-api still has of its time as one-api counts for nothing', () => {
  const older = { models: 'gpt-4o', subnet: '10.0.0.0/8' };
  const limits = (product: Name, more: object = {}) => {
    const found = mapToken(product, { ...tokenRow(1, 2), ...older, ...more });
    return 'skip' in found ? found : [found.token.models, found.token.allowIps];
  };
  expect(limits('one-api')).toEqual(['gpt-4o', '10.0.0.0/8']);
  expect(limits('new-api', { model_limits_enabled: 0, allow_ips: '' })).toEqual([undefined, '']);
  expect(limits('new-api', { model_limits_enabled: 1, model_limits: 'm', allow_ips: '10.0.0.1' })).toEqual(['m', '10.0.0.1']);
  const config = '{"ak":"AK","sk":"SK0123456789","region":"us-east-1"}';
  const channel = { ...channelRow(1, 33, { key: 'a|b|c-0123456789' }), config, system_prompt: 'Be brief.' };
  const found = (product: Name) => {
    const mapped = mapChannel(product, channel);
    return 'skip' in mapped ? mapped : [mapped.input.key, mapped.input.setting];
  };
  expect(found('one-api')).toEqual(['AK|SK0123456789|us-east-1', '{"system_prompt":"Be brief."}']);
  expect(found('new-api')).toEqual(['a|b|c-0123456789', '']);
});

test('a token that is over there is not brought to life: -1 alone means never', () => {
  const expiry = (at: unknown) => {
    const found = mapToken('new-api', tokenRow(1, 2, { expired_time: at }));
    return 'skip' in found ? found : found.token.expiredAt;
  };
  expect([-1, 0, -2, null, 1_700_000_000].map(expiry)).toEqual([-1, 0, 0, 0, 1_700_000_000]);
});

test('settings of a token that mean nothing here are told of', () => {
  const told = (fields: object) => {
    const found = mapToken('one-hub', { ...tokenRow(1, 2), ...fields });
    return 'skip' in found ? [found.skip] : [...found.notes, found.token.status];
  };
  const setting = (value: object) => ({ setting: JSON.stringify(value) });
  expect(told({ backup_group: '', ...setting({ heartbeat: { enabled: false }, billing_tag: null }) })).toEqual([1]);
  const more = [{ backup_group: 'vip' }, setting({ heartbeat: { enabled: true } }), setting({ billing_tag: 'team' })];
  expect(more.map(told)).toEqual(more.map(() => ['settings_left', 1]));
  expect(meanings['tokens.settings_left']).toBeDefined();
});

test('a channel comes with a priority and a weight that can be entered here, and that is told', () => {
  const found = (fields: object) => {
    const mapped = mapChannel('new-api', channelRow(1, 1, { ...fields }));
    if ('skip' in mapped) throw new Error('left out');
    expect(channelBody.safeParse(mapped.input).success).toBe(true);
    return [mapped.input.priority, mapped.input.weight, mapped.status, ...mapped.notes];
  };
  expect(found({ priority: 1_000_000, weight: 0 })).toEqual([1_000_000, 0, 1]);
  expect(found({ priority: 5_000_000, weight: 4_294_967_295 })).toEqual([1_000_000, 1_000_000, 1, 'bounded']);
  expect(found({ priority: -1_000 })).toEqual([-999, 0, 1, 'bounded']);
});

test('a channel that works only with an address of its own is not sent to the vendor whose dialect it speaks', () => {
  const found = (number: number, base_url: string) => {
    const mapped = mapChannel('laisky', channelRow(1, number, { base_url }));
    return 'skip' in mapped ? mapped : [mapped.input.type, mapped.input.base_url];
  };
  expect(found(50, 'https://compatible.example/v1')).toEqual([1, 'https://compatible.example']);
  expect(found(52, 'https://claude.example')).toEqual([14, 'https://claude.example']);
  // A custom channel without an address is not accepted: it comes switched off.
  expect([found(50, ''), found(52, '')]).toEqual([
    [8, ''],
    [8, ''],
  ]);
});

test('what changes the calls of a channel and has no counterpart here is told of', () => {
  const notes = (product: Name, fields: object) => {
    const mapped = mapChannel(product, { ...channelRow(1, 1), ...fields });
    return 'skip' in mapped ? mapped : [mapped.input.test_model, mapped.status, ...mapped.notes];
  };
  expect(notes('laisky', { testing_model: 'gpt-4o-mini', hidden_models: '', ratelimit: 0 })).toEqual(['gpt-4o-mini', 1]);
  for (const fields of [{ hidden_models: 'o1' }, { ratelimit: 5 }, { inference_profile_arn_map: '{"m":"arn:aws:x"}' }])
    expect(notes('laisky', fields)).toEqual(['', 1, 'settings_left']);
  expect(notes('laisky', { model_ratio: '{"m":2}', completion_ratio: '{}' })).toEqual(['', 1, 'own_prices']);
  const updates = (is: boolean) => ({ settings: JSON.stringify({ upstream_model_update_check_enabled: is }) });
  expect(notes('new-api', updates(true))).toEqual(['', 1, 'settings_left']);
  expect(notes('new-api', updates(false))).toEqual(['', 1]);
});

test('steps that new-api takes with a request are not sent to the upstream as a parameter of that name', () => {
  const found = (override: object) => {
    const mapped = mapChannel('new-api', channelRow(1, 1, { param_override: JSON.stringify(override) }));
    return 'skip' in mapped ? mapped : [mapped.input.param_override, mapped.status, ...mapped.notes];
  };
  const operations = [{ mode: 'set', path: 'temperature', value: 0.8 }];
  expect(found({ operations })).toEqual(['', 1, 'settings_left']);
  expect(found({ operations, top_p: 1 })).toEqual(['{"top_p":1}', 1, 'settings_left']);
  expect(found({ temperature: 0.8 })).toEqual(['{"temperature":0.8}', 1]);
});

test('words that one-hub was not told to look for are not looked for here', () => {
  const found = (stored: Readonly<Record<string, string>>) => {
    const options = Object.entries(stored).map(([key, value]) => ({ key, value }));
    const mapped = mapOptions('one-hub', { options, prices: [], groups: [] }, isOptionKey);
    return [mapped.options.find(({ key }) => key === 'CheckSensitiveEnabled')?.value, mapped.notes];
  };
  expect(found({ SafeKeyWords: 'forbidden', EnableSafe: 'true' })).toEqual(['true', []]);
  expect(found({ SafeKeyWords: 'forbidden', EnableSafe: 'false' })).toEqual(['false', []]);
  expect(found({ SafeKeyWords: 'forbidden' })).toEqual(['false', []]);
  expect(found({})).toEqual([undefined, []]);
});

test('figures beyond 32 bits and ways to be warned that are none here are told of', () => {
  const told = (kind: string, mapped: object) => {
    const { notes } = mapped as { notes: readonly string[] };
    return notes.map((note) => [note, meanings[`${kind}.${note}`] !== undefined]);
  };
  const [most, more] = [2_147_483_647, 2_147_483_648];
  const token = (fields: object) => told('tokens', mapToken('new-api', tokenRow(1, 2, { ...fields })));
  expect(token({ remain_quota: more })).toEqual([['beyond_32_bit', true]]);
  expect([token({ remain_quota: most }), token({ remain_quota: more, unlimited_quota: true })]).toEqual([[], []]);
  const code = (quota: number) => told('redemptions', mapCode({ id: 1, key: 'a'.repeat(32), status: 1, quota }));
  expect([code(most), code(more)]).toEqual([[], [['beyond_32_bit', true]]]);
  const user = (way: string) => told('users', mapUser(userRow(1, { setting: JSON.stringify({ notify_type: way }) })));
  expect([user(''), user('email'), user('webhook')]).toEqual([[], [], []]);
  expect(user('bark')).toEqual([['other_way', true]]);
});
