import { anchoredFinder } from './anchored-words.ts';

/** Finds any of many words in one pass over bytes (Aho and Corasick 1975), whatever the case of their ASCII letters. */
export interface WordFinder {
  /** True: `bytes` (UTF-8) hold one of the words. */
  finds(bytes: Uint8Array): boolean;
  /** The words have letters beyond ASCII that come in two cases: lower-case the text before. */
  readonly hasOtherCases: boolean;
  /** The words have characters that JSON may write in two ways beside `\u`: a quote, a slash, a backslash, a tab. */
  readonly hasShortEscapes: boolean;
}

/** How many words there may be, and how long each. */
export const wordBounds = { words: 5_000, bytes: 255 } as const;
/** Up to here each word is looked for by itself: the system's search for one byte is far faster than a pass over all. */
const fewWords = 8;

/** The words are lines; empty ones, those over 255 bytes and those after the 5,000th are left out. Undefined: no word. */
export function createWordFinder(lines: string): WordFinder | undefined {
  const words = wordsIn(lines)
    .filter(({ length }) => length <= wordBounds.bytes)
    .slice(0, wordBounds.words);
  if (words.length === 0) return undefined;
  const classes = classesOf(words);
  const width = 1 + Math.max(...classes);
  const rows = rowsOf(automatonOf(words, classes, width), width);
  const anchored = words.length <= fewWords ? anchoredFinder(words) : undefined;
  const text = words.join('');
  const hasOtherCases = text.toUpperCase() !== upperAscii(text);
  return {
    hasOtherCases,
    hasShortEscapes: /["\\/\t\f\v]/.test(text),
    finds: (bytes) => anchored?.(bytes) ?? runs(bytes, classes, rows),
  };
}

/** Whether some of the words would be looked for by nobody. */
export function leavesOut(lines: string): boolean {
  const words = wordsIn(lines);
  return words.length > wordBounds.words || words.some(({ length }) => length > wordBounds.bytes);
}

/** In small letters, each once. */
function wordsIn(lines: string): Buffer[] {
  const words = new Set(lines.split(/\r?\n/).map((line) => line.trim().toLowerCase()));
  return [...words].map((word) => Buffer.from(word)).filter(({ length }) => length > 0);
}

function runs(bytes: Uint8Array, classes: Uint16Array, rows: Int32Array): boolean {
  let row = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    const symbol = classes[bytes[at] ?? 0] ?? 0;
    // Most bytes stand in no word, and most others begin none.
    row = symbol === 0 ? 0 : (rows[row + symbol] ?? 0);
    if (row === found) return true;
  }
  return false;
}

/** What a step leads to when it ends a word. */
const found = -1;

/** Each step as the place of the next state's row: nothing is multiplied or looked up twice per byte. */
function rowsOf({ next, isEnd }: { next: Int32Array; isEnd: Uint8Array }, width: number): Int32Array {
  return next.map((state) => (isEnd[state] === 1 ? found : state * width));
}

function upperAscii(text: string): string {
  return text.replaceAll(/[a-z]/g, (letter) => letter.toUpperCase());
}

/** Bytes that stand in no word share class 0; capitals share the class of their small letter. */
function classesOf(words: readonly Buffer[]): Uint16Array {
  const classes = new Uint16Array(256);
  let count = 0;
  for (const word of words) {
    for (const byte of word) {
      if (classes[byte] === 0) {
        count += 1;
        classes[byte] = count;
      }
    }
  }
  for (let letter = 0x41; letter <= 0x5a; letter += 1) classes[letter] = classes[letter + 0x20] ?? 0;
  return classes;
}

function automatonOf(words: readonly Buffer[], classes: Uint16Array, width: number): { next: Int32Array; isEnd: Uint8Array } {
  const most = 1 + words.reduce((sum, { length }) => sum + length, 0);
  const next = new Int32Array(most * width).fill(-1);
  const isEnd = new Uint8Array(most);
  let states = 1;
  for (const word of words) {
    let state = 0;
    for (const byte of word) {
      const at = state * width + (classes[byte] ?? 0);
      const known = next[at] ?? -1;
      if (known < 0) next[at] = states++;
      state = next[at] ?? 0;
    }
    isEnd[state] = 1;
  }
  link(next, isEnd, width);
  return { next, isEnd };
}

/** Fills in where each state goes on when its word does not: breadth first, so that shorter states are complete. */
function link(next: Int32Array, isEnd: Uint8Array, width: number): void {
  const fallback = new Int32Array(isEnd.length);
  const queue: number[] = [];
  for (let symbol = 0; symbol < width; symbol += 1) {
    const child = next[symbol] ?? -1;
    if (child < 0) next[symbol] = 0;
    else queue.push(child);
  }
  for (let at = 0; at < queue.length; at += 1) {
    const state = queue[at] ?? 0;
    const behind = fallback[state] ?? 0;
    if (isEnd[behind] === 1) isEnd[state] = 1;
    for (let symbol = 0; symbol < width; symbol += 1) {
      const child = next[state * width + symbol] ?? -1;
      const other = next[behind * width + symbol] ?? 0;
      if (child < 0) next[state * width + symbol] = other;
      else {
        fallback[child] = other;
        queue.push(child);
      }
    }
  }
}
