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

/** What stays the same: the bytes around the text, then those around the padding, one behind the other. */
interface Shape {
  readonly view: DataView;
  /** Up to here they stand before the text, its opening quote included. */
  readonly textAt: number;
  /** Up to here they stand before the padding, its opening quote included; without padding that is the end. */
  readonly paddingAt: number;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** After this many misses in a row the stream has no steady shape, and learning is tried rarely. */
const patience = 8;
const rareEvery = 32;
const nothing = Buffer.alloc(0);
const noShape: Shape = { view: new DataView(new ArrayBuffer(0)), textAt: 0, paddingAt: 0 };

class Template implements FrameTemplate {
  textStart = 0;
  textEnd = 0;
  /** The shape that fitted last, spelled out: an object less to be touched for each frame. */
  #view = noShape.view;
  #textAt = 0;
  #paddingAt = 0;
  #misses = 0;
  #last = noShape;
  /** Two choices, or text and reasoning, may alternate. */
  #other = noShape;

  matches(buffer: Buffer, start: number, end: number): boolean {
    if (!this.#fits(buffer, start, end)) {
      if (this.#other === noShape) return false;
      this.#use(this.#other);
      if (!this.#fits(buffer, start, end)) {
        this.#use(this.#other);
        return false;
      }
    }
    this.#misses = 0;
    return true;
  }

  #use(shape: Shape): void {
    this.#other = this.#last;
    this.#last = shape;
    this.#view = shape.view;
    this.#textAt = shape.textAt;
    this.#paddingAt = shape.paddingAt;
  }

  #fits(buffer: Buffer, start: number, end: number): boolean {
    const view = this.#view;
    const textAt = this.#textAt;
    const paddingAt = this.#paddingAt;
    const textStart = start + textAt;
    if (textAt === 0 || textStart + view.byteLength - textAt > end) return false;
    if (!isSame(view, 0, textAt, buffer, start)) return false;
    const textEnd = plainEnd(buffer, textStart, end);
    const middleEnd = textEnd + paddingAt - textAt;
    if (textEnd < 0 || middleEnd > end || !isSame(view, textAt, paddingAt, buffer, textEnd)) return false;
    if (paddingAt === view.byteLength ? middleEnd !== end : !this.#endsWith(buffer, middleEnd, end)) return false;
    this.textStart = textStart;
    this.textEnd = textEnd;
    return true;
  }

  #endsWith(buffer: Buffer, paddingStart: number, end: number): boolean {
    const view = this.#view;
    const paddingEnd = plainEnd(buffer, paddingStart, end);
    if (paddingEnd < 0 || end - paddingEnd !== view.byteLength - this.#paddingAt) return false;
    return isSame(view, this.#paddingAt, view.byteLength, buffer, paddingEnd);
  }

  learn(frame: Buffer, key: string, text: string, padding?: { readonly key: string; readonly text: string }): void {
    this.#misses += 1;
    if (this.#misses > patience && this.#misses % rareEvery !== 0) return;
    const shape = shapeOf(frame, key, text, padding);
    if (shape !== undefined) this.#use(shape);
  }
}

/** Are the bytes of the view in `[from, to)` those of the buffer at `at`? The buffer reaches so far. Four at a time. */
function isSame(view: DataView, from: number, to: number, buffer: Buffer, at: number): boolean {
  let k = from;
  let j = at;
  for (; k + 4 <= to; k += 4, j += 4) {
    const four = (byteAt(buffer, j) << 24) | (byteAt(buffer, j + 1) << 16) | (byteAt(buffer, j + 2) << 8) | byteAt(buffer, j + 3);
    if (view.getInt32(k) !== four) return false;
  }
  for (; k < to; k += 1, j += 1) if (view.getUint8(k) !== buffer[j]) return false;
  return true;
}

function byteAt(buffer: Buffer, at: number): number {
  return buffer[at] as number;
}

function shapeOf(
  frame: Buffer,
  key: string,
  text: string,
  padding: { readonly key: string; readonly text: string } | undefined,
): Shape | undefined {
  const hole = findHole(frame, 0, key, text);
  if (hole === undefined) return undefined;
  const second = padding && findHole(frame, hole.end + 1, padding.key, padding.text);
  if (padding !== undefined && second === undefined) return undefined;
  const middle = frame.subarray(hole.end, second?.start);
  const bytes = Buffer.concat([frame.subarray(0, hole.start), middle, second ? frame.subarray(second.end) : nothing]);
  // Of its own memory, of which the pool of buffers is not kept.
  const { buffer } = Uint8Array.from(bytes);
  return { view: new DataView(buffer), textAt: hole.start, paddingAt: hole.start + middle.length };
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
