/** Server-sent events: frames found as byte ranges for the relay, decoded only where their content is needed. */

/** What a frame may take without asking; a frame holds a line or a few. */
export const maxFrameBytes = 4 * 1024 * 1024;
/** Bound of a frame that asked for more: a picture of 3840 x 2160 in base64 takes 15 MB. */
const largestFrameBytes = 16 * 1024 * 1024;

/** Takes so many bytes more for a stream, until it is over. False: there is no room for them. */
export type MoreRoom = (bytes: number) => boolean;

/**
 * Finds complete frames in a stream that arrives in arbitrary pieces. A frame is everything up to and including the
 * blank line that ends it (LF, CRLF or CR); stray blank lines are frames of their own. Use:
 * `feed(chunk)`, then `while (next())` read `buffer` from `frameStart` to `frameEnd`, then `keepRest()`.
 * Ranges of `buffer` stay valid after `keepRest()`, but alias the chunk when nothing was pending.
 */
export interface FrameSplitter {
  readonly buffer: Buffer;
  readonly frameStart: number;
  readonly frameEnd: number;
  /** False: the pending frame is longer than the bound, or there was no room for it; feed nothing more. */
  feed(chunk: Buffer): boolean;
  /** Why it was false. */
  readonly fault: 'frame-too-long' | 'no-room' | undefined;
  next(): boolean;
  keepRest(): void;
  /** Hands out what is pending, an incomplete frame; empty after a clean end. None of the last bytes stays: others may lie beside them. */
  rest(): Buffer;
  /** Nothing is pending. */
  readonly isEmpty: boolean;
}

const LF = 0x0a;
const CR = 0x0d;
const empty: Buffer = Buffer.alloc(0);
const dataField: Buffer = Buffer.from('data: ');

class Splitter implements FrameSplitter {
  buffer: Buffer = empty;
  frameStart = 0;
  frameEnd = 0;
  /** Valid bytes of `buffer`. */
  #length = 0;
  #owned = false;
  #scanned = 0;
  #lineStart = 0;
  /** CR ends lines too, which costs a look at each byte: only once a CR was seen. */
  #sawCr = false;
  fault: FrameSplitter['fault'];
  #limit: number;
  readonly #moreRoom: MoreRoom | undefined;

  constructor(limit: number, moreRoom: MoreRoom | undefined) {
    this.#limit = limit;
    this.#moreRoom = moreRoom;
  }

  get isEmpty(): boolean {
    return this.#length === 0;
  }

