import type { Options } from './definitions.ts';

/** Quota as server texts show it (contract 7.10): `＄1.000000` in currency mode, otherwise the plain number. */
export function formatQuota(quota: number, options: Pick<Options, 'DisplayInCurrencyEnabled' | 'QuotaPerUnit'>): string {
  return options.DisplayInCurrencyEnabled ? `＄${(quota / options.QuotaPerUnit).toFixed(6)}` : String(quota);
}

/** Quota inside log texts: with its unit. */
export function formatLogQuota(quota: number, options: Pick<Options, 'DisplayInCurrencyEnabled' | 'QuotaPerUnit'>): string {
  return options.DisplayInCurrencyEnabled ? `${formatQuota(quota, options)} 额度` : `${quota} 点额度`;
}
