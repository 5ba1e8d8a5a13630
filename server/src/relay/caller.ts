import type { Answer, Passage } from '../platform/http/served.ts';
import { streamHeaders } from '../platform/http/stream-head.ts';
import type { RelayFault } from './faults.ts';

/** The caller's side of one exchange: head, bytes, back-pressure, and whether it is still there. */
export interface Caller {
  /** A head was sent: an error can only be told inside the stream. */
  readonly headSent: boolean;
  readonly gone: boolean;
  readonly lastWriteMs: number;
  /** Default: server-sent events. */
  startStream(contentType?: string): void;
  /** False: the caller reads slower than we write; `onDrain` will be called once. */
  write(bytes: Buffer | string): boolean;
  /** The short way for a stream's parts once it was started; undefined = there is none. */
  passage(): Passage | undefined;
  end(bytes?: Buffer | string): void;
  /** A whole answer; JSON unless it says otherwise. */
  answer(status: number, body: Buffer | string, contentType?: string): void;
  /** A header of the answer that is still to come; empty = without it. */
  note(name: string, value: string): void;
  /** Tells an error in the caller's dialect, as an answer or, after the head, as a stream event without a forged end. */
  fail(fault: RelayFault): void;
  onDrain(listener: () => void): void;
  /** After the end: called once, when the caller has taken all that it was written, or has left. */
  onTaken(listener: () => void): void;
  /** Called once when the caller leaves before its answer ended. */
  onGone(listener: () => void): void;
}

/** How one dialect spells errors, and the header in which its clients read the id of a call. */
export interface ErrorDialect {
  readonly idHeader: string;
  body(fault: RelayFault, requestId: string): string;
  event(fault: RelayFault, requestId: string): Buffer;
}

const corsHeaders = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers':
    'X-Oneapi-Request-Id, X-Request-Id, Request-Id, X-Tollgate-Losses, Retry-After, X-Should-Retry',
};

const json = 'application/json';
const eventStream = 'text/event-stream';
/** What no browser runs anything in. All of our origin's pages are the console's, whatever an upstream calls its answer. */
const inert =
  /^(?:application\/(?:json|x-json|[a-z0-9.-]{1,60}\+json|x-ndjson|jsonl|octet-stream|x-subrip)|text\/(?:plain|json|vtt|srt|event-stream)|(?:audio|video)\/[a-z0-9.+-]{1,60}|image\/(?:png|jpe?g|gif|webp|avif|bmp|hei[cf]|tiff))[ \t]*(?:;|$)/i;

function inertType(type: string, otherwise: string): string {
  return type === json || type === eventStream || inert.test(type) ? type : otherwise;
}

/** `isOpen`: pages of any origin may read the answer. */
export function createCaller(
  answer: Answer,
  requestId: string,
  dialect: ErrorDialect,
  monotonicMs: () => number,
  isOpen = true,
): Caller {
  return new AnswerCaller(answer, requestId, dialect, monotonicMs, isOpen ? corsHeaders : noHeaders);
}

const noHeaders = {};

/** A class, since one exists per relayed request. */
class AnswerCaller implements Caller {
  #lastWriteMs: number;
  #passage: Passage | undefined;
  /** Of those that took the passage, how many were seen. */
  #seenWrites = 0;
  readonly #answer: Answer;
  readonly #requestId: string;
  readonly #dialect: ErrorDialect;
  readonly #monotonicMs: () => number;
  readonly #fixed: Readonly<Record<string, string>>;
  /** What was begun is no stream of events: an error cannot be told in it. */
  #isOpaque = false;
  #notes: Record<string, string> | undefined;

  constructor(
    answer: Answer,
    requestId: string,
    dialect: ErrorDialect,
    monotonicMs: () => number,
    fixed: Readonly<Record<string, string>>,
  ) {
    this.#fixed = fixed;
    this.#answer = answer;
    this.#requestId = requestId;
    this.#dialect = dialect;
    this.#monotonicMs = monotonicMs;
    this.#lastWriteMs = monotonicMs();
  }

  /** What took the passage is noted when somebody asks: a clock for each part costs more than the part. */
  get lastWriteMs() {
    const writes = this.#passage?.writes ?? 0;
    if (writes !== this.#seenWrites) this.#lastWriteMs = this.#monotonicMs();
    this.#seenWrites = writes;
    return this.#lastWriteMs;
  }

  get headSent() {
    return this.#answer.headSent;
  }

  get gone() {
    return this.#answer.gone;
  }

  startStream(contentType?: string) {
    if (this.headSent) return;
    this.#isOpaque = contentType !== undefined && !contentType.startsWith('text/event-stream');
    const type = contentType === undefined ? {} : { 'content-type': inertType(contentType, 'application/octet-stream') };
    this.#answer.head(200, { ...this.#common(), ...streamHeaders, ...type });
  }

  write(bytes: Buffer | string) {
    this.#lastWriteMs = this.#monotonicMs();
    return this.#answer.write(bytes);
  }

  passage() {
    const passage = this.#answer.passage();
    this.#passage = passage;
    this.#seenWrites = passage?.writes ?? 0;
    return passage;
  }

  end(bytes?: Buffer | string) {
    this.#answer.end(bytes);
  }

  answer(status: number, body: Buffer | string, contentType = json) {
    const type = inertType(contentType, 'text/plain; charset=utf-8');
    this.#answer.whole(status, { ...this.#common(), 'content-type': type }, body);
  }

  note(name: string, value: string) {
    if (value !== '') this.#notes = { ...this.#notes, [name]: value };
    else if (this.#notes !== undefined) delete this.#notes[name];
  }

  fail(fault: RelayFault) {
    if (this.headSent) {
      if (this.#isOpaque) this.#answer.destroy();
      else this.#answer.end(this.#dialect.event(fault, this.#requestId));
      return;
    }
    const { status, retryAfterSeconds, isLasting } = fault;
    const later: Record<string, string> = retryAfterSeconds === undefined ? {} : { 'retry-after': String(retryAfterSeconds) };
    // The official clients of OpenAI and Anthropic read it; others go by the status.
    const never: Record<string, string> = isLasting ? { 'x-should-retry': 'false' } : {};
    const headers = { ...this.#common(), ...later, ...never, 'content-type': json };
    this.#answer.whole(status, headers, this.#dialect.body(fault, this.#requestId));
  }

  onDrain(listener: () => void) {
    this.#answer.onDrain(listener);
  }

  onTaken(listener: () => void) {
    this.#answer.onTaken(listener);
  }

  onGone(listener: () => void) {
    this.#answer.onGone(listener);
  }

  /** Headers of every answer. */
  #common(): Record<string, string> {
    const id = this.#requestId;
    return { ...this.#fixed, 'x-oneapi-request-id': id, [this.#dialect.idHeader]: id, ...this.#notes };
  }
}
