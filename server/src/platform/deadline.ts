/** A moment that may come sooner than was said at first. */
export interface Deadline {
  /** Milliseconds, never negative. */
  leftMs(): number;
  /** Resolves when it is there. */
  readonly passed: Promise<void>;
  /** Not later than so many milliseconds from now. */
  bringForward(ms: number): void;
}

export function createDeadline(ms: number): Deadline {
  const { promise: passed, resolve } = Promise.withResolvers<void>();
  let endMs = performance.now() + ms;
  let timer = setTimeout(resolve, ms).unref();
  return {
    leftMs: () => Math.max(0, endMs - performance.now()),
    passed,
    bringForward(soonMs) {
      const soonerMs = performance.now() + soonMs;
      if (soonerMs >= endMs) return;
      endMs = soonerMs;
      clearTimeout(timer);
      timer = setTimeout(resolve, soonMs).unref();
    },
  };
}
