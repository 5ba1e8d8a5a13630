import { defaultQuotaPerUnit } from '@tollgate/contract';
import type { Product } from './product.ts';
import type { Row } from './source.ts';
import { decimal, isSet, jsonObject, text } from './values.ts';

export interface MappedOption {
  readonly key: string;
  readonly value: string;
}

export interface MappedOptions {
  readonly options: readonly MappedOption[];
  readonly notes: readonly { readonly what: string; readonly key: string; readonly detail: string }[];
}

/** The tables that hold what are options here. */
export interface OptionRows {
  readonly options: readonly Row[];
  /** one-hub only. */
  readonly prices: readonly Row[];
  readonly groups: readonly Row[];
}

/** Maps of decimals, looked at entry by entry: one wrong price must not cost all others. */
const ratioMaps = new Set([
  'ModelRatio',
  'ModelPrice',
  'CompletionRatio',
  'CacheRatio',
  'CreateCacheRatio',
  'ImageRatio',
  'AudioRatio',
  'AudioCompletionRatio',
  'GroupRatio',
  'TopupGroupRatio',
]);
/** The same idea under the names of one-hub. */
const otherNames: Readonly<Record<string, string>> = {
  PaymentUSDRate: 'Price',
  PaymentMinAmount: 'MinTopUp',
  EnableSafe: 'CheckSensitiveEnabled',
  SafeKeyWords: 'SensitiveWords',
  DisableChannelKeywords: 'AutomaticDisableKeywords',
};
/** They tell of the old site, or would change how this one is run. */
const ownOnes = new Set(['ServerAddress', 'DemoSiteEnabled', 'CustomCallbackAddress']);
const largestRatio = 1_000_000;
/** Less would be counted as 0. */
const leastRatio = 1e-9;
/** What an option is that nobody set. */
const nothings = new Set(['', '{}', '[]', 'null', 'false', '0', '0.0']);
/** Group -> [calls, answered calls] in the minutes that another option says. */
const groupRates = 'ModelRequestRateLimitGroup';

/** Options of the same meaning, as texts; `isKnown` tells which keys exist here. */
export function mapOptions(product: Product, rows: OptionRows, isKnown: (key: string) => boolean): MappedOptions {
  const notes: { what: string; key: string; detail: string }[] = [];
  const stored = new Map(rows.options.map((row) => [text(row, 'key'), text(row, 'value')]));
  const named = [...stored].flatMap(([key, value]): [string, string][] => {
    const name = isKnown(key) ? key : product === 'one-hub' ? (otherNames[key] ?? '') : '';
    return isKnown(name) && !ownOnes.has(name) ? [[name, value]] : [];
  });
  // Off there until it is switched on; words alone would be looked for here.
  if (product === 'one-hub' && stored.has('SafeKeyWords') && !stored.has('EnableSafe'))
    named.push(['CheckSensitiveEnabled', 'false']);
  for (const [key, value] of stored) {
    const isTaken = isKnown(key) || ownOnes.has(key) || key === groupRates || (product === 'one-hub' && key in otherNames);
    if (!isTaken && !nothings.has(value.trim())) notes.push({ what: 'unknown', key, detail: '' });
  }
  if (product === 'new-api') named.push(...groupLimits(stored, notes));
  const tables =
    product === 'one-hub' ? tableOptions(rows, Number(stored.get('QuotaPerUnit')) || defaultQuotaPerUnit, notes) : [];
  const options = [...new Map([...named, ...tables])].flatMap(([key, value]): MappedOption[] => {
    if (!ratioMaps.has(key)) return [{ key, value }];
    const sound = soundRatios(key, value, notes);
    return sound === undefined ? [] : [{ key, value: sound }];
  });
  return { options, notes };
}

