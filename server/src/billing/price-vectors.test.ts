import fc from 'fast-check';
import { expect, test } from 'vitest';
import { plainPrice } from '../../test/plain-price.ts';
import { sign } from '../../test/receipt-kit.ts';
import { nano } from './decimal.ts';
import { type Billable, costOf, holdAmount } from './price.ts';
import { verifyReceipt, writeReceipt } from './receipts.ts';
import type { PriceSnapshot, Usage } from './types.ts';

const n = (value: number) => Math.round(value * nano);
const used = (counts: Partial<Billable>): Usage => ({
  ...{ prompt: 0, completion: 0, cached: 0, cacheWrite: 0, reasoning: 0, source: 'upstream', anomaly: false },
  ...counts,
});
const chat: PriceSnapshot = { ...plainPrice, modelRatioNano: n(1.25), completionRatioNano: n(4), cacheRatioNano: n(0.5) };
const claude: PriceSnapshot = {
  ...plainPrice,
  modelRatioNano: n(1.5),
  completionRatioNano: n(5),
  cacheRatioNano: n(0.1),
  cacheWriteRatioNano: n(1.25),
};
const audio: PriceSnapshot = { ...chat, audioRatioNano: n(40), audioCompletionRatioNano: n(2) };
const tiered: PriceSnapshot = {
  ...plainPrice,
  tiers: [
    {
      upTo: 200_000,
      modelRatioNano: n(0.625),
      completionRatioNano: n(8),
      cacheRatioNano: n(0.25),
      cacheWriteRatioNano: n(1.25),
    },
    { modelRatioNano: n(1.25), completionRatioNano: n(6), cacheRatioNano: n(0.25), cacheWriteRatioNano: n(1.25) },
  ],
};
const call = (dollars: number): PriceSnapshot => ({ ...plainPrice, kind: 'call', callPriceNano: n(dollars) });

const vectors: [string, PriceSnapshot, Partial<Billable>, number][] = [
  // (1000 - 400 + 400 * 0.5 + 500 * 4) * 1.25 = 3500
  ['text', chat, { prompt: 1000, cached: 400, completion: 500 }, 3500],
  // (3 + 1 * 4) * 1.25 = 8.75
  ['text, rounded up', chat, { prompt: 3, completion: 1 }, 9],
  // 0.1 * 500000 * 1.5
  ['text by the call', { ...call(0.1), groupRatioNano: n(1.5) }, { prompt: 9, completion: 9 }, 75_000],
  // (100 + 2000 * 0.1 + 1000 * 1.25 + 300 * 5) * 1.5 = 3050 * 1.5
  ['cache creation', claude, { prompt: 3100, cached: 2000, cacheWrite: 1000, completion: 300 }, 4575],
  // (100 + 600 * 1.25 + 400 * 2) * 1.5 = 1650 * 1.5
  ['cache for an hour', { ...claude, cacheWrite1hRatioNano: n(2) }, { prompt: 1100, cacheWrite: 1000, cacheWrite1h: 400 }, 2475],
  // Without a ratio of its own: (100 + 1000 * 1.25) * 1.5
  ['cache for an hour, unpriced', claude, { prompt: 1100, cacheWrite: 1000, cacheWrite1h: 400 }, 2025],
  // (20 + 30 * 4 + 80 * 40 + 70 * 40 * 2) * 1.25 = 8940 * 1.25
  ['audio', audio, { prompt: 100, audioPrompt: 80, completion: 100, audioCompletion: 70 }, 11_175],
  // (20 + 30 * 4 + 80 + 70 * 4) * 1.25 = 500 * 1.25
  ['audio, unpriced', chat, { prompt: 100, audioPrompt: 80, completion: 100, audioCompletion: 70 }, 625],
  // (40 + 60 * 2 + 10 * 4) * 1.25
  ['pictures read', { ...chat, imageRatioNano: n(2) }, { prompt: 100, imagePrompt: 60, completion: 10 }, 250],
  // 0.04 * size 2 * quality 1.5 * 2 pictures * 500000
  ['pictures by size and quality', call(0.04), { unitsNano: 6 * nano }, 120_000],
  // (100 + 10 * 4 + 1290 * 100) * 0.15 = 19371; 100 * 4 * 1.25
  [
    'a picture in an answer',
    { ...chat, modelRatioNano: n(0.15), imageCompletionRatioNano: n(100) },
    { prompt: 100, completion: 1300, imageCompletion: 1290 },
    19_371,
  ],
  ['a picture in an answer, without a price of its own', chat, { completion: 100, imageCompletion: 90 }, 500],
  // By ratio: 1250 tokens a picture: 0.0025 * 5 * 500000 = 1250 * 5
  ['a picture by ratio', { ...plainPrice, modelRatioNano: n(5) }, { prompt: 1250, unitsNano: nano }, 6250],
  // 0.0006 dollars a second * 90.5 s * 500000
  ['by the second', call(0.0006), { unitsNano: n(90.5) }, 27_150],
  // 1000 * 15
  ['speech', { ...plainPrice, modelRatioNano: n(15) }, { prompt: 1000 }, 15_000],
  // 1001 * 0.01 = 10.01
  ['embeddings', { ...plainPrice, modelRatioNano: n(0.01) }, { prompt: 1001 }, 10],
  ['drawing', { ...call(0.1), groupRatioNano: n(0.5) }, {}, 25_000],
  // (200000 + 10 * 8) * 0.625 = 125050
  ['the first tier to its end', tiered, { prompt: 200_000, completion: 10 }, 125_050],
  // (200001 + 10 * 6) * 1.25 = 250076.25: the whole call
  ['the second tier', tiered, { prompt: 200_001, completion: 10 }, 250_076],
];

