import { expect, test } from 'vitest';
import { plainPrice } from '../../../test/plain-price.ts';
import { verifyReceipt } from '../../billing/receipts.ts';
import type { KeyRecord } from '../../identity/index.ts';
import { type Charging, chargeOf, withRoute } from './charge.ts';

const nano = 1_000_000_000;
const sign = (text: string) => `signed-${text.length}`;
const key = { tokenId: 3, tokenName: 't', user: { id: 7, username: 'u' } } as unknown as KeyRecord;

function charging(price: Partial<Charging['price']>, order: Partial<Charging['order']> = {}): Charging {
  return {
    ...{ id: 'r1', ip: '', key, group: 'default', isLogged: true },
    price: { ...plainPrice, quotaPerUnit: 500_000, groupRatioNano: nano, ...price },
    order: {
      ...{ platform: 'video', action: 'GENERATE', model: 'm', input: {}, bytes: Buffer.alloc(0), mode: '' },
      build: () => ({ method: 'POST', path: '/' }),
      ...order,
    },
  };
}

const call = (dollars: number, more = {}) => ({ kind: 'call' as const, callPriceNano: dollars * nano, ...more });

test.each([
  ['a price per video does not look at its length', call(0.5), { seconds: 12 }, undefined, 250_000],
  ['a price per second does', call(0.1, { perSecond: true }), { seconds: 12 }, undefined, 600_000],
  ['a larger size costs more', call(0.1, { perSecond: true }), { seconds: 3 }, 1_666_666_667, 250_000],
  ['what is not timed is one', call(0.1, { perSecond: true }), {}, undefined, 50_000],
  [
    'a ratio counts 1,250 tokens for a second',
    { kind: 'token' as const, modelRatioNano: 2 * nano },
    { seconds: 4 },
    undefined,
    10_000,
  ],
  ['free is free', call(0), {}, undefined, 0],
])('%s', (_, price, input, unitsNano, cost) => {
  const charge = chargeOf(charging(price, { input, ...(unitsNano === undefined ? {} : { unitsNano }) }), sign);
  expect(charge.cost).toBe(cost);
  expect(verifyReceipt(charge.draft.receipt, sign)).toBe('ok');
});

test('the log says the price, the group and what was done', () => {
  const text = (price: Partial<Charging['price']>, input = {}, order = {}) =>
    chargeOf(charging(price, { input, ...order }), sign).draft.content;
  expect(text(call(0.1))).toBe('模型固定价格 0.10，分组倍率 1.00，操作 GENERATE');
  expect(text(call(0.1, { perSecond: true }), { seconds: 8 })).toBe('模型每秒价格 0.1，分组倍率 1.00，操作 GENERATE，时长 8 秒');
  // What would be 0.00 is not, and what its size multiplied it by is told.
  expect(text(call(0.004), {}, { unitsNano: 1_666_666_667 })).toBe(
    '模型固定价格 0.004，分组倍率 1.00，大小倍率 1.666666667，操作 GENERATE',
  );
});

test('without the log there are the amounts and their receipt, and nothing else', () => {
  const charge = chargeOf({ ...charging(call(0.1)), isLogged: false }, sign);
  expect(withRoute(charge, [1, 2], '{"d":1}').draft).toMatchObject({ content: '', other: '{}', hidden: true });
  expect(verifyReceipt(charge.draft.receipt, sign)).toBe('ok');
});
