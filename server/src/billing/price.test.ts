import fc from 'fast-check';
import { expect, test } from 'vitest';
import { plainPrice } from '../../test/plain-price.ts';
import { usageOf } from '../../test/receipt-kit.ts';
import { nano, parseNano } from './decimal.ts';
import { affordableCap, costOf, holdAmount } from './price.ts';
import { verifyReceipt, writeReceipt } from './receipts.ts';
import type { Usage } from './types.ts';

const usage = (prompt: number, completion: number, cached = 0): Usage => ({ ...usageOf(prompt, completion), cached });

test('decimal text is read exactly, and nothing else is', () => {
  expect(parseNano('1.25')).toBe(1_250_000_000);
  expect(parseNano(3e-7)).toBe(300);
  expect(parseNano('0.0000000005')).toBe(1);
  for (const bad of ['-1', 'NaN', 'Infinity', '', '1,5', '0x10', '1e99', '9'.repeat(30)]) expect(parseNano(bad)).toBeUndefined();
});

test('hand-computed costs', () => {
  const mini = { ...plainPrice, modelRatioNano: 75_000_000, completionRatioNano: 4 * nano, cacheRatioNano: 500_000_000 };
  // (1000 + 500 * 4) * 0.075 = 225
  expect(costOf(mini, usage(1000, 500))).toBe(225);
  // (600 + 400 * 0.5 + 500 * 4) * 0.075 = 210
  expect(costOf(mini, usage(1000, 500, 400))).toBe(210);
  // (1000 + 2000) * 0.075 * 1.5 = 337.5 -> 338
  expect(costOf({ ...mini, groupRatioNano: 1_500_000_000 }, usage(1000, 500))).toBe(338);
  // 0.1 dollars * 500000 * 0.8
  expect(costOf({ ...plainPrice, kind: 'call', callPriceNano: 100_000_000, groupRatioNano: 800_000_000 }, usage(0, 0))).toBe(
    40_000,
  );
  // Two pictures of 1.5 times the size: 0.04 dollars * 500000 * 3
  const picture = { ...plainPrice, kind: 'call', callPriceNano: 40_000_000 } as const;
  expect(costOf(picture, { ...usage(0, 0), unitsNano: 3 * nano })).toBe(60_000);
  expect(holdAmount(picture, 9, 9, 3 * nano)).toBe(60_000);
  // A third of a unit: 0.04 * 500000 / 3 = 6666.67
  expect(costOf(picture, { ...usage(0, 0), unitsNano: 333_333_333 })).toBe(6_667);
});

test('a price above zero charges at least one unit, a written zero charges nothing', () => {
  expect(costOf({ ...plainPrice, modelRatioNano: 1 }, usage(1, 0))).toBe(1);
  expect(costOf({ ...plainPrice, modelRatioNano: 1 }, usage(0, 0))).toBe(0);
  expect(costOf({ ...plainPrice, modelRatioNano: 0 }, usage(9999, 9999))).toBe(0);
});

const prices = fc.record({
  modelRatioNano: fc.nat(75 * nano),
  completionRatioNano: fc.nat(8 * nano),
  groupRatioNano: fc.nat(3 * nano),
});

test('cost never falls when usage grows', () => {
  fc.assert(
    fc.property(
      prices,
      fc.nat(1e6),
      fc.nat(1e6),
      fc.nat(1e5),
      fc.nat(1e5),
      (price, prompt, completion, morePrompt, moreCompletion) => {
        const snapshot = { ...plainPrice, ...price };
        const less = costOf(snapshot, usage(prompt, completion));
        expect(less).toBeGreaterThanOrEqual(0);
        expect(costOf(snapshot, usage(prompt + morePrompt, completion + moreCompletion))).toBeGreaterThanOrEqual(less);
      },
    ),
  );
});

test('the affordable cap is the largest one that fits', () => {
  fc.assert(
    fc.property(prices, fc.nat(10_000), fc.nat(1e7), fc.integer({ min: 1, max: 4096 }), (price, prompt, available, wanted) => {
      const snapshot = { ...plainPrice, ...price };
      const cap = affordableCap(snapshot, prompt, available, wanted);
      if (cap > 0) expect(holdAmount(snapshot, prompt, cap)).toBeLessThanOrEqual(available);
      if (cap < wanted) expect(holdAmount(snapshot, prompt, cap + 1)).toBeGreaterThan(available);
    }),
  );
});

test('a receipt recomputes, and one changed byte is detected', () => {
  const sign = (text: string) => String([...text].reduce((hash, character) => (hash * 31 + character.charCodeAt(0)) >>> 0, 7));
  const text = writeReceipt('r1', plainPrice, usage(10, 5), costOf(plainPrice, usage(10, 5)), sign);
  expect(verifyReceipt(text, sign)).toBe('ok');
  expect(verifyReceipt(text.replace('"cost":15', '"cost":14'), sign)).toBe('forged');
  expect(verifyReceipt('{}', sign)).toBe('malformed');
});