/** Limits of single groups, where limits were on at all: they are per minute here. */
function groupLimits(
  stored: ReadonlyMap<string, string>,
  notes: { what: string; key: string; detail: string }[],
): [string, string][] {
  const value = stored.get(groupRates) ?? '';
  if (stored.get('ModelRequestRateLimitEnabled') !== 'true' || nothings.has(value.trim())) return [];
  const minutes = Math.max(1, Number(stored.get('ModelRequestRateLimitDurationMinutes')) || 1);
  const limits = Object.entries(jsonObject(value) ?? {}).flatMap(([group, pair]) => {
    const [all, answered] = Array.isArray(pair) ? pair.map(Number) : [];
    const count = all || answered || 0;
    return count > 0 ? [[group, { rpm: Math.max(1, Math.floor(count / minutes)) }] as const] : [];
  });
  if (limits.length === 0) notes.push({ what: 'refused', key: groupRates, detail: 'no limits of groups' });
  return limits.length === 0 ? [] : [['GroupLimits', JSON.stringify(Object.fromEntries(limits))]];
}

function soundRatios(option: string, value: string, notes: { what: string; key: string; detail: string }[]): string | undefined {
  const map = jsonObject(value);
  if (map === undefined) {
    notes.push({ what: 'refused', key: option, detail: 'not a JSON object' });
    return undefined;
  }
  const entries = Object.entries(map).filter(([name, ratio]) => {
    const isSound = typeof ratio === 'number' && (ratio === 0 || (ratio >= leastRatio && ratio <= largestRatio));
    if (!isSound) notes.push({ what: 'bad_entry', key: option, detail: `${name}: ${JSON.stringify(ratio)}` });
    return isSound;
  });
  return JSON.stringify(Object.fromEntries(entries));
}

/** For calls charged by the piece, one unit is so much quota. */
const quotaPerPiece = 1000;

function tableOptions(
  { prices, groups }: OptionRows,
  quotaPerUnit: number,
  notes: { what: string; key: string; detail: string }[],
): [string, string][] {
  const ratios: Record<string, number> = {};
  const completions: Record<string, number> = {};
  const pieces: Record<string, number> = {};
  for (const row of prices) {
    const model = text(row, 'model');
    const [input, output] = [decimal(row, 'input'), decimal(row, 'output')];
    if (text(row, 'type') === 'times') pieces[model] = plain((input * quotaPerPiece) / quotaPerUnit);
    else if (input === 0 && output > 0)
      notes.push({ what: 'bad_entry', key: 'ModelRatio', detail: `${model}: free input, paid output` });
    else {
      ratios[model] = input;
      completions[model] = input === 0 ? 1 : plain(output / input);
    }
    const extra = jsonObject(text(row, 'extra_ratios'));
    if (extra === undefined || Object.keys(extra).length > 0) notes.push({ what: 'extra_ratios', key: model, detail: '' });
  }
  const enabled = groups.filter((row) => row.enable === undefined || row.enable === null || isSet(row, 'enable'));
  const pairs = <Value>(list: readonly Row[], figureOf: (row: Row) => Value) =>
    JSON.stringify(Object.fromEntries(list.map((row) => [text(row, 'symbol'), figureOf(row)])));
  const offered = enabled.filter((row) => isSet(row, 'public'));
  const limited = enabled.filter((row) => decimal(row, 'api_rate') > 0);
  return [
    ['ModelRatio', JSON.stringify(ratios)],
    ['CompletionRatio', JSON.stringify(completions)],
    ['ModelPrice', JSON.stringify(pieces)],
    ['GroupRatio', pairs(enabled, (row) => decimal(row, 'ratio', 1))],
    ['UserUsableGroups', pairs(offered, (row) => text(row, 'name'))],
    ['GroupLimits', pairs(limited, (row) => ({ rpm: Math.floor(decimal(row, 'api_rate')) }))],
  ];
}

/** Without the tail that binary division leaves: 12 digits are more than any price list has. */
function plain(value: number): number {
  return Number(value.toPrecision(12));
}
