import type { ErrorCode, OptionRow } from '@tollgate/contract';
import { JsonRefused, parseStrictJson } from '../platform/strict-json.ts';

/** What a form may check by itself. */
type OptionLimits = Pick<OptionRow, 'min' | 'max' | 'whole' | 'choices'>;

/** How one option is stored, read and checked. `Value` is what the program sees. */
export interface OptionKind<Value> {
  readonly fallback: Value;
  /** Stands in for a stored value that cannot be read where nothing better is known: opens nothing. Absent = `fallback` opens nothing. */
  readonly closed?: Value;
  readonly limits?: OptionLimits;
  /** Never leaves the server; sealed at rest. */
  readonly secret?: true;
  /** Its text is JSON. */
  readonly json?: true;
  /** The options whose origins this secret was entered for, the one that counts first last: another origin drops the secret. */
  readonly boundTo?: readonly string[];
  /** Reads stored or submitted text; throws OptionRefused. */
  read(text: string): Value;
  /** The text that is stored and shown. */
  write(value: Value): string;
}

/** A submitted option value is not acceptable; root is shown why. */
export class OptionRefused extends Error {
  readonly code: ErrorCode;
  readonly values: Readonly<Record<string, string>>;
  constructor(code: ErrorCode, values: Readonly<Record<string, string>> = {}) {
    super(`${code} ${Object.values(values).join(' ')}`.trim());
    this.code = code;
    this.values = values;
  }
}

export const ratioLimit = 1_000_000;
/** What is less is counted as 0, with nine decimals; free is only what is written as 0. */
export const leastRatio = 1e-9;

export function bool(fallback: boolean, closed = fallback): OptionKind<boolean> {
  return {
    fallback,
    closed,
    read: (text) => {
      if (text === 'true' || text === 'false') return text === 'true';
      throw new OptionRefused('option_value');
    },
    write: String,
  };
}

export function number(fallback: number, { min = 0, max = Number.MAX_SAFE_INTEGER, whole = true } = {}): OptionKind<number> {
  return {
    fallback,
    limits: { min, max, whole },
    read: (text) => {
      const value = /^\d{1,16}(\.\d{1,12})?$/.test(text.trim()) ? Number(text) : Number.NaN;
      if (!(value >= min && value <= max) || (whole && !Number.isSafeInteger(value))) throw new OptionRefused('option_value');
      return value;
    },
    // Without an exponent, which could not be read again.
    write: (value) => (String(value).includes('e') ? value.toFixed(12).replace(/0+$/, '') : String(value)),
  };
}

export function choice<const Choice extends string>(
  fallback: Choice,
  others: readonly Choice[],
  closed = fallback,
): OptionKind<Choice> {
  const choices = [fallback, ...others];
  return {
    fallback,
    closed,
    limits: { choices },
    read: (value) => {
      const found = choices.find((known) => known === value);
      if (found === undefined) throw new OptionRefused('option_value');
      return found;
    },
    write: (value) => value,
  };
}

/** Domains of mail, with commas between them: those of a Chinese keyboard, too, and as they stand in an address. */
export function domains(fallback: readonly string[]): OptionKind<readonly string[]> {
  return {
    fallback,
    read: (value) => value.split(/[,，、;；\s]+/).flatMap((word) => word.replace(/^@+/, '') || []),
    write: (value) => value.join(','),
  };
}

/** Model or group name -> non-negative decimal. */
export function ratios(
  fallback: Record<string, number>,
  negative: (name: string) => OptionRefused = () => new OptionRefused('option_value'),
): OptionKind<ReadonlyMap<string, number>> {
  return json<ReadonlyMap<string, number>>(
    new Map(Object.entries(fallback)),
    (value) => ratioMap(value, negative),
    (map) => Object.fromEntries(map),
  );
}

const longestSeconds = 3_600;

