import fc from 'fast-check';
import { expect, test } from 'vitest';
import { plainPrice } from '../../test/plain-price.ts';
import { sign, usageOf } from '../../test/receipt-kit.ts';
import { affordableCap, costOf, holdAmount, withSurcharge } from './price.ts';
import { receiptView } from './receipt-view.ts';
import { verifyReceipt, writeReceipt } from './receipts.ts';
import { withServiceTier } from './service-tier.ts';
import { pricedTools, toolPrice, withToolPrices } from './tool-price.ts';
import type { PriceSnapshot, Usage } from './types.ts';

const nano = 1_000_000_000;
const prices = (table: Record<string, Record<string, number>>) =>
  new Map(Object.entries(table).map(([model, tools]) => [model, new Map(Object.entries(tools))]));
const listed = prices({ '*': { web_search: 10, file_search: 2.5 }, m: { file_search: 0 }, 'gpt-4-gizmo-*': { web_search: 25 } });
const usage = (prompt: number, completion: number, tools?: Usage['tools']): Usage => ({
  ...usageOf(prompt, completion),
  ...(tools === undefined ? {} : { tools }),
});
const chat: PriceSnapshot = Object.freeze({
  ...plainPrice,
  ...{ model: 'gpt', modelRatioNano: 0.075 * nano, completionRatioNano: 4 * nano, groupRatioNano: 0.5 * nano },
});
const view = (price: PriceSnapshot, used: Usage) => {
  const cost = costOf(price, used);
  return receiptView({ id: 1, other: '', quota: cost, shortfall: 0, receipt: writeReceipt('r', price, used, cost, sign) }, sign);
};

test('the model’s own entry comes before that of every model, and 0 is a price', () => {
  expect(toolPrice(listed, 'gpt', 'web_search')).toBe(10);
  expect(toolPrice(listed, 'gpt-4-gizmo-x', 'web_search')).toBe(25);
  expect(toolPrice(listed, 'm', 'file_search')).toBe(0);
  expect(toolPrice(listed, 'm', 'constructor')).toBe(0);
  expect(pricedTools(listed, 'm')).toEqual(['web_search']);
  expect(pricedTools(new Map(), 'm')).toEqual([]);
});

test('hand-computed: uses are added to the tokens at the group’s ratio and the pool’s, and rounded once with them', () => {
  const tools = { web_search: 3, file_search: 1, mcp: 2 };
  const price = withToolPrices(chat, listed, tools);
  // (1001 + 501 * 4) * 0.075 * 0.5 = 112.6875; (3 * 10 + 1 * 2.5) / 1000 * 500,000 * 0.5 = 8125
  expect(costOf(price, usage(1001, 501, tools))).toBe(8238);
  expect(view(price, usage(1001, 501, tools))).toMatchObject({
    tools: [
      { tool: 'file_search', uses: 1, price: '2.5' },
      { tool: 'web_search', uses: 3, price: '10' },
    ],
    ...{ exact: '8237.6875', rounding: 'half_up', cost: 8238, recomputed: 8238, state: 'ok' },
  });
  // 1.5 times everything; what a dearer tier multiplies are the tokens.
  expect(costOf(withSurcharge(price, 1.5), usage(1001, 501, tools))).toBe(12_357);
  expect(costOf(withServiceTier(price, { name: 'fast', ratioNano: 2 * nano }), usage(1001, 501, tools))).toBe(8350);
  const perCall = withToolPrices({ ...chat, kind: 'call', callPriceNano: 0.002 * nano }, listed, tools);
  // (0.002 + 0.0325) * 500,000 * 0.5
  expect(costOf(perCall, usage(0, 0, tools))).toBe(8625);
  expect(view(perCall, usage(0, 0, tools))).toMatchObject({ exact: '8625', rounding: 'none', state: 'ok' });
});

test('what was not used, or has no price, costs nothing, and takes nothing from the plain price', () => {
  expect(withToolPrices(chat, listed, undefined)).toBe(chat);
  expect(withToolPrices(chat, listed, { mcp: 4 })).toBe(chat);
  expect(withToolPrices(chat, new Map(), { web_search: 4 })).toBe(chat);
  const price = withToolPrices(chat, listed, { web_search: 1 });
  expect(withToolPrices(chat, listed, { web_search: 9 })).toBe(price);
  expect(costOf(price, usage(1001, 501))).toBe(costOf(chat, usage(1001, 501)));
  expect(withToolPrices(price, listed, undefined)).toEqual(chat);
  expect(view(price, usage(10, 1))).not.toHaveProperty('tools');
  // Free tokens do not make a search free, and it costs at least 1.
  const free = { ...chat, modelRatioNano: 0 };
  expect(costOf(withToolPrices(free, listed, { web_search: 1 }), usage(9, 9, { web_search: 1 }))).toBe(2500);
  const cheap = prices({ '*': { web_search: 0.000001 } });
  expect(costOf(withToolPrices(free, cheap, { web_search: 1 }), usage(9, 9, { web_search: 1 }))).toBe(1);
});

const some = fc.record({
  modelRatioNano: fc.nat(75 * nano),
  completionRatioNano: fc.nat(8 * nano),
  groupRatioNano: fc.nat(3 * nano),
  callPriceNano: fc.nat(10 * nano),
  kind: fc.constantFrom('token' as const, 'call' as const),
});
const dollars = fc.nat(99_999).map((part) => part / 1000);

test('what is held covers every answer within the caller’s cap and limits, receipts recompute, and their sum is the cost', () => {
  fc.assert(
    fc.property(
      some,
      dollars,
      dollars,
      fc.nat(50_000),
      fc.nat(9_000),
      fc.nat(50),
      fc.nat(50),
      (plain, web, file, prompt, cap, most, used) => {
        const table = prices({ '*': { web_search: web, file_search: file } });
        const reach = { media: false, lasting: false, tools: { web_search: most, file_search: 5 } };
        const asked = withToolPrices({ ...plainPrice, ...plain }, table, reach.tools);
        const tools = { web_search: Math.min(used, most), file_search: used % 6 };
        const charged = withToolPrices(asked, table, tools);
        const counted = usage(prompt, cap, tools);
        const cost = costOf(charged, counted);
        expect(holdAmount(asked, prompt, cap, undefined, reach)).toBeGreaterThanOrEqual(cost);
        expect(verifyReceipt(writeReceipt('r', charged, counted, cost, sign), sign)).toBe('ok');
        const { exact = '', rounding } = view(charged, counted) ?? {};
        const [whole = '', fraction = ''] = exact.split('.');
        const rounded = Number(whole) + (fraction >= '5' ? 1 : 0);
        expect(rounding === 'minimum' ? 1 : rounded).toBe(cost);
      },
    ),
  );
});

test('who cannot pay for what tools may cost is not given a shorter answer for it', () => {
  const tools = { web_search: 5 };
  const price = withToolPrices(chat, listed, tools);
  const reach = { media: false, lasting: false, tools };
  const held = holdAmount(price, 100, 1000, undefined, reach);
  expect(held).toBe(holdAmount(chat, 100, 1000, undefined, reach) + 12_500);
  expect(affordableCap(price, 100, held, 1000, reach)).toBe(1000);
  expect(affordableCap(price, 100, 12_499, 1000, reach)).toBe(0);
});
