import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { type Answer, type AnswerHeaders, largestCopied, type Passage } from './served.ts';
import type { TurnWrites } from './turn-writes.ts';

export interface LaneAnswerParts {
  readonly socket: Socket;
  /** Of this connection. */
  readonly writes: TurnWrites;
  /** The connection serves nothing after this answer. */
  readonly isLast: () => boolean;
  /** The last byte was handed to the connection. */
  readonly onEnd: () => void;
}

const nameShape = /^[\w!#$%&'*+.^`|~-]+$/;
const valueShape = /^[\t\x20-\x7e\x80-\xff]*$/;
const keepAlive = 'connection: keep-alive\r\nkeep-alive: timeout=65\r\n';

/** Writes one answer of HTTP/1.1 to its connection: a whole one in one write, one in parts in one for each turn of the loop. */
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
    this.#sendHead();
    return this.#parts.writes.part(typeof bytes === 'string' ? Buffer.from(bytes) : bytes);
  }

  passage(): Passage | undefined {
    if (this.#state !== 'begun') return undefined;
    this.#sendHead();
    return this.#parts.writes;
  }

  end(bytes: Buffer | string = '') {
    if (this.#state === 'new') this.head(200, {});
    if (this.#state !== 'begun') return;
    this.#sendHead();
    const { writes } = this.#parts;
    if (bytes.length > 0) writes.part(typeof bytes === 'string' ? Buffer.from(bytes) : bytes);
    writes.text('0\r\n\r\n');
    // Whoever hears of the end may close the connection.
    writes.flush();
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
    // What was said before goes out: it may have been charged for.
    this.#parts.writes.flush();
    this.#parts.socket.destroy();
  }

  onDrain(listener: () => void) {
    this.#drained = listener;
  }

  onTaken(listener: () => void) {
    const { socket } = this.#parts;
    if (socket.destroyed || !socket.writableNeedDrain) return listener();
    const taken = () => {
      socket.off('drain', taken).off('close', taken);
      listener();
    };
    socket.on('drain', taken).on('close', taken);
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

  #sendHead() {
    if (this.#head === '') return;
    this.#parts.writes.text(this.#head);
    this.#head = '';
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
