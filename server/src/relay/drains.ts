/** Calls whose callers left and whose upstreams are read on, in this process. */
export interface Drains {
  /** Undefined: there are as many as there may be. Returns how the place is left, once. */
  enter(): (() => void) | undefined;
}

/** Each keeps a connection and a hold for whom nobody waits. */
const most = 256;

export function createDrains(limit = most): Drains {
  let running = 0;
  return {
    enter() {
      if (running >= limit) return undefined;
      running += 1;
      return () => {
        running -= 1;
      };
    },
  };
}
