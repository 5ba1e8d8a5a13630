import { PublicError } from '../platform/errors.ts';
import type { Transaction } from '../storage/database.ts';
import { isOptionKey, type OptionKey, type Options, optionKeys } from './definitions.ts';
import { checkRequirements } from './requirements.ts';
import { droppedSecrets, kindOf, originOf, type Reading, readChanges, readRows, refusing, textOf, toOptions } from './values.ts';

/** How an option is written in a file. */
export interface OptionShape {
  readonly key: OptionKey;
  readonly form: 'flag' | 'number' | 'text' | 'json' | 'secret';
  /** Its text while nothing is stored. */
  readonly fallback: string;
}

/** Every option there is. */
export const optionShapes: ReadonlyMap<string, OptionShape> = new Map(optionKeys.map((key) => [key, shapeOf(key)]));

function shapeOf(key: OptionKey): OptionShape {
  const { fallback, secret, json, write } = kindOf(key);
  const plain = typeof fallback === 'boolean' ? 'flag' : typeof fallback === 'number' ? 'number' : 'text';
  return { key, form: secret ? 'secret' : json ? 'json' : plain, fallback: write(fallback) };
}

/** The text of each option; secrets in plain, for comparing and sealing. `unreadable` are those whose stored value is no value. */
export async function readOptionTexts(
  query: Transaction['query'],
  crypto: Reading['crypto'],
): Promise<{ texts: ReadonlyMap<string, string>; unreadable: string[] }> {
  const unreadable: string[] = [];
  const warn = ({ option }: { option: string }) => void unreadable.push(option);
  const values = readRows(await query.selectFrom('option').selectAll().execute(), { crypto, warn });
  return { texts: new Map(optionKeys.map((key) => [key, textOf(key, values)])), unreadable };
}

/** A text as it would be stored. Throws PublicError like a save. */
export function normalOption(key: string, text: string): string {
  const [entry] = readChanges([{ key, value: text }]);
  return entry === undefined ? '' : kindOf(entry[0]).write(entry[1]);
}

/** The options that say where a secret is sent. */
export function placeOptionsOf(key: string): readonly string[] {
  return isOptionKey(key) ? (kindOf(key).boundTo ?? []) : [];
}

/** Where a secret is sent, as far as options say it. */
export function placesOfSecret(key: string, texts: ReadonlyMap<string, string>): string[] {
  return placeOptionsOf(key).map((place) => originOf(texts.get(place)));
}

/** The secrets that a save of these changes would drop, since they were entered for another place. */
export function secretsLost(changes: ReadonlyMap<string, string>, before: ReadonlyMap<string, string>): string[] {
  const asValues = (texts: ReadonlyMap<string, string>) => new Map([...texts].filter(([key]) => isOptionKey(key))) as never;
  return droppedSecrets(asValues(changes), asValues(before))
    .map(([key]) => key)
    .filter((key) => before.get(key) !== '');
}

/** The options of texts that are all readable. Throws PublicError like a save. */
export function optionsOf(texts: ReadonlyMap<string, string>): Options {
  return toOptions(readChanges([...texts].map(([key, value]) => ({ key, value }))));
}

/** What must be filled in before something is switched on, and is not. */
export function requirementFaults(
  changes: ReadonlyMap<string, string>,
  before: ReadonlyMap<string, string>,
): { key: string; message: string }[] {
  const options = optionsOf(new Map([...before, ...changes]));
  return [...changes.keys()].filter(isOptionKey).flatMap((key) => {
    try {
      refusing(() => checkRequirements(new Set([key]), options));
      return [];
    } catch (error) {
      if (!(error instanceof PublicError)) throw error;
      return [{ key, message: error.message }];
    }
  });
}
