import { entriesOf, json, leastRatio, listOf, type OptionKind, OptionRefused, ratioLimit } from './kinds.ts';

/** Ratios for calls whose prompt is at most `upTo` tokens; absent = however long. Decimals as the operator wrote them. */
export interface TierEntry {
  readonly upTo?: number;
  readonly ratio: number;
  readonly completion?: number;
  readonly cache?: number;
  readonly cacheWrite?: number;
}

const maxTiers = 16;

/**
 * Model -> tiers by context length: `[{"up_to":200000,"ratio":0.625,"completion":8,"cache":0.25,"cache_write":1.25}, ...]`.
 * Limits rise, only the last may be absent, and nothing gets cheaper with length: a longer prompt never costs less.
 */
export function priceTiers(): OptionKind<ReadonlyMap<string, readonly TierEntry[]>> {
  return json<ReadonlyMap<string, readonly TierEntry[]>>(
    new Map(),
    (value) => new Map(entriesOf(value).map(([model, list]) => [model, readTiers(model, list)])),
    (map) => Object.fromEntries([...map].map(([model, tiers]) => [model, tiers.map(written)])),
  );
}

function readTiers(model: string, value: unknown): TierEntry[] {
  const tiers = listOf(value).map((entry) => readTier(model, entry));
  if (tiers.length === 0 || tiers.length > maxTiers) throw refused(model, `1 to ${maxTiers} tiers`);
  for (const [index, tier] of tiers.entries()) {
    const before = tiers[index - 1];
    if (before === undefined) continue;
    if (before.upTo === undefined || (tier.upTo ?? Infinity) <= before.upTo) throw refused(model, 'up_to must rise');
    if (isCheaper(tier, before)) throw refused(model, 'a longer prompt must not be cheaper');
  }
  return tiers;
}

function isCheaper(tier: TierEntry, before: TierEntry): boolean {
  const parts = ['completion', 'cache', 'cacheWrite'] as const;
  const lacks = parts.some((part) => (tier[part] === undefined) !== (before[part] === undefined));
  return (
    lacks ||
    tier.ratio < before.ratio ||
    parts.some((part) => tier.ratio * (tier[part] ?? 1) < before.ratio * (before[part] ?? 1) * (1 - 1e-9))
  );
}

function readTier(model: string, value: unknown): TierEntry {
  const { up_to: upTo, ratio, completion, cache, cache_write: cacheWrite, ...rest } = Object.fromEntries(entriesOf(value));
  const [unknown] = Object.keys(rest);
  if (unknown !== undefined) throw refused(model, `unknown member ${unknown}`);
  if (upTo !== undefined && !(typeof upTo === 'number' && Number.isSafeInteger(upTo) && upTo > 0)) throw refused(model, 'up_to');
  const given = { completion, cache, cacheWrite };
  return {
    ...(typeof upTo === 'number' ? { upTo } : {}),
    ratio: readRatio(model, ratio),
    ...Object.fromEntries(
      Object.entries(given).flatMap(([name, part]) => (part === undefined ? [] : [[name, readRatio(model, part)]])),
    ),
  };
}

function readRatio(model: string, value: unknown): number {
  if (typeof value !== 'number' || !(value >= 0 && value <= ratioLimit)) throw refused(model, 'a ratio is not a number from 0');
  if (value > 0 && value < leastRatio) throw new OptionRefused('option_ratio_small', { name: `PriceTiers: ${model}` });
  return value;
}

function written({ upTo, ratio, completion, cache, cacheWrite }: TierEntry) {
  return { up_to: upTo, ratio, completion, cache, cache_write: cacheWrite };
}

function refused(model: string, reason: string): OptionRefused {
  return new OptionRefused('option_invalid', { detail: `PriceTiers: ${model}: ${reason}` });
}
