import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { type Answer, type AnswerHeaders, framed, largestCopied } from './served.ts';

export interface LaneAnswerParts {
  readonly socket: Socket;
  /** The connection serves nothing after this answer. */
  readonly isLast: () => boolean;
  /** The last byte was handed to the connection. */
  readonly onEnd: () => void;
}

const nameShape = /^[\w!#$%&'*+.^`|~-]+$/;
const valueShape = /^[\t\x20-\x7e\x80-\xff]*$/;
const keepAlive = 'connection: keep-alive\r\nkeep-alive: timeout=65\r\n';

/** Writes one answer of HTTP/1.1 to its connection, each piece in one write. */
export class LaneAnswer implements Answer {
  readonly #parts: LaneAnswerParts;
  /** Waits for the first part, to go out with it. */
  #head = '';
  #state: 'new' | 'begun' | 'ended' | 'lost' = 'new';
  #drained: (() => void) | undefined;
  #isLast = false;
  readonly #leavers: (() => void)[] = [];

  constructor(parts: LaneAnswerParts) {
    this.#parts = parts;
  }

  get headSent() {
    return this.#state !== 'new';
  }

  get gone() {
    return this.#state === 'lost';
  }

  /** The caller was told that the connection ends with this answer. */
  get saidLast() {
    return this.#isLast;
  }

  /** Throws RangeError for a header that cannot be sent. */
  head(status: number, headers: AnswerHeaders) {
    if (this.#state !== 'new') return;
    this.#head = `${this.#headText(status, headers)}transfer-encoding: chunked\r\n\r\n`;
    this.#state = 'begun';
  }

  write(bytes: Buffer | string) {
    if (this.#state !== 'begun' || bytes.length === 0) return true;
    return this.#send(typeof bytes === 'string' ? Buffer.from(bytes) : bytes, '');
  }

  end(bytes: Buffer | string = '') {
    if (this.#state === 'new') this.head(200, {});
    if (this.#state !== 'begun') return;
    const last = typeof bytes === 'string' ? Buffer.from(bytes) : bytes;
    this.#send(last, '0\r\n\r\n');
    this.#ended();
  }

  whole(status: number, headers: AnswerHeaders, body: Buffer | string) {
    if (this.#state !== 'new') return;
    const bytes = typeof body === 'string' ? Buffer.from(body) : body;
    const head = `${this.#headText(status, headers)}content-length: ${bytes.length}\r\n\r\n`;
    const { socket } = this.#parts;
    if (bytes.length <= largestCopied) socket.write(head + bytes.toString('latin1'), 'latin1');
    else {
      socket.cork();
      socket.write(head, 'latin1');
      socket.write(bytes);
      socket.uncork();
    }
    this.#ended();
  }

  destroy() {
    this.#parts.socket.destroy();
  }

  onDrain(listener: () => void) {
    this.#drained = listener;
  }

  onGone(listener: () => void) {
    this.#leavers.push(listener);
  }

  /** The connection has room again. */
  drained() {
    const listener = this.#drained;
    this.#drained = undefined;
    listener?.();
  }

  /** The connection is no more. */
  lost() {
    if (this.#state === 'ended') return;
    this.#state = 'lost';
    for (const listener of this.#leavers.splice(0)) listener();
  }

  #ended() {
    this.#state = 'ended';
    if (this.#leavers.length > 0) this.#leavers.length = 0;
    this.#parts.onEnd();
  }

  /** A chunk (none when empty) and what stands behind it, after the head when that was not sent yet. */
  #send(bytes: Buffer, behind: string): boolean {
    const { socket } = this.#parts;
    const head = this.#head;
    this.#head = '';
    if (head === '' && behind === '' && bytes.length <= largestCopied) return socket.write(framed(bytes));
    socket.cork();
    if (head !== '') socket.write(head, 'latin1');
    let isReady = true;
    if (bytes.length > largestCopied) {
      socket.write(`${bytes.length.toString(16)}\r\n`, 'latin1');
      socket.write(bytes);
      isReady = socket.write('\r\n', 'latin1');
    } else if (bytes.length > 0) isReady = socket.write(framed(bytes));
    if (behind !== '') isReady = socket.write(behind, 'latin1');
    socket.uncork();
    return isReady;
  }

  #headText(status: number, headers: AnswerHeaders): string {
    let text = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\ndate: ${dateText()}\r\n`;
    for (const name in headers) {
      const value = String(headers[name]);
      if (lastValues.get(name) !== value) checkHeader(name, value);
      if (name !== 'connection') text += `${name}: ${value}\r\n`;
    }
    this.#isLast = this.#parts.isLast();
    return text + (this.#isLast ? 'connection: close\r\n' : keepAlive);
  }
}

/** Of each header the value that was checked last: most answers have the same ones. */
const lastValues = new Map<string, string>();
const mostNames = 256;

/** Throws RangeError for a header that cannot be sent. */
function checkHeader(name: string, value: string): void {
  if (!nameShape.test(name) || !valueShape.test(value)) throw new RangeError(`not a header: ${name}`);
  if (lastValues.size >= mostNames) lastValues.clear();
  lastValues.set(name, value);
}

let dateSecond = 0;
let date = '';

/** The time of day as headers write it, made once a second. */
function dateText(): string {
  const nowMs = Date.now();
  const second = Math.floor(nowMs / 1000);
  if (second !== dateSecond) {
    dateSecond = second;
    date = new Date(nowMs).toUTCString();
  }
  return date;
}
