import { LRUCache } from 'lru-cache';
import { type Dispatcher, Pool } from 'undici';
import { EgressRefused, type Guard } from './guard.ts';

/** What went wrong with an upstream, as far as blame and retry need to know. */
export type FaultKind = 'refused' | 'connect' | 'reset' | 'timeout' | 'protocol' | 'local';

export class UpstreamFault extends Error {
  readonly kind: FaultKind;
  constructor(kind: FaultKind, message: string) {
    super(message);
    this.kind = kind;
  }
}

export interface UpstreamRequest {
  readonly url: URL;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer | undefined;
  /** Requests of different pools never share a connection. */
  readonly pool?: string;
  /** Undefined = as the client was made. */
  readonly connectTimeoutMs?: number | undefined;
  readonly firstByteTimeoutMs: number;
  readonly idleTimeoutMs: number;
}

/** Called in this order: head once, data many times, then exactly one of end and fault. */
export interface UpstreamSink {
  head(status: number, headers: Readonly<Record<string, string | string[] | undefined>>): void;
  data(chunk: Buffer): void;
  end(): void;
  fault(fault: UpstreamFault): void;
}

export interface UpstreamCall {
  pause(): void;
  resume(): void;
  /** Closes the connection; the sink hears nothing more. */
  abort(): void;
}

export interface UpstreamClient {
  send(request: UpstreamRequest, sink: UpstreamSink): UpstreamCall;
  close(): Promise<void>;
}

export interface UpstreamClientOptions {
  readonly guard: Guard;
  readonly connectTimeoutMs: number;
}

const maxPools = 2_000;
const maxHeaderBytes = 65_536;
const keepAliveMs = 4_000;

/** HTTP/1.1 to upstreams with kept connections, one pool per origin; every target passes the guard. */
export function createUpstreamClient({ guard, connectTimeoutMs }: UpstreamClientOptions): UpstreamClient {
  const pools = new LRUCache<string, Pool>({ max: maxPools, dispose: (pool) => void pool.close().catch(() => undefined) });

  const poolOf = ({ url, pool: name = '', connectTimeoutMs: ownTimeoutMs }: UpstreamRequest): Pool => {
    const key = `${name} ${ownTimeoutMs ?? ''} ${url.origin}`;
    const known = pools.get(key);
    if (known !== undefined) return known;
    const { origin, lookup } = guard.target(url);
    const pool = new Pool(origin, {
      connect: { timeout: ownTimeoutMs ?? connectTimeoutMs, lookup, keepAlive: true, keepAliveInitialDelay: 30_000 },
      connections: null,
      pipelining: 1,
      keepAliveTimeout: keepAliveMs,
      maxHeaderSize: maxHeaderBytes,
      allowH2: false,
    });
    pools.set(key, pool);
    return pool;
  };

  return {
    send(request, sink) {
      const handler = new Exchange(sink);
      try {
        poolOf(request).dispatch(
          {
            path: request.url.pathname + request.url.search,
            method: request.method,
            headers: request.headers,
            body: request.body,
            headersTimeout: request.firstByteTimeoutMs,
            bodyTimeout: request.idleTimeoutMs,
          },
          handler,
        );
      } catch (error) {
        queueMicrotask(() => handler.fail(faultOf(error)));
      }
      return handler;
    },
    async close() {
      await Promise.all([...pools.values()].map((pool) => pool.destroy()));
    },
  };
}

const aborted = new Error('aborted');

/** One exchange: undici's handler on one side, our sink on the other. A class, since one exists per relayed request. */
class Exchange implements Dispatcher.DispatchHandler, UpstreamCall {
  readonly #sink: UpstreamSink;
  #controller: Dispatcher.DispatchController | undefined;
  #closed = false;

  constructor(sink: UpstreamSink) {
    this.#sink = sink;
  }

  onRequestStart(controller: Dispatcher.DispatchController) {
    this.#controller = controller;
    if (this.#closed) controller.abort(aborted);
  }

  onResponseStart(
    _controller: Dispatcher.DispatchController,
    status: number,
    headers: Record<string, string | string[] | undefined>,
  ) {
    if (status >= 200 && !this.#closed) this.#sink.head(status, headers);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer) {
    if (!this.#closed) this.#sink.data(chunk);
  }

  onResponseEnd() {
    if (this.#closed) return;
    this.#closed = true;
    this.#sink.end();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error) {
    this.fail(faultOf(error));
  }

  fail(fault: UpstreamFault) {
    if (this.#closed) return;
    this.#closed = true;
    this.#sink.fault(fault);
  }

  pause() {
    this.#controller?.pause();
  }

  resume() {
    this.#controller?.resume();
  }

  abort() {
    if (this.#closed) return;
    this.#closed = true;
    this.#controller?.abort(aborted);
  }
}

const kinds: Readonly<Record<string, FaultKind>> = {
  ECONNREFUSED: 'connect',
  ENOTFOUND: 'connect',
  EAI_AGAIN: 'local',
  EHOSTUNREACH: 'connect',
  // No way out of this machine at all.
  ENETUNREACH: 'local',
  EADDRNOTAVAIL: 'local',
  EMFILE: 'local',
  ENFILE: 'local',
  ENOBUFS: 'local',
  ENOMEM: 'local',
  ECONNRESET: 'reset',
  EPIPE: 'reset',
  ETIMEDOUT: 'timeout',
  UND_ERR_CONNECT_TIMEOUT: 'connect',
  UND_ERR_HEADERS_TIMEOUT: 'timeout',
  UND_ERR_BODY_TIMEOUT: 'timeout',
  UND_ERR_SOCKET: 'reset',
  UND_ERR_HEADERS_OVERFLOW: 'protocol',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: 'protocol',
};

function faultOf(error: unknown): UpstreamFault {
  if (error instanceof UpstreamFault) return error;
  const { code = '', message = '' } = error as { code?: string; message?: string };
  if (error instanceof EgressRefused) return new UpstreamFault('refused', message);
  return new UpstreamFault(code.startsWith('HPE_') ? 'protocol' : (kinds[code] ?? 'reset'), `${code} ${message}`.trim());
}
