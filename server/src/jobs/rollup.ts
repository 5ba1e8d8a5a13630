import type { Log } from '../platform/log.ts';
import type { Rollup } from '../usage/index.ts';

const everyMs = 1000;
/** Between two steps while much is left: calls get the writer in between. */
const breathMs = 10;
const elsewhereMs = 10_000;
const afterFaultMs = 5000;

/** Adds new rows of the log to the hourly and daily sums each second; a backlog, as after an update, without a rest. */
export function startRollup({ rollup, log }: { rollup: Rollup; log: Log }): { stop(): Promise<void> } {
  let stopped = false;
  let timer: NodeJS.Timeout | undefined;
  const step = async (): Promise<number> => {
    try {
      const outcome = await rollup.step();
      return { done: everyMs, more: breathMs, elsewhere: elsewhereMs }[outcome];
    } catch (error) {
      log.warn({ err: error }, 'usage could not be summed; trying again');
      return afterFaultMs;
    }
  };
  const arm = (ms: number) => {
    if (stopped) return;
    timer = setTimeout(() => {
      running = step().then(arm);
    }, ms);
    timer.unref();
  };
  let running: Promise<void> = Promise.resolve();
  arm(breathMs);
  return {
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
