import type { Socket } from 'node:net';

interface Waiting {
  /** Bytes that the peer has not taken. */
  left: number;
  sinceMs: number;
}

const looksPerStall = 12;
const longestLookMs = 5_000;

/**
 * Ends connections whose peer takes nothing of what waits for it for `stallMs`: what it asked for is given up, and
 * its memory is free again. One timer looks at all of them; what is written costs nothing.
 */
export function createSlowReaders(stallMs: number): { watch(socket: Socket): void } {
  const sockets = new Map<Socket, Waiting>();
  let timer: NodeJS.Timeout | undefined;
  const look = () => {
    const nowMs = performance.now();
    for (const [socket, waiting] of sockets) if (isStalled(socket, waiting, nowMs, stallMs)) socket.destroy();
  };
  return {
    watch(socket) {
      sockets.set(socket, { left: 0, sinceMs: 0 });
      timer ??= setInterval(look, Math.min(longestLookMs, stallMs / looksPerStall)).unref();
      socket.once('close', () => {
        sockets.delete(socket);
        if (sockets.size > 0) return;
        clearInterval(timer);
        timer = undefined;
      });
    },
  };
}

function isStalled(socket: Socket, waiting: Waiting, nowMs: number, stallMs: number): boolean {
  const left = leftOf(socket);
  const isTaken = left < waiting.left || waiting.left === 0;
  waiting.left = left;
  if (isTaken || left === 0) waiting.sinceMs = nowMs;
  return nowMs - waiting.sinceMs >= stallMs;
}

/** A large write is one piece to the stream until all of it is gone; how much of it the system took, the handle knows. */
function leftOf(socket: Socket): number {
  const { writableLength } = socket;
  if (writableLength === 0) return 0;
  const { _handle: handle } = socket as unknown as { readonly _handle?: { readonly writeQueueSize?: number } | null };
  return writableLength + (handle?.writeQueueSize ?? 0);
}
