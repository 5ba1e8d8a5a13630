import { nano } from './decimal.ts';
import type { PriceSnapshot, PriceTier } from './types.ts';

/** Tokens of each kind that cost alike; whole numbers. */
export interface Weighed {
  readonly plain: number;
  readonly audio: number;
  readonly image: number;
  readonly cached: number;
  readonly written: number;
  readonly lasting: number;
  readonly answered: number;
  readonly spoken: number;
  readonly drawn: number;
}

/** What a token of each kind costs, as a whole number of `1 / denominator` quota. */
interface Rates extends Weighed {
  readonly denominator: number;
}

const scale = BigInt(nano);
/** Of a token's price: weight (two), model, group, surcharge, tier. */
const tokenScale = scale ** 6n;
/** Below it doubles are whole numbers, twice of them are, and a quotient is never rounded up to the next one. */
const exactLimit = 2 ** 51;

const compiled = new WeakMap<PriceSnapshot, Map<PriceTier, Rates | undefined>>();

/**
 * A call's cost in quota by plain numbers, exact and rounded once, half up; undefined where they could not be exact, or
 * where nobody has frozen the price, so that it is used but once. Never below 0; the least charge is the caller's matter.
 */
export function costByRates(price: PriceSnapshot, tier: PriceTier, tokens: Weighed): number | undefined {
  const rates = ratesOf(price, tier);
  if (rates === undefined || !areCounts(tokens)) return undefined;
  const parts =
    tokens.plain * rates.plain +
    tokens.audio * rates.audio +
    tokens.image * rates.image +
    tokens.cached * rates.cached +
    tokens.written * rates.written +
    tokens.lasting * rates.lasting +
    tokens.answered * rates.answered +
    tokens.spoken * rates.spoken +
    tokens.drawn * rates.drawn;
  if (parts >= exactLimit) return undefined;
  const { denominator } = rates;
  return Math.floor((2 * parts + denominator) / (2 * denominator));
}

function areCounts({ plain, audio, image, cached, written, lasting, answered, spoken, drawn }: Weighed): boolean {
  return (
    isCount(plain) &&
    isCount(audio) &&
    isCount(image) &&
    isCount(cached) &&
    isCount(written) &&
    isCount(lasting) &&
    isCount(answered) &&
    isCount(spoken) &&
    isCount(drawn)
  );
}

function isCount(value: number): boolean {
  return value >= 0 && Number.isSafeInteger(value);
}

function ratesOf(price: PriceSnapshot, tier: PriceTier): Rates | undefined {
  const known = compiled.get(price);
  if (known?.has(tier) === true) return known.get(tier);
  if (!Object.isFrozen(price)) return undefined;
  const rates = compile(price, tier);
  if (known === undefined) compiled.set(price, new Map([[tier, rates]]));
  else known.set(tier, rates);
  return rates;
}

/** Reduced to lowest terms: usual prices have few digits, and then counts by the million stay exact. */
function compile(price: PriceSnapshot, tier: PriceTier): Rates | undefined {
  const { audioRatioNano, imageRatioNano, audioCompletionRatioNano = nano, cacheWrite1hRatioNano } = price;
  const { imageCompletionRatioNano } = price;
  const { groupRatioNano, surchargeNano = nano, serviceTierNano = nano } = price;
  const factor = BigInt(tier.modelRatioNano) * BigInt(groupRatioNano) * BigInt(surchargeNano) * BigInt(serviceTierNano);
  const answered = BigInt(tier.completionRatioNano) * scale;
  const exact = {
    plain: scale * scale,
    audio: BigInt(audioRatioNano ?? nano) * scale,
    image: BigInt(imageRatioNano ?? nano) * scale,
    cached: BigInt(tier.cacheRatioNano) * scale,
    written: BigInt(tier.cacheWriteRatioNano) * scale,
    lasting: BigInt(cacheWrite1hRatioNano ?? tier.cacheWriteRatioNano) * scale,
    answered,
    spoken: audioRatioNano === undefined ? answered : BigInt(audioRatioNano) * BigInt(audioCompletionRatioNano),
    drawn: BigInt(imageCompletionRatioNano ?? tier.completionRatioNano) * scale,
  };
  const common = Object.values(exact).reduce((so, weight) => commonDivisor(so, weight * factor), tokenScale);
  const rate = (weight: bigint) => Number((weight * factor) / common);
  const rates: Rates = {
    plain: rate(exact.plain),
    audio: rate(exact.audio),
    image: rate(exact.image),
    cached: rate(exact.cached),
    written: rate(exact.written),
    lasting: rate(exact.lasting),
    answered: rate(exact.answered),
    spoken: rate(exact.spoken),
    drawn: rate(exact.drawn),
    denominator: Number(tokenScale / common),
  };
  return Object.values(rates).every((value) => value < exactLimit) ? rates : undefined;
}

function commonDivisor(left: bigint, right: bigint): bigint {
  let [larger, smaller] = [left, right];
  while (smaller !== 0n) [larger, smaller] = [smaller, larger % smaller];
  return larger;
}