test.each(vectors)('hand-computed: %s', (_name, price, counts, cost) => {
  expect(costOf(price, used(counts))).toBe(cost);
});

const ratio = fc.nat(50 * nano);
const prices = fc
  .record({
    modelRatioNano: ratio,
    completionRatioNano: ratio,
    cacheRatioNano: ratio,
    cacheWriteRatioNano: ratio,
    cacheWrite1hRatioNano: ratio,
    audioRatioNano: ratio,
    audioCompletionRatioNano: fc.nat(4 * nano),
    imageRatioNano: ratio,
    imageCompletionRatioNano: ratio,
    groupRatioNano: fc.nat(3 * nano),
    steps: fc.array(fc.record({ upTo: fc.nat(2000), more: fc.nat(nano) }), { maxLength: 3 }),
  })
  .map(({ steps, ...price }): PriceSnapshot => {
    const { modelRatioNano, completionRatioNano, cacheRatioNano, cacheWriteRatioNano } = price;
    let dearer = modelRatioNano;
    const tiers = steps
      .sort((left, right) => left.upTo - right.upTo)
      .map(({ upTo, more }) => {
        dearer += more;
        return { upTo, modelRatioNano: dearer, completionRatioNano, cacheRatioNano, cacheWriteRatioNano };
      });
    return { ...plainPrice, ...price, ...(tiers.length === 0 ? {} : { tiers }) };
  });
const counts = fc.array(fc.nat(900), { minLength: 8, maxLength: 8 }).map((list): Usage => {
  const [plain = 0, cached = 0, cacheWrite = 0, audioPrompt = 0, imagePrompt = 0, text = 0, ...others] = list;
  const [audioCompletion = 0, imageCompletion = 0] = others;
  return used({
    prompt: plain + cached + cacheWrite + audioPrompt + imagePrompt,
    completion: text + audioCompletion + imageCompletion,
    ...{ cached, cacheWrite, audioPrompt, imagePrompt, audioCompletion, imageCompletion },
    cacheWrite1h: Math.floor(cacheWrite / 2),
  });
});

test('never negative, a whole number, and never less for more of any kind', () => {
  const kinds: Partial<Billable>[] = [
    { prompt: 1 },
    { prompt: 1, cached: 1 },
    { prompt: 1, cacheWrite: 1 },
    { prompt: 1, audioPrompt: 1 },
    { prompt: 1, imagePrompt: 1 },
    { completion: 1 },
    { completion: 1, audioCompletion: 1 },
    { completion: 1, imageCompletion: 1 },
  ];
  fc.assert(
    fc.property(prices, counts, fc.nat(500), (price, usage, more) => {
      const cost = costOf(price, usage);
      expect(Number.isSafeInteger(cost) && cost >= 0).toBe(true);
      for (const kind of kinds) {
        const grown: Record<string, unknown> = { ...usage };
        for (const [name, step] of Object.entries(kind)) grown[name] = Number(grown[name] ?? 0) + Number(step) * more;
        expect(costOf(price, grown as unknown as Usage)).toBeGreaterThanOrEqual(cost);
      }
    }),
  );
});

