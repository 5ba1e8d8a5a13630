import { WebSocket } from 'ws';
import { faultOf, UpstreamFault } from './fault.ts';
import { type Guard, perAddress } from './guard.ts';
import { createTunnel, openingThrough } from './tunnel.ts';

/** Of the body of an opening that was refused. */
export const maxRefusalBytes = 64 * 1024;

export interface SocketOptions {
  readonly guard: Guard;
  readonly connectTimeoutMs: number;
  /** What we are called on the way; absent = nothing is said of it. */
  readonly via?: string;
}

export interface SocketAddress {
  /** http, https, ws or wss. */
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  /** The address of a proxy. */
  readonly proxy?: string | undefined;
  /** Undefined = the general one. Holds for the whole handshake. */
  readonly connectTimeoutMs?: number | undefined;
}

/**
 * A socket that is being opened, through the guard and the proxy, and what its handshake may take: watch it, as the library's
 * own limit begins anew with every byte. Throws UpstreamFault or EgressRefused.
 */
export function beginSocket(
  { guard, connectTimeoutMs, via }: SocketOptions,
  { url, headers, proxy, connectTimeoutMs: timeoutMs = connectTimeoutMs }: SocketAddress,
  maxPayload: number,
): { readonly socket: WebSocket; readonly timeoutMs: number } {
  const target = guard.target(httpUrl(url));
  const { origin, lookup } = target;
  const socket = new WebSocket(new URL(url.pathname + url.search, origin.replace(/^http/, 'ws')), {
    headers: openingHeaders(headers, via),
    lookup,
    ...perAddress(timeoutMs),
    followRedirects: false,
    maxPayload,
    perMessageDeflate: false,
    ...(proxy === undefined ? {} : { createConnection: openingThrough(createTunnel(guard, proxy, target), origin, timeoutMs) }),
  });
  return { socket, timeoutMs };
}

/** The guard knows the schemes of HTTP only; a socket's opening is a request of it. */
function httpUrl(url: URL): URL {
  return new URL(url.href.replace(/^ws(s?):/, 'http$1:'));
}

/** Only what an opening may carry, beside our name: the rest describes a body that goes another way. */
function openingHeaders(headers: Readonly<Record<string, string>>, via: string | undefined): Record<string, string> {
  const others = Object.entries(headers).filter(([name]) => !/^(content-|accept|connection|host$)/.test(name));
  return { ...Object.fromEntries(others), ...(via === undefined ? {} : { via: `1.1 ${via}` }) };
}

export function handshakeFault(): UpstreamFault {
  return new UpstreamFault('connect', 'the handshake took too long');
}

export function socketFault(error: Error & { code?: string }): UpstreamFault {
  if (error.code?.startsWith('WS_ERR_')) return new UpstreamFault('protocol', error.code);
  return faultOf(error);
}
