import { afterEach, expect, test, vi } from 'vitest';
import { cataloguePrice } from './catalogue.ts';

test('list prices become ratios: 2 dollars per million prompt tokens are 1', () => {
  expect(cataloguePrice('gpt-4o')).toMatchObject({ ratio: 1.25, completion: 4, cache: 0.5 });
  expect(cataloguePrice('claude-3-7-sonnet-20250219')).toMatchObject({
    ratio: 1.5,
    completion: 5,
    cache: 0.1,
    cacheWrite: 1.25,
    cacheWrite1h: 2,
  });
});

test.each(['27T00:10', '28T02:00', '29T12:00', '30T23:59'])(
  'a price by the hour is that of the dearest hour, also when asked at %s',
  (time) => {
    vi.useFakeTimers({ now: new Date(`2026-11-${time}:00Z`), toFake: ['Date'] });
    // 0.55 and 2.19 dollars but from 16:30 to 00:30, then 0.135 and 0.55.
    expect(cataloguePrice('deepseek-reasoner')).toMatchObject({ ratio: 0.275, completion: 3.981818182 });
    // 0.44 dollars in two windows, else 0.22.
    expect(cataloguePrice('deepseek-v4-flash')).toMatchObject({ ratio: 0.22 });
  },
);
afterEach(() => void vi.useRealTimers());

test('a model is looked for once a day', () => {
  vi.useFakeTimers({ now: new Date('2026-11-30T23:59:00Z'), toFake: ['Date'] });
  const price = cataloguePrice('gpt-4o');
  expect(cataloguePrice('gpt-4o')).toBe(price);
  vi.setSystemTime(new Date('2026-12-01T00:00:00Z'));
  expect(cataloguePrice('gpt-4o')).not.toBe(price);
  expect(cataloguePrice('gpt-4o')).toEqual(price);
});

test('a price that the list names for a later day is told beside the present one, until it is that', () => {
  vi.useFakeTimers({ now: new Date('2026-12-31T23:59:00Z'), toFake: ['Date'] });
  // 0.75 and 3.75 dollars, twice as much from the first of January on.
  const price = cataloguePrice('gemini-3.6-flash');
  expect(price).toMatchObject({ ratio: 0.375, next: { day: Date.UTC(2027, 0, 1) / 86_400_000, price: { ratio: 0.75 } } });
  vi.setSystemTime(new Date('2027-01-01T00:00:00Z'));
  expect(cataloguePrice('gemini-3.6-flash')).toEqual(price.next?.price);
  expect(cataloguePrice('gpt-4o')).not.toHaveProperty('next');
});

test('a price by context length has its tiers', () => {
  // 1.25 and 10 dollars up to 200,000 tokens, 2.50 and 15 beyond; a cached token is a tenth.
  expect(cataloguePrice('gemini-2.5-pro')).toMatchObject({
    ratio: 0.625,
    tiers: [
      { upTo: 200_000, ratio: 0.625, completion: 8, cache: 0.1 },
      { ratio: 1.25, completion: 6, cache: 0.1 },
    ],
  });
  expect(cataloguePrice('gpt-4o')).not.toHaveProperty('tiers');
});

test('sound: the list, then the rules for names, else no price of its own', () => {
  // 5 dollars for text, 40 for sound, 80 for a spoken answer.
  expect(cataloguePrice('gpt-4o-realtime-preview')).toMatchObject({ audio: 8, audioCompletion: 2 });
  expect(cataloguePrice('gpt-4o-audio-preview')).toMatchObject({ audio: '40', audioCompletion: '2' });
  expect(cataloguePrice('gpt-4o-audio-preview-2024-12-17')).toMatchObject({ audio: '16' });
  expect(cataloguePrice('gpt-4o').audio).toBeUndefined();
});

test('what was cached: the list, then the names of contract 7.5, else the price of any prompt', () => {
  const half = ['gpt-4', 'gpt-4o-2024-05-13', 'o3-mini-high', 'o1-2024-12-17', 'gpt-4o-mini-realtime-preview-2024-12-17'];
  expect(half.map((model) => Number(cataloguePrice(model).cache))).toEqual(half.map(() => 0.5));
  const whole = [
    'gpt-4-0613',
    'gpt-4o-audio-preview',
    'gpt-4o-search-preview',
    'gpt-4o-all',
    'gpt-4o-gizmo-*',
    'o1-pro',
    'o1-all',
  ];
  expect(whole.map((model) => cataloguePrice(model).cache)).toEqual(whole.map(() => undefined));
});

test('pictures: what is seen and what is drawn has a price of its own where the list has one', () => {
  // 0.30 dollars for text, 2.50 for an answer in words, 30 for a drawn one.
  expect(cataloguePrice('gemini-2.5-flash-image')).toMatchObject({ ratio: 0.15, completion: 8.333333333, imageCompletion: 100 });
  // 5 dollars for words, 10 for a picture; it only draws, for 40.
  expect(cataloguePrice('gpt-image-1')).toMatchObject({ ratio: 2.5, image: 2, completion: 8 });
  expect(cataloguePrice('gpt-image-1').imageCompletion).toBeUndefined();
});

test('a model that nobody knows has no price', () => {
  const { ratio, callPrice } = cataloguePrice('nobody-knows-it');
  expect([ratio, callPrice]).toEqual([undefined, undefined]);
});
