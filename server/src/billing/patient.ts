import { maxBatch, type Waiting } from './queue.ts';

/** A lane for operations on wallets that somebody else has locked: they wait for the lock without stopping the others. */
export interface PatientLane {
  add(waiting: Waiting): void;
  /** Whether a lane is at this user's wallet right now. */
  isAt(userId: number): boolean;
  flush(): Promise<void>;
}

/** Few, because each waits on a connection of its own. */
const maxConcurrent = 2;

/** `run` must not throw; it gets operations of one user. */
export function createPatientLane(run: (batch: readonly Waiting[]) => Promise<void>): PatientLane {
  const byUser = new Map<number, Waiting[]>();
  /** Whose rows a lane waits for: a second one for the same wallet would leave none for the others. */
  const active = new Set<number>();
  let idle: (() => void)[] = [];

  const next = (): void => {
    while (active.size < maxConcurrent) {
      const first = firstOf(byUser, active);
      if (!first) break;
      const [userId, waiting] = first;
      const batch = waiting.splice(0, maxBatch).filter(({ state }) => state !== 'done' && state !== 'abandoned');
      // To the end of the line, so that every user gets a turn.
      byUser.delete(userId);
      if (waiting.length > 0) byUser.set(userId, waiting);
      if (batch.length > 0) start(userId, batch);
    }
    if (active.size > 0 || byUser.size > 0) return;
    for (const resolve of idle) resolve();
    idle = [];
  };
  const start = (userId: number, batch: readonly Waiting[]): void => {
    active.add(userId);
    void run(batch).finally(() => {
      active.delete(userId);
      next();
    });
  };
  return {
    add(waiting) {
      const { userId } = waiting.operation;
      const line = byUser.get(userId);
      if (line) line.push(waiting);
      else byUser.set(userId, [waiting]);
      queueMicrotask(next);
    },
    isAt: (userId) => active.has(userId),
    flush: () => (active.size === 0 && byUser.size === 0 ? Promise.resolve() : new Promise((resolve) => idle.push(resolve))),
  };
}

function firstOf<T>(byUser: ReadonlyMap<number, T>, active: ReadonlySet<number>): readonly [number, T] | undefined {
  for (const entry of byUser) if (!active.has(entry[0])) return entry;
  return undefined;
}
