import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';

export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

export interface ListenerParts {
  /** The data plane, on the raw request. */
  readonly relay: Handler;
  readonly isRelayPath: (path: string) => boolean;
  /** Takes over connections that become WebSockets. */
  readonly upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
  readonly isSocketPath: (path: string) => boolean;
  readonly api: Handler;
  /** The built console. */
  readonly files: Handler;
}

const maxUrlLength = 8_192;

/** The HTTP front: relay prefixes go straight to the relay, /api to the console API, the rest are the console's files (limits of R-54). */
export function createListener({ relay, isRelayPath, upgrade, isSocketPath, api, files }: ListenerParts): Server {
  const handle: Handler = (request, response) => {
    const url = request.url ?? '/';
    if (url.length > maxUrlLength) {
      response.writeHead(414, { connection: 'close' }).end();
      return;
    }
    const path = pathOf(url);
    if (isRelayPath(path)) relay(request, response);
    else if (path === '/api' || path.startsWith('/api/')) api(request, response);
    else files(request, response);
  };
  const isUpgrade = ({ url = '/', method, headers }: IncomingMessage) =>
    method === 'GET' && url.length <= maxUrlLength && headers.upgrade?.toLowerCase() === 'websocket' && isSocketPath(pathOf(url));
  const server = createServer(
    {
      maxHeaderSize: 16_384,
      headersTimeout: 10_000,
      requestTimeout: 300_000,
      keepAliveTimeout: 65_000,
      insecureHTTPParser: false,
      requireHostHeader: true,
      noDelay: true,
      // Some clients offer to change to HTTP/2 with every request: an offer that nobody must take.
      shouldUpgradeCallback: isUpgrade,
    },
    handle,
  );
  server.on('upgrade', (request, socket, head) => {
    // A runtime that does not ask first.
    if (isUpgrade(request)) upgrade(request, socket, head);
    else socket.end('HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n');
  });
  return server;
}

function pathOf(url: string): string {
  const mark = url.indexOf('?');
  return mark < 0 ? url : url.slice(0, mark);
}
