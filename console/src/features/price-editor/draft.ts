import type { PriceOption } from '@tollgate/contract';
import { parseRecord } from '../../lib/json.ts';
import { findJsonFault } from '../../lib/json-fault.ts';

/** The option behind each number of the visual editor. */
export const numberOptions = {
  price: 'ModelPrice',
  ratio: 'ModelRatio',
  completion: 'CompletionRatio',
  cache: 'CacheRatio',
  cacheWrite: 'CreateCacheRatio',
  cacheWrite1h: 'CreateCacheRatio1h',
  audio: 'AudioRatio',
  audioCompletion: 'AudioCompletionRatio',
  image: 'ImageRatio',
} as const satisfies Record<string, PriceOption>;
export type PriceNumber = keyof typeof numberOptions;
export const priceNumbers = Object.keys(numberOptions) as PriceNumber[];

/** The options that the editor changes, as JSON texts. */
export const editedOptions = [
  ...Object.values(numberOptions),
  'SecondPrice',
  'PriceTiers',
  'ServiceTierRatio',
  'ToolPrice',
  'GroupRatio',
  'GroupGroupRatio',
] as const;
export type EditedOption = (typeof editedOptions)[number];
export type PriceTexts = Readonly<Record<EditedOption, string>>;

/** One model of the visual editor; absent numbers are not set. */
export interface PriceRow {
  id: number;
  model: string;
  numbers: Partial<Record<PriceNumber, number>>;
}

export const pretty = (value: unknown): string => JSON.stringify(value, null, 2);

/** The texts of the options as the editor shows them. Absent ones are empty maps. */
export function textsOf(options: readonly { key: string; value: string }[]): PriceTexts {
  const known = new Map(options.map(({ key, value }) => [key, value]));
  return Object.fromEntries(editedOptions.map((key) => [key, pretty(parseRecord(known.get(key) ?? ''))])) as Record<
    EditedOption,
    string
  >;
}

/** Options whose text is no JSON object. */
export const faultyOptions = (texts: PriceTexts): EditedOption[] =>
  editedOptions.filter((key) => findJsonFault(texts[key]) !== undefined || !/^\s*\{/.test(texts[key]));

/** Every model that has a price or ratio of its own, by name. */
export function rowsOf(texts: PriceTexts): PriceRow[] {
  const rows = new Map<string, PriceRow['numbers']>();
  for (const number of priceNumbers) {
    for (const [model, value] of Object.entries(parseRecord(texts[numberOptions[number]]))) {
      if (typeof value === 'number') rows.set(model, { ...rows.get(model), [number]: value });
    }
  }
  return [...rows]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([model, numbers], index) => ({ id: index + 1, model, numbers }));
}

/** Models whose calls these texts give a price; a ratio to another ratio alone is none. */
export const pricedModels = (texts: PriceTexts): Set<string> =>
  new Set(
    (['ModelRatio', 'ModelPrice', 'SecondPrice', 'PriceTiers'] as const).flatMap((key) => Object.keys(parseRecord(texts[key]))),
  );

/** The texts with these numbers for the model, and without `former`, the name that it had. */
export function withRow(texts: PriceTexts, model: string, numbers: PriceRow['numbers'], former = model): PriceTexts {
  const changed = priceNumbers.map((number): [EditedOption, string] => {
    const key = numberOptions[number];
    const { [former]: _, [model]: __, ...others } = parseRecord(texts[key]);
    const value = numbers[number];
    return [key, pretty(value === undefined ? others : { ...others, [model]: value })];
  });
  return { ...texts, ...Object.fromEntries(changed) };
}

export const withoutModel = (texts: PriceTexts, model: string): PriceTexts => withRow(texts, model, {});

export interface OptionChange {
  key: EditedOption;
  value: string;
  /** What the text was made from: a save that another one came before is refused. */
  seen: string;
}

const compact = (text: string): string => JSON.stringify(parseRecord(text));
/** Key order does not count. */
const canonical = (text: string): string =>
  JSON.stringify(Object.entries(parseRecord(text)).sort(([left], [right]) => (left < right ? -1 : 1)));

/** What a save would send: options whose content differs. The texts must have no fault. */
export function changesOf(before: PriceTexts, after: PriceTexts): OptionChange[] {
  return editedOptions
    .filter((key) => canonical(before[key]) !== canonical(after[key]))
    .map((key) => ({ key, value: compact(after[key]), seen: compact(before[key]) }));
}
