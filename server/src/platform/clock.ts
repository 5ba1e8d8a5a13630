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
  return Math.floor(clock.nowMs() / 1000);
}
