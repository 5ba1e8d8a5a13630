import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';

/** The connections of the general server between their requests. */
export interface KeptConnections {
  take(socket: Socket): void;
  /** To be called with every request. */
  serving(request: IncomingMessage, response: ServerResponse): void;
  /** For a connection that has become something else. */
  forget(socket: Duplex): void;
  /** Requests that are being answered. */
  readonly busy: number;
  /** Ends those that have asked nothing for so long. */
  endIdle(idleMs: number): void;
}

/** Node closes idle connections all at once or after one time for all of them; a drain needs to know since when each is idle. */
export function createKeptConnections(): KeptConnections {
  const idleSinceMs = new Map<Duplex, number>();
  let busy = 0;
  return {
    get busy() {
      return busy;
    },
    take(socket) {
      idleSinceMs.set(socket, performance.now());
      socket.once('close', () => void idleSinceMs.delete(socket));
    },
    serving({ socket }, response) {
      busy += 1;
      idleSinceMs.delete(socket);
      response.once('close', () => {
        busy -= 1;
        if (!socket.destroyed) idleSinceMs.set(socket, performance.now());
      });
    },
    forget: (socket) => void idleSinceMs.delete(socket),
    endIdle(idleMs) {
      const latestMs = performance.now() - idleMs;
      for (const [socket, sinceMs] of idleSinceMs) if (sinceMs < latestMs) socket.destroy();
    },
  };
}
