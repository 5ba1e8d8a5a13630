import { once } from 'node:events';
import net, { isIP } from 'node:net';
import tls from 'node:tls';
import { UpstreamFault } from './fault.ts';
import { EgressRefused, endpointOf, type Guard, perAddress, type Target } from './guard.ts';
import { type ProxyServer, vetProxy } from './proxy.ts';
import { askSocks, readSome } from './socks.ts';

/** Connections to one place through a proxy. */
export interface Tunnel {
  /** Resolves with a connection as if it were one to the place itself. Rejects when it cannot be had or is given up. */
  open(signal: AbortSignal): Promise<net.Socket>;
}

const maxHeadBytes = 16_384;
const tcpKeepAliveMs = 30_000;

/** Throws UpstreamFault or EgressRefused for a proxy that may not be used. */
export function createTunnel(guard: Guard, proxyText: string, target: Target): Tunnel {
  const proxy = vetProxy(proxyText, guard);
  const url = new URL(target.origin);
  const { host, port } = endpointOf(url);
  return {
    async open(signal) {
      await refusePrivateName(host, target);
      signal.throwIfAborted();
      const socket = connect(proxy);
      // Whoever waits hears of a fault; between two waits there is nobody.
      socket.on('error', () => undefined);
      const giveUp = () => socket.destroy(new UpstreamFault('connect', 'given up'));
      signal.addEventListener('abort', giveUp, { once: true });
      try {
        await once(socket, proxy.kind === 'https' ? 'secureConnect' : 'connect');
        if (proxy.kind === 'socks5') await askSocks(socket, proxy.login, host, port);
        else await askHttp(socket, proxy, host, port);
        return socket;
      } catch (error) {
        socket.destroy();
        throw error;
      } finally {
        signal.removeEventListener('abort', giveUp);
      }
    },
  };
}

/**
 * The proxy looks names up itself, and may see others than we do. One that is private from here is refused all the same:
 * a proxy is no way around the guard.
 */
function refusePrivateName(host: string, { lookup }: Target): Promise<void> {
  if (isIP(host) !== 0) return Promise.resolve();
  return new Promise((resolve, reject) => {
    lookup(host, { all: true }, (error) => (error instanceof EgressRefused ? reject(error) : resolve()));
  });
}

function connect({ kind, host, port, target: { lookup } }: ProxyServer): net.Socket {
  const kept = { noDelay: true, keepAlive: true, keepAliveInitialDelay: tcpKeepAliveMs };
  const options = { host, port, lookup, ...perAddress(), ...kept };
  if (kind !== 'https') return net.connect(options);
  return tls.connect({ ...options, ALPNProtocols: ['http/1.1'], ...(isIP(host) === 0 ? { servername: host } : {}) });
}

/** CONNECT: from the blank line of a good answer on, the connection is that of the place. */
async function askHttp(socket: net.Socket, { login }: ProxyServer, host: string, port: number): Promise<void> {
  const place = `${isIP(host) === 6 ? `[${host}]` : host}:${port}`;
  const credentials =
    login === undefined
      ? ''
      : `proxy-authorization: Basic ${Buffer.from(`${login.user}:${login.password}`).toString('base64')}\r\n`;
  socket.write(`CONNECT ${place} HTTP/1.1\r\nhost: ${place}\r\n${credentials}\r\n`);
  let head = Buffer.alloc(0);
  let end = -1;
  while (end < 0) {
    head = Buffer.concat([head, await readSome(socket)]);
    end = head.indexOf('\r\n\r\n');
    if (end < 0 && head.length > maxHeadBytes) throw new UpstreamFault('protocol', 'the proxy does not speak HTTP');
  }
  const status = /^HTTP\/1\.[01] (\d{3})/.exec(head.toString('latin1', 0, 32))?.[1];
  if (status === undefined) throw new UpstreamFault('protocol', 'the proxy does not speak HTTP');
  if (!status.startsWith('2')) throw new UpstreamFault('connect', `the proxy answered with status ${status}`);
  const rest = head.subarray(end + 4);
  if (rest.length > 0) socket.unshift(rest);
}

type Opening = (options: object, done?: (error: Error | null, socket: net.Socket) => void) => undefined;

/** For clients that open their connections by a function: it calls back with one through the tunnel, secured as `origin` says. */
export function openingThrough(tunnel: Tunnel, origin: string, timeoutMs: number): Opening {
  const url = new URL(origin);
  const { host } = endpointOf(url);
  return (_, done) => {
    tunnel.open(AbortSignal.timeout(timeoutMs)).then(
      (socket) => done?.(null, url.protocol === 'https:' ? secured(socket, host) : socket),
      (error: Error) => done?.(error, undefined as never),
    );
  };
}

/** TLS to the place itself, whatever carries it. */
function secured(socket: net.Socket, host: string): tls.TLSSocket {
  return tls.connect({ socket, host, ALPNProtocols: ['http/1.1'], ...(isIP(host) === 0 ? { servername: host } : {}) });
}
