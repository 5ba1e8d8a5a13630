import {
  price_duplicate,
  price_name_missing,
  price_number,
  price_tier_all_or_none,
  price_tier_cheaper,
  price_tier_last,
  price_tier_limit,
  price_tier_rise,
} from '../../i18n/generated/messages.ts';
import { isRecord, parseRecord } from '../../lib/json.ts';
import { formatUnits, plainDigits } from '../../lib/money.ts';
import { type PriceTexts, pretty } from './draft.ts';
import { readNumber } from './form.ts';

/** As the server takes them. */
export const maxTiers = 16;

/** Names of the ratios of a tier, as they stand in the option. */
export const tierRatios = ['ratio', 'completion', 'cache', 'cache_write'] as const;
export type TierRatio = (typeof tierRatios)[number];

/** The ratios of prompts of at most `up_to` tokens; absent = however long. */
export type Tier = { up_to?: number } & { ratio: number } & Partial<Record<TierRatio, number>>;

/** The prices of one model by the length of its prompts. */
export interface TierRow {
  id: number;
  model: string;
  tiers: Tier[];
}

const numberIn = (entry: Record<string, unknown>, name: string): Record<string, number> =>
  typeof entry[name] === 'number' ? { [name]: entry[name] } : {};

function tierOf(entry: unknown): Tier | undefined {
  if (!isRecord(entry) || typeof entry.ratio !== 'number') return undefined;
  const parts = Object.assign({}, ...['up_to', ...tierRatios].map((name) => numberIn(entry, name)));
  return { ...parts, ratio: entry.ratio };
}

/** Models whose tiers can be shown, by name; entries that are something else stay for the JSON view. */
export function tierRows(texts: PriceTexts): TierRow[] {
  return Object.entries(parseRecord(texts.PriceTiers))
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .flatMap(([model, list], index) => {
      const tiers = Array.isArray(list) ? list.map(tierOf).filter((tier) => tier !== undefined) : [];
      return tiers.length > 0 ? [{ id: index + 1, model, tiers }] : [];
    });
}

export function withoutTiers(texts: PriceTexts, model: string): PriceTexts {
  const { [model]: _, ...others } = parseRecord(texts.PriceTiers);
  return { ...texts, PriceTiers: pretty(others) };
}

/** With these tiers for the model, without `former`, the name that it had. */
export function withTiers(texts: PriceTexts, model: string, tiers: readonly Tier[], former = model): PriceTexts {
  const { [former]: _, [model]: __, ...others } = parseRecord(texts.PriceTiers);
  return { ...texts, PriceTiers: pretty({ ...others, [model]: tiers }) };
}

/** Texts of one tier. An empty limit is none. */
export type TierFields = Record<'up_to' | TierRatio, string>;

export const emptyTier: TierFields = { up_to: '', ratio: '', completion: '', cache: '', cache_write: '' };
export const fieldsOfTier = (tier: Tier): TierFields => ({
  up_to: String(tier.up_to ?? ''),
  ratio: String(tier.ratio),
  completion: String(tier.completion ?? ''),
  cache: String(tier.cache ?? ''),
  cache_write: String(tier.cache_write ?? ''),
});

/** Tokens: `200000`, `200k`, `1m`. */
export function readTokens(text: string): number | undefined {
  const [, digits = '', unit = ''] = /^(\d{1,12}(?:\.\d{1,3})?)\s*([km]?)$/i.exec(plainDigits(text)) ?? [];
  const factor = { '': 1, k: 1000, m: 1_000_000 }[unit.toLowerCase()] ?? 1;
  const tokens = Math.round(Number(digits) * factor);
  return digits !== '' && Number.isSafeInteger(tokens) && tokens > 0 ? tokens : undefined;
}

export type TierFaults = Partial<TierFields>;

/** Faults of each tier; the rules are those of the server: limits rise, a longer prompt is never cheaper. */
export function tierFaults(tiers: readonly TierFields[]): TierFaults[] {
  return tiers.map((tier, index) => {
    const before = tiers[index - 1];
    return { ...limitFault(tier, before, index === tiers.length - 1), ...ratioFaults(tier), ...orderFaults(tier, before) };
  });
}

function limitFault(tier: TierFields, before: TierFields | undefined, isLast: boolean): TierFaults {
  if (tier.up_to.trim() === '') return isLast ? {} : { up_to: price_tier_last() };
  const limit = readTokens(tier.up_to);
  if (limit === undefined) return { up_to: price_tier_limit() };
  const former = before && readTokens(before.up_to);
  return former !== undefined && limit <= former ? { up_to: price_tier_rise() } : {};
}

function ratioFaults(tier: TierFields): TierFaults {
  const isFaulty = (name: TierRatio) => (name === 'ratio' || tier[name].trim() !== '') && readNumber(tier[name]) === undefined;
  return Object.fromEntries(tierRatios.filter(isFaulty).map((name) => [name, price_number()]));
}

/** What each part of a call costs with these ratios, relative to others. */
function costOf(tier: TierFields, part: TierRatio): number | undefined {
  const ratio = readNumber(tier.ratio);
  if (part === 'ratio' || ratio === undefined) return ratio;
  const factor = tier[part].trim() === '' ? 1 : readNumber(tier[part]);
  return factor === undefined ? undefined : ratio * factor;
}

const tolerance = 1 - 1e-9;

function orderFaults(tier: TierFields, before: TierFields | undefined): TierFaults {
  if (!before) return {};
  const faults: TierFaults = {};
  for (const part of tierRatios) {
    const [cost, former] = [costOf(tier, part), costOf(before, part)];
    if (part !== 'ratio' && (tier[part].trim() === '') !== (before[part].trim() === '')) faults[part] = price_tier_all_or_none();
    else if (cost !== undefined && former !== undefined && cost < former * tolerance) faults[part] = price_tier_cheaper();
  }
  return faults;
}

/** `taken`: the other models that have tiers. */
export function tierNameFault(model: string, taken: ReadonlySet<string>): string | undefined {
  if (model.trim() === '') return price_name_missing();
  return taken.has(model.trim()) ? price_duplicate() : undefined;
}

/** What the fields say; they must have no fault. */
export const tiersOf = (fields: readonly TierFields[]): Tier[] =>
  fields.map((tier) => {
    const numbers = tierRatios.flatMap((name) => {
      const value = readNumber(tier[name]);
      return value === undefined ? [] : [[name, value]];
    });
    const limit = readTokens(tier.up_to);
    const parts: Partial<Record<TierRatio, number>> = Object.fromEntries(numbers);
    return { ...(limit === undefined ? {} : { up_to: limit }), ...parts, ratio: readNumber(tier.ratio) ?? 0 };
  });

/** `≤ 200K`. */
export const tokensText = (tokens: number): string =>
  tokens % 1_000_000 === 0 ? `${tokens / 1_000_000}M` : tokens % 1000 === 0 ? `${tokens / 1000}K` : formatUnits(tokens);
