/** Scalars inside raw JSON bytes: where they end, what strings say, whether they are media. */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** A string of at least this many bytes under a media key may be a picture, a sound or a document. */
const mediaMinBytes = 1024;
/** Keys under which the public AI protocols carry inline media. */
const mediaKeys: ReadonlySet<string> = new Set(['url', 'data', 'file_data', 'image_url', 'b64_json']);
const mediaProbes = 64;

/** Offset of the quote that closes the string whose text starts at `from`, or -1. */
export function stringEnd(body: Buffer, from: number): number {
  let at = from;
  for (;;) {
    // Short strings and dense escapes are cheaper by hand than one native search each.
    const near = Math.min(at + 32, body.length);
    while (at < near) {
      const byte = body[at];
      if (byte === QUOTE) return at;
      at += byte === BACKSLASH ? 2 : 1;
    }
    const quote = body.indexOf(QUOTE, at);
    if (quote < 0 || at >= body.length) return -1;
    let before = quote - 1;
    while (before >= at && body[before] === BACKSLASH) before -= 1;
    if ((quote - before) % 2 === 1) return quote;
    at = quote + 1;
  }
}

/** How JSON may spell letters of ASCII, which no encoder does by itself: a body that holds one may hold any word. */
export const letterEscapes: readonly string[] = ['\\u004', '\\u005', '\\u006', '\\u007'];

/** As many as the runtime looks for from first byte to first byte; of more it reads byte by byte behind some twenty of them. */
const quickBytes = 7;

/** Does a body hold these characters, all of them ASCII and the first one rare, as a quote is? */
export function holdsText(body: Buffer, text: string): boolean {
  return body.includes(text.slice(0, quickBytes)) && body.includes(text);
}

/** Is the string between two offsets inline media: base64 or a data URL, long enough, under one of the media keys? */
export function isMedia(body: Buffer, from: number, to: number, keyFrom: number, keyTo: number): boolean {
  if (to - from < mediaMinBytes) return false;
  if (keyTo - keyFrom > 16 || !mediaKeys.has(body.toString('latin1', keyFrom, keyTo))) return false;
  if (body.toString('latin1', from, from + 5) === 'data:') return true;
  const stride = (to - from - 1) / (mediaProbes - 1);
  for (let k = 0; k < mediaProbes; k += 1) if (!isBase64(body[Math.floor(from + k * stride)])) return false;
  return true;
}

function isBase64(byte: number | undefined): boolean {
  if (byte === undefined) return false;
  const letter = byte | 0x20;
  if ((letter >= 0x61 && letter <= 0x7a) || isDigit(byte)) return true;
  return byte === 0x2b || byte === 0x2f || byte === 0x2d || byte === 0x5f || byte === 0x3d;
}

/** Text of the JSON string between two offsets (without quotes); undefined when it is not valid JSON or not UTF-8. */
export function decodeString(body: Buffer, from: number, to: number): string | undefined {
  let plain = true;
  for (let at = from; at < to && plain; at += 1) {
    const byte = body[at];
    plain = byte !== undefined && byte >= 0x20 && byte < 0x80 && byte !== BACKSLASH;
  }
  if (plain) return body.toString('latin1', from, to);
  const text = body.toString('utf8', from, to);
  // A replacement character would make what is read here differ from the bytes that go out.
  if (text.includes('\ufffd')) return undefined;
  try {
    const value: unknown = JSON.parse(`"${text}"`);
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Is the byte one of 0-9? */
export function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x30 && byte <= 0x39;
}

/** Offset behind the word at `from`, or -1 when another text stands there. */
export function wordEnd(body: Buffer, from: number, word: string): number {
  for (let k = 0; k < word.length; k += 1) if (body[from + k] !== word.charCodeAt(k)) return -1;
  return from + word.length;
}

/** Offset behind the JSON number at `from`, or -1 when it is no number. */
export function numberEnd(body: Buffer, from: number): number {
  let at = body[from] === 0x2d ? from + 1 : from;
  at = body[at] === 0x30 ? at + 1 : digitsEnd(body, at);
  if (at > 0 && body[at] === 0x2e) at = digitsEnd(body, at + 1);
  if (at < 0 || (body[at] !== 0x65 && body[at] !== 0x45)) return at;
  const signed = body[at + 1] === 0x2b || body[at + 1] === 0x2d;
  return digitsEnd(body, signed ? at + 2 : at + 1);
}

/** Offset behind at least one digit, or -1. */
function digitsEnd(body: Buffer, from: number): number {
  let at = from;
  while (isDigit(body[at])) at += 1;
  return at > from ? at : -1;
}
