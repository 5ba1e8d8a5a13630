import { LRUCache } from 'lru-cache';
import type { Clock } from './clock.ts';

export interface LoadingCache<Value> {
  /** At once on a hit; otherwise loads, sharing one load among all who ask for the same key. */
  get(key: string): Value | undefined | Promise<Value | undefined>;
  /** Forgets every value that `stale` picks, all misses, and the outcome of loads under way. */
  invalidate(stale: (value: Value) => boolean): void;
}

export interface LoadingCacheDeps<Value> {
  clock: Clock;
  load(key: string): Promise<Value | undefined>;
  /** What all values may weigh together; the last used ones stay. Misses are as many at most. */
  max: number;
  /** A whole number from 1 on; absent = 1 for each. */
  weigh?(value: Value): number;
  /** A safety net only: changes invalidate at once. */
  ttlMs: number;
  /** Loads that may run at the same time; above it `get` rejects with `overloaded()`. */
  maxLoads: number;
  overloaded(): Error;
}

interface Entry<Value> {
  value: Value | undefined;
  expiresMs: number;
}

/**
 * Values that weigh `max` together at most (1 each unless `weigh` says otherwise), the last used ones. It grows with what it
 * holds: told how many values may come instead of how large they are together, the library lays out room for all of them at
 * once, which takes 10 ms for 100,000.
 */
export function recentCache<Value extends {}>(
  max: number,
  { dispose, weigh = () => 1 }: { dispose?: (value: Value) => void; weigh?: (value: Value) => number } = {},
): LRUCache<string, Value> {
  return new LRUCache({ maxSize: max, sizeCalculation: (value) => weigh(value), ...(dispose === undefined ? {} : { dispose }) });
}

/** Bounded cache with negative entries. Values and misses live in separate rooms: a flood of misses evicts no value. */
export function createLoadingCache<Value>(deps: LoadingCacheDeps<Value>): LoadingCache<Value> {
  const weigh = ({ value }: Entry<Value>) => (value === undefined ? 1 : (deps.weigh?.(value) ?? 1));
  const hits = recentCache<Entry<Value>>(deps.max, { weigh });
  const misses = recentCache<Entry<Value>>(deps.max);
  const loads = new Map<string, Promise<Value | undefined>>();
  /** Also those that an invalidation left behind: they still take a connection. */
  let running = 0;
  // A load that began before an invalidation may carry the old state: it is answered but not kept.
  let generation = 0;

  const load = (key: string): Promise<Value | undefined> => {
    const known = loads.get(key);
    if (known !== undefined) return known;
    if (running >= deps.maxLoads) return Promise.reject(deps.overloaded());
    const startedIn = generation;
    const started = deps.load(key).then((value) => {
      const room = value === undefined ? misses : hits;
      if (startedIn === generation) room.set(key, { value, expiresMs: deps.clock.monotonicMs() + deps.ttlMs });
      return value;
    });
    running += 1;
    const shared = started.finally(() => {
      running -= 1;
      if (loads.get(key) === shared) loads.delete(key);
    });
    loads.set(key, shared);
    return shared;
  };

  return {
    get(key) {
      const entry = hits.get(key) ?? misses.get(key);
      if (entry !== undefined && entry.expiresMs > deps.clock.monotonicMs()) return entry.value;
      return load(key);
    },
    invalidate(stale) {
      generation++;
      loads.clear();
      misses.clear();
      for (const [key, { value }] of hits.entries()) if (value !== undefined && stale(value)) hits.delete(key);
    },
  };
}
