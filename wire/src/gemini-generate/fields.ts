import { asObject, asObjects, type JsonObject } from '../json.ts';

/** The same object with its own keys in camel case: requests may spell members in snake case, too. Camel case wins. */
export function camelKeys(object: JsonObject): JsonObject {
  const keys = Object.keys(object);
  if (!keys.some((key) => key.includes('_'))) return object;
  const entries = keys.map((key): [string, unknown] => [camel(key), object[key]]);
  const own = keys.filter((key) => !key.includes('_')).map((key): [string, unknown] => [key, object[key]]);
  return Object.fromEntries([...entries, ...own]);
}

function camel(key: string): string {
  return key.replace(/(?<=[a-zA-Z0-9])_+([a-zA-Z0-9])/g, (_, letter: string) => letter.toUpperCase());
}

/** A member that is a list; one object alone counts as a list of one, as the published examples have it. */
export function listOf(value: unknown): JsonObject[] {
  const one = asObject(value);
  return one === undefined ? asObjects(value) : [one];
}

/** A finite number, also when it is spelled as a string, as 64-bit integers are. */
export function numberOf(value: unknown): number | undefined {
  const number = typeof value === 'string' && /^-?\d{1,17}(\.\d{1,17})?$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

/** The strings of a list; anything else counts as none. */
export function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string') : [];
}

/** `{[key]: value}`, or nothing for undefined. */
export function given<Key extends string, Value>(key: Key, value: Value | undefined): { [K in Key]?: Value } {
  return value === undefined ? {} : ({ [key]: value } as { [K in Key]?: Value });
}
