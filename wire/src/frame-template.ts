/**
 * Recognises ordinary stream frames without parsing them. Consecutive frames of a stream differ in one string (the new
 * text) and at most one more (random padding); the rest is the same bytes. A frame that was parsed and found ordinary
 * becomes a template; a later frame with the same bytes around valid strings is ordinary too, by construction.
 */
export interface FrameTemplate {
  /** After a match: the range of the text inside its quotes, in the buffer that was matched. */
  readonly textStart: number;
  readonly textEnd: number;
  /** Is the frame in `buffer[start, end)` ordinary? */
  matches(buffer: Buffer, start: number, end: number): boolean;
  /**
   * Learns from an ordinary frame. `key` is the JSON key of its text and `text` the parsed value; `padding` is the
   * second string that may differ. A frame in which they cannot be found safely is not learnt.
   */
  learn(frame: Buffer, key: string, text: string, padding?: { readonly key: string; readonly text: string }): void;
}

interface Shape {
  readonly prefix: Buffer;
  /** From the quote that closes the text; to the frame's end, or to the padding's opening quote included. */
  readonly middle: Buffer;
  /** From the quote that closes the padding to the frame's end. */
  readonly tail: Buffer | undefined;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** Two choices, or text and reasoning, may alternate. */
const maxShapes = 2;
/** After this many misses in a row the stream has no steady shape, and learning is tried rarely. */
const patience = 8;
const rareEvery = 32;

class Template implements FrameTemplate {
  textStart = 0;
  textEnd = 0;
  #shapes: Shape[] = [];
  #misses = 0;

  matches(buffer: Buffer, start: number, end: number): boolean {
    for (const shape of this.#shapes) {
      if (this.#fits(shape, buffer, start, end)) {
        this.#misses = 0;
        return true;
      }
    }
    return false;
  }

  #fits(shape: Shape, buffer: Buffer, start: number, end: number): boolean {
    const { prefix, middle, tail } = shape;
    const textStart = start + prefix.length;
    if (textStart + middle.length > end || buffer[textStart - 1] !== QUOTE) return false;
    if (buffer.compare(prefix, 0, prefix.length, start, textStart) !== 0) return false;
    const textEnd = plainEnd(buffer, textStart, end);
    const middleEnd = textEnd + middle.length;
    if (textEnd < 0 || middleEnd > end || (tail === undefined && middleEnd !== end)) return false;
    if (buffer.compare(middle, 0, middle.length, textEnd, middleEnd) !== 0) return false;
    if (tail !== undefined && !endsWith(buffer, middleEnd, end, tail)) return false;
    this.textStart = textStart;
    this.textEnd = textEnd;
    return true;
  }

  learn(frame: Buffer, key: string, text: string, padding?: { readonly key: string; readonly text: string }): void {
    this.#misses += 1;
    if (this.#misses > patience && this.#misses % rareEvery !== 0) return;
    const shape = shapeOf(frame, key, text, padding);
    if (shape === undefined) return;
    this.#shapes.unshift(shape);
    if (this.#shapes.length > maxShapes) this.#shapes.pop();
  }
}

function endsWith(buffer: Buffer, paddingStart: number, end: number, tail: Buffer): boolean {
  const paddingEnd = plainEnd(buffer, paddingStart, end);
  if (paddingEnd < 0 || end - paddingEnd !== tail.length) return false;
  return buffer.compare(tail, 0, tail.length, paddingEnd, end) === 0;
}

function shapeOf(
  frame: Buffer,
  key: string,
  text: string,
  padding: { readonly key: string; readonly text: string } | undefined,
): Shape | undefined {
  const hole = findHole(frame, 0, key, text);
  if (hole === undefined) return undefined;
  const prefix = Buffer.from(frame.subarray(0, hole.start));
  if (padding === undefined) return { prefix, middle: Buffer.from(frame.subarray(hole.end)), tail: undefined };
  const second = findHole(frame, hole.end + 1, padding.key, padding.text);
  if (second === undefined) return undefined;
  return {
    prefix,
    middle: Buffer.from(frame.subarray(hole.end, second.start)),
    tail: Buffer.from(frame.subarray(second.end)),
  };
}

/** Where the only string of that key and value stands; undefined when it is absent or not the only candidate. */
function findHole(frame: Buffer, from: number, key: string, text: string): { start: number; end: number } | undefined {
  const needle = `"${key}"`;
  const at = frame.indexOf(needle, from);
  if (at < 0 || frame.indexOf(needle, at + needle.length) >= 0) return undefined;
  const between = /^\s*:\s*"/.exec(frame.toString('latin1', at + needle.length, at + needle.length + 8));
  if (between === null) return undefined;
  const start = at + needle.length + between[0].length;
  const end = plainEnd(frame, start, frame.length);
  if (end < 0 || JSON.parse(frame.toString('utf8', start - 1, end + 1)) !== text) return undefined;
  return { start, end };
}

/** Offset of the quote that closes a valid JSON string, or -1 when there is none or the string is not valid. */
function plainEnd(buffer: Buffer, from: number, end: number): number {
  let at = from;
  while (at < end) {
    const byte = buffer[at];
    if (byte === QUOTE) return at;
    if (byte === undefined || byte < 0x20) return -1;
    if (byte === BACKSLASH) {
      const width = escapeWidth(buffer, at, end);
      if (width === 0) return -1;
      at += width;
    } else at += 1;
  }
  return -1;
}

function escapeWidth(buffer: Buffer, at: number, end: number): number {
  const kind = buffer[at + 1];
  // b f n r t " \ / ; u with four hex digits
  if (kind === 0x62 || kind === 0x66 || kind === 0x6e || kind === 0x72 || kind === 0x74) return 2;
  if (kind === QUOTE || kind === BACKSLASH || kind === 0x2f) return 2;
  if (kind !== 0x75 || at + 6 > end) return 0;
  for (let k = at + 2; k < at + 6; k += 1) if (!isHex(buffer[k])) return 0;
  return 6;
}

function isHex(byte: number | undefined): boolean {
  if (byte === undefined) return false;
  const lower = byte | 0x20;
  return (byte >= 0x30 && byte <= 0x39) || (lower >= 0x61 && lower <= 0x66);
}

/** An empty template for one stream. */
export function createFrameTemplate(): FrameTemplate {
  return new Template();
}