  feed(chunk: Buffer): boolean {
    if (!this.#sawCr && chunk.indexOf(CR) >= 0) this.#sawCr = true;
    if (this.#length === 0) {
      this.buffer = chunk;
      this.#length = chunk.length;
      this.#owned = false;
    } else {
      if (this.#length > this.#limit && !this.#widen()) return false;
      this.#append(chunk);
    }
    return true;
  }

  /** Twice the limit, as the buffer grows; where one frame is large the next one may be. */
  #widen(): boolean {
    const limit = this.#moreRoom === undefined ? 0 : Math.min(this.#limit * 2, largestFrameBytes);
    const more = limit - this.#limit;
    if (more <= 0) this.fault = 'frame-too-long';
    else if (this.#moreRoom?.(more) === true) this.#limit = limit;
    else this.fault = 'no-room';
    return this.fault === undefined;
  }

  #append(chunk: Buffer): void {
    const length = this.#length + chunk.length;
    if (length > this.buffer.length) {
      const grown = Buffer.allocUnsafe(Math.max(length, Math.min(this.buffer.length * 2, this.#limit), 1024));
      grown.set(this.buffer.subarray(0, this.#length));
      this.buffer = grown;
    }
    this.buffer.set(chunk, this.#length);
    this.#length = length;
  }

  next(): boolean {
    this.frameStart = this.frameEnd;
    return this.#sawCr ? this.#nextByByte() : this.#nextByLf();
  }

  #nextByLf(): boolean {
    const { buffer } = this;
    const length = this.#length;
    let at = this.#scanned;
    while (at < length) {
      const lf = buffer.indexOf(LF, at);
      if (lf < 0 || lf >= length) break;
      if (lf === this.#lineStart) return this.#found(lf + 1);
      at = lf + 1;
      this.#lineStart = at;
      if (at < length && buffer[at] === LF) return this.#found(at + 1);
    }
    this.#scanned = length;
    return false;
  }

  #nextByByte(): boolean {
    const { buffer } = this;
    const length = this.#length;
    for (let at = this.#scanned; at < length; at += 1) {
      const byte = buffer[at];
      if (byte !== LF && byte !== CR) continue;
      if (byte === CR && at + 1 === length) {
        // Its LF may still come, and the same bytes must give the same frames however they were cut.
        this.#scanned = at;
        return false;
      }
      const end = byte === CR && buffer[at + 1] === LF ? at + 2 : at + 1;
      if (at === this.#lineStart) return this.#found(end);
      this.#lineStart = end;
      at = end - 1;
    }
    this.#scanned = length;
    return false;
  }

  #found(end: number): boolean {
    this.frameEnd = end;
    this.#lineStart = end;
    this.#scanned = end;
    return true;
  }

  keepRest(): void {
    const from = this.frameEnd;
    if (from === this.#length) {
      this.#reset();
      return;
    }
    if (this.#owned && from === 0) return;
    const rest = Buffer.from(this.buffer.subarray(from, this.#length));
    const scanned = this.#scanned - from;
    const lineStart = this.#lineStart - from;
    this.#reset();
    this.buffer = rest;
    this.#length = rest.length;
    this.#owned = true;
    this.#scanned = scanned;
    this.#lineStart = lineStart;
  }

  #reset(): void {
    this.buffer = empty;
    this.#length = 0;
    this.#owned = false;
    this.#scanned = 0;
    this.#lineStart = 0;
    this.frameStart = 0;
    this.frameEnd = 0;
  }

  rest(): Buffer {
    const rest = this.buffer.subarray(this.frameEnd, this.#length);
    this.#reset();
    return rest;
  }
}

/**
 * A splitter for one stream. `limitBytes` bounds what one frame may hold in memory; with `moreRoom` it is asked for what a
 * frame takes beyond it, up to `largestFrameBytes`.
 */
export function createFrameSplitter(limitBytes: number = maxFrameBytes, moreRoom?: MoreRoom): FrameSplitter {
  return new Splitter(limitBytes, moreRoom);
}

export interface SseFrame {
  readonly event: string;
  /** The data lines joined by LF; undefined when the frame has none (comments, retry, blank lines). */
  readonly data: string | undefined;
  /** All other fields (`id`, `retry` and what is not in the standard), the last line of each; absent when there are none. */
  readonly fields?: Readonly<Record<string, string>>;
}

/** Decodes one frame, complete or cut. Never throws; bytes that are not UTF-8 become replacement characters. */
export function decodeFrame(frame: Buffer): SseFrame {
  return decodeLine(frame) ?? decodeLines(frame);
}

/** The frame that most vendors send and nothing else: one line `data: ...`, ended by LF. */
function decodeLine(frame: Buffer): SseFrame | undefined {
  const end = frame.length - 2;
  if (end < dataField.length || frame[end] !== LF || frame[end + 1] !== LF || frame.indexOf(LF) !== end) return undefined;
  for (let k = 0; k < dataField.length; k += 1) if (frame[k] !== dataField[k]) return undefined;
  if (frame.indexOf(CR) >= 0) return undefined;
  return { event: '', data: frame.toString('utf8', dataField.length, end) };
}

function decodeLines(frame: Buffer): SseFrame {
  let text = frame.toString('utf8');
  if (text.charCodeAt(0) === 0xfeff) text = text.slice(1);
  let event = '';
  let data: string | undefined;
  let fields: Record<string, string> | undefined;
  for (const line of text.split(/\r\n|\n|\r/)) {
    const colon = line.indexOf(':');
    if (line === '' || colon === 0) continue;
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? '' : line.slice(line.charCodeAt(colon + 1) === 0x20 ? colon + 2 : colon + 1);
    if (field === 'data') data = data === undefined ? value : `${data}\n${value}`;
    else if (field === 'event') event = value;
    else {
      fields ??= {};
      fields[field] = value;
    }
  }
  return fields === undefined ? { event, data } : { event, data, fields };
}

/** The frames of a whole stream, one by one, the unfinished one at its end among them. */
export function* framesOf(bytes: Buffer): Generator<Buffer> {
  const splitter = createFrameSplitter(bytes.length);
  splitter.feed(bytes);
  while (splitter.next()) yield splitter.buffer.subarray(splitter.frameStart, splitter.frameEnd);
  yield splitter.rest();
}

/** Decodes a whole stream: the frames that carry data. An unfinished last frame counts when it has data. */
export function decodeFrames(bytes: Buffer): SseFrame[] {
  return [...framesOf(bytes)].map(decodeFrame).filter(({ data }) => data !== undefined);
}

/** Nothing at all, or only blank lines and comments, which keep connections open. */
export function isSilent(bytes: Buffer): boolean {
  return !/^(?!:).*\S/m.test(bytes.toString('latin1'));
}

const otherLineEnds = /[\u0085\u2028\u2029]/g;

/**
 * JSON text whose values hold no line break that Unicode knows beside CR and LF: the format has no others, but many clients
 * cut lines there, too, and fail at what is left.
 */
export function onOneLine(json: string): string {
  return json.replace(otherLineEnds, (end) => `\\u${end.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** One event as bytes. `data` is JSON text, or one without line breaks. */
export function encodeFrame(data: string, event = ''): Buffer {
  const line = onOneLine(data);
  return Buffer.from(event === '' ? `data: ${line}\n\n` : `event: ${event}\ndata: ${line}\n\n`);
}
