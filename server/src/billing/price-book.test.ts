import { expect, test } from 'vitest';
import { nano } from './decimal.ts';
import { createPriceBook, type DefaultPrice, type PriceTables } from './price-book.ts';

const empty: PriceTables = {
  modelPrice: new Map(),
  modelRatio: new Map(),
  completionRatio: new Map(),
  cacheRatio: new Map(),
  groupRatio: new Map([
    ['default', 1],
    ['vip', 0.8],
  ]),
  groupGroupRatio: new Map([['vip', new Map([['default', 0.9]])]]),
  quotaPerUnit: 500_000,
  selfUseMode: false,
};
const defaults = (model: string): DefaultPrice => (model === 'known' ? { ratio: 1.25, completion: 4, cache: 0.5 } : {});
const query = { model: 'known', userGroup: 'default', usingGroup: 'default' };

test('a model without a price is refused, unless self-use mode or the user says otherwise', () => {
  const book = createPriceBook(empty, defaults, 1);
  expect(book.lookup({ ...query, model: 'unknown' })).toBeUndefined();
  expect(book.lookup({ ...query, model: 'unknown', acceptUnpriced: true })?.modelRatioNano).toBe(37.5 * nano);
  expect(createPriceBook({ ...empty, selfUseMode: true }, defaults, 1).lookup({ ...query, model: 'unknown' })).toBeDefined();
});

test("the operator's entry wins over the catalogue, a fixed price over ratios", () => {
  const own = createPriceBook(
    { ...empty, modelRatio: new Map([['known', 3]]), completionRatio: new Map([['known', 2]]) },
    defaults,
    1,
  );
  expect(own.lookup(query)).toMatchObject({ kind: 'token', modelRatioNano: 3 * nano, completionRatioNano: 2 * nano });
  const fixed = createPriceBook(
    { ...empty, modelPrice: new Map([['known', 0.1]]), modelRatio: new Map([['known', 3]]) },
    defaults,
    1,
  );
  expect(fixed.lookup(query)).toMatchObject({ kind: 'call', callPriceNano: nano / 10 });
});

test('names from Object.prototype have no price', () => {
  const book = createPriceBook(empty, defaults, 1);
  for (const model of ['constructor', '__proto__', 'toString']) expect(book.lookup({ ...query, model })).toBeUndefined();
});

test("the ratio between the user's group and the used group wins over the group's own", () => {
  const book = createPriceBook(empty, defaults, 7);
  expect(book.lookup({ ...query, userGroup: 'vip' })).toMatchObject({
    groupRatioNano: 0.9 * nano,
    specialGroup: true,
    version: 7,
  });
  expect(book.lookup({ ...query, usingGroup: 'vip' })).toMatchObject({ groupRatioNano: 0.8 * nano, specialGroup: false });
});
