import fc from 'fast-check';
import { expect, test } from 'vitest';
import { plainPrice } from '../../test/plain-price.ts';
import { sign } from '../../test/receipt-kit.ts';
import { costOf } from './price.ts';
import { receiptView } from './receipt-view.ts';
import { writeReceipt } from './receipts.ts';
import type { PriceSnapshot, Usage } from './types.ts';

const n = (value: number) => Math.round(value * 1e9);
const usage: Usage = {
  ...{ prompt: 1000, completion: 501, cached: 400, cacheWrite: 0, reasoning: 0 },
  ...{ source: 'upstream', anomaly: false },
};
const chat: PriceSnapshot = { ...plainPrice, modelRatioNano: n(1.25), completionRatioNano: n(4), cacheRatioNano: n(0.5) };
const view = (price: PriceSnapshot, used: Usage, cost = costOf(price, used), edit = (text: string) => text, other = '{}') =>
  receiptView({ id: 7, other, quota: cost, shortfall: 0, receipt: edit(writeReceipt('r1', price, used, cost, sign)) }, sign);

test.each([
  ['{"frt":1,"usage_source":"counted","cut":true,"cut_by":"caller_left","admin_info":{}}', 'caller_left'],
  ['{"frt":1,"cut":true}', 'unknown'],
  ['{"frt":1,"cut_by":"length","admin_info":{}}', 'length'],
  ['{"frt":1,"swept":true}', 'unknown'],
  ['{"frt":1,"admin_info":{"error":"\\"cut\\":true"}}', undefined],
])('a receipt says whether the answer was cut off, and why: %s', (other, cut) => {
  expect(view(chat, usage, undefined, undefined, other)?.cut).toBe(cut);
});

test('a receipt names every factor, the sum before rounding and what was collected', () => {
  expect(view({ ...chat, groupRatioNano: n(0.9) }, usage)).toMatchObject({
    log_id: 7,
    lines: [
      { part: 'prompt', amount: '600', ratio: '1' },
      { part: 'cached', amount: '400', ratio: '0.5' },
      { part: 'completion', amount: '501', ratio: '4' },
    ],
    model_ratio: '1.25',
    group_ratio: '0.9',
    // (600 + 200 + 2004) * 1.25 * 0.9
    exact: '3154.5',
    rounding: 'half_up',
    ...{ cost: 3155, recomputed: 3155, collected: 3155, state: 'ok' },
  });
});

test('a fixed price says its dollars and how many of it', () => {
  const price: PriceSnapshot = { ...plainPrice, kind: 'call', callPriceNano: n(0.04) };
  expect(view(price, { ...usage, unitsNano: n(2.5) })).toMatchObject({
    lines: [{ part: 'calls', amount: '2.5', ratio: '1' }],
    ...{ call_price: '0.04', model_ratio: '', exact: '50000', rounding: 'none', cost: 50_000 },
  });
  expect(view(price, usage)).not.toHaveProperty('pictures_asked');
  expect(view(price, { ...usage, unitsNano: n(2), picturesAsked: 4, pictures: 2 })).toMatchObject({
    lines: [{ part: 'calls', amount: '2' }],
    ...{ pictures_asked: 4, pictures_delivered: 2, cost: 40_000, recomputed: 40_000, state: 'ok' },
  });
});

test('the least charge is named as such, and long prompts name their tier', () => {
  const cheap: PriceSnapshot = { ...plainPrice, modelRatioNano: n(0.001) };
  expect(view(cheap, { ...usage, prompt: 1, cached: 0, completion: 0 })).toMatchObject({ rounding: 'minimum', cost: 1 });
  const tiers = [
    { ...chat, upTo: 2000 },
    { ...chat, modelRatioNano: n(2) },
  ];
  const short = view({ ...plainPrice, tiers }, usage);
  expect(short).toMatchObject({ tier_up_to: 2000, model_ratio: '1.25' });
  const long = view({ ...plainPrice, tiers }, { ...usage, prompt: 2001 });
  expect(long).toMatchObject({ tier_up_to: 0, tier_above: 2000, model_ratio: '2' });
  for (const other of [short, view(chat, usage)]) expect(other).not.toHaveProperty('tier_above');
});

test('a changed receipt and a wrong cost are told apart; text that is none is no receipt', () => {
  expect(view(chat, usage, undefined, (text) => text.replace('"completion":501', '"completion":502'))?.state).toBe('forged');
  expect(view(chat, usage, 12)).toMatchObject({ state: 'wrong_cost', recomputed: 3505, cost: 12 });
  expect(view(chat, usage, undefined, () => '')).toBeUndefined();
});

test('the sum of the named factors, rounded once, is what the call costs', () => {
  const ratio = fc.integer({ min: 0, max: 40_000_000_000 });
  const prices = fc.record({
    modelRatioNano: ratio,
    completionRatioNano: ratio,
    cacheRatioNano: ratio,
    cacheWriteRatioNano: ratio,
  });
  const more = fc.record(
    {
      cacheWrite1hRatioNano: ratio,
      audioRatioNano: ratio,
      audioCompletionRatioNano: ratio,
      imageRatioNano: ratio,
      imageCompletionRatioNano: ratio,
    },
    { requiredKeys: [] },
  );
  const count = fc.nat(100_000);
  const counts = fc
    .tuple(count, count, count, count, count, count, count, count, count)
    .map(([fresh, cached, lasting, written, audioPrompt, imagePrompt, completion, audioCompletion, imageCompletion]) => ({
      ...usage,
      ...{ cached, cacheWrite: lasting + written, cacheWrite1h: lasting, audioPrompt, imagePrompt, audioCompletion },
      imageCompletion,
      prompt: fresh + cached + lasting + written + audioPrompt + imagePrompt,
      completion: completion + audioCompletion + imageCompletion,
    }));
  fc.assert(
    fc.property(prices, more, counts, (basic, extra, used) => {
      const receipt = view({ ...plainPrice, ...basic, ...extra }, used);
      const [whole = '', fraction = ''] = (receipt?.exact ?? '').split('.');
      const rounded = BigInt(whole) + (fraction >= '5' ? 1n : 0n);
      const least = receipt?.rounding === 'minimum' ? 1n : 0n;
      expect(receipt?.cost).toBe(Number(rounded > least ? rounded : least));
    }),
  );
});
