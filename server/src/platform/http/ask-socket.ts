import type { IncomingMessage } from 'node:http';
import { createGatherer } from '@tollgate/wire';
import type { WebSocket } from 'ws';
import { UpstreamFault } from './client.ts';
import { faultOf } from './fault.ts';
import { maxMessageBytes } from './message-socket.ts';
import {
  beginSocket,
  handshakeFault,
  maxRefusalBytes,
  type SocketAddress,
  type SocketOptions,
  socketFault,
} from './socket-opening.ts';

export interface SocketRequest extends SocketAddress {
  /** Gives up. */
  readonly signal: AbortSignal;
}

/** What asking for a conversation came to. */
export type Opened =
  | { readonly kind: 'open'; readonly socket: WebSocket; readonly headers: IncomingMessage['headers'] }
  | { readonly kind: 'refused'; readonly status: number; readonly headers: IncomingMessage['headers']; readonly body: Buffer };

/** Opens a WebSocket that stays open, through the guard. Rejects with UpstreamFault. */
export type AskForSocket = (request: SocketRequest) => Promise<Opened>;

export function createAskForSocket(options: SocketOptions): AskForSocket {
  return (request) =>
    new Promise((resolve, reject) => {
      const fail = (error: unknown) => reject(faultOf(error));
      try {
        const { socket, timeoutMs } = beginSocket(options, request, maxMessageBytes);
        settle(socket, timeoutMs, request.signal, resolve, fail);
      } catch (error) {
        fail(error);
      }
    });
}

/** Whatever comes first; afterwards the socket is its new owner's. */
function settle(
  socket: WebSocket,
  timeoutMs: number,
  signal: AbortSignal,
  resolve: (opened: Opened) => void,
  fail: (error: unknown) => void,
) {
  const end = (fault: UpstreamFault) => {
    clearTimeout(timer);
    socket.terminate();
    fail(fault);
  };
  const giveUp = () => end(new UpstreamFault('connect', 'given up'));
  const timer = setTimeout(() => end(handshakeFault()), timeoutMs);
  let headers: IncomingMessage['headers'] = {};
  socket.on('error', (error: Error) => {
    clearTimeout(timer);
    fail(socketFault(error));
  });
  socket.on('upgrade', (response) => {
    headers = response.headers;
  });
  socket.on('unexpected-response', (_request, response) => {
    clearTimeout(timer);
    refusalOf(response).then(
      (body) => resolve({ kind: 'refused', status: response.statusCode ?? 502, headers: response.headers, body }),
      fail,
    );
  });
  socket.on('open', () => {
    clearTimeout(timer);
    signal.removeEventListener('abort', giveUp);
    // Nothing may be heard before its owner listens.
    socket.pause();
    resolve({ kind: 'open', socket, headers });
  });
  if (signal.aborted) giveUp();
  else signal.addEventListener('abort', giveUp, { once: true });
}

const refusalTimeoutMs = 5_000;

/** The body of a refusal, as far as it is short and comes soon. */
async function refusalOf(response: IncomingMessage): Promise<Buffer> {
  const gathered = createGatherer(maxRefusalBytes);
  const timer = setTimeout(() => response.destroy(), refusalTimeoutMs);
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      if (!gathered.add(chunk)) break;
    }
  } catch {
    // The status was read: a body that breaks off changes nothing.
  }
  clearTimeout(timer);
  response.destroy();
  return gathered.take();
}
