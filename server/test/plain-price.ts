import type { PriceSnapshot } from '../src/billing/index.ts';

const one = 1_000_000_000;

/** One unit of quota per token, whatever kind of token: costs can be read off the counts. */
export const plainPrice: PriceSnapshot = {
  version: 1,
  model: 'gpt-4o-mini',
  group: 'default',
  kind: 'token',
  modelRatioNano: one,
  completionRatioNano: one,
  cacheRatioNano: one,
  cacheWriteRatioNano: one,
  callPriceNano: 0,
  groupRatioNano: one,
  specialGroup: false,
  quotaPerUnit: 500_000,
};
