import type { Socket } from 'node:net';

interface Waiting {
  /** Bytes that the peer has not taken. */
  left: number;
  /** Looks in a row that found no fewer. */
  looks: number;
}

const looksPerStall = 12;
const longestLookMs = 5_000;

/**
 * Ends connections whose peer takes nothing of what waits for it for `stallMs`: what it asked for is given up, and
 * its memory is free again. One timer looks at all of them; what is written costs nothing. Looks are counted instead of
 * the time between them, so that a process that stood still itself blames nobody for it.
 */
export function createSlowReaders(stallMs: number): { watch(socket: Socket): void } {
  const sockets = new Map<Socket, Waiting>();
  const lookMs = Math.min(longestLookMs, stallMs / looksPerStall);
  const mostLooks = Math.ceil(stallMs / lookMs);
  let timer: NodeJS.Timeout | undefined;
  const look = () => {
    for (const [socket, waiting] of sockets) if (isStalled(socket, waiting, mostLooks)) socket.destroy();
  };
  return {
    watch(socket) {
      sockets.set(socket, { left: 0, looks: 0 });
      timer ??= setInterval(look, lookMs).unref();
      socket.once('close', () => {
        sockets.delete(socket);
        if (sockets.size > 0) return;
        clearInterval(timer);
        timer = undefined;
      });
    },
  };
}

function isStalled(socket: Socket, waiting: Waiting, mostLooks: number): boolean {
  const left = leftOf(socket);
  const isTaken = left < waiting.left || waiting.left === 0;
  waiting.left = left;
  waiting.looks = isTaken || left === 0 ? 0 : waiting.looks + 1;
  return waiting.looks >= mostLooks;
}

/** A large write is one piece to the stream until all of it is gone; how much of it the system took, the handle knows. */
export function leftOf(socket: Socket): number {
  const { writableLength } = socket;
  if (writableLength === 0) return 0;
  const { _handle: handle } = socket as unknown as { readonly _handle?: { readonly writeQueueSize?: number } | null };
  return writableLength + (handle?.writeQueueSize ?? 0);
}
