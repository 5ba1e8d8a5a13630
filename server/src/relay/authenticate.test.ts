import { role, tokenStatus } from '@tollgate/contract';
import { expect, test } from 'vitest';
import type { KeyRecord, Keyring } from '../identity/index.ts';
import { authenticate } from './authenticate.ts';

const ours = 'Ab1'.repeat(16);
/** As one-hub makes them: letters, digits, and what base64 for addresses has beside them. */
const hubs = [`${'Ab1'.repeat(14)}-x_${'y'.repeat(14)}`, `${'c'.repeat(57)}-5`, `${'d'.repeat(58)}_`];

const recordOf = (tokenId: number): KeyRecord =>
  ({
    ...{ tokenId, status: tokenStatus.enabled, expiredAt: -1, unlimitedQuota: true },
    user: { id: 1, username: 'root', role: role.root, status: 1, group: 'default' },
  }) as KeyRecord;
const known = new Map([ours, ...hubs].map((key, index) => [key, recordOf(index)]));

/** As a keyring answers: what it knows at once, the rest later. */
const keyring = { lookup: (key: string) => known.get(key) ?? Promise.resolve(undefined) } as unknown as Keyring;
const ask = async (key: string) => {
  const { key: found, pinnedChannel } = await authenticate(keyring, { authorization: `Bearer sk-${key}` }, undefined, 0);
  return [found.tokenId, pinnedChannel];
};

test('a hyphen is what stands before a channel, unless a whole key has it', async () => {
  expect(await ask(ours)).toEqual([0, undefined]);
  expect(await ask(`${ours}-12`)).toEqual([0, 12]);
  expect(await ask(`${ours}-x`)).toEqual([0, Number.NaN]);
  expect(await Promise.all(hubs.map(ask))).toEqual(hubs.map((_, index) => [index + 1, undefined]));
});

test.each(['', '-12', `${'e'.repeat(48)}-12`, 'f'.repeat(48)])('what is no key opens nothing: %j', async (key) => {
  await expect((async () => ask(key))()).rejects.toThrow();
});
