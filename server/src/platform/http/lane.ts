import type { Socket } from 'node:net';
import { LaneAnswer } from './lane-answer.ts';
import { type KnownHead, knowHead, type LaneHead, readKnownHead, readLaneHead } from './lane-head.ts';
import { BodyTooLarge, type Serve, type ServedRequest } from './served.ts';
import { endShareReads, kept, shareReads } from './shared-reads.ts';
import { TurnWrites } from './turn-writes.ts';

export interface LaneParts {
  readonly serve: Serve;
  /** Paths without their query that `serve` answers. */
  readonly isServed: (path: string) => boolean;
  /** Gives a connection to the general server for good. */
  readonly handOver: (socket: Socket) => void;
  readonly times?: LaneTimes;
}

export interface LaneTimes {
  /** A request that is slower to come is the general server's, with its time limits. */
  readonly patienceMs: number;
  /** How long a kept connection may ask nothing. */
  readonly idleMs: number;
  readonly watchMs: number;
}

export interface Lane {
  take(socket: Socket): void;
  /** From now on the next answer of each connection says that it is the last. */
  announceEnd(): void;
  /** Ends the connections that have asked nothing for so long. */
  endIdle(idleMs: number): void;
  /** No connection serves another request; those that serve none are closed. */
  close(): void;
  /** Whether callers have yet to take something of what was said to them. */
  isBehind(): boolean;
  /** Ends every connection, whatever it does. */
  closeAll(): void;
}

/** What came too early is kept up to here; then the caller is not read on. */
const maxEarlyBytes = 65_536;
const usualTimes: LaneTimes = { patienceMs: 2_000, idleMs: 65_000, watchMs: 1_000 };

/**
 * The short way for what nearly all callers of the relay send: POSTs with their length, one after the other on a kept
 * connection. Reading them takes half the time of the general server, which gets every connection that does anything else.
 */
export function createLane(parts: LaneParts): Lane {
  const connections = new Set<LaneConnection>();
  let ending = false;
  let closing = false;
  const times = parts.times ?? usualTimes;
  const shared: Shared = {
    ...parts,
    isLast: () => ending,
    isClosing: () => closing,
    forget: (connection) => void connections.delete(connection),
  };
  const watch = setInterval(() => {
    const nowMs = performance.now();
    for (const connection of connections) connection.check(nowMs, times);
  }, times.watchMs);
  watch.unref();
  return {
    take: (socket) => void connections.add(new LaneConnection(socket, shared)),
    announceEnd() {
      ending = true;
    },
    endIdle(idleMs) {
      const latestMs = performance.now() - idleMs;
      for (const connection of connections) connection.endIdle(latestMs);
    },
    close() {
      ending = true;
      closing = true;
      for (const connection of connections) connection.closeIdle();
    },
    isBehind: () => [...connections].some(({ isBehind }) => isBehind),
    closeAll() {
      clearInterval(watch);
      for (const connection of connections) connection.destroy();
    },
  };
}

interface Shared extends LaneParts {
  isLast(): boolean;
  isClosing(): boolean;
  forget(connection: LaneConnection): void;
}

class LaneConnection {
  readonly #socket: Socket;
  readonly #writes: TurnWrites;
  readonly #shared: Shared;
  /** Bytes that no request has taken yet. */
  #pending: Buffer | undefined;
  #head: LaneHead | undefined;
  /** That of the request before: most callers send the same again and again. */
  #known: KnownHead | undefined;
  #answer: LaneAnswer | undefined;
  #isHandedOver = false;
  #sinceMs = performance.now();

