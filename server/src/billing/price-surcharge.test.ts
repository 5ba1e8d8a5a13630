import fc from 'fast-check';
import { expect, test } from 'vitest';
import { plainPrice } from '../../test/plain-price.ts';
import { sign, usageOf } from '../../test/receipt-kit.ts';
import { costOf, holdAmount, withSurcharge } from './price.ts';
import { receiptView } from './receipt-view.ts';
import { verifyReceipt, writeReceipt } from './receipts.ts';
import type { PriceSnapshot } from './types.ts';

const nano = 1_000_000_000;
const chat: PriceSnapshot = { ...plainPrice, modelRatioNano: 0.075 * nano, completionRatioNano: 4 * nano };
const perCall: PriceSnapshot = { ...plainPrice, kind: 'call', callPriceNano: 0.002 * nano };

test('hand-computed: the backup pool multiplies the whole call, rounded once', () => {
  // (1001 + 501 * 4) * 0.075 * 1.5 = 338.0625
  expect(costOf(withSurcharge(chat, 1.5), usageOf(1001, 501))).toBe(338);
  // 0.002 * 500000 * 1.5
  expect(costOf(withSurcharge(perCall, 1.5), usageOf(0, 0))).toBe(1500);
  expect(costOf(withSurcharge(perCall, 0), usageOf(9, 9))).toBe(0);
  const receipt = writeReceipt('r', withSurcharge(chat, 1.5), usageOf(1001, 501), 338, sign);
  expect(receiptView({ id: 1, other: '', quota: 338, shortfall: 0, receipt }, sign)).toMatchObject({
    ...{ surcharge: '1.5', exact: '338.0625', rounding: 'half_up', recomputed: 338, state: 'ok' },
  });
});

const prices = fc.record({
  modelRatioNano: fc.nat(75 * nano),
  completionRatioNano: fc.nat(8 * nano),
  groupRatioNano: fc.nat(3 * nano),
  callPriceNano: fc.nat(10 * nano),
  kind: fc.constantFrom('token' as const, 'call' as const),
});
const ratios = fc.nat(9_999).map((part) => part / 1000);

test('whatever the price: a ratio of 1 changes nothing, a higher one never charges less, and receipts recompute', () => {
  fc.assert(
    fc.property(prices, ratios, ratios, fc.nat(1_000_000), fc.nat(100_000), (some, one, other, prompt, completion) => {
      const price = { ...plainPrice, ...some };
      const used = usageOf(prompt, completion);
      const [low, high] = [Math.min(one, other), Math.max(one, other)];
      expect(costOf(withSurcharge(price, 1), used)).toBe(costOf(price, used));
      expect(costOf(withSurcharge(price, low), used)).toBeLessThanOrEqual(costOf(withSurcharge(price, high), used));
      const raised = withSurcharge(price, high);
      const cost = costOf(raised, used);
      expect(verifyReceipt(writeReceipt('r', raised, used, cost, sign), sign)).toBe('ok');
    }),
  );
});

test('what is held at the pool’s price covers every answer within the caller’s cap', () => {
  fc.assert(
    fc.property(prices, ratios, fc.nat(100_000), fc.nat(10_000), fc.nat(10_000), (some, ratio, estimate, cap, said) => {
      const raised = withSurcharge({ ...plainPrice, ...some }, ratio);
      const held = holdAmount(raised, estimate, cap);
      expect(held).toBeGreaterThanOrEqual(costOf(raised, usageOf(estimate, Math.min(said, cap))));
    }),
  );
});

test('a ratio that is no decimal is refused, never taken for nothing', () => {
  for (const bad of [-1, Number.NaN, Number.POSITIVE_INFINITY]) expect(() => withSurcharge(chat, bad)).toThrow(RangeError);
});
