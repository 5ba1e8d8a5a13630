import net, { isIP } from 'node:net';
import tls from 'node:tls';
import type { BodySink, Exchange } from './exchange.ts';
import { faultOf, UpstreamFault } from './fault.ts';
import { endpointOf, perAddress, type Target } from './guard.ts';
import { writeRequest } from './request-head.ts';
import { type ResponseHeaders, type ResponseListener, ResponseParser } from './response-parser.ts';
import { readBytes, sharedBuffer } from './shared-reads.ts';
import type { Tunnel } from './tunnel.ts';

/** Where a connection goes, and what its owner wants to hear. */
export interface ConnectionParts {
  readonly target: Target;
  readonly url: URL;
  /** Instead of a direct connection. */
  readonly tunnel: Tunnel | undefined;
  readonly connectTimeoutMs: number;
  /** Of an earlier connection to the same place: saves a handshake. */
  readonly tlsSession: Buffer | undefined;
  onTlsSession(session: Buffer): void;
  /** It may carry another request. */
  onFree(connection: Connection): void;
  onClosed(connection: Connection): void;
}

/** How long a connection is kept without use when its server does not say. */
const keepAliveMs = 4_000;
const longestKeepAliveMs = 600_000;
/** A server ends a connection a little earlier than it says. */
const keepAliveMarginMs = 1_000;
const tcpKeepAliveMs = 30_000;

/** One connection to an upstream, carrying one exchange after the other. */
export class Connection implements ResponseListener {
  // What each piece of an answer needs stands first: it lies on one line of the processor's cache.
  readonly #parser = new ResponseParser(this);
  /** Something happened since the last look. */
  #touched = true;
  /** Who reads the answer, once its head has come. */
  #body: BodySink | undefined;
  #exchange: Exchange | undefined;
  readonly #parts: ConnectionParts;
  #socket: net.Socket | undefined;
  readonly #tunnelling: AbortController | undefined;
  /** Place in the owner's list. */
  slot = -1;
  #head = '';
  #connected = false;
  #destroyed = false;
  #deadlineMs = 0;
  /** Until a head must have come, however it drips; 0 = not reckoned yet. */
  #headDeadlineMs = 0;
  #timeoutMs: number;
  #keepAliveMs = keepAliveMs;
  #sawHead = false;
  /** Where an answer of known length is put together, and how much of it is there. */
  #whole: Buffer | undefined;
  #wholeBytes = 0;

  constructor(parts: ConnectionParts, exchange: Exchange, head: string) {
    this.#parts = parts;
    this.#exchange = exchange;
    this.#head = head;
    this.#timeoutMs = parts.connectTimeoutMs;
    exchange.connection = this;
    const isTls = parts.target.origin.startsWith('https:');
    if (parts.tunnel === undefined) {
      this.#use(isTls ? this.#openTls() : this.#openPlain(), isTls ? 'secureConnect' : 'connect');
      return;
    }
    this.#tunnelling = new AbortController();
    parts.tunnel.open(this.#tunnelling.signal).then(
      (socket) => this.#through(socket, isTls),
      (error: unknown) => this.#fail(error),
    );
  }

