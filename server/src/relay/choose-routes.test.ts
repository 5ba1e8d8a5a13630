import { expect, test } from 'vitest';
import { channelRow, defaultOptions } from '../../test/channel-rows.ts';
import type { KeyRecord } from '../identity/index.ts';
import { compileSnapshot } from '../routing/index.ts';
import { chooseRoutes, priceOf } from './choose-routes.ts';

/** A key of a user in the group; `named`: the token's own group. */
const keyOf = (group: string, named: string) =>
  ({ group: named, tokenName: 't', user: { id: 7, group, setting: '' } }) as unknown as KeyRecord;

test('a group without a ratio costs 1 where it is the own one, and is refused where a token names it', async () => {
  const snapshot = await compileSnapshot({
    version: 1,
    options: { ...defaultOptions, ModelRatio: new Map([['m', 2]]) },
    channels: [channelRow(1, { group_names: 'default,old' })],
    openKey: () => 'key',
    defaultPrice: () => ({}) as never,
  });
  const { group } = chooseRoutes(snapshot, keyOf('old', ''), 'm', undefined);
  expect(group).toBe('old');
  expect(priceOf(snapshot, keyOf('old', ''), 'm', group)).toMatchObject({ group: 'old', groupRatioNano: 1_000_000_000 });
  expect(() => chooseRoutes(snapshot, keyOf('old', 'old'), 'm', undefined)).toThrow('分组 old 已被弃用');
  expect(() => chooseRoutes(snapshot, keyOf('default', 'old'), 'm', undefined)).toThrow('令牌分组 old 已被禁用');
});

test('a model that nobody serves, or that has no price, is none a moment later either', async () => {
  const options = { ...defaultOptions, ModelRatio: new Map() };
  const base = { version: 1, options, channels: [channelRow(1)], openKey: () => 'key' };
  const snapshot = await compileSnapshot({ ...base, defaultPrice: () => ({}) as never });
  const faultOf = (asked: () => unknown) => {
    try {
      return asked();
    } catch (fault) {
      return fault;
    }
  };
  const key = keyOf('default', '');
  expect(faultOf(() => chooseRoutes(snapshot, key, 'nobody', undefined))).toMatchObject({
    status: 503,
    code: '',
    isLasting: true,
  });
  expect(faultOf(() => priceOf(snapshot, key, 'unpriced', 'default'))).toMatchObject({ status: 500, isLasting: true });
});
