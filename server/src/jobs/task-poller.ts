import { within } from '../platform/within.ts';
import type { Poller } from '../tasks/index.ts';

const everyMs = 1_000;
/** What an upstream has not said by then it may say to the next process: the rows' leases end soon. */
const stopWithinMs = 2_000;

/** Looks for tasks that are due, each second and once at the start. `stop` resolves when nothing is asked any more. */
export function startTaskPoller(poller: Poller): { stop(): Promise<void> } {
  let running: Promise<void> | undefined;
  const tick = () => {
    running ??= poller.tick().finally(() => {
      running = undefined;
    });
  };
  tick();
  const ticking = setInterval(tick, everyMs);
  ticking.unref();
  return {
    async stop() {
      clearInterval(ticking);
      await within(Promise.resolve(running), stopWithinMs, () => undefined);
    },
  };
}
