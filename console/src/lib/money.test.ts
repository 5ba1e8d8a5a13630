import { describe, expect, it } from 'vitest';
import { formatNumber, formatQuota, parseQuota, quotaToInput } from './money.ts';
import { formatPrice } from './price.ts';

const dollars = { quotaPerUnit: 500_000, inCurrency: true };
const units = { quotaPerUnit: 500_000, inCurrency: false };

describe('amounts', () => {
  it('are shown in dollars with the digits asked for', () => {
    expect(formatQuota(61_728_394, dollars)).toBe('$123.46');
    expect(formatQuota(369, dollars, 6)).toBe('$0.000738');
    expect(formatQuota(-250_000, dollars)).toBe('-$0.50');
    expect(formatQuota(750_000_000_000, dollars)).toBe('$1,500,000.00');
  });

  it('are never shown as nothing, or as a cent, when they are part of a cent', () => {
    expect([0, 1, -1, 1014, 2499, 2500, 4999, 5000].map((quota) => formatQuota(quota, dollars))).toEqual([
      '$0.00',
      '$0.000002',
      '-$0.000002',
      '$0.002028',
      '$0.004998',
      '$0.005000',
      '$0.009998',
      '$0.01',
    ]);
  });

  it('that are prices have two decimals at least and lose nothing of a fraction of a cent', () => {
    expect([3, 0.3, 0.075, 1250, 0.0000001, 0.1 + 0.2].map(formatPrice)).toEqual(
      ['3.00', '0.30', '0.075', '1250.00', '0.0000001', '0.30'].map((text) => `$${text}`),
    );
  });

  it('shorten at ten thousand, a million and a billion units', () => {
    expect([9999, 10_000, 1_000_000, 2_500_000_000].map(formatNumber)).toEqual(['9,999', '10.0k', '1.0M', '2.5B']);
    expect(formatQuota(12_345, units)).toBe('12.3k');
  });

  it('are never a thousand of what is too small for them', () => {
    expect([999_949, 999_950, 999_999, -999_999, 999_949_999, 999_950_000, 999_999_999].map(formatNumber)).toEqual([
      '999.9k',
      '1.0M',
      '1.0M',
      '-1.0M',
      '999.9M',
      '1.0B',
      '1.0B',
    ]);
    expect([0, -1, 9999, -9999, 10_000].map(formatNumber)).toEqual(['0', '-1', '9,999', '-9,999', '10.0k']);
  });

  it('are read as dollars, as marked dollars and as units', () => {
    expect(parseQuota('5', dollars)).toBe(2_500_000);
    expect(parseQuota('$5', units)).toBe(2_500_000);
    expect(parseQuota(' 2500000u ', dollars)).toBe(2_500_000);
    expect(parseQuota('2,500,000', units)).toBe(2_500_000);
    expect(parseQuota('.5', dollars)).toBe(250_000);
    expect(parseQuota('＄１，２００．５', dollars)).toBe(600_250_000);
    expect(['10,50', '1,5', '1,0000', ',5', '5,'].map((text) => parseQuota(text, dollars))).toEqual(Array(5).fill(undefined));
  });

  it('that are none are refused instead of becoming zero', () => {
    for (const text of ['', '-1', 'abc', '1.2.3', '$5u', '1.5u', '99999999999999999'])
      expect(parseQuota(text, dollars)).toBeUndefined();
  });

  it('come back from the input text exactly, also where dollars do not fit', () => {
    for (const quota of [0, 1, 7, 500_000, 1_234_567, Number.MAX_SAFE_INTEGER]) {
      expect(parseQuota(quotaToInput(quota, dollars), dollars)).toBe(quota);
      expect(parseQuota(quotaToInput(quota, { ...dollars, quotaPerUnit: 300_007 }), { ...dollars, quotaPerUnit: 300_007 })).toBe(
        quota,
      );
    }
  });
});
