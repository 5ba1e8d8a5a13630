import { type IncomingMessage, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { maxMessageBytes } from './message-socket.ts';

/** The server's side of WebSockets. */
export interface SocketDoor {
  /** Finishes the handshake; undefined when the caller spoilt it, who then has been told, or is gone. `headers`: lower case, sent with the 101. */
  accept(
    request: IncomingMessage,
    socket: Duplex,
    head: Buffer,
    headers?: Readonly<Record<string, string>>,
  ): Promise<WebSocket | undefined>;
}

export interface DoorOptions {
  /** The only one of the offered sub-protocols that is ever chosen: others may carry a key. */
  readonly subprotocol: string;
}

const lingerMs = 1_000;

export function createSocketDoor({ subprotocol }: DoorOptions): SocketDoor {
  const server = new WebSocketServer({
    noServer: true,
    maxPayload: maxMessageBytes,
    perMessageDeflate: false,
    clientTracking: false,
    handleProtocols: (offered) => (offered.has(subprotocol) ? subprotocol : false),
  });
  const said = new WeakMap<IncomingMessage, Readonly<Record<string, string>>>();
  server.on('headers', (lines, request) => {
    for (const [name, value] of Object.entries(said.get(request) ?? {})) lines.push(`${name}: ${value}`);
  });
  return {
    accept: (request, socket, head, headers = {}) =>
      new Promise((resolve) => {
        if (socket.destroyed) return resolve(undefined);
        said.set(request, headers);
        const gone = () => resolve(undefined);
        socket.once('close', gone);
        server.handleUpgrade(request, socket, head, (accepted) => {
          socket.off('close', gone);
          accepted.on('error', () => undefined);
          // Nothing may be heard before its owner listens.
          accepted.pause();
          resolve(accepted);
        });
      }),
  };
}

/** Answers an opening with something else than a WebSocket, and ends the connection. */
export function refuseUpgrade(socket: Duplex, status: number, headers: Readonly<Record<string, string>>, body: string): void {
  const lines = Object.entries({ ...headers, connection: 'close', 'content-length': String(Buffer.byteLength(body)) });
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'Refused'}\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`;
  socket.end(head + body);
  setTimeout(() => socket.destroy(), lingerMs).unref();
}
