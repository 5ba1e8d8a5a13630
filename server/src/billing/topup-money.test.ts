import { describe, expect, test } from 'vitest';
import { moneyText, offerOf, parseMoney } from './topup-money.ts';

const options = {
  DisplayInCurrencyEnabled: true,
  QuotaPerUnit: 500_000,
  TopupGroupRatio: new Map([
    ['default', 1],
    ['vip', 0.85],
    ['zero', 0],
  ]),
};
const terms = { amount: 10, group: 'default', minimum: 1, price: 7.3 };

describe('what a top-up costs and brings', () => {
  test.each([
    ['dollars x price', {}, 7_300, 5_000_000],
    ['the group pays its share', { group: 'vip' }, 6_205, 5_000_000],
    ['a ratio of 0 counts as 1', { group: 'zero' }, 7_300, 5_000_000],
    ['a group without a ratio counts as 1', { group: 'other' }, 7_300, 5_000_000],
    ['half a cent is rounded up', { amount: 1, price: 0.125 }, 13, 500_000],
    ['less than half a cent is rounded down', { amount: 1, price: 0.1249 }, 12, 500_000],
    ['a price that floats cannot hold', { amount: 3, price: 1.005 }, 302, 1_500_000],
  ])('%s', (_, change, cents, quota) => {
    expect(offerOf(options, { ...terms, ...change })).toEqual({ cents, quota });
  });

  test('without a currency the amount is quota, and so is the minimum', () => {
    const plain = { ...options, DisplayInCurrencyEnabled: false };
    expect(offerOf(plain, { ...terms, amount: 499_999 })).toEqual({ code: 'topup_amount_low', minimum: 500_000 });
    expect(offerOf(plain, { ...terms, amount: 750_000 })).toEqual({ cents: 1_095, quota: 750_000 });
  });

  test('too little, too much and nothing to pay are refused', () => {
    expect(offerOf(options, { ...terms, amount: 4, minimum: 5 })).toEqual({ code: 'topup_amount_low', minimum: 5 });
    expect(offerOf(options, { ...terms, price: 0 })).toEqual({ code: 'topup_money_low' });
    expect(offerOf(options, { ...terms, amount: 1, price: 0.004 })).toEqual({ code: 'topup_money_low' });
    expect(offerOf(options, { ...terms, amount: 1e15 })).toEqual({ code: 'topup_amount_high' });
  });
});

describe('money as text', () => {
  test.each([
    ['12.34', 1_234],
    ['12.3', 1_230],
    ['12', 1_200],
    ['0.01', 1],
    ['12.340000', 1_234],
  ])('%s', (text, cents) => expect(parseMoney(text)).toBe(cents));
  test.each(['', '-1', '+1', '1e3', '12.345', '1,000.00', ' 1', '0x10', '12.', '.5', '1'.repeat(20)])('%j is no amount', (text) =>
    expect(parseMoney(text)).toBeUndefined(),
  );
  test.each([1, 10, 99, 100, 1_234, 100_000])('%d cents come back', (cents) => expect(parseMoney(moneyText(cents))).toBe(cents));
});
