import type { PricePreview } from '@tollgate/contract';
import { isRecord, parseRecord } from '../../lib/json.ts';
import { type EditedOption, editedOptions, faultyOptions, type OptionChange, type PriceTexts, pretty } from './draft.ts';

/** Where an entry stands: its option, then its name, of a pair of groups both names. */
type EntryPath = readonly [EditedOption, ...string[]];

/** What was edited and not yet saved. */
export interface PriceEdit {
  texts: PriceTexts;
  /** What they were made from. */
  base: PriceTexts;
  /** Entries that others changed, too, while they were edited. */
  clashes: readonly EntryPath[];
}

export const editOf = (saved: PriceTexts): PriceEdit => ({ texts: saved, base: saved, clashes: [] });

/** The edit on top of what is saved by now: entries that were not edited are the saved ones. A text with a fault waits. */
export function rebased(edit: PriceEdit, saved: PriceTexts): PriceEdit {
  const faulty = faultyOptions(edit.texts);
  const moved = editedOptions.filter((key) => edit.base[key] !== saved[key] && !faulty.includes(key));
  const replayed = moved.map((key) => ({
    key,
    ...replay(parseRecord(edit.base[key]), parseRecord(edit.texts[key]), parseRecord(saved[key])),
  }));
  const texts = replayed.map(({ key, entries }) => [key, pretty(entries)]);
  return {
    texts: { ...edit.texts, ...Object.fromEntries(texts) },
    base: { ...edit.base, ...Object.fromEntries(moved.map((key) => [key, saved[key]])) },
    clashes: [...edit.clashes, ...replayed.flatMap(({ key, clashes }) => clashes.map((path): EntryPath => [key, ...path]))],
  };
}

type Entries = Readonly<Record<string, unknown>>;
const isSame = (left: unknown, right: unknown): boolean => JSON.stringify(left) === JSON.stringify(right);
const isMap = (value: unknown): value is Entries | undefined => value === undefined || isRecord(value);

/** What was done to `was` is done to `now`, entry by entry; where both sides changed one, `wanted` wins. */
function replay(was: Entries = {}, wanted: Entries = {}, now: Entries = {}): { entries: Entries; clashes: string[][] } {
  const before = new Map(Object.entries(was));
  const mine = new Map(Object.entries(wanted));
  const entries = new Map(Object.entries(now));
  const clashes: string[][] = [];
  for (const name of new Set([...before.keys(), ...mine.keys()])) {
    const [from, to, present] = [before.get(name), mine.get(name), entries.get(name)];
    if (isSame(from, to) || isSame(to, present)) continue;
    if (isMap(from) && isMap(to) && isMap(present)) {
      const inner = replay(from, to, present);
      clashes.push(...inner.clashes.map((path) => [name, ...path]));
      put(entries, name, Object.keys(inner.entries).length > 0 ? inner.entries : undefined);
      continue;
    }
    if (!isSame(from, present)) clashes.push([name]);
    put(entries, name, to);
  }
  return { entries: Object.fromEntries(entries), clashes };
}

function put(entries: Map<string, unknown>, name: string, value: unknown): void {
  if (value === undefined) entries.delete(name);
  else entries.set(name, value);
}

interface EntryChange {
  option: EditedOption;
  name: string;
  /** JSON; "" where there is none. */
  from: string;
  to: string;
}

/** What a save changes, entry by entry; `inherited` says what is in force where there is no entry. */
export const entriesOf = (changes: readonly OptionChange[], inherited: PricePreview['inherited'] = []): EntryChange[] =>
  changes.flatMap(({ key, seen, value }) => {
    const [before, after] = [parseRecord(seen), parseRecord(value)];
    return Object.keys({ ...before, ...after }).flatMap((name) => {
      const [from, to] = [textAt(before, [name]), textAt(after, [name])];
      const otherwise = String(inherited.find(({ option, model }) => option === key && model === name)?.value ?? '');
      return from === to ? [] : { option: key, name, from: from || otherwise, to: to || otherwise };
    });
  });

/** The entries that a save takes from others, from what they are by now to what they were edited to. */
export function overruled({ texts, base, clashes }: PriceEdit): EntryChange[] {
  const unique = new Map(clashes.map((path) => [JSON.stringify(path), path]));
  return [...unique.values()].flatMap(([option, ...path]) => {
    const [from = '', to = ''] = [base, texts].map((side) => textAt(parseRecord(side[option]), path));
    return from === to ? [] : [{ option, name: path.join(' → '), from, to }];
  });
}

/** An entry as JSON; "" where there is none. */
function textAt(entries: unknown, path: readonly string[]): string {
  const found = path.reduce<unknown>((at, name) => (isRecord(at) && Object.hasOwn(at, name) ? at[name] : undefined), entries);
  return found === undefined ? '' : JSON.stringify(found);
}
