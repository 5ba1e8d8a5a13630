import type { JsonScan } from '@tollgate/wire';
import type { Inquiry } from './inquiry.ts';
import { closingQuote } from './json-elements.ts';

const QUOTE = 0x22;
const longestScan = 16_384;
/** Where the dialects keep the turns of a conversation. */
const turns: ReadonlySet<string> = new Set(['messages', 'input', 'contents']);
const headBytes = 64;
const tailBytes = 448;

/**
 * The bytes that all requests of one conversation share: the cache key or the user that the caller names, else the
 * messages up to the first of the user's. Undefined when there is nothing to go by.
 */
export function conversationOf({ bytes, peek }: Pick<Inquiry, 'bytes' | 'peek'>): Uint8Array | undefined {
  const named = textMember(peek.scan, 'prompt_cache_key') ?? textMember(peek.scan, 'user');
  if (named !== undefined) return bytes.subarray(named.valueStart, Math.min(named.valueEnd, named.valueStart + tailBytes));
  const messages = peek.scan.members.find(({ key, kind }) => kind === 'array' && turns.has(key));
  if (messages === undefined) return undefined;
  const start = messages.valueStart;
  return shortened(bytes.subarray(start, firstTurnEnd(bytes, start + 1, Math.min(messages.valueEnd, start + longestScan))));
}

function textMember(scan: JsonScan, name: string) {
  return scan.members.find(
    ({ key, kind, valueEnd, valueStart }) => key === name && kind === 'string' && valueEnd - valueStart > 2,
  );
}

/** The end of the first message of the user's. The structure was checked by the scan; only nesting is followed. */
function firstTurnEnd(bytes: Buffer, from: number, to: number): number {
  let depth = 0;
  let elementStart = from;
  for (let at = from; at < to; at += 1) {
    const byte = bytes[at];
    if (byte === QUOTE) at = closingQuote(bytes, at, to);
    else if (byte === 0x7b || byte === 0x5b) {
      if (depth === 0) elementStart = at;
      depth += 1;
    } else if (byte === 0x7d || byte === 0x5d) {
      depth -= 1;
      if (depth === 0 && bytes.subarray(elementStart, at).includes('"user"')) return at + 1;
    }
  }
  return to;
}

/** Long beginnings differ at their end: what tells conversations apart stands in the user's first words. */
function shortened(bytes: Buffer): Uint8Array {
  if (bytes.length <= headBytes + tailBytes) return bytes;
  const short = new Uint8Array(headBytes + tailBytes);
  short.set(bytes.subarray(0, headBytes));
  short.set(bytes.subarray(-tailBytes), headBytes);
  return short;
}
