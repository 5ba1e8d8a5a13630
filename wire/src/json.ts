/** Reading parsed JSON that nobody vouches for. */
import { readArguments, readJson } from './exact-json.ts';

export type JsonObject = Record<string, unknown>;

/** The value when it is a JSON object (not null, not an array). */
export function asObject(value: unknown): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as JsonObject) : undefined;
}

/** The objects of a JSON array; anything else counts as an empty array. */
export function asObjects(value: unknown): JsonObject[] {
  const objects: JsonObject[] = [];
  if (Array.isArray(value)) {
    for (const item of value) {
      const object = asObject(item);
      if (object !== undefined) objects.push(object);
    }
  }
  return objects;
}

/** The value when it is a string, else "". */
export function asText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** A number, or the one that a text says; else NaN. Unlike `Number` it takes an object whose `toString` is data. */
export function asNumber(value: unknown): number {
  if (typeof value === 'string' && value.trim() !== '') return Number(value);
  return typeof value === 'number' ? value : Number.NaN;
}

/** A member that is a finite number; undefined for anything else. */
export function numberAt(object: JsonObject, member: string): number | undefined {
  const value = object[member];
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

/** A whole number from 0 to `most`, such as a place in a list; undefined for anything else. JSON's 1e999 is Infinity here, and null where it is written again. */
export function asCount(value: unknown, most: number = Number.MAX_SAFE_INTEGER): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= most ? value : undefined;
}

/** The text, or the number as text; else "". Unlike `String` it takes an object whose `toString` is data. */
export function asWord(value: unknown): string {
  return typeof value === 'number' ? String(value) : asText(value);
}

/** What a table of ours says of a word from outside. What all objects inherit, such as `constructor`, is no entry. */
export function entryOf<T>(table: Readonly<Record<string, T>>, word: string): T | undefined {
  return Object.hasOwn(table, word) ? table[word] : undefined;
}

/** The object without the members that are undefined. */
export function defined<T extends object>(object: T): T {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as T;
}

/** What is nested deeper is not read: whatever walks or repeats it later would run out of stack. */
const maxDepth = 2000;
/** Objects and lists of one text. Parsed, an empty one takes ten times the memory of its text. */
const maxContainers = 500_000;

/**
 * The parsed text when it is a JSON object of at most 2000 levels and 500,000 objects and lists, else undefined. A byte order
 * mark before it, which some servers write, is none of it (RFC 8259, 8.1). Never throws.
 */
export function parseObject(text: string): JsonObject | undefined {
  return asObject(parseJson(text));
}

/** The same for JSON of any kind. */
export function parseJson(text: string): unknown {
  return readWith(readJson, text);
}

/** What a model wrote as the arguments of a tool, digit by digit; undefined as above. */
export function parseArguments(text: string): JsonObject | undefined {
  return asObject(readWith(readArguments, text));
}

function readWith(read: (text: string) => unknown, text: string): unknown {
  if (text.length > 2 * maxDepth && isTooMuch(text)) return undefined;
  try {
    return read(text.charCodeAt(0) === 0xfeff ? text.slice(1) : text);
  } catch {
    return undefined;
  }
}

function isTooMuch(text: string): boolean {
  let depth = 0;
  let containers = 0;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 0x22) at = stringEnd(text, at + 1);
    else if (code === 0x5b || code === 0x7b) {
      depth += 1;
      containers += 1;
      if (depth > maxDepth || containers > maxContainers) return true;
    } else if (code === 0x5d || code === 0x7d) depth -= 1;
  }
  return false;
}

/** Offset of the quote that closes the string, or the text's length. */
function stringEnd(text: string, from: number): number {
  for (let end = text.indexOf('"', from); end >= 0; end = text.indexOf('"', end + 1)) {
    let before = end - 1;
    while (before >= from && text.charCodeAt(before) === 0x5c) before -= 1;
    if ((end - 1 - before) % 2 === 0) return end;
  }
  return text.length;
}

/** Says no more than its absence: clients also send their settings where there are none. */
export function isUnset(value: unknown): boolean {
  return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);
}