  constructor(socket: Socket, shared: Shared) {
    this.#socket = socket;
    this.#writes = new TurnWrites(socket);
    this.#shared = shared;
    shareReads(socket, this.#data);
    socket.on('end', this.#end);
    socket.on('drain', this.#drain);
    socket.on('error', ignore);
    socket.on('close', this.#close);
  }

  check(nowMs: number, { idleMs, patienceMs }: LaneTimes): void {
    if (this.#answer !== undefined) return;
    if (this.#pending === undefined) {
      if (nowMs - this.#sinceMs > idleMs) this.#socket.destroy();
    } else if (nowMs - this.#sinceMs > patienceMs && !this.#socket.writableNeedDrain) this.#handOver(this.#pending);
  }

  closeIdle(): void {
    this.endIdle(Number.POSITIVE_INFINITY);
  }

  endIdle(latestMs: number): void {
    if (this.#answer === undefined && this.#pending === undefined && this.#sinceMs < latestMs) this.#hangUp();
  }

  get isBehind(): boolean {
    return this.#socket.writableLength > 0;
  }

  destroy(): void {
    this.#socket.destroy();
  }

  /** Hears no more either: what comes from now on would be served, and charged, and its answer reach nobody. */
  #hangUp(): void {
    this.#pending = undefined;
    endShareReads(this.#socket, this.#data);
    this.#socket.resume().end();
  }

  readonly #data = (chunk: Buffer): void => {
    const isFirst = this.#pending === undefined;
    const bytes = this.#pending === undefined ? chunk : Buffer.concat([this.#pending, chunk]);
    if (isFirst && this.#answer === undefined) this.#sinceMs = performance.now();
    if (this.#answer === undefined && !this.#socket.writableNeedDrain) this.#next(bytes);
    else {
      this.#pending = kept(bytes);
      if (bytes.length > maxEarlyBytes) this.#socket.pause();
    }
  };

  /** Answers what has wholly come. */
  #next(bytes: Buffer): void {
    const head = this.#head ?? this.#readHead(bytes);
    if (head === 'other' || (head !== 'more' && !this.#shared.isServed(pathOf(head.url)))) this.#handOver(kept(bytes));
    else if (head !== 'more' && bytes.length >= head.bodyStart + head.bodyLength) this.#take(head, bytes);
    else {
      if (head !== 'more') this.#head = head;
      this.#pending = kept(bytes);
    }
  }

  #readHead(bytes: Buffer): ReturnType<typeof readLaneHead> {
    const known = this.#known && readKnownHead(bytes, this.#known);
    if (known !== undefined) return known;
    const head = readLaneHead(bytes);
    if (typeof head === 'object') this.#known = knowHead(bytes, head);
    return head;
  }

  #take({ url, headers, bodyStart, bodyLength }: LaneHead, bytes: Buffer): void {
    const end = bodyStart + bodyLength;
    let body: Buffer | undefined = kept(bytes.subarray(bodyStart, end));
    this.#head = undefined;
    this.#pending = bytes.length === end ? undefined : kept(bytes.subarray(end));
    const socket = this.#socket;
    const request: ServedRequest = {
      ...{ method: 'POST', url, headers, socket },
      body(maxBytes) {
        const read = body;
        // The request lives as long as its answer.
        body = undefined;
        if (read === undefined) throw new Error('a body is read once');
        return read.length > maxBytes ? Promise.reject(new BodyTooLarge()) : read;
      },
      leaveUnread: ignore,
    };
    const answer = new LaneAnswer({ socket, writes: this.#writes, isLast: this.#shared.isLast, onEnd: this.#ended });
    this.#answer = answer;
    this.#shared.serve(request, answer);
  }

  readonly #ended = (): void => {
    const saidLast = this.#answer?.saidLast === true;
    this.#answer = undefined;
    this.#sinceMs = performance.now();
    if (saidLast || this.#shared.isClosing()) this.#hangUp();
    // Not from within the answer that has just ended.
    else if (this.#pending !== undefined) setImmediate(this.#goOn);
  };

  /** More may have come before its turn, and been answered or handed over. */
  readonly #goOn = (): void => {
    if (this.#isHandedOver || this.#answer !== undefined || this.#socket.destroyed || this.#socket.writableNeedDrain) return;
    this.#socket.resume();
    if (this.#pending !== undefined) this.#next(this.#pending);
  };

  readonly #end = (): void => {
    // Who closes a connection that is being answered has left.
    if (this.#answer === undefined) this.#socket.end();
    else this.#socket.destroy();
  };

  readonly #drain = (): void => {
    this.#writes.drained();
    if (this.#answer === undefined) this.#goOn();
    else this.#answer.drained();
  };

  readonly #close = (): void => {
    this.#shared.forget(this);
    this.#answer?.lost();
  };

  #handOver(bytes: Buffer): void {
    const socket = this.#socket;
    this.#isHandedOver = true;
    this.#pending = undefined;
    endShareReads(socket, this.#data);
    socket.off('end', this.#end).off('drain', this.#drain).off('close', this.#close).off('error', ignore);
    this.#shared.forget(this);
    if (socket.destroyed) return;
    this.#shared.handOver(socket);
    socket.resume();
    socket.emit('data', bytes);
  }
}

export function pathOf(url: string): string {
  const mark = url.indexOf('?');
  return mark < 0 ? url : url.slice(0, mark);
}

function ignore(): void {}
