import type { ServerResponse } from 'node:http';
import { createAnswerWriter } from './answer-writer.ts';
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
  end(bytes?: Buffer | string): void;
  /** A whole answer; JSON unless it says otherwise. */
  answer(status: number, body: Buffer | string, contentType?: string): void;
  /** A header of the answer that is still to come. */
  note(name: string, value: string): void;
  /** Tells an error in the caller's dialect, as an answer or, after the head, as a stream event without a forged end. */
  fail(fault: RelayFault): void;
  onDrain(listener: () => void): void;
  /** Called once when the caller leaves before its answer ended. */
  onGone(listener: () => void): void;
}

/** How one dialect spells errors. */
export interface ErrorDialect {
  body(fault: RelayFault, requestId: string): string;
  event(fault: RelayFault, requestId: string): Buffer;
}

const corsHeaders = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'X-Oneapi-Request-Id, X-Tollgate-Losses, Retry-After',
};
const streamHeaders = {
  'content-type': 'text/event-stream',
  'cache-control': 'no-cache',
  connection: 'keep-alive',
  'x-accel-buffering': 'no',
};

export function createCaller(
  response: ServerResponse,
  requestId: string,
  dialect: ErrorDialect,
  monotonicMs: () => number,
): Caller {
  const writer = createAnswerWriter(response);
  let lastWriteMs = monotonicMs();
  /** What was begun is no stream of events: an error cannot be told in it. */
  let isOpaque = false;
  let common: Record<string, string> = { ...corsHeaders, 'x-oneapi-request-id': requestId };
  return {
    get headSent() {
      return response.headersSent;
    },
    get gone() {
      return response.closed && !response.writableFinished;
    },
    get lastWriteMs() {
      return lastWriteMs;
    },
    startStream(contentType) {
      if (response.headersSent) return;
      isOpaque = contentType !== undefined && !contentType.startsWith('text/event-stream');
      const type = contentType === undefined ? {} : { 'content-type': contentType };
      response.writeHead(200, { ...common, ...streamHeaders, ...type });
    },
    write(bytes) {
      lastWriteMs = monotonicMs();
      return writer.write(bytes);
    },
    end: (bytes) => void response.end(bytes),
    answer(status, body, contentType = 'application/json') {
      writer.whole(status, { ...common, 'content-type': contentType }, body);
    },
    note(name, value) {
      common = { ...common, [name]: value };
    },
    fail(fault) {
      if (response.headersSent) {
        if (isOpaque) response.destroy();
        else response.end(dialect.event(fault, requestId));
        return;
      }
      const body = dialect.body(fault, requestId);
      response.writeHead(fault.status, {
        ...common,
        ...(fault.retryAfterSeconds === undefined ? {} : { 'retry-after': String(fault.retryAfterSeconds) }),
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
      });
      response.end(body);
    },
    onDrain: writer.onDrain,
    onGone(listener) {
      response.once('close', () => {
        if (!response.writableFinished) listener();
      });
    },
  };
}