  #use(socket: net.Socket, connected: 'secureConnect' | 'connect' | undefined) {
    this.#socket = socket;
    socket.on('error', (error) => this.#fail(error));
    socket.on('end', () => this.#ended());
    socket.on('close', () => this.#fail(new UpstreamFault('reset', 'the connection was closed')));
    const start = () => {
      this.#connected = true;
      this.#start();
    };
    if (connected === undefined) start();
    else socket.once(connected, start);
  }

  /** A proxy has connected us: from here on it is a connection like any other. */
  #through(socket: net.Socket, isTls: boolean) {
    if (this.#destroyed) return void socket.destroy();
    if (isTls) return this.#use(this.#openTls(socket), 'secureConnect');
    this.#use(socket, undefined);
    socket.on('data', (bytes: Buffer) => this.#read(bytes, bytes.length)).resume();
  }

  /** Sends the next request. Only for a connection that was told to be free. */
  send(exchange: Exchange, head: string) {
    this.#exchange = exchange;
    this.#head = head;
    exchange.connection = this;
    this.#start();
  }

  /** Called every now and then: ends what takes too long. `stoodMs`: how long the process stood still before. */
  tick(nowMs: number, stoodMs: number) {
    // Its server may have ended it meanwhile.
    if (stoodMs > 0 && this.#exchange === undefined) this.destroy();
    else if (this.#isOverdueHead(nowMs)) this.#fail(this.#overdue());
    else if (this.#touched || this.#exchange?.paused === true) {
      this.#touched = false;
      this.#deadlineMs = nowMs + this.#timeoutMs;
    } else if (nowMs >= this.#deadlineMs) this.#fail(this.#overdue());
  }

  #isOverdueHead(nowMs: number): boolean {
    if (this.#sawHead || !this.#connected) return false;
    if (this.#headDeadlineMs === 0) this.#headDeadlineMs = nowMs + this.#timeoutMs;
    return nowMs >= this.#headDeadlineMs;
  }

  pause() {
    if (this.#connected) this.#socket?.pause();
  }

  resume() {
    this.#touched = true;
    if (this.#connected) this.#socket?.resume();
  }

  /** The client is closed: whoever still waits hears of it. */
  shut() {
    this.#fail(new UpstreamFault('reset', 'the client was closed'));
  }

  destroy() {
    if (this.#destroyed) return;
    this.#destroyed = true;
    this.#exchange = undefined;
    this.#body = undefined;
    this.#tunnelling?.abort();
    this.#socket?.destroy();
    this.#parts.onClosed(this);
  }

  head(status: number, headers: ResponseHeaders) {
    const exchange = this.#exchange;
    if (exchange === undefined) return;
    this.#sawHead = true;
    this.#timeoutMs = exchange.idleTimeoutMs;
    this.#keepAliveMs = keepAliveOf(headers['keep-alive']);
    const length = Number(headers['content-length'] ?? 0);
    this.#whole = length > readBytes / 2 && length <= largestWhole ? Buffer.allocUnsafeSlow(length) : undefined;
    this.#wholeBytes = 0;
    const body = exchange.head(status, headers);
    // It may have given up at the head.
    if (this.#exchange === exchange) this.#body = body;
  }

  data(buffer: Buffer, from: number, to: number) {
    const body = this.#body;
    if (body === undefined || body.lent?.(buffer, from, to) === true) return;
    body.data(buffer === sharedBuffer ? this.#own(buffer, from, to) : buffer.subarray(from, to));
  }

  /** A copy; those of one large answer lie behind each other, so that nobody has to join them. */
  #own(buffer: Buffer, from: number, to: number): Buffer {
    const start = this.#wholeBytes;
    const bytes = this.#whole?.subarray(start, start + to - from) ?? Buffer.allocUnsafe(to - from);
    this.#wholeBytes = start + to - from;
    buffer.copy(bytes, 0, from, to);
    return bytes;
  }

  end(reusable: boolean) {
    this.#whole = undefined;
    const exchange = this.#exchange;
    this.#exchange = undefined;
    this.#body = undefined;
    // An answer that came before its request was read leaves the rest of it in the way.
    if (reusable && !this.#destroyed && this.#socket?.writableLength === 0) this.#rest();
    else this.destroy();
    exchange?.end();
  }

  #rest() {
    this.#touched = true;
    this.#timeoutMs = this.#keepAliveMs;
    if (this.#socket?.isPaused() === true) this.#socket.resume();
    this.#parts.onFree(this);
  }

  #openPlain(): net.Socket {
    const options = this.#options();
    const buffer = sharedBuffer;
    if (buffer === undefined) return net.connect(options).on('data', (bytes: Buffer) => this.#read(bytes, bytes.length));
    return net.connect({
      ...options,
      onread: {
        buffer,
        callback: (length) => {
          this.#read(buffer, length);
          return true;
        },
      },
    });
  }

  #openTls(socket?: net.Socket): tls.TLSSocket {
    const { host, ...options } = this.#options();
    const { tlsSession: session, onTlsSession } = this.#parts;
    return tls
      .connect({
        ...options,
        host,
        ...(socket === undefined ? {} : { socket }),
        ALPNProtocols: ['http/1.1'],
        ...(isIP(host) === 0 ? { servername: host } : {}),
        ...(session === undefined ? {} : { session }),
      })
      .on('session', onTlsSession)
      .on('data', (bytes: Buffer) => this.#read(bytes, bytes.length));
  }

  #options() {
    const { url, target, connectTimeoutMs } = this.#parts;
    const { lookup } = target;
    const kept = { noDelay: true, keepAlive: true, keepAliveInitialDelay: tcpKeepAliveMs };
    return { ...endpointOf(url), lookup, ...perAddress(connectTimeoutMs), ...kept };
  }

  #start() {
    const exchange = this.#exchange;
    if (exchange === undefined) return;
    const { body, firstByteTimeoutMs } = exchange;
    this.#touched = true;
    this.#sawHead = false;
    this.#headDeadlineMs = 0;
    this.#timeoutMs = firstByteTimeoutMs;
    this.#parser.expect();
    if (this.#socket === undefined) return;
    exchange.sent = true;
    writeRequest(this.#socket, this.#head, body);
    exchange.body = undefined;
    if (exchange.paused) this.#socket.pause();
  }

  #read(buffer: Buffer, length: number) {
    this.#touched = true;
    try {
      this.#parser.push(buffer, length);
    } catch (error) {
      this.#fail(error);
    }
  }

  #ended() {
    try {
      if (this.#parser.finish()) return this.destroy();
      throw new UpstreamFault('reset', 'the connection was closed within an answer');
    } catch (error) {
      this.#fail(error);
    }
  }

  #overdue(): UpstreamFault {
    if (!this.#connected) return new UpstreamFault('connect', `no connection within ${this.#timeoutMs} ms`);
    return new UpstreamFault('timeout', `${this.#sawHead ? 'silent for' : 'no answer within'} ${this.#timeoutMs} ms`);
  }

  #fail(error: unknown) {
    const exchange = this.#exchange;
    this.destroy();
    exchange?.fail(faultOf(error));
  }
}

/** What an upstream may announce is not yet what it sends. */
const largestWhole = 1_048_576;

function keepAliveOf(header: string | string[] | undefined): number {
  const seconds = typeof header === 'string' ? /(?:^|,)[\t ]*timeout=(\d{1,6})/i.exec(header)?.[1] : undefined;
  if (seconds === undefined) return keepAliveMs;
  return Math.min(longestKeepAliveMs, Math.max(0, Number(seconds) * 1000 - keepAliveMarginMs));
}
