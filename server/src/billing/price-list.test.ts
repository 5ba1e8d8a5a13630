import { expect, test } from 'vitest';
import type { Options } from '../settings/index.ts';
import { createPriceBook } from './price-book.ts';
import { pricingExtras, pricingItemsFor } from './price-list.ts';
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
const listed = (userGroup: string) =>
  pricingItemsFor(source, () => '', userGroup).map(({ model_name, enable_groups }) => [model_name, enable_groups]);

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
