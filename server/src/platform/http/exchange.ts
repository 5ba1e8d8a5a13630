import type { UpstreamFault } from './fault.ts';

export interface UpstreamRequest {
  readonly url: URL;
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
  /** Requests of different pools never share a connection. */
  readonly pool?: string;
  /** The http, https or socks5 address to go through; it must pass the guard, too. */
  readonly proxy?: string | undefined;
  /** Undefined = as the client was made. */
  readonly connectTimeoutMs?: number | undefined;
  readonly firstByteTimeoutMs: number;
  readonly idleTimeoutMs: number;
}

/** Called in this order: head once, data many times, then exactly one of end and fault. Never before `send` returned. */
export interface UpstreamSink {
  head(status: number, headers: Readonly<Record<string, string | string[] | undefined>>): void;
  data(chunk: Buffer): void;
  end(): void;
  fault(fault: UpstreamFault): void;
}

export interface UpstreamCall {
  /** Stops reading; what was read already (at most 64 KiB) still arrives. */
  pause(): void;
  resume(): void;
  /** Closes the connection; the sink hears nothing more. */
  abort(): void;
}

/** One request between its connection and its sink. A class, since one exists per relayed request. */
export class Exchange implements UpstreamCall {
  readonly sink: UpstreamSink;
  readonly request: UpstreamRequest;
  /** Set while a connection serves it. */
  connection: { pause(): void; resume(): void; destroy(): void } | undefined;
  closed = false;
  paused = false;

  constructor(request: UpstreamRequest, sink: UpstreamSink) {
    this.request = request;
    this.sink = sink;
  }

  end() {
    if (this.closed) return;
    this.closed = true;
    this.connection = undefined;
    this.sink.end();
  }

  fail(fault: UpstreamFault) {
    if (this.closed) return;
    this.closed = true;
    this.connection = undefined;
    this.sink.fault(fault);
  }

  pause() {
    if (this.closed) return;
    this.paused = true;
    this.connection?.pause();
  }

  resume() {
    if (this.closed) return;
    this.paused = false;
    this.connection?.resume();
  }

  abort() {
    if (this.closed) return;
    this.closed = true;
    const { connection } = this;
    this.connection = undefined;
    connection?.destroy();
  }
}
