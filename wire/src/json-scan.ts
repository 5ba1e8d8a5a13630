import { decodeString, isDigit, isMedia, numberEnd, stringEnd, wordEnd } from './json-text.ts';

/**
 * One pass over a request body: is it one JSON object, where do its top-level values stand, how big can the prompt be.
 * The structure is checked exactly; the inside of strings is skipped, so a body that passes here may still hold a
 * control character or an unknown escape, on which the end of a string does not depend.
 */

export const maxDepth = 512;
/** Top-level keys; real requests have fewer than 40. */
export const maxMembers = 512;

/** Objects, lists, texts and names: parsed, short ones take ten to twenty times their text. Of 16 MB of conversations there are fewer. */
export const maxParts = 1_000_000;

export type ValueKind = 'object' | 'array' | 'string' | 'number' | 'boolean' | 'null';

/** A top-level member; offsets are bytes of the body, ends are exclusive. */
export interface Member {
  readonly key: string;
  readonly kind: ValueKind;
  /** Of the key's opening quote. */
  readonly keyStart: number;
  readonly valueStart: number;
  readonly valueEnd: number;
}

export interface JsonScan {
  readonly members: readonly Member[];
  /** Offset of the byte after the opening brace. */
  readonly bodyStart: number;
  /** Bytes that can be prompt text: all but inline media and white space between values. */
  readonly textBytes: number;
  /** Inline media: base64 or data URLs of at least 1 KiB. */
  readonly mediaCount: number;
  readonly mediaBytes: number;
  /** Those of the words asked for that are the whole of a string somewhere in it, written without escapes; names do not count. */
  readonly words: readonly string[];
}

export type ScanResult = { readonly ok: true; readonly scan: JsonScan } | { readonly ok: false; readonly reason: string };

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;

interface Draft {
  key: string;
  kind: ValueKind;
  keyStart: number;
  valueStart: number;
  valueEnd: number;
}

interface Scanner {
  readonly body: Buffer;
  at: number;
  depth: number;
  parts: number;
  /** Nothing was read in the innermost container yet. */
  fresh: boolean;
  keyFrom: number;
  keyTo: number;
  readonly members: Draft[];
  readonly folded: string[];
  blank: number;
  mediaCount: number;
  mediaBytes: number;
  readonly wanted: readonly string[];
  readonly words: string[];
  reason: string;
}

// Closers of the open containers. Scanning never yields, so one array serves all calls.
const closers = new Uint8Array(maxDepth + 1);

const none: readonly string[] = [];

/**
 * Scans a body. Never throws; `reason` is a short English text that quotes at most 64 characters of the body. `wanted`: words
 * in ASCII that are looked for on the way, where a search of its own would read long texts once more.
 * Keys that differ only in case count as duplicates, because some upstreams read keys without regard to case and
 * would then read another value than the one that is priced here.
 */
export function scanObject(body: Buffer, wanted: readonly string[] = none): ScanResult {
  const s: Scanner = {
    body,
    at: 0,
    depth: 0,
    parts: 0,
    fresh: true,
    keyFrom: 0,
    keyTo: 0,
    members: [],
    folded: [],
    blank: 0,
    mediaCount: 0,
    mediaBytes: 0,
    wanted,
    words: [],
    reason: '',
  };
  if (skipBlank(s) !== OPEN_BRACE) return { ok: false, reason: 'the body is not a JSON object' };
  push(s, CLOSE_BRACE);
  const bodyStart = s.at;
  while (s.depth > 0) if (!step(s)) return { ok: false, reason: s.reason || unexpected(s) };
  skipBlank(s);
  if (s.at !== body.length) return { ok: false, reason: unexpected(s) };
  const { members, mediaCount, mediaBytes, words } = s;
  return { ok: true, scan: { members, bodyStart, textBytes: body.length - s.blank - mediaBytes, mediaCount, mediaBytes, words } };
}

function unexpected(s: Scanner): string {
  return s.at >= s.body.length ? 'the JSON body ends too early' : `unexpected byte at offset ${s.at} of the JSON body`;
}

/** Reads one element, or the end, of the innermost container. */
function step(s: Scanner): boolean {
  const closer = closers[s.depth];
  let byte = skipBlank(s);
  if (byte === closer) return pop(s);
  if (!s.fresh) {
    if (byte !== COMMA) return false;
    s.at += 1;
    byte = skipBlank(s);
  }
  s.fresh = false;
  if (closer === CLOSE_BRACKET) return readValue(s, byte, false);
  if (byte !== QUOTE || !readKey(s)) return false;
  if (skipBlank(s) !== COLON) return false;
  s.at += 1;
  return readValue(s, skipBlank(s), true);
}

