import fc from 'fast-check';
import { expect, test } from 'vitest';
import { plainPrice } from '../../test/plain-price.ts';
import { nano } from './decimal.ts';
import { costOf, holdAmount } from './price.ts';
import { costByRates } from './price-rates.ts';
import type { PriceSnapshot } from './types.ts';

/** From a written-down ratio of few digits to any number at all. */
const ratio = fc.oneof(
  fc.nat(4000).map((thousandths) => (thousandths * nano) / 1000),
  fc.nat(80 * nano),
  fc.nat(Number.MAX_SAFE_INTEGER),
  fc.constantFrom(0, 1, nano - 1, nano),
);
const maybe = fc.option(ratio, { nil: undefined });
const ratios = { modelRatioNano: ratio, completionRatioNano: ratio, cacheRatioNano: ratio, cacheWriteRatioNano: ratio };
const tiers = fc.option(fc.tuple(fc.record({ ...ratios, upTo: fc.nat(1e6) }), fc.record(ratios)), { nil: undefined });
const prices: fc.Arbitrary<PriceSnapshot> = fc
  .record({
    ...ratios,
    groupRatioNano: ratio,
    surchargeNano: maybe,
    serviceTierNano: maybe,
    audioRatioNano: maybe,
    audioCompletionRatioNano: maybe,
    imageRatioNano: maybe,
    imageCompletionRatioNano: maybe,
    cacheWrite1hRatioNano: maybe,
    tiers,
  })
  .map((given) => {
    const named = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
    return { ...plainPrice, ...named };
  });
const count = fc.oneof(fc.nat(300), fc.nat(3e6), fc.maxSafeNat());
const usages = fc
  .record({
    fresh: count,
    cached: count,
    cacheWrite: count,
    completion: count,
    parts: fc.tuple(count, count, count, count, count),
  })
  .map(({ fresh, cached, cacheWrite, completion, parts }) => {
    const [audioPrompt, imagePrompt, audioCompletion, imageCompletion, cacheWrite1h] = parts;
    return {
      ...{ prompt: fresh + cached + cacheWrite, completion, cached, cacheWrite },
      ...{ audioPrompt, imagePrompt, audioCompletion, imageCompletion, cacheWrite1h },
    };
  })
  .filter(({ prompt, completion }) => Number.isSafeInteger(prompt + completion));

/** A price that nobody froze is reckoned in whole numbers of any length. */
test('plain numbers and numbers of any length give the same cost and the same hold, to the last digit', () => {
  fc.assert(
    fc.property(prices, usages, fc.boolean(), fc.boolean(), (price, usage, media, lasting) => {
      const frozen = Object.freeze({ ...price });
      expect(costOf(frozen, usage)).toBe(costOf(price, usage));
      const held = [Math.floor(usage.prompt / 2), usage.completion, undefined, { media, lasting }] as const;
      expect(holdAmount(frozen, ...held)).toBe(holdAmount(price, ...held));
    }),
    { numRuns: 3000 },
  );
});

test('usual prices are reckoned in plain numbers up to a million tokens, and halves are rounded up', () => {
  const usual = Object.freeze({
    ...plainPrice,
    modelRatioNano: 75_000_000,
    completionRatioNano: 4 * nano,
    cacheRatioNano: 500_000_000,
    cacheWriteRatioNano: 1_250_000_000,
    groupRatioNano: 850_000_000,
  });
  const tokens = { plain: 1e6, audio: 0, image: 0, cached: 1e6, written: 1e6, lasting: 0, answered: 1e6, spoken: 0, drawn: 0 };
  expect(costByRates(usual, usual, tokens)).toBe(430_313);
  expect(costByRates({ ...usual }, usual, tokens)).toBeUndefined();
  expect(costByRates(usual, usual, { ...tokens, plain: 0.5 })).toBeUndefined();
  expect(costByRates(usual, usual, { ...tokens, plain: Number.MAX_SAFE_INTEGER })).toBeUndefined();
});
