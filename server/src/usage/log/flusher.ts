const everyMs = 1_000;

/** Runs `write` every second, one after the other, for what is written beside the calls. */
export interface Flusher {
  /** Resolves when what waits now was tried. */
  flush(): Promise<void>;
  /** The same for the last time. */
  stop(): Promise<void>;
}

/** `write` never rejects. */
export function createFlusher(write: () => Promise<void>): Flusher {
  let writing: Promise<void> = Promise.resolve();
  let pending = 0;
  const flush = () => {
    pending += 1;
    writing = writing.then(write).then(() => {
      pending -= 1;
    });
    return writing;
  };
  // While the database is away a write takes longer than that.
  const timer = setInterval(() => void (pending === 0 && flush()), everyMs);
  timer.unref();
  return {
    flush,
    stop() {
      clearInterval(timer);
      return flush();
    },
  };
}
