import type { Waiting } from './queue.ts';

/** A lane for operations on wallets that somebody else has locked: they wait for the lock without stopping the others. */
export interface PatientLane {
  add(waiting: Waiting): void;
  flush(): Promise<void>;
}

/** Few, because each waits on a connection of its own. */
const maxConcurrent = 2;
const maxBatch = 256;

/** `run` must not throw; it gets operations of one user. */
export function createPatientLane(run: (batch: readonly Waiting[]) => Promise<void>): PatientLane {
  const byUser = new Map<number, Waiting[]>();
  let active = 0;
  let idle: (() => void)[] = [];

  const next = (): void => {
    while (active < maxConcurrent) {
      const first = byUser.entries().next().value;
      if (!first) break;
      const [userId, waiting] = first;
      const batch = waiting.splice(0, maxBatch).filter(({ state }) => state !== 'done' && state !== 'abandoned');
      // To the end of the line, so that every user gets a turn.
      byUser.delete(userId);
      if (waiting.length > 0) byUser.set(userId, waiting);
      if (batch.length > 0) start(batch);
    }
    if (active > 0 || byUser.size > 0) return;
    for (const resolve of idle) resolve();
    idle = [];
  };
  const start = (batch: readonly Waiting[]): void => {
    active += 1;
    void run(batch).finally(() => {
      active -= 1;
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
    flush: () => (active === 0 && byUser.size === 0 ? Promise.resolve() : new Promise((resolve) => idle.push(resolve))),
  };
}
