import { divideHalfUp, nano, toNano } from './decimal.ts';
import { costByRates, type Weighed } from './price-rates.ts';
import { toolParts, toolScale } from './tool-price.ts';
import type { PriceSnapshot, PriceTier, Usage } from './types.ts';

const scale = BigInt(nano);
/** Of a call's exact cost: price, group, surcharge, tier, units. That of tokens: weight (two), model, group, surcharge, tier. */
const callScale = scale ** 5n;
const tokenScale = scale ** 6n;
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
  | 'imageCompletion'
  | 'unitsNano'
  | 'tools'
>;

/**
 * What a call costs in quota: exact, rounded once, half up; at least 1 when the price is above 0 and anything was
 * produced or accepted (ledger, "Units"). Counts are safe integers, cached + cacheWrite <= prompt.
 */
export function costOf(price: PriceSnapshot, usage: Billable): number {
  return price.kind === 'call' ? toQuota(callCost(price, usage)) : tokenCost(price, usage);
}

function toQuota(cost: bigint): number {
  return Number(cost > maxCost ? maxCost : cost);
}

function callCost(price: PriceSnapshot, { unitsNano = nano, tools }: Billable): bigint {
  const plain = BigInt(price.callPriceNano) * BigInt(price.quotaPerUnit) * factorOf(price) * BigInt(unitsNano);
  const exact = plain + toolParts(price, tools) * (callScale / toolScale);
  return atLeastOne(divideHalfUp(exact, callScale), exact > 0n);
}

function tokenCost(price: PriceSnapshot, usage: Billable): number {
  const isUsed = usage.prompt + usage.completion > 0;
  return costOfTokens(price, tierOf(price, usage.prompt), weigh(usage), isUsed, usage.tools);
}

function costOfTokens(price: PriceSnapshot, tier: PriceTier, tokens: Weighed, isUsed: boolean, tools: Billable['tools']): number {
  const beside = toolParts(price, tools);
  const cost = beside === 0n ? costByRates(price, tier, tokens) : undefined;
  if (cost !== undefined) return cost === 0 && isUsed && isCharged(price, tier) ? 1 : cost;
  const weight = promptWeight(price, tier, tokens) * scale + completionWeight(price, tier, tokens);
  const factor = BigInt(tier.modelRatioNano) * factorOf(price);
  const exact = weight * factor + beside * (tokenScale / toolScale);
  return toQuota(atLeastOne(divideHalfUp(exact, tokenScale), (isUsed && factor > 0n) || beside > 0n));
}

function isCharged(price: PriceSnapshot, { modelRatioNano }: PriceTier): boolean {
  const { groupRatioNano, surchargeNano = nano, serviceTierNano = nano } = price;
  return modelRatioNano > 0 && groupRatioNano > 0 && surchargeNano > 0 && serviceTierNano > 0;
}

/** The tokens of a call by what they cost. What was cached is not charged as sound or picture once more. */
export function weigh(usage: Billable): Weighed {
  const { prompt, completion, cached, cacheWrite } = usage;
  const fresh = prompt - cached - cacheWrite;
  const audio = Math.min(usage.audioPrompt ?? 0, fresh);
  const image = Math.min(usage.imagePrompt ?? 0, fresh - audio);
  const lasting = Math.min(usage.cacheWrite1h ?? 0, cacheWrite);
  const spoken = Math.min(usage.audioCompletion ?? 0, completion);
  const drawn = Math.min(usage.imageCompletion ?? 0, completion - spoken);
  return {
    plain: fresh - audio - image,
    audio,
    image,
    cached,
    written: cacheWrite - lasting,
    lasting,
    answered: completion - spoken - drawn,
    spoken,
    drawn,
  };
}

/**
 * The units of a price per second: what `unitsNano` must be for so many seconds, as they were measured. For every endpoint
 * whose upstream, or whose request, says how long something is. Throws RangeError.
 */
export function unitsOfSeconds(seconds: number): number {
  const units = Math.round(seconds * nano);
  if (!Number.isSafeInteger(units) || units < 0) throw new RangeError(`not a number of seconds: ${seconds}`);
  return units;
}

/** What multiplies everything, scaled by 1e27: the group, the backup pool, and how the call is served. */
export function factorOf({ groupRatioNano, surchargeNano = nano, serviceTierNano = nano }: PriceSnapshot): bigint {
  return BigInt(groupRatioNano) * BigInt(surchargeNano) * BigInt(serviceTierNano);
}

/** The same price when the backup pool answers: everything times `ratio`, a decimal. Throws RangeError. */
export function withSurcharge(price: PriceSnapshot, ratio: number): PriceSnapshot {
  return Object.freeze({ ...price, surchargeNano: toNano(ratio) });
}

