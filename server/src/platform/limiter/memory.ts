import type { LRUCache } from 'lru-cache';
import { recentCache } from '../cache.ts';
import type { Clock } from '../clock.ts';

/** At most `limit` within any `windowMs`. */
export interface LimitRule {
  limit: number;
  windowMs: number;
}

export interface Claim {
  key: string;
  rule: LimitRule;
}

export type LimitVerdict =
  /** `refund` gives the places back: the call turned out not to count (a sign-in that succeeded). */
  { ok: true; refund(): void } | { ok: false; retryAfterSeconds: number };

export interface Limiter {
  /** Takes one place under every claim, or none at all. */
  take(claims: readonly Claim[]): Promise<LimitVerdict>;
}

export interface OwnLimiter extends Limiter {
  /** As one of so many nodes that each give their share of every limit. */
  take(claims: readonly Claim[], nodes?: number): Promise<LimitVerdict>;
}

/** Keys that are remembered; the least recently used one is forgotten first. */
const maxKeys = 100_000;

/** Sliding windows in this process. `factor` scales every limit; 0 switches limiting off (rulings 21). */
export function createMemoryLimiter({ clock, factor }: { clock: Clock; factor: number }): OwnLimiter {
  const windows = recentCache<number[]>(maxKeys);
  const allowed = (rule: LimitRule, nodes: number) => Math.max(1, Math.floor((rule.limit * factor) / nodes));

  const recent = ({ key, rule }: Claim, nowMs: number): number[] =>
    (windows.get(key) ?? []).filter((takenMs) => takenMs > nowMs - rule.windowMs);

  return {
    async take(claims, nodes = 1) {
      if (factor === 0) return { ok: true, refund: () => {} };
      const nowMs = clock.monotonicMs();
      let waitMs = 0;
      for (const claim of claims) {
        const taken = recent(claim, nowMs);
        const excess = taken.length - allowed(claim.rule, nodes);
        if (excess >= 0) waitMs = Math.max(waitMs, (taken[excess] ?? nowMs) + claim.rule.windowMs - nowMs);
      }
      if (waitMs > 0) return { ok: false, retryAfterSeconds: Math.ceil(waitMs / 1000) };
      for (const claim of claims) windows.set(claim.key, [...recent(claim, nowMs), nowMs]);
      return { ok: true, refund: () => refund(windows, claims, nowMs) };
    },
  };
}

function refund(windows: LRUCache<string, number[]>, claims: readonly Claim[], takenMs: number): void {
  for (const { key } of claims) {
    const taken = windows.get(key);
    const index = taken?.indexOf(takenMs) ?? -1;
    if (taken !== undefined && index >= 0) windows.set(key, taken.toSpliced(index, 1));
  }
}
