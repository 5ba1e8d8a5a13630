/** JSON of the console API: what two readers could read differently is refused. */

/** Why a text is not acceptable JSON; safe to show. */
export class JsonRefused extends Error {}

const maxDepth = 64;
const maxKeys = 10_000;
const forbiddenKeys = new Set(['__proto__', 'constructor', 'prototype']);

interface Container {
  /** Keys seen so far; undefined in an array. */
  readonly keys: Set<string> | undefined;
  /** In an object: the next string is a key. */
  expectsKey: boolean;
}

/**
 * Parses JSON text. Throws JsonRefused for bad syntax, duplicate keys, keys that reach into prototypes, NUL characters
 * (PostgreSQL cannot store them), too deep nesting or too many keys.
 */
export function parseStrictJson(text: string): unknown {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new JsonRefused(error instanceof Error ? error.message : 'not JSON');
  }
  checkStructure(text);
  return value;
}

/** `text` is known to be valid JSON, which keeps this walk simple. */
function checkStructure(text: string): void {
  const stack: Container[] = [];
  let keyCount = 0;
  for (let index = 0; index < text.length; index++) {
    const char = text[index];
    const top = stack.at(-1);
    if (char === '"') {
      const end = endOfString(text, index);
      const content = decode(text, index, end);
      if (top?.expectsKey) {
        checkKey(top, content);
        if (++keyCount > maxKeys) throw new JsonRefused('too many keys');
      }
      index = end;
    } else if (char === '{' || char === '[') {
      if (stack.length >= maxDepth) throw new JsonRefused('nested too deeply');
      stack.push(char === '{' ? { keys: new Set(), expectsKey: true } : { keys: undefined, expectsKey: false });
    } else if (char === '}' || char === ']') stack.pop();
    else if (char === ',' && top?.keys !== undefined) top.expectsKey = true;
  }
}

function checkKey(container: Container, key: string): void {
  if (forbiddenKeys.has(key)) throw new JsonRefused(`the key ${key} is not allowed`);
  if (container.keys?.has(key)) throw new JsonRefused('duplicate key');
  container.keys?.add(key);
  container.expectsKey = false;
}

function decode(text: string, start: number, end: number): string {
  const raw = text.slice(start + 1, end);
  if (!raw.includes('\\')) return raw;
  const content = String(JSON.parse(text.slice(start, end + 1)));
  if (content.includes('\0')) throw new JsonRefused('NUL characters are not allowed');
  return content;
}

function endOfString(text: string, start: number): number {
  let index = start + 1;
  while (text[index] !== '"') index += text[index] === '\\' ? 2 : 1;
  return index;
}
