import { expect, test, vi } from 'vitest';
import { nano } from './decimal.ts';
import { costOf, unitsOfSeconds } from './price.ts';
import { createPriceBook, type DefaultPrice } from './price-book.ts';
import type { PriceTables } from './price-tables.ts';

const empty: PriceTables = {
  modelPrice: new Map(),
  secondPrice: new Map(),
  modelRatio: new Map(),
  completionRatio: new Map(),
  cacheRatio: new Map(),
  cacheWriteRatio: new Map(),
  cacheWrite1hRatio: new Map(),
  audioRatio: new Map(),
  audioCompletionRatio: new Map(),
  imageRatio: new Map(),
  tiers: new Map(),
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

test('the catalogue is asked again each day, as vendors name days from which another price holds', () => {
  vi.useFakeTimers({ now: new Date('2026-12-31T23:59:59Z'), toFake: ['Date'] });
  try {
    let ratio = 1.25;
    const book = createPriceBook(empty, () => ({ ratio }), 1);
    const before = book.lookup(query);
    ratio = 2.5;
    expect(book.lookup(query)).toBe(before);
    vi.setSystemTime(new Date('2027-01-01T00:00:00Z'));
    expect(book.lookup(query)?.modelRatioNano).toBe(2.5 * nano);
    expect(book.lookup(query)).toBe(book.lookup(query));
  } finally {
    vi.useRealTimers();
  }
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

test("every price is the operator's entry, then the default, then absent", () => {
  const one = new Map([['known', 3]]);
  const own = {
    ...empty,
    cacheWriteRatio: one,
    cacheWrite1hRatio: one,
    audioRatio: one,
    audioCompletionRatio: one,
    imageRatio: one,
  };
  const three = 3 * nano;
  expect(createPriceBook(own, defaults, 1).lookup(query)).toMatchObject({
    cacheWriteRatioNano: three,
    cacheWrite1hRatioNano: three,
    audioRatioNano: three,
    audioCompletionRatioNano: three,
    imageRatioNano: three,
  });
  const spoken = () => ({ ratio: 1, audio: 20, audioCompletion: 2 });
  expect(createPriceBook(empty, spoken, 1).lookup(query)).toMatchObject({
    audioRatioNano: 20 * nano,
    audioCompletionRatioNano: 2 * nano,
  });
  const drawn = () => ({ ratio: 1, completion: 8, imageCompletion: 100 });
  expect(createPriceBook(empty, drawn, 1).lookup(query)).toMatchObject({ imageCompletionRatioNano: 100 * nano });
  const answers = createPriceBook({ ...empty, completionRatio: one }, drawn, 1).lookup(query) ?? {};
  expect(answers).not.toHaveProperty('imageCompletionRatioNano');
  const plain = createPriceBook(empty, defaults, 1).lookup(query) ?? {};
  expect(plain).toMatchObject({ cacheWriteRatioNano: 1.25 * nano });
  expect(['audioRatioNano', 'imageRatioNano', 'cacheWrite1hRatioNano', 'tiers'].filter((name) => name in plain)).toEqual([]);
});

test('a ratio that is far below what prices are kept in is none, and no fault', () => {
  const tiny = { ...empty, modelRatio: new Map([['known', 1e-300]]) };
  expect(createPriceBook(tiny, defaults, 1).lookup(query)).toMatchObject({ modelRatioNano: 0 });
});

test('completions and caches: entry, default, 1; nothing is beyond the operator', () => {
  const price = createPriceBook(empty, () => ({ ratio: 2 }), 1).lookup(query);
  expect(price).toMatchObject({ completionRatioNano: nano, cacheRatioNano: nano });
  const own = createPriceBook({ ...empty, completionRatio: new Map([['known', 9]]) }, defaults, 1).lookup(query);
  expect(own).toMatchObject({ modelRatioNano: 1.25 * nano, completionRatioNano: 9 * nano, cacheRatioNano: nano / 2 });
});

test("tiers: the operator's, then the catalogue's unless the operator priced the model", () => {
  const tiers = [
    { upTo: 100, ratio: 1 },
    { ratio: 2, completion: 3 },
  ];
  const listed = (model: string): DefaultPrice => ({ ...defaults(model), tiers });
  expect(createPriceBook(empty, listed, 1).lookup(query)?.tiers).toMatchObject([
    { upTo: 100, modelRatioNano: nano, completionRatioNano: 4 * nano, cacheRatioNano: nano / 2 },
    { modelRatioNano: 2 * nano, completionRatioNano: 3 * nano },
  ]);
  const priced = { ...empty, modelRatio: new Map([['known', 3]]) };
  expect(createPriceBook(priced, listed, 1).lookup(query)?.tiers).toBeUndefined();
  const own = createPriceBook({ ...empty, tiers: new Map([['new', [{ ratio: 7 }]]]) }, listed, 1);
  expect(own.lookup({ ...query, model: 'new' })).toMatchObject({
    modelRatioNano: 7 * nano,
    tiers: [{ modelRatioNano: 7 * nano }],
  });
});

test('a group without a ratio costs the plain price; each group auto walks has its own', () => {
  const book = createPriceBook({ ...empty, groupGroupRatio: new Map([['vip', new Map([['vip', 0.5]])]]) }, defaults, 1);
  const ratio = (userGroup: string, usingGroup: string) => book.lookup({ ...query, userGroup, usingGroup })?.groupRatioNano;
  expect([ratio('default', 'gone'), ratio('default', 'default'), ratio('default', 'vip'), ratio('vip', 'vip')]).toEqual(
    [1, 1, 0.8, 0.5].map((value) => value * nano),
  );
});

test('a price per second wins over every other, and counts the seconds that were measured', () => {
  const tables = { ...empty, secondPrice: new Map([['known', 0.0001]]), modelPrice: new Map([['known', 3]]) };
  const price = createPriceBook(tables, defaults, 1).lookup({ ...query, usingGroup: 'vip' });
  expect(price).toMatchObject({ kind: 'call', perSecond: true, callPriceNano: 100_000, groupRatioNano: 0.8 * nano });
  const used = { prompt: 9, completion: 0, cached: 0, cacheWrite: 0 };
  // 0.0001 dollars * 12.5 s * 500000 * 0.8
  if (price !== undefined) expect(costOf(price, { ...used, unitsNano: unitsOfSeconds(12.5) })).toBe(500);
  for (const bad of [-1, Number.NaN, Number.POSITIVE_INFINITY, 1e9]) expect(() => unitsOfSeconds(bad)).toThrow(RangeError);
});
