import { expect, test, vi } from 'vitest';
import type { Options } from '../settings/index.ts';
import { createPriceBook, type PriceQuery } from './price-book.ts';
import { comingPrices, pricingExtras, pricingItemsFor } from './price-list.ts';
import { priceTables } from './price-tables.ts';

const maps = ['ModelPrice', 'SecondPrice', 'CompletionRatio', 'CacheRatio', 'CreateCacheRatio', 'CreateCacheRatio1h'] as const;
const sounds = ['AudioRatio', 'AudioCompletionRatio', 'ImageRatio', 'PriceTiers', 'ServiceTierRatio', 'ToolPrice'] as const;
const options = {
  ...Object.fromEntries([...maps, ...sounds].map((key) => [key, new Map()])),
  ...{ QuotaPerUnit: 500_000, SelfUseModeEnabled: false, AutoGroups: [] },
  ModelRatio: new Map([
    ['everywhere', 2],
    ['inner', 3],
  ]),
  GroupRatio: new Map([['default', 1]]),
  GroupGroupRatio: new Map([['lone', new Map([['default', 0.5]])]]),
  UserUsableGroups: new Map([['default', 'Default']]),
} as unknown as Options;
const served: Readonly<Record<string, readonly string[]>> = { default: ['everywhere'], lone: ['everywhere', 'inner'] };
const source = {
  options,
  prices: createPriceBook(priceTables(options), () => ({}), 0),
  models: (group: string) => served[group] ?? [],
};
const nothing = { ownerOf: () => '', defaultPrice: () => ({}) };
const listed = (userGroup: string) =>
  pricingItemsFor(source, nothing, userGroup).map(({ model_name, enable_groups }) => [model_name, enable_groups]);

test('who is in a group without a ratio sees what its calls cost, and nobody else sees that group', () => {
  expect(listed('lone')).toEqual([
    ['everywhere', ['default', 'lone']],
    ['inner', ['lone']],
  ]);
  expect(pricingExtras(options, 'lone', 'en')).toMatchObject({
    group_ratio: { default: 0.5, lone: 1 },
    usable_group: { default: 'Default', lone: 'My group' },
  });
  for (const other of ['', 'default']) {
    expect(listed(other)).toEqual([['everywhere', ['default']]]);
    expect(pricingExtras(options, other, 'en').group_ratio).toEqual({ default: 1 });
  }
});

test('of a thousand groups those are looked at that the caller may use, and a model is priced once for all callers', () => {
  const names = Array.from({ length: 1_000 }, (_, index) => `group-${index}`);
  const asked: string[] = [];
  const looked: string[] = [];
  const many = {
    options: {
      ...options,
      GroupRatio: new Map(names.map((name) => [name, 1])),
      UserUsableGroups: new Map([['group-7', 'Seven']]),
    },
    prices: {
      lookup(query: PriceQuery) {
        looked.push(query.model);
        return source.prices.lookup(query);
      },
    },
    models(group: string) {
      asked.push(group);
      return ['everywhere', 'inner'];
    },
  };
  const shown = (userGroup: string) => pricingItemsFor(many, nothing, userGroup).map((item) => item.enable_groups);
  expect(shown('')).toEqual([['group-7'], ['group-7']]);
  expect(shown('group-3')).toEqual([
    ['group-3', 'group-7'],
    ['group-3', 'group-7'],
  ]);
  expect(asked).toEqual(['group-7', 'group-3', 'group-7']);
  expect(looked).toEqual(['everywhere', 'inner']);
});

test('the page shows the price that calls cost, also from the day on that the catalogue names for another one', () => {
  vi.useFakeTimers({ now: new Date('2026-12-31T23:59:59Z'), toFake: ['Date'] });
  try {
    const plain = { ...options, ModelRatio: new Map() };
    const catalogue = () => ({ ratio: new Date().getUTCFullYear() - 2025 });
    const quiet = { ...source, options: plain, prices: createPriceBook(priceTables(plain), catalogue, 0) };
    const shown = () => pricingItemsFor(quiet, nothing, '').map(({ model_ratio }) => model_ratio);
    expect(shown()).toEqual([1]);
    vi.setSystemTime(new Date('2027-01-01T00:00:00Z'));
    expect(shown()).toEqual([2]);
  } finally {
    vi.useRealTimers();
  }
});

test('a price that the catalogue names for a later day is shown with that day, where it changes what calls cost', () => {
  const later = { day: 20_819, price: { ratio: 9, completion: 4 } };
  const defaultPrice = () => ({ ratio: 1, completion: 4, next: later });
  const [own, plain] = ['inner', 'everywhere'].map((priced) => {
    const some = { ...options, ModelRatio: new Map([[priced, 2]]) };
    const prices = createPriceBook(priceTables(some), defaultPrice, 0);
    const offer = { ...source, options: some, prices };
    const names = comingPrices(offer, { ownerOf: () => '', defaultPrice });
    return [pricingItemsFor(offer, { ownerOf: () => '', defaultPrice }, '').map(({ next }) => next), names];
  });
  const from = Date.UTC(2027, 0, 1) / 1000;
  expect(own).toMatchObject([[{ from, quota_type: 0, model_ratio: 9, completion_ratio: 4 }], [{ model: 'everywhere', from }]]);
  expect(own?.[0]?.[0]).not.toHaveProperty('model_name');
  expect(plain).toEqual([[undefined], []]);
});
