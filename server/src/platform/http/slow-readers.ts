import type { Socket } from 'node:net';

interface Waiting {
  progress: number;
  /** Looks in a row that found the same. */
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
      sockets.set(socket, { progress: 0, looks: 0 });
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
  const progress = socket.writableLength === 0 ? 0 : progressOf(socket);
  waiting.looks = progress !== waiting.progress || socket.writableLength === 0 ? 0 : waiting.looks + 1;
  waiting.progress = progress;
  return waiting.looks >= mostLooks;
}

/**
 * Changes when the peer has taken something of what waits, which may grow all the while. A large write is one piece to the
 * stream until all of it is gone; how much of it the system took, the handle knows.
 */
export function progressOf(socket: Socket): number {
  const { _handle: handle } = socket as unknown as { readonly _handle?: { readonly writeQueueSize?: number } | null };
  return socket.bytesWritten - socket.writableLength - (handle?.writeQueueSize ?? 0);
}