/** Model -> whole seconds. */
export function secondsOfModels(): OptionKind<ReadonlyMap<string, number>> {
  const read = ([model, seconds]: [string, unknown]): [string, number] => {
    if (typeof seconds === 'number' && Number.isInteger(seconds) && seconds >= 1 && seconds <= longestSeconds)
      return [model, seconds];
    throw new OptionRefused('option_invalid', { detail: `${model}: 1-${longestSeconds}` });
  };
  return json<ReadonlyMap<string, number>>(
    new Map(),
    (value) => new Map(entriesOf(value).map(read)),
    (map) => Object.fromEntries(map),
  );
}

/** GroupRatio has its own text for a negative ratio (contract 3.5). */
export function groupRatios(fallback: Record<string, number>): OptionKind<ReadonlyMap<string, number>> {
  return ratios(fallback, (name) => new OptionRefused('option_group_ratio', { name }));
}

/** Name -> name -> ratio: of a user's group and a used one, of a model and how it is served. */
export function nestedRatios(
  fallback: Readonly<Record<string, Readonly<Record<string, number>>>> = {},
): OptionKind<ReadonlyMap<string, ReadonlyMap<string, number>>> {
  return json<ReadonlyMap<string, ReadonlyMap<string, number>>>(
    new Map(Object.entries(fallback).map(([name, inner]) => [name, new Map(Object.entries(inner))])),
    (value) => new Map(entriesOf(value).map(([name, inner]) => [name, ratioMap(inner, () => new OptionRefused('option_value'))])),
    (map) => Object.fromEntries([...map].map(([name, inner]) => [name, Object.fromEntries(inner)])),
  );
}

export function labels(fallback: Record<string, string>): OptionKind<ReadonlyMap<string, string>> {
  return json<ReadonlyMap<string, string>>(
    new Map(Object.entries(fallback)),
    (value) => new Map(entriesOf(value).map(([name, label]) => [name, textIn(label)])),
    (map) => Object.fromEntries(map),
  );
}

export function names(fallback: readonly string[]): OptionKind<readonly string[]> {
  return json<readonly string[]>(
    fallback,
    (value) => listOf(value).map(textIn),
    (list) => list,
  );
}

/** A JSON object whose content only its reader understands. */
export function object(fallback: Record<string, unknown>): OptionKind<Readonly<Record<string, unknown>>> {
  return json<Readonly<Record<string, unknown>>>(
    fallback,
    (value) => Object.fromEntries(entriesOf(value)),
    (record) => record,
  );
}

/** A JSON-typed option; `parse` throws OptionRefused for the wrong shape. */
export function json<Value>(
  fallback: Value,
  parse: (value: unknown) => Value,
  shape: (value: Value) => unknown,
): OptionKind<Value> {
  return {
    fallback,
    json: true,
    read: (value) => {
      try {
        return parse(parseStrictJson(value));
      } catch (error) {
        if (error instanceof JsonRefused) throw new OptionRefused('option_json', { detail: error.message });
        throw error;
      }
    },
    write: (value) => JSON.stringify(shape(value)),
  };
}

function ratioMap(value: unknown, negative: (name: string) => OptionRefused): ReadonlyMap<string, number> {
  return new Map(
    entriesOf(value).map(([name, ratio]) => {
      if (typeof ratio !== 'number' || !(ratio <= ratioLimit)) throw new OptionRefused('option_value');
      if (ratio < 0) throw negative(name);
      if (ratio > 0 && ratio < leastRatio) throw new OptionRefused('option_ratio_small', { name });
      return [name, ratio];
    }),
  );
}

export function entriesOf(value: unknown): [string, unknown][] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new OptionRefused('option_json_object');
  return Object.entries(value);
}

export function listOf(value: unknown): unknown[] {
  if (!Array.isArray(value)) throw new OptionRefused('option_json_list');
  return value;
}

export function textIn(value: unknown): string {
  if (typeof value !== 'string') throw new OptionRefused('option_json_text');
  return value;
}
