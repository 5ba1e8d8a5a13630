import type { Log } from '../platform/log.ts';
import type { Rollup } from '../usage/index.ts';
import { startPaced } from './paced.ts';

const everyMs = 1000;
/** Between two steps while much is left: calls get the writer in between. */
const breathMs = 10;
const elsewhereMs = 10_000;
const afterFaultMs = 5000;

/** Adds new rows of the log to the hourly and daily sums each second; a backlog, as after an update, without a rest. */
export function startRollup({ rollup, log }: { rollup: Rollup; log: Log }): { stop(): Promise<void> } {
  return startPaced(async () => {
    try {
      const outcome = await rollup.step();
      return { done: everyMs, more: breathMs, elsewhere: elsewhereMs }[outcome];
    } catch (error) {
      log.warn({ err: error }, 'usage could not be summed; trying again');
      return afterFaultMs;
    }
  }, breathMs);
}
