import { expect, test } from 'vitest';
import { plainPrice } from '../../../test/plain-price.ts';
import type { KeyRecord } from '../../identity/index.ts';
import type { RouteChannel } from '../../routing/index.ts';
import type { Task } from '../../tasks/index.ts';
import type { RelayParts } from '../parts.ts';
import { admitTask } from './admit.ts';
import type { TaskOrder } from './order.ts';

const nano = 1_000_000_000;
const ratios = new Map([
  ['auto', 1],
  ['dear', 3],
  ['drawing', 1],
]);
const options = { AutoGroups: ['dear', 'drawing'], GroupRatio: ratios, UserUsableGroups: ratios, RetryTimes: 0 };
const channel = { id: 5, type: 2, key: 'k', keys: [], priority: 0, weight: 1 };
const snapshot = {
  options,
  channel: (id: number) => (id === channel.id ? channel : undefined),
  prices: {
    lookup: ({ usingGroup }: { usingGroup: string }) => ({
      ...{ ...plainPrice, kind: 'call', callPriceNano: nano / 10, quotaPerUnit: 500_000 },
      groupRatioNano: (ratios.get(usingGroup) ?? 0) * nano,
    }),
  },
};
const parts = {
  ...{ snapshot: () => snapshot, limiter: { enter: () => undefined }, sign: () => 's', random: () => 0.5 },
  ...{ clock: { nowMs: () => 0 }, watch: { health: {} }, turns: {} },
} as unknown as RelayParts;
const user = { id: 7, username: 'u', group: 'drawing', setting: '' };

async function priced(tokenGroup: string, parentGroup: string) {
  const key = { tokenId: 3, tokenName: 't', group: tokenGroup, user, models: undefined } as unknown as KeyRecord;
  const order = {
    ...{ platform: 'mj', action: 'UPSCALE', model: 'mj_upscale', input: {}, bytes: Buffer.from('{}'), mode: '' },
    parent: { channelId: channel.id, keyId: 'gone', group: parentGroup } as Task,
  } as TaskOrder;
  const admitted = await admitTask(parts, { id: 'r', ip: '', startedMonotonicMs: 0 }, { key, pinnedChannel: undefined }, order);
  return [admitted.group, admitted.heldQuota, admitted.next()?.group];
}

test('what goes on from a drawing costs what it costs in the group of that, where several groups may be used', async () => {
  expect(await priced('auto', 'drawing')).toEqual(['drawing', 50_000, 'drawing']);
  expect(await priced('auto', 'dear')).toEqual(['dear', 150_000, 'dear']);
  // Another group by now.
  expect(await priced('auto', 'gone')).toEqual(['dear', 150_000, 'dear']);
  expect(await priced('dear', 'drawing')).toEqual(['dear', 150_000, 'dear']);
});

test('the hold covers the dearest that a channel may be asked for, and each is charged what was asked of it', async () => {
  const price = {
    ...plainPrice,
    kind: 'call',
    perSecond: true,
    callPriceNano: nano / 10,
    quotaPerUnit: 500_000,
    groupRatioNano: nano,
  };
  const key = { tokenId: 3, tokenName: 't', group: 'drawing', user, models: undefined } as unknown as KeyRecord;
  const members = [4, 12].map((seconds) => ({ ...channel, id: seconds }));
  const route = { group: 'drawing', model: 'sora-2', tiers: [{ members, baskets: undefined }], size: 2 };
  const own = { ...snapshot, route: () => route, prices: { lookup: () => price } };
  const order = {
    ...{ platform: 'video', action: 'GENERATE', model: 'sora-2', bytes: Buffer.from('{}'), mode: '' },
    input: { seconds: 4 },
    measuredAt: ({ id }: { readonly id: number }) => (id === 4 ? undefined : { input: { seconds: id } }),
  } as unknown as TaskOrder;
  const ownParts = { ...parts, snapshot: () => own } as unknown as RelayParts;
  const arrival = { id: 'r', ip: '', startedMonotonicMs: 0 };
  const admitted = await admitTask(ownParts, arrival, { key, pinnedChannel: undefined }, order);
  expect([admitted.charge.cost, admitted.heldQuota]).toEqual([200_000, 600_000]);
  const [short, long] = members.map((each) => admitted.at({ channel: each as unknown as RouteChannel, group: 'drawing' }));
  expect(short).toMatchObject({ input: { seconds: 4 }, charge: { cost: 200_000 } });
  expect(long).toMatchObject({ input: { seconds: 12 }, charge: { cost: 600_000 } });
});
