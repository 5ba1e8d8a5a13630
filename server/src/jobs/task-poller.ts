import type { Poller } from '../tasks/index.ts';
import type { Job, JobRunner } from './runner.ts';

const everyMs = 1_000;

/**
 * Looks for tasks that are due, each second and once at the start. What an upstream has not said by the end it may say to
 * the next process: the rows' leases end soon.
 */
export function startTaskPoller(poller: Poller, runner: JobRunner): Job {
  return runner.start({
    ...{ name: 'task-poll', everyMs, firstMs: 0, failed: 'tasks could not be asked about; trying again' },
    async turn() {
      await poller.tick();
    },
  });
}
