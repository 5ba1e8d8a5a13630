import type { Rollup } from '../usage/index.ts';
import type { Job, JobRunner } from './runner.ts';

const afterFaultMs = 5_000;
/** Between two steps while much is left calls get the writer. */
const nextMs = { done: 1_000, more: 10, elsewhere: 10_000 };

/** Adds new rows of the log to the hourly and daily sums each second; a backlog, as after an update, without a rest. */
export function startRollup({ rollup, runner }: { rollup: Rollup; runner: JobRunner }): Job {
  return runner.start({
    ...{ name: 'log-sums', everyMs: afterFaultMs, firstMs: nextMs.more, failed: 'usage could not be summed; trying again' },
    turn: async () => nextMs[await rollup.step()],
  });
}
