/** Time as a dependency, so that tests own it. */
export interface Clock {
  /** Unix milliseconds. */
  nowMs(): number;
  /** Milliseconds that never step back; only differences mean something. */
  monotonicMs(): number;
}

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
};

/** Unix seconds. */
export function nowSeconds(clock: Clock): number {
  return toSeconds(clock.nowMs());
}

/** Whole seconds of milliseconds. */
export function toSeconds(ms: number): number {
  return Math.floor(ms / 1000);
}
