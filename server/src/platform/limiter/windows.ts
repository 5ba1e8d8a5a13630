import { recentCache } from '../cache.ts';

/** Counts in sliding windows, in this process, by a clock that nobody sets. A window is cut into sixty slices: exact to one of them. */
export interface Windows {
  /** What was counted under the key within the last `windowMs`. */
  sum(key: string, windowMs: number, nowMs: number): number;
  /** Adds (or takes back) at `atMs`. */
  add(key: string, windowMs: number, atMs: number, amount: number): void;
  /** Milliseconds until less than `limit` is counted; at least 1. */
  waitMs(key: string, windowMs: number, nowMs: number, limit: number): number;
}

interface Ring {
  readonly counts: Float64Array;
  /** Number of the newest slice. */
  slice: number;
}

const slices = 60;
/** Keys that are remembered; the least recently used one is forgotten first. */
const maxKeys = 50_000;

export function createWindows(): Windows {
  const rings = recentCache<Ring>(maxKeys);

  /** The ring with the slices since its last use emptied. */
  const current = (key: string, slice: number): Ring => {
    const known = rings.get(key);
    if (known === undefined) {
      const fresh = { counts: new Float64Array(slices), slice };
      rings.set(key, fresh);
      return fresh;
    }
    if (slice - known.slice >= slices) known.counts.fill(0);
    else for (let at = known.slice + 1; at <= slice; at += 1) known.counts[at % slices] = 0;
    known.slice = Math.max(known.slice, slice);
    return known;
  };

  return {
    sum(key, windowMs, nowMs) {
      const { counts } = current(key, sliceOf(windowMs, nowMs));
      let sum = 0;
      for (const count of counts) sum += count;
      return sum;
    },
    add(key, windowMs, atMs, amount) {
      const slice = sliceOf(windowMs, atMs);
      const ring = current(key, slice);
      const isGone = ring.slice - slice >= slices;
      // What was counted then counts no more: the newest slice is of others.
      if (isGone && amount < 0) return;
      const at = isGone ? ring.slice : slice;
      ring.counts[at % slices] = Math.max(0, (ring.counts[at % slices] ?? 0) + amount);
    },
    waitMs(key, windowMs, nowMs, limit) {
      const slice = sliceOf(windowMs, nowMs);
      const { counts } = current(key, slice);
      let left = 0;
      for (const count of counts) left += count;
      for (let age = slices - 1; age >= 0; age -= 1) {
        left -= counts[(slice - age + slices * 2) % slices] ?? 0;
        if (left < limit) return Math.max(1, (slice - age + slices) * (windowMs / slices) - nowMs);
      }
      return windowMs;
    },
  };
}

export function sliceOf(windowMs: number, atMs: number): number {
  return Math.floor(atMs / (windowMs / slices));
}