test('the sum of its parts, each exact, rounded once', () => {
  fc.assert(
    fc.property(prices, counts, (price, usage) => {
      const tier = price.tiers?.find(({ upTo = Infinity }) => upTo >= usage.prompt) ?? price.tiers?.at(-1) ?? price;
      const { prompt, completion, cached, cacheWrite } = usage;
      const { cacheWrite1h = 0, audioPrompt = 0, imagePrompt = 0, audioCompletion = 0, imageCompletion = 0 } = usage;
      const one = BigInt(nano);
      const parts: [number, bigint][] = [
        [prompt - cached - cacheWrite - audioPrompt - imagePrompt, one * one],
        [cached, BigInt(tier.cacheRatioNano) * one],
        [cacheWrite - cacheWrite1h, BigInt(tier.cacheWriteRatioNano) * one],
        [cacheWrite1h, BigInt(price.cacheWrite1hRatioNano ?? 0) * one],
        [audioPrompt, BigInt(price.audioRatioNano ?? 0) * one],
        [imagePrompt, BigInt(price.imageRatioNano ?? 0) * one],
        [completion - audioCompletion - imageCompletion, BigInt(tier.completionRatioNano) * one],
        [imageCompletion, BigInt(price.imageCompletionRatioNano ?? 0) * one],
        [audioCompletion, BigInt(price.audioRatioNano ?? 0) * BigInt(price.audioCompletionRatioNano ?? 0)],
      ];
      const factor = BigInt(tier.modelRatioNano) * BigInt(price.groupRatioNano);
      const exact = parts.reduce((sum, [count, weight]) => sum + BigInt(count) * weight * factor, 0n);
      const unit = one ** 4n;
      const rounded = exact / unit + (2n * (exact % unit) >= unit ? 1n : 0n);
      const least = factor > 0n && prompt + completion > 0 ? 1n : 0n;
      expect(costOf(price, usage)).toBe(Number(rounded > least ? rounded : least));
    }),
  );
});

test('a hold covers whatever kind and tier the call comes to', () => {
  fc.assert(
    fc.property(prices, counts, (price, usage) => {
      expect(holdAmount(price, usage.prompt, usage.completion)).toBeGreaterThanOrEqual(costOf(price, usage));
    }),
  );
});

test('a hold for what the call cannot come to is not asked for', () => {
  const price = { ...audio, cacheWrite1hRatioNano: n(2) };
  // (1250 + 64 + 100 * 4) * 1.25
  expect(holdAmount(price, 1000, 100, undefined, { media: false, lasting: false })).toBe(2143);
  // (1314 * 2 + 100 * 4) * 1.25
  expect(holdAmount(price, 1000, 100, undefined, { media: false, lasting: true })).toBe(3785);
  // (1314 * 40 + 100 * 80) * 1.25
  expect(holdAmount(price, 1000, 100)).toBe(75_700);
});

test('100,000 receipts recompute; each with one flipped byte is found', { timeout: 120_000 }, () => {
  const samples = fc.sample(fc.tuple(prices, counts), { numRuns: 1000, seed: 7 });
  for (let index = 0; index < 100_000; index += 1) {
    const [price = plainPrice] = samples[index % 1000] ?? [];
    const [, usage = used({})] = samples[(index * 7 + Math.floor(index / 1000)) % 1000] ?? [];
    const receipt = writeReceipt(`r${index}`, price, usage, costOf(price, usage), sign);
    if (verifyReceipt(receipt, sign) !== 'ok') expect.unreachable(receipt);
    const at = (index * 131) % receipt.length;
    const flipped = `${receipt.slice(0, at)}${String.fromCharCode(receipt.charCodeAt(at) ^ 1)}${receipt.slice(at + 1)}`;
    if (verifyReceipt(flipped, sign) === 'ok') expect.unreachable(flipped);
  }
});

test('a receipt from before these kinds were known says the same as ever', () => {
  const old = { ...plainPrice, completionRatioNano: n(4) };
  expect(costOf(JSON.parse(JSON.stringify(old)) as PriceSnapshot, used({ prompt: 100, completion: 50, cached: 10 }))).toBe(300);
});
