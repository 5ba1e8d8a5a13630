import { faultOf, type UpstreamFault } from './fault.ts';

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

/** Reads an answer's body: data many times, then exactly one of end and fault. */
export interface BodySink {
  data(chunk: Buffer): void;
  /** Offered before `data`: bytes that are valid until it returns. False: nothing was taken, and `data` brings a copy. */
  lent?(bytes: Buffer, from: number, to: number): boolean;
  end(): void;
  fault(fault: UpstreamFault): void;
}

/** Names in lower case. */
export type UpstreamHeaders = Readonly<Record<string, string | string[] | undefined>>;

/** Hears first the head, or of a fault before it. Never before `send` returned. */
export interface UpstreamSink extends BodySink {
  /** Returns who reads the body; undefined = this sink itself. */
  head(status: number, headers: UpstreamHeaders): BodySink | undefined;
}

export interface UpstreamCall {
  /** Something of the request was written: the upstream may have accepted it. */
  readonly sent: boolean;
  /** Stops reading; what was read already (at most 64 KiB) still arrives. */
  pause(): void;
  resume(): void;
  /** Closes the connection; the sink hears nothing more. */
  abort(): void;
}

/** One request between its connection and its sink. A class, since one exists per relayed request. */
export class Exchange implements UpstreamCall {
  /** Until it is sent: an answer may last for minutes. */
  body: Buffer | undefined;
  readonly firstByteTimeoutMs: number;
  readonly idleTimeoutMs: number;
  readonly #sink: UpstreamSink;
  /** Who hears the rest. */
  #rest: BodySink;
  /** Set while a connection serves it. */
  connection: { pause(): void; resume(): void; destroy(): void } | undefined;
  closed = false;
  paused = false;
  sent = false;

  constructor({ body, firstByteTimeoutMs, idleTimeoutMs }: UpstreamRequest, sink: UpstreamSink) {
    this.body = body;
    this.firstByteTimeoutMs = firstByteTimeoutMs;
    this.idleTimeoutMs = idleTimeoutMs;
    this.#sink = sink;
    this.#rest = sink;
  }

  /** Returns who reads the body. */
  head(status: number, headers: UpstreamHeaders): BodySink {
    this.#rest = this.#sink.head(status, headers) ?? this.#sink;
    return this.#rest;
  }

  end() {
    if (this.closed) return;
    this.closed = true;
    this.connection = undefined;
    try {
      this.#rest.end();
    } catch (error) {
      // It is over for the connection: nobody else would tell the one who waits.
      this.#rest.fault(faultOf(error));
    }
  }

  fail(fault: UpstreamFault) {
    if (this.closed) return;
    this.closed = true;
    this.connection = undefined;
    this.#rest.fault(fault);
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
