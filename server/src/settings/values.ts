import type { Crypto } from '../platform/crypto.ts';
import { PublicError } from '../platform/errors.ts';
import type { SealedColumn } from '../storage/reseal.ts';
import { definitions, isOptionKey, type OptionKey, type Options, optionKeys } from './definitions.ts';
import { type OptionKind, OptionRefused } from './kinds.ts';

export interface OptionChange {
  key: string;
  value: string | number | boolean;
  /** What the editor was filled with; absent = the value is written whatever stands there. */
  seen?: string | undefined;
}

type StoredRow = { key: string; value: string };

/** Stored or submitted values; absent = the default. */
export type Values = ReadonlyMap<OptionKey, unknown>;

/** What opens the stored secrets, and who hears of values that cannot be used. */
export interface Reading {
  readonly crypto: Crypto;
  warn(fault: { option: OptionKey; reason: string }): void;
}

export function readRows(rows: readonly StoredRow[], { crypto, warn }: Reading): Values {
  const values = new Map<OptionKey, unknown>();
  for (const { key, value } of rows) {
    if (!isOptionKey(key)) continue;
    try {
      const kind = kindOf(key);
      values.set(key, kind.read(kind.secret && value !== '' ? crypto.open(value, binding(key)) : value));
    } catch (error) {
      warn({ option: key, reason: error instanceof Error ? error.message : 'unreadable' });
    }
  }
  return values;
}

export function toOptions(values: Values, unreadable: ReadonlyMap<OptionKey, StandIn> = new Map()): Options {
  const record = Object.fromEntries(optionKeys.map((key) => [key, values.get(key) ?? kindOf(key).fallback]));
  return Object.freeze({ ...record, [standIns]: unreadable }) as unknown as Options;
}

/** What counts in place of a stored value that cannot be read: the last one that could be, or, after a start, one that opens nothing. */
export type StandIn = 'kept' | 'closed';
/** Goes with the record wherever that is copied to. */
const standIns = Symbol('stand-ins');

/** The options among these whose stored values cannot be read. */
export function standInsOf(options: Partial<Options>): ReadonlyMap<OptionKey, StandIn> {
  return (options as { [standIns]?: ReadonlyMap<OptionKey, StandIn> })[standIns] ?? new Map();
}

/** Whether nothing is known of one of these: what it would allow, or what it would cost, is refused. */
export function isClosed(options: Partial<Options>, keys: readonly OptionKey[]): boolean {
  const unreadable = standInsOf(options);
  return unreadable.size > 0 && keys.some((key) => unreadable.get(key) === 'closed');
}

/** Looks an option up by any name: for the vendors' records, which know no type of ours. */
export function optionOf(options: Options): (name: string) => unknown {
  return (name) => (options as unknown as Readonly<Record<string, unknown>>)[name];
}

/** The options of these rows. `before`: as they were when all of this was read the last time. */
export function readOptions(rows: readonly StoredRow[], reading: Reading, before: Options | undefined): Options {
  const unreadable = new Map<OptionKey, StandIn>();
  const warn = (fault: { option: OptionKey; reason: string }) => {
    const isKnown = before !== undefined && !isClosed(before, [fault.option]);
    unreadable.set(fault.option, isKnown ? 'kept' : 'closed');
    reading.warn(fault);
  };
  const values = new Map(readRows(rows, { ...reading, warn }));
  for (const [key, standIn] of unreadable) values.set(key, standIn === 'kept' ? before?.[key] : kindOf(key).closed);
  return toOptions(values, unreadable);
}

/** As the options would be after these changes. */
export function withChanges(options: Options, changes: Values): Options {
  const unreadable = [...standInsOf(options)].filter(([key]) => !changes.has(key));
  return Object.freeze({ ...options, ...Object.fromEntries(changes), [standIns]: new Map(unreadable) });
}

/** The values of these texts. Throws PublicError `option_unknown` or `option_invalid`. */
export function readChanges(changes: readonly OptionChange[]): Map<OptionKey, unknown> {
  const submitted = new Map<OptionKey, unknown>();
  for (const { key, value } of changes) {
    if (!isOptionKey(key)) throw new PublicError('option_unknown');
    submitted.set(
      key,
      refusing(() => kindOf(key).read(String(value))),
    );
  }
  return submitted;
}

/** Why a text is no value of this option, as the code of the refusal; undefined = it is one. */
export function optionFault(key: string, text: string): string | undefined {
  if (!isOptionKey(key)) return 'option_unknown';
  try {
    kindOf(key).read(text);
    return undefined;
  } catch (error) {
    if (error instanceof OptionRefused) return error.code;
    throw error;
  }
}

export function textOf(key: OptionKey, values: Values): string {
  return kindOf(key).write(values.get(key) ?? kindOf(key).fallback);
}

/** The first option that has not the text any more that its editor saw. A secret is never shown, so that no text is its. */
export function movedOption(changes: readonly OptionChange[], before: Values): string | undefined {
  return changes.find(({ key, seen }) => {
    if (seen === undefined || !isOptionKey(key)) return false;
    return kindOf(key).secret ? seen !== '' : normalText(key, seen) !== textOf(key, before);
  })?.key;
}

/** As `textOf` would write it; undefined for what is no value of this option. */
export function normalText(key: OptionKey, text: string): string | undefined {
  try {
    return kindOf(key).write(kindOf(key).read(text));
  } catch (error) {
    if (error instanceof OptionRefused) return undefined;
    throw error;
  }
}

/** Secrets whose destination changes to another origin without a new secret. */
export function droppedSecrets(submitted: Values, before: Values): [OptionKey, ''][] {
  const after = new Map([...before, ...submitted]);
  return optionKeys.flatMap((key): [OptionKey, ''][] => {
    const places = kindOf(key).boundTo ?? [];
    const from = destinationAmong(places, before);
    const moves = from !== '' && from !== destinationAmong(places, after);
    return moves && !submitted.has(key) ? [[key, '']] : [];
  });
}

/** The origin that a secret is sent to: of its places the last that is filled in counts, those before it stand in for it. */
function destinationAmong(places: readonly string[], values: Values): string {
  const origins = places.filter(isOptionKey).map((place) => originOf(values.get(place)));
  return origins.findLast((origin) => origin !== '') ?? '';
}

/** Where an address leads; other texts name a place themselves. */
export function originOf(address: unknown): string {
  if (typeof address !== 'string') return '';
  return URL.parse(address)?.origin ?? address;
}

export function storedText(key: OptionKey, value: unknown, crypto: Crypto): string {
  const kind = kindOf(key);
  const text = kind.write(value);
  return kind.secret && text !== '' ? crypto.seal(text, binding(key)) : text;
}

function binding(key: OptionKey): string {
  return `option/value/${key}`;
}

/** Where the secrets among them lie sealed. */
export const sealedOptions: SealedColumn = {
  table: 'option',
  key: 'key',
  column: 'value',
  binding: ({ key }) => {
    const name = String(key);
    return isOptionKey(name) && kindOf(name).secret ? binding(name) : undefined;
  },
};

/** The kinds differ in their value's type; reading and writing stay inside one kind, so `unknown` is safe here. */
export function kindOf(key: OptionKey): OptionKind<unknown> {
  return definitions[key] as OptionKind<unknown>;
}

export function refusing<Value>(check: () => Value): Value {
  try {
    return check();
  } catch (error) {
    if (error instanceof OptionRefused) throw new PublicError(error.code, error.values);
    throw error;
  }
}
