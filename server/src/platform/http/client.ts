import { recentCache } from '../cache.ts';
import { watchEvery } from '../watch-every.ts';
import { Connection } from './connection.ts';
import { Exchange, type UpstreamCall, type UpstreamRequest, type UpstreamSink } from './exchange.ts';
import { faultOf } from './fault.ts';
import type { Guard, Target } from './guard.ts';
import { requestHead } from './request-head.ts';
import { createTunnel, type Tunnel } from './tunnel.ts';

export type { BodySink, UpstreamCall, UpstreamHeaders, UpstreamRequest, UpstreamSink } from './exchange.ts';
export { type FaultKind, UpstreamFault } from './fault.ts';

export interface UpstreamClient {
  send(request: UpstreamRequest, sink: UpstreamSink): UpstreamCall;
  close(): Promise<void>;
}

export interface UpstreamClientOptions {
  readonly guard: Guard;
  readonly connectTimeoutMs: number;
  /** What we are called on the way, so that a request that comes back to us is known. */
  readonly via?: string;
}

const maxPools = 2_000;
/** How exactly time-outs are kept. */
const tickMs = 50;

/** Connections to one origin for one purpose; the one used last is used first, so that the others may end. */
interface Pool {
  readonly target: Target;
  readonly url: URL;
  readonly host: string;
  /** Instead of a direct connection. */
  readonly tunnel: Tunnel | undefined;
  readonly connectTimeoutMs: number;
  readonly free: Connection[];
  tlsSession: Buffer | undefined;
  /** Nobody asks for it any more: connections end with their exchanges. */
  retired: boolean;
}

/** HTTP/1.1 to upstreams with kept connections, one pool per origin; every target passes the guard. */
export function createUpstreamClient({ guard, connectTimeoutMs, via }: UpstreamClientOptions): UpstreamClient {
  const pools = recentCache<Pool>(maxPools, { dispose: retire });
  const all: Connection[] = [];
  let timer: NodeJS.Timeout | undefined;
  let stoodMs = 0;

  const poolOf = ({ url, pool: name = '', connectTimeoutMs: ownTimeoutMs, proxy }: UpstreamRequest): Pool => {
    const key = `${name} ${ownTimeoutMs ?? ''} ${url.origin}${proxy === undefined ? '' : ` ${proxy}`}`;
    const known = pools.get(key);
    if (known !== undefined) return known;
    const target = guard.target(url);
    const origin = new URL(target.origin);
    const fresh: Pool = {
      target,
      url: origin,
      host: origin.host,
      tunnel: proxy === undefined ? undefined : createTunnel(guard, proxy, target),
      connectTimeoutMs: ownTimeoutMs ?? connectTimeoutMs,
      free: [],
      tlsSession: undefined,
      retired: false,
    };
    pools.set(key, fresh);
    return fresh;
  };
  const tick = (stillMs: number) => {
    stoodMs += stillMs;
    const nowMs = performance.now() - stoodMs;
    // Backwards: one that ends meanwhile is replaced by one that was looked at already.
    for (let index = all.length - 1; index >= 0; index -= 1) all[index]?.tick(nowMs, stillMs);
  };
  const forget = (pool: Pool, connection: Connection) => {
    const last = all.pop();
    if (last !== undefined && last !== connection) {
      last.slot = connection.slot;
      all[connection.slot] = last;
    }
    const place = pool.free.lastIndexOf(connection);
    if (place >= 0) pool.free.splice(place, 1);
    if (all.length > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
  const open = (pool: Pool, exchange: Exchange, head: string) => {
    const { target, url, tunnel, tlsSession } = pool;
    const connection = new Connection(
      {
        ...{ target, url, tunnel, tlsSession, connectTimeoutMs: pool.connectTimeoutMs },
        onTlsSession: (session) => {
          pool.tlsSession = session;
        },
        onFree: (self) => (pool.retired ? self.destroy() : void pool.free.push(self)),
        onClosed: (self) => forget(pool, self),
      },
      exchange,
      head,
    );
    connection.slot = all.push(connection) - 1;
    timer ??= watchEvery(tickMs, tick);
  };

  return {
    send(request, sink) {
      const exchange = new Exchange(request, sink);
      try {
        const pool = poolOf(request);
        const head = requestHead(request, pool.host, via);
        const kept = pool.free.pop();
        if (kept === undefined) open(pool, exchange, head);
        else kept.send(exchange, head);
      } catch (error) {
        queueMicrotask(() => exchange.fail(faultOf(error)));
      }
      return exchange;
    },
    close() {
      pools.clear();
      for (const connection of [...all]) connection.shut();
      return Promise.resolve();
    },
  };
}

function retire(pool: Pool): void {
  pool.retired = true;
  for (const connection of [...pool.free]) connection.destroy();
}
