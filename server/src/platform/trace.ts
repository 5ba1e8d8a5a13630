import { channel } from 'node:diagnostics_channel';

/** Everything in milliseconds of the monotonic clock, ended before it is told. */
export interface TracedSpan {
  readonly name: string;
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Readonly<Record<string, string | number>>;
  /** "" when it went well. */
  readonly error: string;
}

/** A call as whoever listens is told of it when it is over. */
export interface TracedCall extends TracedSpan {
  /** The W3C trace context that its caller sent; absent without one. */
  readonly traceparent: string | undefined;
  readonly tracestate: string | undefined;
  /** Stages and attempts, in the order of their ends. */
  readonly spans: readonly TracedSpan[];
}

/** Told while the process ends; a listener adds what has to be waited for. */
export interface TraceEnd {
  readonly waits: Promise<unknown>[];
}

const calls = channel('tollgate:call');
const ends = channel('tollgate:end');

interface Arrived {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly startMs: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** Of a call while it runs. */
export interface CallTrace {
  /** What went on since the last stage, or the start, was this one. */
  stage(name: string, nowMs: number): void;
  span(span: TracedSpan): void;
  failed(error: string): void;
  end(nowMs: number): void;
}

/** Whether somebody listens (`--import server/dist/otel.js`): otherwise nothing is to be made for it. */
export function isTraced(): boolean {
  return calls.hasSubscribers;
}

/** Asks listeners to send what they have; resolves when they have. */
export async function endTraces(): Promise<void> {
  const end: TraceEnd = { waits: [] };
  ends.publish(end);
  await Promise.allSettled(end.waits);
}

export function traceCall({ id, method, path, startMs, headers }: Arrived): CallTrace {
  const spans: TracedSpan[] = [];
  let stageMs = startMs;
  let error = '';
  const text = (name: string) => {
    const value = headers[name];
    return typeof value === 'string' ? value : undefined;
  };
  return {
    stage(name, nowMs) {
      spans.push({ name, startMs: stageMs, endMs: nowMs, attributes: {}, error: '' });
      stageMs = nowMs;
    },
    span: (span) => void spans.push(span),
    failed(code) {
      error = code;
    },
    end(nowMs) {
      const attributes = { 'tollgate.request_id': id, 'http.request.method': method, 'url.path': path };
      const call: TracedCall = {
        ...{ name: `${method} ${path}`, startMs, endMs: nowMs, attributes, error, spans },
        traceparent: text('traceparent'),
        tracestate: text('tracestate'),
      };
      calls.publish(call);
    },
  };
}
