import { describe, expect, test } from 'vitest';
import { soldBelow } from './margins.ts';
import { createPriceBook, type DefaultPrice } from './price-book.ts';
import type { PriceTables } from './price-tables.ts';

const catalogue: Readonly<Record<string, DefaultPrice>> = {
  chat: { ratio: 2, completion: 4 },
  picture: { callPrice: '0.04' },
  video: { secondPrice: '0.1' },
  own: {},
};
const listPrice = (model: string): DefaultPrice => catalogue[model] ?? {};
const none = new Map<string, number>();
const asListed: PriceTables = {
  ...{ modelPrice: none, secondPrice: none, modelRatio: none, completionRatio: none, cacheRatio: none },
  ...{ cacheWriteRatio: none, cacheWrite1hRatio: none, audioRatio: none, audioCompletionRatio: none, imageRatio: none },
  ...{ tiers: new Map(), groupRatio: new Map([['default', 1]]), groupGroupRatio: new Map() },
  ...{ quotaPerUnit: 500_000, selfUseMode: false },
};

/** What is sold below `cost` of the list price; in every group all models are served unless said otherwise. */
function below(cost: number, change: Partial<PriceTables> = {}, served: Readonly<Record<string, readonly string[]>> = {}) {
  const tables = { ...asListed, ...change };
  return soldBelow({
    options: { GroupRatio: tables.groupRatio, GroupGroupRatio: tables.groupGroupRatio },
    prices: createPriceBook(tables, listPrice, 1),
    models: (group) => served[group] ?? Object.keys(catalogue),
    listPrice,
    cost,
  });
}

describe('models that are sold for less than they cost', () => {
  test('at the list price nothing is, up to the whole of it', () => {
    expect(below(1)).toEqual([]);
    expect(below(0.7)).toEqual([]);
  });

  test('a price below the cost is found for tokens, calls and seconds alike, the worst first', () => {
    const change = {
      modelRatio: new Map([['chat', 1.5]]),
      completionRatio: new Map([['chat', 4]]),
      modelPrice: new Map([['picture', 0.01]]),
      secondPrice: new Map([['video', 0.05]]),
    };
    expect(below(0.8, change)).toEqual([
      { model: 'picture', share: 0.25 },
      { model: 'video', share: 0.5 },
      { model: 'chat', share: 0.75 },
    ]);
    expect(below(0.5, change)).toEqual([{ model: 'picture', share: 0.25 }]);
  });

  test('of a call the cheapest part counts: answers for a quarter are a loss though prompts are not', () => {
    expect(below(0.9, { completionRatio: new Map([['chat', 1]]) })).toEqual([{ model: 'chat', share: 0.25 }]);
    expect(below(0.9, { modelRatio: new Map([['chat', 4]]), completionRatio: new Map([['chat', 4]]) })).toEqual([]);
  });

  test('of all groups that get a model the one that pays least is told', () => {
    const groupRatio = new Map([
      ['default', 1],
      ['vip', 0.6],
      ['friends', 0.5],
    ]);
    const served = { default: ['chat'], vip: ['chat', 'picture'], friends: [] };
    expect(below(0.7, { groupRatio }, served)).toEqual([
      { model: 'chat', share: 0.6 },
      { model: 'picture', share: 0.6 },
    ]);
  });

  test('a group that pays a ratio of its own in another group is seen, too', () => {
    const groupGroupRatio = new Map([['partner', new Map([['default', 0.3]])]]);
    expect(below(0.7, { groupGroupRatio }, { default: ['chat'] })).toEqual([{ model: 'chat', share: 0.3 }]);
  });

  test('what cannot be compared is left out: no list price, no price, a call against tokens', () => {
    expect(below(1, { modelRatio: new Map([['own', 0.001]]) })).toEqual([]);
    expect(below(1, {}, { default: ['own'] })).toEqual([]);
    expect(below(1, { modelPrice: new Map([['chat', 0.000_001]]) })).toEqual([]);
  });
});
