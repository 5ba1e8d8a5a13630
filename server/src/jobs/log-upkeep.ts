import type { Log } from '../platform/log.ts';
import type { BodyLog, Sealer } from '../usage/index.ts';
import { startPaced } from './paced.ts';

interface Parts {
  sealer: Sealer;
  bodyLog: Pick<BodyLog, 'expire'>;
  /** Another node does this work now. */
  isElsewhere(): Promise<boolean>;
  /** See `keepLogWindows`. */
  keepWindows(): Promise<void>;
  log: Log;
}

const everyMs = 5_000;
/** Segments per turn: what an older database has without postings is made up for step by step. */
const segmentsAtATime = 4;
const sealingMs = 100;
/** Bodies are long: few at a time, and calls get the writer in between. */
const bodiesAtATime = 50;
const breathMs = 10;

/**
 * Makes postings of what was added to the log and room for more, and deletes old bodies, every few seconds; at once again
 * while there is more to do.
 */
export function startLogUpkeep({ sealer, bodyLog, isElsewhere, keepWindows, log }: Parts): { stop(): Promise<void> } {
  /** `work` answers whether there is more of it. */
  const keepUp = (work: () => Promise<boolean>, moreMs: number) =>
    startPaced(async () => {
      try {
        return !(await isElsewhere()) && (await work()) ? moreMs : everyMs;
      } catch (error) {
        log.warn({ err: error }, 'the log could not be looked after; trying again');
        return everyMs;
      }
    }, everyMs);
  const postings = keepUp(async () => {
    const sealed = await sealer.seal(segmentsAtATime);
    await keepWindows();
    return sealed === segmentsAtATime;
  }, sealingMs);
  const bodies = keepUp(async () => (await bodyLog.expire(bodiesAtATime)) === bodiesAtATime, breathMs);
  return {
    async stop() {
      await Promise.all([postings.stop(), bodies.stop()]);
    },
  };
}
