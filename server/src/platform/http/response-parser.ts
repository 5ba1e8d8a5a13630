import { withoutBlanks } from './header-value.ts';

/** An answer that is not HTTP/1.1 as it must be. Its connection is of no further use. */
export class ResponseError extends Error {}

export type ResponseHeaders = Record<string, string | string[] | undefined>;

/** Hears of one answer after the other, each as head, data many times, end. */
export interface ResponseListener {
  head(status: number, headers: ResponseHeaders): void;
  /** Bytes `from` to `to` of the buffer, which is read into again afterwards. */
  data(buffer: Buffer, from: number, to: number): void;
  /** `reusable`: the connection may carry another request. */
  end(reusable: boolean): void;
}

const maxHeadBytes = 65_536;
const maxInterimHeads = 16;
const maxChunkLine = 256;
const maxTrailerBytes = 16_384;
const nothing = Buffer.alloc(0);
const CR = 0x0d;
const LF = 0x0a;

/** A status line and header lines, each with its CRLF: no folding, no bare CR or LF, no control characters. */
const headPattern =
  /^HTTP\/1\.([01]) ([1-9]\d\d)(?: [\t\x20-\x7e\x80-\xff]*)?\r\n(?:[!#$%&'*+.^_`|~0-9A-Za-z-]+:[\t\x20-\x7e\x80-\xff]*\r\n)*$/;
/** Size in hex and extensions, which are read over. */
const chunkLinePattern = /^([0-9A-Fa-f]{1,12})(?:;[\t\x20-\x7e\x80-\xff]*)?$/;
const trailerPattern = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+:[\t\x20-\x7e\x80-\xff]*$/;

type State = 'idle' | 'head' | 'length' | 'until-close' | 'chunk-size' | 'chunk-data' | 'chunk-gap' | 'trailer';

/**
 * Reads the answers of one connection (RFC 9112). Whatever two readers could understand differently is refused: a length
 * given twice or beside chunks, another transfer coding, folded or malformed lines, an upgrade. Throws ResponseError.
 */
export class ResponseParser {
  // What each piece needs stands first: it lies on one line of the processor's cache.
  readonly #listener: ResponseListener;
  #state: State = 'idle';
  #remaining = 0;
  #partialBytes = 0;
  #trailerBytes = 0;
  /** The beginning of a head or of a line that has not come to its end; `#partialBytes` of this buffer are taken. */
  #partial = nothing;
  #interimHeads = 0;
  #keepsAlive = false;

  constructor(listener: ResponseListener) {
    this.#listener = listener;
  }

  /** No answer is expected. */
  get isIdle(): boolean {
    return this.#state === 'idle';
  }

  /** A request was sent: an answer may come. */
  expect() {
    this.#state = 'head';
    this.#interimHeads = 0;
  }

  /** Takes in the first `length` bytes of `buffer`. */
  push(buffer: Buffer, length: number) {
    if (this.isIdle) throw new ResponseError('bytes that answer nothing');
    let at = 0;
    // The listener may send the next request while it hears of the end.
    while (at < length && !this.isIdle) {
      switch (this.#state) {
        case 'head':
          at = this.#readHead(buffer, at, length);
          break;
        case 'length':
        case 'chunk-data':
          at = this.#readSized(buffer, at, length);
          break;
        case 'until-close':
          this.#listener.data(buffer, at, length);
          return;
        default:
          at = this.#readLine(buffer, at, length);
      }
    }
  }

  /** The peer sends no more. False: in the middle of an answer. */
  finish(): boolean {
    if (this.#state !== 'until-close') return this.isIdle;
    this.#end(false);
    return true;
  }

  #readHead(buffer: Buffer, at: number, length: number): number {
    const before = this.#partialBytes;
    const bytes = this.#joined(buffer, at, length);
    const end = bytes.indexOf('\r\n\r\n', Math.max(0, before - 3), 'latin1');
    if ((end < 0 ? bytes.length : end) > maxHeadBytes) throw new ResponseError('the head is too long');
    if (end < 0) {
      if (!mayBecomeHead(bytes)) throw new ResponseError('what came is not HTTP/1.1');
      this.#keep(buffer, at, length);
      return length;
    }
    this.#partialBytes = 0;
    const next = at + end + 4 - before;
    this.#takeHead(bytes.toString('latin1', 0, end + 2), next === length);
    return next;
  }

  #takeHead(text: string, isLast: boolean) {
    const match = headPattern.exec(text);
    if (match === null) throw new ResponseError('the head is malformed');
    const status = Number(match[2]);
    if (status < 200) {
      this.#interimHeads += 1;
      if (status === 101 || this.#interimHeads > maxInterimHeads) throw new ResponseError(`status ${status} was not asked for`);
      return;
    }
    const headers = readHeaders(text);
    this.#frame(status, headers, match[1] === '1');
    this.#listener.head(status, headers);
    if (this.#state === 'length' && this.#remaining === 0) this.#end(isLast);
  }

  /** How the end of the body is told (RFC 9112, 6.3). */
  #frame(status: number, headers: ResponseHeaders, isHttp11: boolean) {
    const { 'transfer-encoding': coding, 'content-length': size, connection } = headers;
    this.#keepsAlive = isHttp11 && !/(?:^|,)[\t ]*(?:close|upgrade)[\t ]*(?:,|$)/i.test(String(connection ?? ''));
    if (size !== undefined && (coding !== undefined || typeof size !== 'string' || !/^\d{1,15}$/.test(size))) {
      throw new ResponseError('the length is malformed or given twice');
    }
    if (coding !== undefined && (!isHttp11 || typeof coding !== 'string' || coding.toLowerCase() !== 'chunked')) {
      throw new ResponseError('an unknown transfer coding');
    }
    this.#remaining = 0;
    if (status === 204 || status === 304) {
      this.#state = 'length';
      // A body that must not come may come all the same, when another answer is waited for.
      if (coding !== undefined || Number(size ?? 0) > 0) this.#keepsAlive = false;
    } else if (coding !== undefined) this.#state = 'chunk-size';
    else if (size === undefined) this.#state = 'until-close';
    else {
      this.#remaining = Number(size);
      this.#state = 'length';
    }
  }

  #readSized(buffer: Buffer, at: number, length: number): number {
    const until = Math.min(length, at + this.#remaining);
    this.#remaining -= until - at;
    const isOver = this.#remaining === 0;
    if (isOver && this.#state === 'chunk-data') this.#state = 'chunk-gap';
    this.#listener.data(buffer, at, until);
    if (isOver && this.#state === 'length') this.#end(until === length);
    return until;
  }

  /** Reads one line of the chunked framing; in the usual case without making anything of it. */
  #readLine(buffer: Buffer, at: number, length: number): number {
    if (this.#partialBytes === 0) {
      const fast = this.#state === 'chunk-size' ? this.#readSize(buffer, at, length) : this.#readGap(buffer, at, length);
      if (fast >= 0) return fast;
    }
    const before = this.#partialBytes;
    const bytes = this.#joined(buffer, at, length);
    const end = bytes.indexOf(LF, before);
    const limit = this.#state === 'trailer' ? maxTrailerBytes : maxChunkLine;
    if ((end < 0 ? bytes.length : end) > limit) throw new ResponseError('a line of the chunks is too long');
    if (end < 0) {
      this.#keep(buffer, at, length);
      return length;
    }
    this.#partialBytes = 0;
    if (bytes[end - 1] !== CR) throw new ResponseError('a line without its CR');
    const next = at + end + 1 - before;
    this.#takeLine(bytes.toString('latin1', 0, end - 1), next === length);
    return next;
  }

  /** A plain size line that is wholly there; -1 otherwise. */
  #readSize(buffer: Buffer, from: number, length: number): number {
    let size = 0;
    const most = Math.min(length - 1, from + 8);
    for (let at = from; at < most; at += 1) {
      const digit = hexDigit(buffer[at] ?? 0);
      if (digit >= 0) size = size * 16 + digit;
      else if (at > from && buffer[at] === CR && buffer[at + 1] === LF) {
        this.#startChunk(size);
        return at + 2;
      } else return -1;
    }
    return -1;
  }

  #readGap(buffer: Buffer, at: number, length: number): number {
    if (this.#state !== 'chunk-gap' || length - at < 2 || buffer[at] !== CR || buffer[at + 1] !== LF) return -1;
    this.#state = 'chunk-size';
    return at + 2;
  }

  #takeLine(line: string, isLast: boolean) {
    if (this.#state === 'chunk-size') {
      const size = chunkLinePattern.exec(line)?.[1];
      if (size === undefined) throw new ResponseError('a chunk has no size');
      this.#startChunk(Number.parseInt(size, 16));
    } else if (this.#state === 'chunk-gap') {
      if (line !== '') throw new ResponseError('a chunk is longer than its size');
      this.#state = 'chunk-size';
    } else if (line === '') this.#end(isLast);
    else {
      this.#trailerBytes += line.length + 2;
      if (this.#trailerBytes > maxTrailerBytes || !trailerPattern.test(line)) throw new ResponseError('a malformed trailer');
    }
  }

  #startChunk(size: number) {
    this.#remaining = size;
    this.#trailerBytes = 0;
    this.#state = size === 0 ? 'trailer' : 'chunk-data';
  }

  /** A connection that has said more than it was asked for is not used again. */
  #end(isLast: boolean) {
    this.#state = 'idle';
    this.#listener.end(isLast && this.#keepsAlive);
  }

  /** What is kept and what was read now, in one piece. */
  #joined(buffer: Buffer, at: number, length: number): Buffer {
    if (this.#partialBytes === 0) return buffer.subarray(at, length);
    const size = this.#partialBytes + length - at;
    if (size > this.#partial.length) {
      const larger = Buffer.allocUnsafeSlow(size * 2);
      this.#partial.copy(larger, 0, 0, this.#partialBytes);
      this.#partial = larger;
    }
    buffer.copy(this.#partial, this.#partialBytes, at, length);
    return this.#partial.subarray(0, size);
  }

  #keep(buffer: Buffer, at: number, length: number) {
    // Otherwise it was joined, and stands there already.
    if (this.#partialBytes === 0) this.#partial = Buffer.from(buffer.subarray(at, length));
    this.#partialBytes += length - at;
  }
}

/** Whoever speaks something else (another protocol's greeting, lines that end with LF alone) might never say more. */
function mayBecomeHead(bytes: Buffer): boolean {
  const lineEnd = bytes.indexOf(LF);
  return 'HTTP/1.'.startsWith(bytes.toString('latin1', 0, 7)) && (lineEnd < 0 || bytes[lineEnd - 1] === CR);
}

function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}

/** Names in lower case; a repeated one becomes an array. The text was checked. */
function readHeaders(text: string): ResponseHeaders {
  const headers: ResponseHeaders = Object.create(null);
  let at = text.indexOf('\r\n') + 2;
  while (at < text.length) {
    const end = text.indexOf('\r\n', at);
    const colon = text.indexOf(':', at);
    const name = text.slice(at, colon).toLowerCase();
    const value = withoutBlanks(text, colon + 1, end);
    const known = headers[name];
    if (known === undefined) headers[name] = value;
    else if (typeof known === 'string') headers[name] = [known, value];
    else known.push(value);
    at = end + 2;
  }
  return headers;
}
