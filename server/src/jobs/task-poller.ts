import type { Poller } from '../tasks/index.ts';
import type { Job, JobRunner } from './runner.ts';

const everyMs = 1_000;

/**
 * Looks for tasks that are due, each second, or as often as they may be due where that is more often, and once at the start.
 * What an upstream has not said by the end it may say to the next process: the rows' leases end soon.
 */
export function startTaskPoller(poller: Poller, runner: JobRunner, periodSeconds: number): Job {
  const nextMs = Math.min(everyMs, periodSeconds * 1000);
  return runner.start({
    ...{ name: 'task-poll', everyMs, firstMs: 0, failed: 'tasks could not be asked about; trying again' },
    async turn() {
      await poller.tick();
      return nextMs;
    },
  });
}
