import type { BodyLog, Sealer } from '../usage/index.ts';
import { type JobRunner, stopAll } from './runner.ts';

interface Parts {
  sealer: Sealer;
  bodyLog: Pick<BodyLog, 'expire'>;
  tasks: { expire(limit: number): Promise<number> };
  /** Another node does this work now. */
  isElsewhere(): Promise<boolean>;
  /** See `keepLogWindows`. */
  keepWindows(): Promise<void>;
  runner: JobRunner;
}

const everyMs = 5_000;
/** Segments per turn: what an older database has without postings is made up for step by step. */
const segmentsAtATime = 4;
const sealingMs = 100;
/** Bodies are long: few at a time, and calls get the writer in between. */
const bodiesAtATime = 50;
const breathMs = 10;
const tasksAtATime = 50;

/**
 * Makes postings of what was added to the log and room for more, and deletes old bodies and what old tasks were about, every few
 * seconds; at once again while there is more to do.
 */
export function startLogUpkeep({ sealer, bodyLog, tasks, isElsewhere, keepWindows, runner }: Parts): { stop(): Promise<void> } {
  /** `work` answers whether there is more of it. */
  const keepUp = (name: string, work: () => Promise<boolean>, moreMs: number) =>
    runner.start({
      ...{ name, everyMs, failed: `the log could not be looked after (${name}); trying again` },
      turn: async () => (!(await isElsewhere()) && (await work()) ? moreMs : everyMs),
    });
  const postings = keepUp(
    'log-postings',
    async () => {
      const sealed = await sealer.seal(segmentsAtATime);
      await keepWindows();
      return sealed === segmentsAtATime;
    },
    sealingMs,
  );
  const bodies = keepUp('log-bodies', async () => (await bodyLog.expire(bodiesAtATime)) === bodiesAtATime, breathMs);
  const words = keepUp('task-words', async () => (await tasks.expire(tasksAtATime)) === tasksAtATime, breathMs);
  return { stop: stopAll([postings, bodies, words]) };
}
