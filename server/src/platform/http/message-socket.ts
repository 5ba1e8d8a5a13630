import type { Socket } from 'node:net';
import type { RawData, WebSocket } from 'ws';
import type { Clock } from '../clock.ts';
import { progressOf } from './slow-readers.ts';

/** Larger messages end the connection (1009). */
export const maxMessageBytes = 16 * 1024 * 1024;
const fullBytes = 1024 * 1024;
const lowBytes = 256 * 1024;
const closeGraceMs = 2_000;
const maxReasonBytes = 123;
const beatMs = 20_000;
/** A peer that takes nothing of what waits for it, or answers no ping, is gone. */
const goneMs = 45_000;
/** No close frame came: the connection was cut. */
export const cutCode = 1006;

/** Hears of one side of a conversation; `closed` is the last and comes once. */
export interface MessageListener {
  message(bytes: Buffer, isBinary: boolean): void;
  /** What waited was taken. */
  drained(): void;
  closed(code: number, reason: string): void;
}

/** One WebSocket with bounds; either side of a conversation. Nothing here throws. */
export interface MessageSocket {
  /** False: the peer takes less than it is sent; `drained` calls once. Whatever is sent after the end is dropped. */
  send(bytes: Buffer, isBinary: boolean): boolean;
  /** A few messages that have arrived already may still come. */
  pause(): void;
  resume(): void;
  /** Says good-bye; a peer that does not answer in time is cut off. Codes that must not be sent become 1011. */
  close(code: number, reason: string): void;
  /** At once, without a word. */
  terminate(): void;
  /** Call it about once a second: pings, and ends what is gone. */
  tick(): void;
  readonly isOpen: boolean;
  /** Bytes of a message that is not whole yet, with what surrounds them. */
  readonly arrivingBytes: number;
}

/** From a socket that was paused when it opened. */
export function messageSocket(socket: WebSocket, clock: Clock, listener: MessageListener): MessageSocket {
  return new Wrapped(socket, clock, listener);
}

class Wrapped implements MessageSocket {
  readonly #socket: WebSocket;
  readonly #clock: Clock;
  readonly #listener: MessageListener;
  #isFull = false;
  #isPaused = false;
  #heardMs: number;
  #takenMs: number;
  #pingedMs: number;
  #readBytes = 0;
  /** What had been read when the last message was whole. */
  #wholeBytes = 0;
  #progress = 0;
  #closeTimer: NodeJS.Timeout | undefined;

  constructor(socket: WebSocket, clock: Clock, listener: MessageListener) {
    this.#socket = socket;
    this.#clock = clock;
    this.#listener = listener;
    const nowMs = clock.monotonicMs();
    this.#heardMs = nowMs;
    this.#takenMs = nowMs;
    this.#pingedMs = nowMs;
    const heard = () => {
      this.#heardMs = clock.monotonicMs();
    };
    socket.on('message', (data, isBinary) => {
      heard();
      this.#wholeBytes = this.#connection?.bytesRead ?? 0;
      listener.message(bytesOf(data), isBinary);
    });
    socket.on('ping', heard);
    socket.on('pong', heard);
    // A close follows every error.
    socket.on('error', () => undefined);
    socket.on('close', (code, reason) => {
      clearTimeout(this.#closeTimer);
      listener.closed(code, reason.toString('utf8'));
    });
    if (this.isOpen) socket.resume();
    else queueMicrotask(() => listener.closed(cutCode, ''));
  }

  get arrivingBytes(): number {
    return Math.max(0, (this.#connection?.bytesRead ?? 0) - this.#wholeBytes);
  }

  get #connection(): Socket | undefined {
    return (this.#socket as unknown as { readonly _socket?: Socket | null })._socket ?? undefined;
  }

  get isOpen(): boolean {
    return this.#socket.readyState === this.#socket.OPEN;
  }

  send(bytes: Buffer, isBinary: boolean): boolean {
    const socket = this.#socket;
    if (!this.isOpen) return true;
    if (socket.bufferedAmount === 0) this.#takenMs = this.#clock.monotonicMs();
    socket.send(bytes, { binary: isBinary }, () => this.#taken());
    if (socket.bufferedAmount < fullBytes) return true;
    this.#isFull = true;
    return false;
  }

  #taken() {
    this.#takenMs = this.#clock.monotonicMs();
    if (!this.#isFull || this.#socket.bufferedAmount > lowBytes) return;
    this.#isFull = false;
    this.#listener.drained();
  }

  pause() {
    this.#isPaused = true;
    if (this.isOpen) this.#socket.pause();
  }

  resume() {
    this.#isPaused = false;
    this.#heardMs = this.#clock.monotonicMs();
    if (this.isOpen) this.#socket.resume();
  }

  close(code: number, reason: string) {
    if (!this.isOpen) return this.terminate();
    this.resume();
    this.#socket.close(isSendable(code) ? code : 1011, shortened(reason));
    this.#closeTimer = setTimeout(() => this.#socket.terminate(), closeGraceMs);
  }

  terminate() {
    this.#socket.terminate();
  }

  tick() {
    if (!this.isOpen) return;
    const nowMs = this.#clock.monotonicMs();
    this.#seeParts(nowMs);
    const isStuck = this.#socket.bufferedAmount > 0 && nowMs - this.#takenMs > goneMs;
    // Whoever is not read cannot be heard.
    if (isStuck || (!this.#isPaused && nowMs - this.#heardMs > goneMs)) return this.terminate();
    if (nowMs - this.#pingedMs < beatMs) return;
    this.#pingedMs = nowMs;
    this.#socket.ping();
  }

  /** A long message is on its way for a while, either way, and no answer to a ping comes through in the middle of one. */
  #seeParts(nowMs: number) {
    const socket = this.#connection;
    if (socket === undefined) return;
    const [readBytes, progress] = [socket.bytesRead, progressOf(socket)];
    if (readBytes !== this.#readBytes) this.#heardMs = nowMs;
    if (progress !== this.#progress) this.#takenMs = nowMs;
    this.#readBytes = readBytes;
    this.#progress = progress;
  }
}

function isSendable(code: number): boolean {
  return (code >= 1000 && code <= 1014 && ![1004, 1005, cutCode].includes(code)) || (code >= 3000 && code <= 4999);
}

/** A reason has a bound in bytes, and may not end inside a character. */
function shortened(reason: string): string {
  let text = reason.slice(0, maxReasonBytes);
  while (Buffer.byteLength(text) > maxReasonBytes) text = text.slice(0, -1);
  return text.isWellFormed() ? text : text.slice(0, -1);
}

export function bytesOf(data: RawData): Buffer {
  if (Array.isArray(data)) return Buffer.concat(data);
  return Buffer.isBuffer(data) ? data : Buffer.from(data);
}