function push(s: Scanner, closer: number): boolean {
  if (s.depth === maxDepth) {
    s.reason = `the JSON body is nested deeper than ${maxDepth} levels`;
    return false;
  }
  if (!hasRoom(s)) return false;
  s.depth += 1;
  closers[s.depth] = closer;
  s.fresh = true;
  s.at += 1;
  return true;
}

function hasRoom(s: Scanner): boolean {
  s.parts += 1;
  if (s.parts > maxParts) s.reason = `the JSON body has more than ${maxParts} parts`;
  return s.parts <= maxParts;
}

function pop(s: Scanner): boolean {
  s.at += 1;
  s.depth -= 1;
  s.fresh = false;
  if (s.depth === 1) closeMember(s);
  return true;
}

function closeMember(s: Scanner): void {
  const member = s.members.at(-1);
  if (member !== undefined) member.valueEnd = s.at;
}

function readKey(s: Scanner): boolean {
  const from = s.at + 1;
  const to = stringEnd(s.body, from);
  if (to < 0) {
    s.at = s.body.length;
    return false;
  }
  s.keyFrom = from;
  s.keyTo = to;
  s.at = to + 1;
  return hasRoom(s) && (s.depth > 1 || addMember(s));
}

const foldedNames = new Map<string, string>();
const mostNames = 1_024;

/** The name without regard to case; kept, since bodies name the same few members again and again. */
export function foldedName(key: string): string {
  const known = foldedNames.get(key);
  if (known !== undefined) return known;
  // Lower, then upper case folds also the two letters outside ASCII that fold to k and s.
  const folded = key.toLowerCase().toUpperCase();
  if (foldedNames.size >= mostNames) foldedNames.clear();
  // One that is longer than any name is not worth keeping.
  if (key.length <= 64) foldedNames.set(key, folded);
  return folded;
}

function addMember(s: Scanner): boolean {
  const key = decodeString(s.body, s.keyFrom, s.keyTo);
  if (key === undefined) return false;
  const folded = foldedName(key);
  if (s.folded.includes(folded)) s.reason = `duplicate key ${JSON.stringify(key.slice(0, 64))}`;
  else if (s.members.length === maxMembers) s.reason = `more than ${maxMembers} keys`;
  if (s.reason !== '') return false;
  s.folded.push(folded);
  s.members.push({ key, kind: 'null', keyStart: s.keyFrom - 1, valueStart: 0, valueEnd: 0 });
  return true;
}

function readValue(s: Scanner, byte: number | undefined, keyed: boolean): boolean {
  const kind = kindOf(byte);
  if (kind === undefined) return false;
  const isMember = s.depth === 1;
  if (isMember) {
    const member = s.members.at(-1);
    if (member === undefined) return false;
    member.kind = kind;
    member.valueStart = s.at;
  }
  if (kind === 'object') return push(s, CLOSE_BRACE);
  if (kind === 'array') return push(s, CLOSE_BRACKET);
  if (!readScalar(s, kind, keyed)) return false;
  if (isMember) closeMember(s);
  return true;
}

function kindOf(byte: number | undefined): ValueKind | undefined {
  if (byte === QUOTE) return 'string';
  if (byte === OPEN_BRACE) return 'object';
  if (byte === OPEN_BRACKET) return 'array';
  if (byte === 0x74 || byte === 0x66) return 'boolean';
  if (byte === 0x6e) return 'null';
  if (byte === 0x2d || isDigit(byte)) return 'number';
  return undefined;
}

function readScalar(s: Scanner, kind: ValueKind, keyed: boolean): boolean {
  if (kind === 'string') return readString(s, keyed);
  const { body, at } = s;
  const end =
    kind === 'number' ? numberEnd(body, at) : wordEnd(body, at, kind === 'null' ? 'null' : body[at] === 0x74 ? 'true' : 'false');
  if (end < 0) return false;
  s.at = end;
  return true;
}

function readString(s: Scanner, keyed: boolean): boolean {
  const from = s.at + 1;
  const to = stringEnd(s.body, from);
  if (to < 0) {
    s.at = s.body.length;
    return false;
  }
  s.at = to + 1;
  if (!hasRoom(s)) return false;
  for (const word of s.wanted)
    if (word.length === to - from && s.body.toString('latin1', from, to) === word && !s.words.includes(word)) s.words.push(word);
  if (keyed && isMedia(s.body, from, to, s.keyFrom, s.keyTo)) {
    s.mediaCount += 1;
    s.mediaBytes += to - from;
  }
  return true;
}

function skipBlank(s: Scanner): number | undefined {
  const { body, at: from } = s;
  let byte = body[from];
  if (byte !== undefined && byte > 0x20) return byte;
  let at = from;
  while (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) {
    at += 1;
    byte = body[at];
  }
  s.at = at;
  s.blank += at - from;
  return byte;
}