/** Scaled by 1e9. */
function promptWeight(price: PriceSnapshot, tier: PriceTier, tokens: Weighed): bigint {
  return (
    BigInt(tokens.plain) * scale +
    BigInt(tokens.audio) * BigInt(price.audioRatioNano ?? nano) +
    BigInt(tokens.image) * BigInt(price.imageRatioNano ?? nano) +
    BigInt(tokens.cached) * BigInt(tier.cacheRatioNano) +
    BigInt(tokens.written) * BigInt(tier.cacheWriteRatioNano) +
    BigInt(tokens.lasting) * BigInt(price.cacheWrite1hRatioNano ?? tier.cacheWriteRatioNano)
  );
}

/** Scaled by 1e18: a spoken answer takes two ratios. */
function completionWeight(price: PriceSnapshot, tier: PriceTier, { answered, spoken, drawn }: Weighed): bigint {
  return (
    BigInt(answered) * BigInt(tier.completionRatioNano) * scale +
    BigInt(spoken) * audioAnswer(price, tier) +
    BigInt(drawn) * imageAnswer(price, tier)
  );
}

/** A spoken answer's token, scaled by 1e18. */
export function audioAnswer({ audioRatioNano, audioCompletionRatioNano = nano }: PriceSnapshot, tier: PriceTier): bigint {
  return audioRatioNano === undefined
    ? BigInt(tier.completionRatioNano) * scale
    : BigInt(audioRatioNano) * BigInt(audioCompletionRatioNano);
}

/** A drawn answer's token, scaled by 1e18. */
export function imageAnswer({ imageCompletionRatioNano }: PriceSnapshot, tier: PriceTier): bigint {
  return BigInt(imageCompletionRatioNano ?? tier.completionRatioNano) * scale;
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
  /** Tools of the upstream's own, by how often they may be used; absent = none. */
  readonly tools?: NonNullable<Usage['tools']>;
}

const anything: Reach = { media: true, lasting: true };

/**
 * What must be set aside before the call: the prompt's upper estimate with a margin, and the most it may answer, all of
 * it of the dearest kind within reach, at the dearest tier that so long a prompt may come to; beside it the tools within reach.
 */
export function holdAmount(
  price: PriceSnapshot,
  promptEstimate: number,
  completionCap: number,
  unitsNano?: number,
  reach: Reach = anything,
): number {
  const prompt = Math.ceil(promptEstimate * marginRatio) + 64;
  const { tools } = reach;
  if (price.kind === 'call') return costOf(price, { prompt, completion: 0, cached: 0, cacheWrite: 0, unitsNano, tools });
  return reachable(price, prompt).reduce(
    (most, tier) => Math.max(most, costOfTokens(price, tier, dearest(price, tier, reach, prompt, completionCap), true, tools)),
    0,
  );
}

const marginRatio = 1.25;

function reachable(price: PriceSnapshot, prompt: number): readonly PriceTier[] {
  const { tiers = [] } = price;
  const last = tiers.findIndex(({ upTo }) => upTo === undefined || upTo >= prompt);
  return tiers.length === 0 ? [price] : tiers.slice(0, last < 0 ? tiers.length : last + 1);
}

/** So many tokens, all of the dearest kinds within reach. */
function dearest(price: PriceSnapshot, tier: PriceTier, reach: Reach, prompt: number, answer: number): Weighed {
  const asked = { ...nothing, [dearestPrompt(price, tier, reach)]: prompt };
  // Who draws does so unasked.
  const drawn = imageAnswer(price, tier);
  const written = BigInt(tier.completionRatioNano) * scale;
  const dearer = drawn > written ? drawn : written;
  const isSpoken = reach.media && audioAnswer(price, tier) > dearer;
  return { ...asked, [isSpoken ? 'spoken' : drawn > written ? 'drawn' : 'answered']: answer };
}

const nothing: Weighed = { plain: 0, audio: 0, image: 0, cached: 0, written: 0, lasting: 0, answered: 0, spoken: 0, drawn: 0 };

/** The margin of the estimate covers what caches usually add. */
function dearestPrompt(price: PriceSnapshot, tier: PriceTier, { media, lasting }: Reach): keyof Weighed {
  const margin = nano * marginRatio;
  const written = tier.cacheWriteRatioNano > margin ? tier.cacheWriteRatioNano : 0;
  const kept = price.cacheWrite1hRatioNano ?? 0;
  let dearest: keyof Weighed = 'plain';
  let ratio = nano;
  const reached: readonly [keyof Weighed, number][] = [
    ['cached', tier.cacheRatioNano],
    ['written', written],
    ['lasting', lasting && kept > margin ? kept : 0],
    ['audio', media ? (price.audioRatioNano ?? 0) : 0],
    ['image', media ? (price.imageRatioNano ?? 0) : 0],
  ];
  for (const [kind, other] of reached) if (other > ratio) [dearest, ratio] = [kind, other];
  return dearest;
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
