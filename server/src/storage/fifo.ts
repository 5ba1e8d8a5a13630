import { DatabaseError } from './errors.ts';

/** One holder at a time, first come first served, with a bounded line. */
export interface Fifo {
  run<T>(body: () => Promise<T>): Promise<T>;
  /** Refuses newcomers and waits for those in line. */
  close(): Promise<void>;
}

/** `maxWaiting` callers may wait; more are refused with a DatabaseError of kind `unavailable`. */
export function createFifo(maxWaiting: number): Fifo {
  const waiting: (() => void)[] = [];
  let busy = false;
  let closed = false;
  let idle: (() => void) | undefined;

  const acquire = (): Promise<void> => {
    if (closed) throw new DatabaseError('unavailable', '', 'The database is closing');
    if (!busy) {
      busy = true;
      return Promise.resolve();
    }
    if (waiting.length >= maxWaiting) throw new DatabaseError('unavailable', '', 'Too many transactions wait');
    return new Promise((resolve) => waiting.push(resolve));
  };
  const release = (): void => {
    const next = waiting.shift();
    if (next) {
      next();
      return;
    }
    busy = false;
    idle?.();
  };
  return {
    async run(body) {
      await acquire();
      try {
        return await body();
      } finally {
        release();
      }
    },
    close() {
      closed = true;
      return busy ? new Promise((resolve) => (idle = resolve)) : Promise.resolve();
    },
  };
}
