import { expect, test } from 'vitest';
import { defaultOptions, channelRow as row } from '../../test/channel-rows.ts';
import type { ChannelRow } from './snapshot.ts';
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
