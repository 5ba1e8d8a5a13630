import type { IncomingMessage } from 'node:http';
import type { RawData, WebSocket } from 'ws';
import {
  type BodySink,
  type UpstreamCall,
  type UpstreamClient,
  UpstreamFault,
  type UpstreamHeaders,
  type UpstreamRequest,
  type UpstreamSink,
} from './client.ts';
import { faultOf } from './fault.ts';
import { bytesOf, cutCode } from './message-socket.ts';
import { beginSocket, handshakeFault, maxRefusalBytes, type SocketOptions, socketFault } from './socket-opening.ts';

/** Asks over a WebSocket; the sink hears what it would hear of an answer in server-sent events. */
export type OpenSocket = (request: UpstreamRequest, sink: UpstreamSink) => UpstreamCall;

const maxMessageBytes = 4 * 1024 * 1024;

/**
 * WebSockets to upstreams, through the guard like every call. The body is the first message, each message that comes
 * back is one event; the first one is the head, and the closing handshake the end. A refused opening is an answer of its
 * own with the status it was refused with.
 */
export function createOpenSocket(options: SocketOptions): OpenSocket {
  return (request, sink) => {
    const call = new SocketCall(request, sink);
    try {
      call.open(beginSocket(options, request, maxMessageBytes));
    } catch (error) {
      queueMicrotask(() => call.fail(faultOf(error)));
    }
    return call;
  };
}

/** Sends by HTTP or over a socket, as the address says. */
export function byScheme(upstream: Pick<UpstreamClient, 'send'>, openSocket: OpenSocket): Pick<UpstreamClient, 'send'> {
  return {
    send: (request, sink) => (/^wss?:$/.test(request.url.protocol) ? openSocket : upstream.send)(request, sink),
  };
}

/** One socket for one exchange. */
class SocketCall implements UpstreamCall {
  #request: UpstreamRequest;
  readonly #sink: UpstreamSink;
  /** Who hears the rest. */
  #rest: BodySink;
  #socket: WebSocket | undefined;
  #timer: NodeJS.Timeout | undefined;
  #begun = false;
  #closed = false;
  #paused = false;
  sent = false;

  constructor(request: UpstreamRequest, sink: UpstreamSink) {
    this.#request = request;
    this.#sink = sink;
    this.#rest = sink;
  }

  open({ socket, timeoutMs }: ReturnType<typeof beginSocket>) {
    this.#socket = socket;
    this.#timer = setTimeout(() => this.fail(handshakeFault()), timeoutMs);
    socket.on('error', (error) => this.fail(socketFault(error)));
    socket.on('unexpected-response', (_request, response) => this.#refused(response));
    socket.on('open', () => {
      this.#watch(this.#request.firstByteTimeoutMs);
      this.sent = true;
      socket.send(this.#request.body?.toString('utf8') ?? '');
      // An answer may last for minutes.
      this.#request = { ...this.#request, body: undefined };
    });
    socket.on('message', (message) => this.#heard(message));
    socket.on('close', (code) => this.#over(code));
  }

  #heard(message: RawData) {
    if (this.#closed) return;
    this.#watch(this.#request.idleTimeoutMs);
    if (!this.#begun) {
      this.#begun = true;
      this.#head(200, { 'content-type': 'text/event-stream' });
    }
    // The sink may have given up at the head.
    if (!this.#closed) this.#rest.data(eventOf(message));
  }

  #head(status: number, headers: UpstreamHeaders) {
    this.#rest = this.#sink.head(status, headers) ?? this.#sink;
  }

  #over(code: number) {
    if (!this.#begun || code === cutCode) return this.fail(new UpstreamFault('reset', `closed with ${code}`));
    this.#finish(() => this.#rest.end());
  }

  /** The body of a refusal is passed on, up to a bound. */
  #refused(response: IncomingMessage) {
    if (this.#closed) return;
    let size = 0;
    this.#begun = true;
    this.#watch(this.#request.idleTimeoutMs);
    response.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size > maxRefusalBytes) this.fail(new UpstreamFault('protocol', 'the refusal is too long'));
      else if (!this.#closed) this.#rest.data(chunk);
    });
    response.on('end', () => this.#finish(() => this.#rest.end()));
    response.on('error', (error) => this.fail(faultOf(error)));
    this.#head(response.statusCode ?? 502, response.headers);
  }

  #watch(timeoutMs: number) {
    clearTimeout(this.#timer);
    // Who does not read cannot complain of silence.
    if (this.#paused) return;
    this.#timer = setTimeout(() => this.fail(new UpstreamFault('timeout', `silent for ${timeoutMs} ms`)), timeoutMs);
  }

  #finish(tell: () => void) {
    if (this.#closed) return;
    this.#closed = true;
    clearTimeout(this.#timer);
    this.#socket?.terminate();
    tell();
  }

  fail(fault: UpstreamFault) {
    this.#finish(() => this.#rest.fault(fault));
  }

  /** What has come already is still heard. */
  pause() {
    this.#paused = true;
    clearTimeout(this.#timer);
    this.#socket?.pause();
  }

  resume() {
    if (this.#closed) return;
    this.#paused = false;
    this.#watch(this.#request.idleTimeoutMs);
    this.#socket?.resume();
  }

  abort() {
    this.#finish(() => undefined);
  }
}

/** A message as one event; its line breaks become further data lines. */
function eventOf(message: RawData): Buffer {
  const text = bytesOf(message).toString('utf8');
  return Buffer.from(`data: ${text.replaceAll(/\r\n|\r|\n/g, '\ndata: ')}\n\n`);
}
