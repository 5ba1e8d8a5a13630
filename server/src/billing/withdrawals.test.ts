import { describe, expect, test } from 'vitest';
import { defaultOptions } from '../../test/channel-rows.ts';
import { quoteWithdrawal } from './withdrawals.ts';

const terms = (fields: object) => ({ ...defaultOptions, AgentMinWithdraw: 100, Price: 7.3, QuotaPerUnit: 500_000, ...fields });

describe('what a withdrawal comes to', () => {
  test.each([
    [0.01, 10_000, 100],
    [0.01, 10_001, 101],
    [0.01, 9_999, 100],
    [0.015, 200, 3],
    [0.000000001, 100, 1],
    [0, 10_000, 0],
  ])('at a rate of %s the fee of %d cents is %d: rounded up, and not when it is whole', (AgentFeeRate, amount, fee) => {
    const quote = quoteWithdrawal(terms({ AgentFeeRate }), { amount, method: 'bank' });
    expect(quote).toEqual({ amount, fee, net: amount - fee, quota: 0 });
  });

  test.each([
    [730, 500_000],
    [731, 500_684],
    [100, 68_493],
  ])('%d cents are %d of quota, rounded down, without a fee', (amount, quota) => {
    const quote = quoteWithdrawal(terms({ AgentFeeRate: 0.5 }), { amount, method: 'quota' });
    expect(quote).toEqual({ amount, fee: 0, net: amount, quota });
  });

  test('nothing is quoted below the least amount, for a fee that takes all, or for quota that cannot be', () => {
    const refusal = (fields: object, amount: number, method: 'bank' | 'quota') => {
      try {
        return quoteWithdrawal(terms(fields), { amount, method });
      } catch (error) {
        return (error as { code: string }).code;
      }
    };
    expect(refusal({}, 99, 'bank')).toBe('withdrawal_amount_low');
    expect(refusal({ AgentFeeRate: 0 }, 100, 'bank')).toMatchObject({ net: 100 });
    expect(refusal({ AgentFeeRate: 1 }, 100, 'bank')).toBe('withdrawal_fee_whole');
    expect(refusal({ Price: 0 }, 100, 'quota')).toBe('withdrawal_quota_high');
    expect(refusal({ QuotaPerUnit: 1, Price: 1000 }, 100, 'quota')).toBe('withdrawal_quota_low');
    expect(refusal({ Price: 1e-9, QuotaPerUnit: 10_000_000_000 }, 100, 'quota')).toBe('withdrawal_quota_high');
  });
});
