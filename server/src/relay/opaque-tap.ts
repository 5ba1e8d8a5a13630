import type { Tap } from '@tollgate/wire';

const none: Buffer = Buffer.alloc(0);

/** Passes bytes on without looking at them: sound, plain text. What it took is known from the request. */
export function createOpaqueTap(): Tap {
  let bytes = 0;
  let events = 0;
  let closed = false;
  return {
    get events() {
      return events;
    },
    textBytes: 0,
    thoughtBytes: 0,
    get begun() {
      return bytes > 0;
    },
    get closed() {
      return closed;
    },
    fault: undefined,
    push(chunk) {
      bytes += chunk.length;
      events += 1;
      return chunk.length === 0 ? undefined : Buffer.from(chunk);
    },
    end(isBroken = false) {
      closed = true;
      return {
        usage: undefined,
        complete: bytes > 0 && !isBroken,
        fault: undefined,
        error: undefined,
        unsent: none,
        textBytes: 0,
        keptTextBytes: 0,
        losses: [],
        text: () => '',
        closing: () => undefined,
      };
    },
  };
}
