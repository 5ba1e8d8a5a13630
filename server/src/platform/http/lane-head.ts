import { withoutBlanks } from './header-value.ts';
import { apart } from './shared-reads.ts';

/** The head of a plain POST whose whole body is announced. */
export interface LaneHead {
  readonly url: string;
  /** Lower-case names, each once; without that of the length. */
  readonly headers: Readonly<Record<string, string>>;
  readonly bodyStart: number;
  readonly bodyLength: number;
}

const maxHeadBytes = 16_384;
export const maxUrlLength = 8_192;
/** Larger bodies are read only once their caller is known, by the general parser. */
const maxLaneBody = 65_536;

/** RFC 9112, without anything optional: no folded lines, no blanks before a colon, no line ends but CRLF. */
const plainHead = /^POST (\/[\x21-\x7e]*) HTTP\/1\.1\r\n(?:[\w!#$%&'*+.^`|~-]+:[\t\x20-\x7e\x80-\xff]*\r\n)+$/;
/** What changes how a message is framed or whom it is for, and what is no name for a member. */
const special = new Set([
  '__proto__',
  'transfer-encoding',
  'expect',
  'upgrade',
  'trailer',
  'te',
  'proxy-connection',
  'http2-settings',
]);

/**
 * Reads the head of a request that comes as nearly all of them do. `more`: it has not all come. `other`: anything that is
 * not exactly so, for the general parser to judge.
 */
export function readLaneHead(bytes: Buffer): LaneHead | 'more' | 'other' {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return bytes.length > maxHeadBytes || !mayBecomePost(bytes) ? 'other' : 'more';
  if (end > maxHeadBytes) return 'other';
  const text = bytes.toString('latin1', 0, end + 2);
  const url = plainHead.exec(text)?.[1];
  if (url === undefined || url.length > maxUrlLength) return 'other';
  const headers = readHeaders(text);
  if (headers?.host === undefined) return 'other';
  const length = headers['content-length'];
  delete headers['content-length'];
  if (length === undefined || !/^\d{1,8}$/.test(length) || Number(length) > maxLaneBody) return 'other';
  if (headers.connection !== undefined && headers.connection.toLowerCase() !== 'keep-alive') return 'other';
  return { url, headers, bodyStart: end + 4, bodyLength: Number(length) };
}

/** What all requests of a connection begin with, but for the digits of their length. */
export interface KnownHead {
  readonly head: LaneHead;
  readonly before: Buffer;
  readonly behind: Buffer;
}

const lengthStart = /\r\ncontent-length:[\t ]*/i;
const mostDigits = 8;

/** `head` was read from `bytes`, of which a copy is kept. */
export function knowHead(bytes: Buffer, head: LaneHead): KnownHead {
  const text = bytes.toString('latin1', 0, head.bodyStart);
  const found = lengthStart.exec(text);
  const start = (found?.index ?? 0) + (found?.[0].length ?? 0);
  const end = start + (/^\d*/.exec(text.slice(start))?.[0].length ?? 0);
  const own = apart(bytes.subarray(0, head.bodyStart));
  return { head, before: own.subarray(0, start), behind: own.subarray(end) };
}

/** The head, when it differs from the known one in nothing but the length: exactly what `readLaneHead` would say. */
export function readKnownHead(bytes: Buffer, { head, before, behind }: KnownHead): LaneHead | undefined {
  let at = before.length;
  if (bytes.length <= at || before.compare(bytes, 0, at) !== 0) return undefined;
  const last = Math.min(at + mostDigits, bytes.length);
  let bodyLength = 0;
  for (; at < last; at += 1) {
    const digit = (bytes[at] ?? 0) - 0x30;
    if (digit < 0 || digit > 9) break;
    bodyLength = bodyLength * 10 + digit;
  }
  const bodyStart = at + behind.length;
  if (at === before.length || bodyLength > maxLaneBody || bodyStart > maxHeadBytes || bytes.length < bodyStart) return undefined;
  return behind.compare(bytes, at, bodyStart) === 0 ? { url: head.url, headers: head.headers, bodyStart, bodyLength } : undefined;
}

function mayBecomePost(bytes: Buffer): boolean {
  return 'POST '.startsWith(bytes.toString('latin1', 0, 5));
}

/** `text` has the shape of `plainHead`. Undefined: a name stands twice, or is a special one. */
function readHeaders(text: string): Record<string, string> | undefined {
  const headers: Record<string, string> = Object.create(null);
  for (let at = text.indexOf('\r\n') + 2; at < text.length; ) {
    const end = text.indexOf('\r\n', at);
    const colon = text.indexOf(':', at);
    const name = text.slice(at, colon).toLowerCase();
    if (headers[name] !== undefined || special.has(name)) return undefined;
    headers[name] = withoutBlanks(text, colon + 1, end);
    at = end + 2;
  }
  return headers;
}
