import type { Expected } from './traffic.ts';

const maxHeadBytes = 16_384;
const maxSizeLine = 32;
const headEnd = '\r\n\r\n';
const newline = 0x0a;
const frameStart = 'data: {';

type State = 'head' | 'size' | 'data' | 'gap' | 'trailer' | 'length' | 'done';

/**
 * Reads HTTP/1.1 answers from one kept connection, strictly and without copies, and compares every body byte with what must come.
 * `fault` names the first thing that is wrong with the present answer.
 */
export class AnswerReader {
  status = 0;
  /** Content chunks of the present answer that are complete. */
  chunks = 0;
  fault: string | undefined;
  readonly #expected: Expected;
  #state: State = 'head';
  #head = '';
  #line = '';
  #remaining = 0;
  #offset = 0;
  /** What a frame's start may have begun in. */
  #last = '';

  constructor(expected: Expected) {
    this.#expected = expected;
  }

  /** Something of the present answer's body is there. */
  get hasBody(): boolean {
    return this.#offset > 0;
  }

  /** Starts over for the next answer on the connection. */
  reset() {
    this.status = 0;
    this.chunks = 0;
    this.fault = undefined;
    this.#state = 'head';
    this.#head = '';
    this.#line = '';
    this.#offset = 0;
    this.#last = '';
  }

  /** Takes in the first `length` bytes of a read. True: the answer is complete, or `fault` is set and the connection is of no use. */
  push(buffer: Buffer, length: number): boolean {
    let at = 0;
    while (at < length && this.#state !== 'done' && this.fault === undefined) at = this.#step(buffer, at, length);
    if (this.#state === 'done' && at < length) this.fault ??= 'bytes after the end of the answer';
    return this.#state === 'done' || this.fault !== undefined;
  }

  #step(buffer: Buffer, at: number, length: number): number {
    switch (this.#state) {
      case 'head':
        return this.#readHead(buffer, at, length);
      case 'size':
      case 'gap':
      case 'trailer':
        return this.#readLine(buffer, at, length);
      default:
        return this.#readBody(buffer, at, length);
    }
  }

  #readHead(buffer: Buffer, at: number, length: number): number {
    const before = this.#head.length;
    this.#head += buffer.toString('latin1', at, Math.min(length, at + maxHeadBytes));
    const end = this.#head.indexOf(headEnd);
    if (end < 0) {
      if (this.#head.length >= maxHeadBytes) this.fault = 'the head is too long';
      return length;
    }
    const head = this.#head.slice(0, end + 2);
    this.status = Number(head.slice(9, 12));
    const size = /\r\ncontent-length: *(\d+)\r\n/i.exec(head)?.[1];
    const isChunked = /\r\ntransfer-encoding: *chunked\r\n/i.test(head);
    if (isChunked === (size !== undefined)) this.fault = 'the head gives no length, or two';
    else if (isChunked) this.#state = 'size';
    else {
      this.#remaining = Number(size);
      this.#state = 'length';
      if (this.#remaining === 0) this.#finish();
    }
    if (this.status !== 200) this.fault ??= `status ${this.status}`;
    return at + end + headEnd.length - before;
  }

  #readLine(buffer: Buffer, at: number, length: number): number {
    const end = buffer.indexOf(newline, at);
    const until = end < 0 || end >= length ? length : end + 1;
    this.#line += buffer.toString('latin1', at, until);
    if (this.#line.length > maxSizeLine) this.fault = 'a chunk line is too long';
    else if (this.#line.endsWith('\n')) this.#takeLine(this.#line.slice(0, -2));
    return until;
  }

  #takeLine(line: string) {
    this.#line = '';
    if (this.#state === 'size') {
      this.#remaining = Number.parseInt(line, 16);
      if (!/^[0-9a-f]+$/i.test(line)) this.fault = 'a chunk has no size';
      this.#state = this.#remaining === 0 ? 'trailer' : 'data';
    } else if (line !== '') this.fault = 'a chunk is longer than its size';
    else if (this.#state === 'gap') this.#state = 'size';
    else this.#finish();
  }

  #readBody(buffer: Buffer, at: number, length: number): number {
    const until = Math.min(length, at + this.#remaining);
    const { chunkEnds, isRespelt } = this.#expected;
    const offset = this.#offset + until - at;
    if (isRespelt === true) this.#countFrames(buffer.toString('latin1', at, until));
    else if (!this.#isExpected(buffer, at, until)) this.fault = 'the body differs';
    this.#offset = offset;
    while (isRespelt !== true && this.chunks < chunkEnds.length && (chunkEnds[this.chunks] ?? 0) <= offset) this.chunks += 1;
    this.#remaining -= until - at;
    if (this.#remaining === 0) {
      if (this.#state === 'data') this.#state = 'gap';
      else this.#finish();
    }
    return until;
  }

  #isExpected(buffer: Buffer, at: number, until: number): boolean {
    const { bytes, free } = this.#expected;
    const shift = this.#offset - at;
    const isSame = (from: number, to: number) => from >= to || buffer.compare(bytes, from + shift, to + shift, from, to) === 0;
    if (until + shift > bytes.length) return false;
    if (free === undefined) return isSame(at, until);
    return isSame(at, Math.min(until, free.from - shift)) && isSame(Math.max(at, free.to - shift), until);
  }

  #countFrames(text: string) {
    if (this.#expected.chunkEnds.length === 0) return;
    const parts = `${this.#last}${text}`.split(frameStart);
    this.chunks += parts.length - 1;
    this.#last = (parts.at(-1) ?? '').slice(1 - frameStart.length);
  }

  #finish() {
    this.#state = 'done';
    const { bytes, chunkEnds, isRespelt } = this.#expected;
    const isWhole = isRespelt === true ? this.chunks >= chunkEnds.length : this.#offset === bytes.length;
    if (!isWhole) this.fault ??= 'the body is cut';
  }
}
