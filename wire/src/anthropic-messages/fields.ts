import { spelledExtra } from '../chat/losses.ts';
import type { CacheMark, Extra } from '../chat/parts.ts';
import { asObject, isUnset, type JsonObject } from '../json.ts';
import { dialectName } from './types.ts';

/** Members that only say in what steps an answer comes. */
const hintNames: readonly string[] = ['eager_input_streaming'];

/** The members that say something and are not among the known ones; undefined when there are none. */
export function extraOf(object: JsonObject, known: readonly string[]): Extra | undefined {
  const fields = restOf(object, [...known, ...hintNames]);
  const hints = Object.fromEntries(hintNames.filter((name) => name in object).map((name) => [name, object[name]]));
  if (Object.keys(hints).length > 0) return { dialect: dialectName, fields, hints };
  return Object.keys(fields).length === 0 ? undefined : { dialect: dialectName, fields };
}

/** The members that are set and not among the known ones. */
export function restOf(object: JsonObject, known: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([key, value]) => !isUnset(value) && !known.includes(key)));
}

/** The fields of this dialect that a part carries; those of another one are lost. */
export function ownFields(extra: Extra | undefined, lose: (word: string) => void): JsonObject {
  return spelledExtra(dialectName, extra, lose);
}

export function readCache(block: JsonObject): CacheMark | undefined {
  const control = asObject(block.cache_control);
  if (control === undefined) return undefined;
  return control.ttl === '1h' ? '1h' : '5m';
}

/** The member that marks the end of a prefix worth caching. */
export function writeCache(cache: CacheMark | undefined): JsonObject {
  if (cache === undefined) return {};
  return { cache_control: cache === '1h' ? { type: 'ephemeral', ttl: '1h' } : { type: 'ephemeral' } };
}

/** What was made of the items, without what came to nothing. */
export function collect<T, R>(items: readonly T[], make: (item: T) => R | undefined): R[] {
  const made: R[] = [];
  for (const item of items) {
    const one = make(item);
    if (one !== undefined) made.push(one);
  }
  return made;
}
