import { role, tokenStatus, userStatus } from '@tollgate/contract';
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

const common = { id: 2, username: 'ann', role: role.common, status: userStatus.enabled, group: 'default' };

test.each([
  [{ status: tokenStatus.exhausted, expiredAt: 1 }, 401, '该令牌额度已用尽 TokenStatusExhausted[sk-Ab1***Ab1]'],
  [{ status: tokenStatus.expired }, 401, '该令牌已过期'],
  [{ status: tokenStatus.disabled, expiredAt: 1 }, 401, '该令牌状态不可用'],
  [{ expiredAt: 999 }, 401, '该令牌已过期'],
  [{ user: { ...common, status: userStatus.disabled } }, 403, '用户已被封禁'],
  [{ user: common }, 403, '普通用户不支持指定渠道'],
])('a key that may not be used is refused in the words of the contract: %j', async (change, status, message) => {
  const key = { ...recordOf(0), masked: 'sk-Ab1***Ab1', ...change } as KeyRecord;
  const only = { lookup: () => key, markExpired: async () => undefined } as unknown as Keyring;
  const asked = async () => authenticate(only, { authorization: `Bearer sk-${ours}-12` }, undefined, 1_000);
  await expect(asked()).rejects.toMatchObject({ status, message });
});

test.each([999, 1_000])('a key that ends at 1,000 is still one at %i', async (nowSeconds) => {
  const key = { ...recordOf(0), expiredAt: 1_000 } as KeyRecord;
  const only = { lookup: () => key } as unknown as Keyring;
  expect((await authenticate(only, { authorization: `Bearer sk-${ours}` }, undefined, nowSeconds)).key).toBe(key);
});
