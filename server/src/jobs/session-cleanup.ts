import type { Sessions } from '../identity/index.ts';
import type { Log } from '../platform/log.ts';
import type { Job, JobRunner } from './runner.ts';

interface Parts {
  sessions: Pick<Sessions, 'removeExpired'>;
  log: Log;
  runner: JobRunner;
}

const everyMs = 24 * 3_600_000;

/** Deletes sessions that nobody can use any more, at the start and then daily. */
export function startSessionCleanup({ sessions, log, runner }: Parts): Job {
  return runner.start({
    ...{ name: 'session-cleanup', everyMs, firstMs: 0, failed: 'could not delete expired sessions; trying again tomorrow' },
    async turn() {
      const removed = await sessions.removeExpired();
      if (removed > 0) log.info({ removed }, 'expired sessions were deleted');
    },
  });
}
