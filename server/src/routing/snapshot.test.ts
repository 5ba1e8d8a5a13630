import { expect, test } from 'vitest';
import { defaultOptions, channelRow as row } from '../../test/channel-rows.ts';
import { type ChannelRow, upstreamModel } from './snapshot.ts';
import { compileSnapshot, type SnapshotSource } from './snapshot-compile.ts';

function compile(channels: ChannelRow[], more: Partial<SnapshotSource> = {}) {
  return compileSnapshot({
    version: 1,
    options: defaultOptions,
    channels,
    openKey: (channel) => `key-of-${channel.id}`,
    defaultPrice: () => ({}) as never,
    ...more,
  });
}

test('rows that cannot be read are left out, never half used', async () => {
  const snapshot = await compile([row(1), row(2, { setting: '{' }), row(3, { key_sealed: 'broken' }), row(4, { status: 2 })], {
    openKey: (channel) => {
      if (channel.key_sealed === 'broken') throw new Error('cannot open');
      return 'key';
    },
  });
  expect([...snapshot.channelIds()]).toEqual([1]);
  expect(snapshot.models('default')).toEqual(['m']);
  expect(snapshot.route('default', 'other')).toBeUndefined();
});

test('of a stored map of statuses what is none is left out', async () => {
  const snapshot = await compile([row(1, { status_code_mapping: '{"429":"abc","4xx":"500","500":503,"400":"422"}' })]);
  expect([...(snapshot.channel(1)?.statusMapping ?? [])]).toEqual([
    [400, 422],
    [500, 503],
  ]);
});

test('a model is called as its map says, name after name; an empty one is no name', () => {
  const mapping = new Map(Object.entries({ a: 'b', b: 'c', own: 'own', bare: '', last: 'bare', one: 'other', other: 'one' }));
  expect(['a', 'own', 'bare', 'last', 'x', 'one'].map((model) => upstreamModel(mapping, model))).toEqual([
    ...['c', 'own', 'bare', 'bare', 'x', undefined],
  ]);
});

test('keys in one channel: lines with a mode, one without, a JSON credential always whole', async () => {
  const multi = { setting: '{"multi_key":"random"}', key_hmac: 'h0,h1,h2' };
  const openKey = (channel: ChannelRow) => (channel.id === 3 ? '{\n"a": 1\n}' : 'a\nb\nc');
  const snapshot = await compile([row(1, multi), row(2, { key_hmac: 'h0,h1,h2' }), row(3, multi)], {
    openKey,
    disabledKeys: new Set(['1:h0']),
  });
  expect(snapshot.channel(1)?.keys.map(({ secret, disabled }) => [secret, disabled])).toEqual([
    ['a', true],
    ['b', false],
    ['c', false],
  ]);
  expect(snapshot.channel(1)?.key).toBe('b');
  expect(snapshot.channel(2)?.keys).toHaveLength(1);
  expect(snapshot.channel(3)?.key).toBe('{\n"a": 1\n}');
  const dead = await compile([row(1, multi)], { openKey, disabledKeys: new Set(['1:h0', '1:h1', '1:h2']) });
  expect(dead.channel(1)).toBeUndefined();
});

test('a changed key or address has a health of its own, a changed name has not', async () => {
  const idOf = async (more: Partial<ChannelRow>) => (await compile([row(1, more)])).channel(1)?.keys[0]?.id;
  const before = await idOf({});
  expect(await idOf({ name: 'other' })).toBe(before);
  expect(await idOf({ key_hmac: 'another' })).not.toBe(before);
  expect(await idOf({ base_url: 'https://elsewhere.example' })).not.toBe(before);
});

test('a custom assistant is served by who lists it, else by who lists the name that all share, under its own name', async () => {
  const family = 'gpt-4o-gizmo-*';
  const shared = row(1, { models: family, tag: 'pool' });
  const options = { ...defaultOptions, BackupPoolTag: 'pool' };
  const snapshot = await compile([shared, row(2, { models: 'gpt-4o-gizmo-g-own' }), row(3, { models: 'gpt-4-gizmo-*' })], {
    options,
  });
  const served = (model: string) => {
    const route = snapshot.route('default', model);
    return [route?.model, ...(route?.tiers ?? []).flatMap(({ members }) => members.map(({ id }) => id))];
  };
  expect(served('gpt-4o-gizmo-g-abc')).toEqual(['gpt-4o-gizmo-g-abc', 1]);
  expect(served('gpt-4o-gizmo-g-own')).toEqual(['gpt-4o-gizmo-g-own', 2]);
  expect(served('gpt-4-gizmo-g-abc')).toEqual(['gpt-4-gizmo-g-abc', 3]);
  expect(served('gpt-4o')).toEqual([undefined]);
  expect(snapshot.backup('gpt-4o-gizmo-g-own')).toMatchObject({ model: 'gpt-4o-gizmo-g-own', size: 1 });
  expect(snapshot.backup('gpt-4-gizmo-g-abc')).toBeUndefined();
});
