import { divideHalfUp, nano } from './decimal.ts';
import type { PriceSnapshot, PriceTier, Usage } from './types.ts';

const scale = BigInt(nano);
const maxCost = BigInt(Number.MAX_SAFE_INTEGER);

/** The counts that cost money. `cached` and `cacheWrite` are part of `prompt`, as `audioPrompt` and `imagePrompt` are. */
export type Billable = Pick<
  Usage,
  | 'prompt'
  | 'completion'
  | 'cached'
  | 'cacheWrite'
  | 'cacheWrite1h'
  | 'audioPrompt'
  | 'imagePrompt'
  | 'audioCompletion'
  | 'unitsNano'
>;

/**
 * What a call costs in quota: exact, rounded once, half up; at least 1 when the price is above 0 and anything was
 * produced or accepted (ledger, "Units"). Counts are safe integers, cached + cacheWrite <= prompt.
 */
export function costOf(price: PriceSnapshot, usage: Billable): number {
  const cost = price.kind === 'call' ? callCost(price, usage.unitsNano) : tokenCost(price, usage);
  return Number(cost > maxCost ? maxCost : cost);
}

function callCost(price: PriceSnapshot, unitsNano = nano): bigint {
  const exact = BigInt(price.callPriceNano) * BigInt(price.quotaPerUnit) * BigInt(price.groupRatioNano) * BigInt(unitsNano);
  return atLeastOne(divideHalfUp(exact, scale * scale * scale), exact > 0n);
}

function tokenCost(price: PriceSnapshot, usage: Billable): bigint {
  const tier = tierOf(price, usage.prompt);
  const weight = promptWeight(price, tier, usage) * scale + completionWeight(price, tier, usage);
  return weighted(price, tier, weight, usage.prompt + usage.completion > 0);
}

/** `weight`: plain prompt tokens, scaled by 1e18. */
function weighted(price: PriceSnapshot, tier: PriceTier, weight: bigint, used: boolean): bigint {
  const factor = BigInt(tier.modelRatioNano) * BigInt(price.groupRatioNano);
  return atLeastOne(divideHalfUp(weight * factor, scale * scale * scale * scale), used && factor > 0n);
}

/** Scaled by 1e9. What was cached is not charged as sound or picture once more. */
function promptWeight(price: PriceSnapshot, tier: PriceTier, usage: Billable): bigint {
  const fresh = usage.prompt - usage.cached - usage.cacheWrite;
  const audio = Math.min(usage.audioPrompt ?? 0, fresh);
  const image = Math.min(usage.imagePrompt ?? 0, fresh - audio);
  const lasting = Math.min(usage.cacheWrite1h ?? 0, usage.cacheWrite);
  return (
    BigInt(fresh - audio - image) * scale +
    BigInt(audio) * BigInt(price.audioRatioNano ?? nano) +
    BigInt(image) * BigInt(price.imageRatioNano ?? nano) +
    BigInt(usage.cached) * BigInt(tier.cacheRatioNano) +
    BigInt(usage.cacheWrite - lasting) * BigInt(tier.cacheWriteRatioNano) +
    BigInt(lasting) * BigInt(price.cacheWrite1hRatioNano ?? tier.cacheWriteRatioNano)
  );
}

/** Scaled by 1e18: a spoken answer takes two ratios. */
function completionWeight(price: PriceSnapshot, tier: PriceTier, usage: Billable): bigint {
  const audio = Math.min(usage.audioCompletion ?? 0, usage.completion);
  return BigInt(usage.completion - audio) * BigInt(tier.completionRatioNano) * scale + BigInt(audio) * audioAnswer(price, tier);
}

/** A spoken answer's token, scaled by 1e18. */
function audioAnswer({ audioRatioNano, audioCompletionRatioNano = nano }: PriceSnapshot, tier: PriceTier): bigint {
  return audioRatioNano === undefined
    ? BigInt(tier.completionRatioNano) * scale
    : BigInt(audioRatioNano) * BigInt(audioCompletionRatioNano);
}

/** The ratios of a call with so long a prompt; those of the price itself when it has no tiers. */
export function tierOf(price: PriceSnapshot, prompt: number): PriceTier {
  const { tiers } = price;
  return tiers?.find(({ upTo }) => upTo === undefined || upTo >= prompt) ?? tiers?.at(-1) ?? price;
}

function atLeastOne(cost: bigint, charged: boolean): bigint {
  return charged && cost < 1n ? 1n : cost;
}

/** Which of a price's dearer kinds a call may come to. */
export interface Reach {
  /** Sound and pictures, heard or spoken. */
  readonly media: boolean;
  /** What is cached for an hour. */
  readonly lasting: boolean;
}

const anything: Reach = { media: true, lasting: true };

/**
 * What must be set aside before the call: the prompt's upper estimate with a margin, and the most it may answer, all of
 * it of the dearest kind within reach, at the dearest tier that so long a prompt may come to.
 */
export function holdAmount(
  price: PriceSnapshot,
  promptEstimate: number,
  completionCap: number,
  unitsNano?: number,
  reach: Reach = anything,
): number {
  const prompt = Math.ceil(promptEstimate * marginRatio) + 64;
  if (price.kind === 'call') return costOf(price, { prompt, completion: 0, cached: 0, cacheWrite: 0, unitsNano });
  const costs = reachable(price, prompt).map((tier) => {
    const answer = dearestAnswer(price, tier, reach);
    const weight = BigInt(prompt) * dearestPrompt(price, tier, reach) * scale + BigInt(completionCap) * answer;
    return weighted(price, tier, weight, true);
  });
  return costs.reduce((most, cost) => Math.max(most, Number(cost > maxCost ? maxCost : cost)), 0);
}

const marginRatio = 1.25;

function reachable(price: PriceSnapshot, prompt: number): readonly PriceTier[] {
  const { tiers = [] } = price;
  const last = tiers.findIndex(({ upTo }) => upTo === undefined || upTo >= prompt);
  return tiers.length === 0 ? [price] : tiers.slice(0, last < 0 ? tiers.length : last + 1);
}

/** The margin of the estimate covers what caches usually add. */
function dearestPrompt(price: PriceSnapshot, tier: PriceTier, { media, lasting }: Reach): bigint {
  const written = Math.max(tier.cacheWriteRatioNano, lasting ? (price.cacheWrite1hRatioNano ?? 0) : 0);
  const cache = Math.max(tier.cacheRatioNano, written > nano * marginRatio ? written : 0);
  const heard = media ? Math.max(price.audioRatioNano ?? 0, price.imageRatioNano ?? 0) : 0;
  return BigInt(Math.max(nano, cache, heard));
}

function dearestAnswer(price: PriceSnapshot, tier: PriceTier, { media }: Reach): bigint {
  const written = BigInt(tier.completionRatioNano) * scale;
  const spoken = audioAnswer(price, tier);
  return media && spoken > written ? spoken : written;
}

/**
 * The largest completion cap whose hold fits into `available`, at most `wanted`; 0 when not even the prompt fits.
 * A price whose completions are free affords everything.
 */
export function affordableCap(
  price: PriceSnapshot,
  promptEstimate: number,
  available: number,
  wanted: number,
  reach: Reach = anything,
): number {
  const held = (cap: number) => holdAmount(price, promptEstimate, cap, undefined, reach);
  let low = 0;
  let high = wanted;
  if (held(0) > available) return 0;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (held(middle) <= available) low = middle;
    else high = middle - 1;
  }
  return low;
}
