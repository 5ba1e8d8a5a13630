/** Time as a dependency, so that tests own it. */
export interface Clock {
  /** Unix milliseconds. */
  nowMs(): number;
  /** Milliseconds that never step back; only differences mean something. */
  monotonicMs(): number;
}

export type WallClock = Pick<Clock, 'nowMs'>;

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
};

/** Unix seconds. */
export function nowSeconds(clock: WallClock): number {
  return toSeconds(clock.nowMs());
}

/** Whole seconds of milliseconds. */
export function toSeconds(ms: number): number {
  return Math.floor(ms / 1000);
}

/** Unix seconds as people and programs read them: 2025-01-31T08:00:00Z. */
export function timeText(seconds: number): string {
  return new Date(seconds * 1000).toISOString().replace('.000Z', 'Z');
}

const dayMs = 86_400_000;
/** By so much a clock may be corrected between two looks without being doubted. */
const correctedMs = 60_000;

/**
 * For what cannot be taken back once its time has come: a clock that was set forward is believed `doubtMs` later only, and
 * until then somebody may have set it right. It goes on from before meanwhile. Each holder looks at a clock of its own.
 */
export function cautiousClock(clock: Clock, doubtMs = dayMs): WallClock {
  const offsetNow = () => clock.nowMs() - clock.monotonicMs();
  let offsetMs = offsetNow();
  let doubtedSinceMs: number | undefined;
  return {
    nowMs() {
      const nowMs = clock.monotonicMs();
      const seenMs = offsetNow();
      doubtedSinceMs = seenMs > offsetMs + correctedMs ? (doubtedSinceMs ?? nowMs) : undefined;
      if (doubtedSinceMs !== undefined && nowMs - doubtedSinceMs < doubtMs) return nowMs + offsetMs;
      [offsetMs, doubtedSinceMs] = [seenMs, undefined];
      return nowMs + offsetMs;
    },
  };
}
