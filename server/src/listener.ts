import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, Server, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { createKeptConnections } from './platform/http/kept.ts';
import { createLane, pathOf } from './platform/http/lane.ts';
import { maxUrlLength } from './platform/http/lane-head.ts';
import type { Serve } from './platform/http/served.ts';
import { serveNode } from './platform/http/served-node.ts';
import { listening } from './platform/listening.ts';

export type Handler = (request: IncomingMessage, response: ServerResponse) => void;

export interface ListenerParts {
  /** The data plane. */
  readonly relay: Serve;
  readonly isRelayPath: (path: string) => boolean;
  /** Takes over connections that become WebSockets. */
  readonly upgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
  readonly isSocketPath: (path: string) => boolean;
  /** Sees every connection as it comes. */
  readonly watch: (socket: Socket) => void;
  readonly health: Handler;
  readonly isHealthPath: (path: string) => boolean;
  /** What the doctor asks by the way that callers take; its path lies among theirs. */
  readonly streamCheck: Handler;
  readonly streamCheckPath: string;
  readonly api: Handler;
  /** The built console. */
  readonly files: Handler;
}

export interface Listener {
  /** The port it got. Rejects when it cannot have that one. `isShared`: other processes may listen there too. */
  listen(port: number, host: string, isShared: boolean): Promise<number>;
  /** From now on the next answer of each connection says that it is the last. */
  announceEnd(): void;
  /**
   * Takes no connection more and serves those that are there, until none is left or no time is. A caller who keeps
   * connections may send on an idle one whenever it likes: it is ended only after `idleMs` of silence.
   */
  leave(idleMs: number, leftMs: () => number): Promise<void>;
  /** Takes no connection more; those that serve nothing are closed. */
  close(): void;
  /** Resolves when what the general server answers is answered and callers have taken what they were told, at the latest when no time is left. */
  finished(leftMs: () => number): Promise<void>;
  /** Ends every connection, whatever it does. */
  closeAll(): void;
}

const lookMs = 100;

/** The HTTP front: relay prefixes go straight to the relay, /api to the console API, the rest are the console's files, for whoever looks at them (limits of R-54). */
export function createListener({
  relay,
  isRelayPath: isAnyRelayPath,
  upgrade,
  isSocketPath,
  watch,
  health,
  isHealthPath,
  streamCheck,
  streamCheckPath,
  api,
  files,
}: ListenerParts): Listener {
  const isRelayPath = (path: string) => path !== streamCheckPath && isAnyRelayPath(path);
  const serveRelay = serveNode(relay);
  const kept = createKeptConnections();
  let isEnding = false;
  const handle: Handler = (request, response) => {
    kept.serving(request, response);
    toOriginForm(request);
    if (isEnding || request.httpVersion === '1.0') response.shouldKeepAlive = false;
    const url = request.url ?? '/';
    if (url.length > maxUrlLength) {
      response.writeHead(414, { connection: 'close' }).end();
      return;
    }
    const path = pathOf(url);
    if (isRelayPath(path)) serveRelay(request, response);
    else if (path === '/api' || path.startsWith('/api/')) api(request, response);
    else if (isHealthPath(path)) health(request, response);
    else if (path === streamCheckPath) streamCheck(request, response);
    else if (isOfProgram(request)) serveRelay(request, response);
    else files(request, response);
  };
  const isUpgrade = (request: IncomingMessage) => {
    toOriginForm(request);
    const { url = '/', method, headers } = request;
    return (
      method === 'GET' &&
      url.length <= maxUrlLength &&
      headers.upgrade?.toLowerCase() === 'websocket' &&
      isSocketPath(pathOf(url))
    );
  };
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
    // Nobody else listens any more, and an error that nobody hears ends the process.
    socket.on('error', () => undefined);
    kept.forget(socket);
    // A runtime that does not ask first.
    if (isUpgrade(request)) upgrade(request, socket, head);
    else socket.end('HTTP/1.1 400 Bad Request\r\nconnection: close\r\n\r\n');
  });
  // What the short way cannot serve comes back here.
  const [general] = server.listeners('connection') as ((socket: Socket) => void)[];
  server.removeAllListeners('connection');
  const handOver = (socket: Socket) => {
    kept.take(socket);
    general?.call(server, socket);
  };
  const lane = createLane({ serve: relay, isServed: isRelayPath, handOver });
  // The server's own way of closing ends idle connections at once, and those whose caller still reads the answer.
  const closeDoor = () => Server.prototype.close.call(server);
  const connections = new Set<Socket>();
  server.on('connection', (socket) => {
    connections.add(socket);
    socket.once('close', () => void connections.delete(socket));
  });
  server.on('connection', watch);
  server.on('connection', lane.take);
  return {
    async listen(port, host, isShared) {
      await listening(server, { port, host, reusePort: isShared }, 'PORT');
      return (server.address() as AddressInfo).port;
    },
    announceEnd() {
      isEnding = true;
      lane.announceEnd();
    },
    async leave(idleMs, leftMs) {
      closeDoor();
      await until(() => {
        lane.endIdle(idleMs);
        kept.endIdle(idleMs);
        return connections.size === 0;
      }, leftMs);
    },
    close() {
      lane.close();
      closeDoor();
      kept.endIdle(-1);
    },
    finished: (leftMs) => until(() => kept.busy === 0 && !lane.isBehind(), leftMs),
    closeAll() {
      lane.closeAll();
      server.close();
      server.closeAllConnections();
    },
  };
}

/** Looks again and again until it is so, or no time is left. */
async function until(isSo: () => boolean, leftMs: () => number): Promise<void> {
  while (!isSo() && leftMs() > 0) await delay(lookMs);
}

/** No page is asked for like this: a program whose base URL lacks `/v1`, say, reads an error and no page. */
const isOfProgram = ({ method, headers }: IncomingMessage) =>
  (method !== 'GET' && method !== 'HEAD') || /^bearer sk-/i.test(headers.authorization ?? '');

const host = /^https?:\/\/[^/?#@]+/i;

/** A target with its host in it, as clients send it to what they take for a proxy (RFC 9112, 3.2.2), becomes one without. */
function toOriginForm(request: IncomingMessage): void {
  if (request.url?.startsWith('/') !== false) return;
  const rest = request.url.replace(host, '');
  if (rest !== request.url) request.url = rest.startsWith('/') ? rest : `/${rest}`;
}
