import type { Log } from '../platform/log.ts';
import type { BodyLog, Sealer } from '../usage/index.ts';

interface Parts {
  sealer: Sealer;
  bodyLog: Pick<BodyLog, 'expire'>;
  /** Another node does this work now. */
  isElsewhere(): Promise<boolean>;
  /** See `keepLogWindows`. */
  keepWindows(): Promise<void>;
  log: Log;
  everyMs?: number;
}

/** Segments per turn: what an older database has without postings is made up for step by step. */
const segmentsAtATime = 4;

/**
 * Makes postings of what was added to the log and room for more, and deletes old bodies, every few seconds; at once again
 * while there are more postings to make.
 */
export function startLogUpkeep({ sealer, bodyLog, isElsewhere, keepWindows, log, everyMs = 5_000 }: Parts): {
  stop(): Promise<void>;
} {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  const turn = async () => {
    let sealed = 0;
    try {
      if (!(await isElsewhere())) {
        sealed = await sealer.seal(segmentsAtATime);
        await bodyLog.expire();
        await keepWindows();
      }
    } catch (error) {
      log.warn({ err: error }, 'the log could not be looked after; trying again');
    }
    arm(sealed === segmentsAtATime ? everyMs / 50 : everyMs);
  };
  const arm = (afterMs: number) => {
    if (stopped) return;
    timer = setTimeout(() => {
      running = turn();
    }, afterMs);
    timer.unref();
  };
  let running: Promise<void> = Promise.resolve();
  arm(everyMs);
  return {
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
