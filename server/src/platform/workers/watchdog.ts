/** So many pings in turn without an answer, one every five seconds: no worker that serves is silent for a minute. */
const mostUnanswered = 12;
export const pingEveryMs = 5_000;

interface Parts {
  /** Those that serve. */
  readonly workers: () => Iterable<number>;
  readonly ping: () => void;
  /** Told once of each worker that stands still. */
  readonly end: (worker: number) => void;
}

/**
 * Finds workers that stand still, in the process that started them. Pings are counted, not seconds: a machine that was paused
 * or has no time for anybody froze this process, too, and asks for one ping at most.
 */
export function createWatchdog({ workers, ping, end }: Parts) {
  const unanswered = new Map<number, number>();
  return {
    look(): void {
      for (const worker of workers()) {
        const count = unanswered.get(worker) ?? 0;
        unanswered.set(worker, count + 1);
        if (count === mostUnanswered) end(worker);
      }
      ping();
    },
    alive: (from: number): void => void unanswered.delete(from),
    gone: (worker: number): void => void unanswered.delete(worker),
  };
}
