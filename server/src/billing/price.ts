import { divideHalfUp, nano } from './decimal.ts';
import type { PriceSnapshot, Usage } from './types.ts';

const scale = BigInt(nano);
const maxCost = BigInt(Number.MAX_SAFE_INTEGER);

/** The token counts that cost money. `cached` and `cacheWrite` are part of `prompt`. */
export type Billable = Pick<Usage, 'prompt' | 'completion' | 'cached' | 'cacheWrite' | 'unitsNano'>;

/**
 * What a call costs in quota: exact, rounded once, half up; at least 1 when the price is above 0 and anything was
 * produced or accepted (ledger, "Units"). Counts are safe integers, cached + cacheWrite <= prompt.
 */
export function costOf(price: PriceSnapshot, usage: Billable): number {
  const cost = price.kind === 'call' ? callCost(price, usage) : tokenCost(price, usage);
  return Number(cost > maxCost ? maxCost : cost);
}

function callCost(price: PriceSnapshot, { unitsNano = nano }: Billable): bigint {
  const exact = BigInt(price.callPriceNano) * BigInt(price.quotaPerUnit) * BigInt(price.groupRatioNano) * BigInt(unitsNano);
  return atLeastOne(divideHalfUp(exact, scale * scale * scale), exact > 0n);
}

function tokenCost(price: PriceSnapshot, usage: Billable): bigint {
  const plain = usage.prompt - usage.cached - usage.cacheWrite;
  const weighted =
    BigInt(plain) * scale +
    BigInt(usage.cached) * BigInt(price.cacheRatioNano) +
    BigInt(usage.cacheWrite) * BigInt(price.cacheWriteRatioNano) +
    BigInt(usage.completion) * BigInt(price.completionRatioNano);
  const factor = BigInt(price.modelRatioNano) * BigInt(price.groupRatioNano);
  const used = usage.prompt + usage.completion > 0;
  return atLeastOne(divideHalfUp(weighted * factor, scale * scale * scale), used && factor > 0n);
}

function atLeastOne(cost: bigint, charged: boolean): bigint {
  return charged && cost < 1n ? 1n : cost;
}

/** What must be set aside before the call: the prompt's upper estimate with a margin, and the most it may answer. */
export function holdAmount(price: PriceSnapshot, promptEstimate: number, completionCap: number, unitsNano?: number): number {
  const prompt = Math.ceil(promptEstimate * 1.25) + 64;
  return costOf(price, { prompt, completion: completionCap, cached: 0, cacheWrite: 0, unitsNano });
}

/**
 * The largest completion cap whose hold fits into `available`, at most `wanted`; 0 when not even the prompt fits.
 * A price whose completions are free affords everything.
 */
export function affordableCap(price: PriceSnapshot, promptEstimate: number, available: number, wanted: number): number {
  let low = 0;
  let high = wanted;
  if (holdAmount(price, promptEstimate, 0) > available) return 0;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (holdAmount(price, promptEstimate, middle) <= available) low = middle;
    else high = middle - 1;
  }
  return low;
}
