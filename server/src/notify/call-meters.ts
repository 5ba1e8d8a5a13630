import type { ErrorLog } from '../usage/index.ts';

/** What notifications need to know of the calls of this node. A call costs a look into a set and a sum. */
export interface CallMeters {
  /** A call was settled for this user. */
  settled(userId: number): void;
  /** The same log, whose failed calls count. Calls that never went anywhere are their callers' affair. */
  counting(log: ErrorLog): ErrorLog;
  /** Who was charged since it was last asked. */
  takeSpenders(): number[];
  /** Calls of the last five minutes. */
  recent(): { readonly good: number; readonly bad: number };
}

const maxSpenders = 50_000;
const slots = 10;
const slotMs = 30_000;

export function createCallMeters(monotonicMs: () => number): CallMeters {
  const ring = Array.from({ length: slots }, () => ({ at: -1, good: 0, bad: 0 }));
  let spenders = new Set<number>();
  const count = (kind: 'good' | 'bad') => {
    const at = Math.floor(monotonicMs() / slotMs);
    const slot = ring[at % slots];
    if (slot === undefined) return;
    if (slot.at !== at) Object.assign(slot, { at, good: 0, bad: 0 });
    slot[kind] += 1;
  };
  return {
    settled(userId) {
      count('good');
      if (spenders.size < maxSpenders) spenders.add(userId);
    },
    counting: (log) => ({
      ...log,
      note(entry) {
        if (entry.channelId > 0) count('bad');
        log.note(entry);
      },
    }),
    takeSpenders() {
      const taken = [...spenders];
      spenders = new Set();
      return taken;
    },
    recent() {
      const oldest = Math.floor(monotonicMs() / slotMs) - slots;
      const live = ring.filter(({ at }) => at > oldest);
      return { good: live.reduce((sum, { good }) => sum + good, 0), bad: live.reduce((sum, { bad }) => sum + bad, 0) };
    },
  };
}
