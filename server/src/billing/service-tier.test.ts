import fc from 'fast-check';
import { expect, test } from 'vitest';
import { plainPrice } from '../../test/plain-price.ts';
import { sign, usageOf } from '../../test/receipt-kit.ts';
import { nano } from './decimal.ts';
import { costOf, holdAmount, withSurcharge } from './price.ts';
import { receiptView } from './receipt-view.ts';
import { verifyReceipt, writeReceipt } from './receipts.ts';
import { type TierRatios, tierAgain, tierOfCall, tierRatio, withServiceTier } from './service-tier.ts';
import type { PriceSnapshot } from './types.ts';

const ratios: TierRatios = new Map([
  ['*', new Map(Object.entries({ priority: 2, fast: 6, flex: 0.5, us: 1.1 }))],
  ['m', new Map(Object.entries({ priority: 1.7 }))],
  ['gpt-4-gizmo-*', new Map(Object.entries({ priority: 3 }))],
]);
const asked = (word: string, said?: string, model = 'other') => {
  const tier = tierOfCall(ratios, model, { service_tier: word }, { service_tier: said });
  return tier === undefined ? 1 : tier.ratioNano / nano;
};

test('the model’s own word comes before that of every model; what is plain everywhere needs none, and nothing else has a price', () => {
  expect([tierRatio(ratios, 'm', 'priority'), tierRatio(ratios, 'm', 'fast'), tierRatio(ratios, 'x', 'priority')]).toEqual([
    1.7, 6, 2,
  ]);
  expect(tierRatio(ratios, 'gpt-4-gizmo-abc', 'priority')).toBe(3);
  expect([tierRatio(ratios, 'x', 'auto'), tierRatio(new Map(), 'x', 'flex')]).toEqual([1, 1]);
  expect([tierRatio(ratios, 'x', 'ultrafast'), tierRatio(new Map(), 'x', 'priority')]).toEqual([undefined, undefined]);
});

test('an answer may say that it was cheaper than asked, never that it was dearer; a silent one is charged as asked, not below plain', () => {
  expect([asked('priority'), asked('priority', 'priority'), asked('priority', 'default'), asked('priority', 'flex')]).toEqual([
    2, 2, 1, 0.5,
  ]);
  expect([asked('priority', 'fast'), asked('priority', 'never-heard-of'), asked('priority', 'fast', 'm')]).toEqual([2, 2, 1.7]);
  expect([asked('flex'), asked('flex', 'flex'), asked('flex', 'priority'), asked('auto', 'priority')]).toEqual([1, 0.5, 1, 1]);
  const both = { speed: 'fast', inference_geo: 'us' };
  expect(tierOfCall(ratios, 'x', both)).toEqual({ name: 'fast+us', ratioNano: 6.6 * nano });
  expect(tierOfCall(ratios, 'x', both, { speed: 'standard' })).toEqual({ name: 'us', ratioNano: 1.1 * nano });
});

test('hand-computed: the tier multiplies the whole call beside the backup pool, rounded once, and the receipt names both', () => {
  const chat: PriceSnapshot = Object.freeze({ ...plainPrice, modelRatioNano: 0.075 * nano, completionRatioNano: 4 * nano });
  const price = withServiceTier(withSurcharge(chat, 1.5), { name: 'priority', ratioNano: 1.7 * nano });
  // (1001 + 501 * 4) * 0.075 * 1.5 * 1.7 = 574.70625
  expect(costOf(price, usageOf(1001, 501))).toBe(575);
  const perCall = withServiceTier(
    { ...plainPrice, kind: 'call', callPriceNano: 0.002 * nano },
    { name: 'p', ratioNano: 2 * nano },
  );
  expect(costOf(perCall, usageOf(0, 0))).toBe(2000);
  const receipt = writeReceipt('r', price, usageOf(1001, 501), 575, sign);
  expect(receiptView({ id: 1, other: '', quota: 575, shortfall: 0, receipt }, sign)).toMatchObject({
    ...{ surcharge: '1.5', service_tier: 'priority', service_tier_ratio: '1.7', exact: '574.70625' },
    ...{ rounding: 'half_up', recomputed: 575, state: 'ok' },
  });
});

test('calls alike share one frozen price, and the plain one comes back as it was', () => {
  const tier = { name: 'priority', ratioNano: 2 * nano };
  const raised = withServiceTier(plainPrice, tier);
  expect(withServiceTier(plainPrice, { ...tier })).toBe(raised);
  expect(withServiceTier(raised, tier)).toBe(raised);
  expect(withServiceTier(raised, undefined)).toEqual(plainPrice);
  expect(withServiceTier(plainPrice, undefined)).toBe(plainPrice);
  expect(Object.isFrozen(raised)).toBe(true);
});

const prices = fc.record({
  modelRatioNano: fc.nat(75 * nano),
  completionRatioNano: fc.nat(8 * nano),
  groupRatioNano: fc.nat(3 * nano),
  callPriceNano: fc.nat(10 * nano),
  kind: fc.constantFrom('token' as const, 'call' as const),
});
const tiers = fc.nat(9_999).map((part) => ({ name: 't', ratioNano: part * 1_000_000 }));

test('whatever the price: receipts recompute, frozen or not, and what is held covers every answer within the cap', () => {
  fc.assert(
    fc.property(prices, tiers, fc.nat(1_000_000), fc.nat(10_000), fc.nat(10_000), (some, tier, prompt, cap, said) => {
      const price = withServiceTier({ ...plainPrice, ...some }, tier);
      const used = usageOf(prompt, Math.min(said, cap));
      const cost = costOf(price, used);
      expect(costOf({ ...price }, used)).toBe(cost);
      expect(verifyReceipt(writeReceipt('r', price, used, cost, sign), sign)).toBe('ok');
      expect(holdAmount(price, prompt, cap)).toBeGreaterThanOrEqual(cost);
    }),
  );
});

test('a charged call is priced again by the ratio of now; one whose words have none keeps its own', () => {
  const at = (serviceTier: string) => tierAgain(ratios, { ...plainPrice, serviceTier, serviceTierNano: 9 * nano })?.ratioNano;
  expect([at('priority'), at('fast+us'), at('gone'), at('fast+gone')]).toEqual([2 * nano, 6.6 * nano, 9 * nano, 9 * nano]);
  expect(tierAgain(ratios, plainPrice)).toBeUndefined();
});
