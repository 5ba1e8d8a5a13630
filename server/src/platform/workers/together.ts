import type { Line } from './line.ts';

/**
 * Who changed something sees it in the next call, whichever worker takes that: before a change is answered all workers
 * take it over (`own`: what this one does for that). A worker that does not say so within a second is not waited for.
 */
export function catchUpTogether(line: Line, own: () => Promise<void>): () => Promise<void> {
  line.on('catchUp', async (round) => {
    await own();
    line.tell('caughtUp', round);
  });
  return async () => {
    await Promise.all([own(), line.ask('catchUp')]);
  };
}

const longestMs = 1_000;

/** The first process's part: asks all and answers when all have. `workers`: those that serve. */
export function createGatherings(tellAll: (kind: string, round: number) => void, workers: () => Iterable<number>) {
  const missing = new Map<number, { readonly who: Set<number>; readonly end: () => void }>();
  let rounds = 0;
  const said = (round: number, worker: number) => {
    const gathering = missing.get(round);
    gathering?.who.delete(worker);
    if (gathering?.who.size === 0) gathering.end();
  };
  return {
    catchUp: () =>
      new Promise<true>((resolve) => {
        rounds += 1;
        const round = rounds;
        const end = () => {
          clearTimeout(timer);
          missing.delete(round);
          resolve(true);
        };
        const timer = setTimeout(end, longestMs);
        missing.set(round, { who: new Set(workers()), end });
        tellAll('catchUp', round);
      }),
    caughtUp: (from: number, round: number): void => said(round, from),
    gone(worker: number): void {
      for (const round of [...missing.keys()]) said(round, worker);
    },
  };
}
