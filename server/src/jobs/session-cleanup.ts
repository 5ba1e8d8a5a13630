import type { Sessions } from '../identity/index.ts';
import type { Log } from '../platform/log.ts';

const everyMs = 24 * 3_600_000;

/** Deletes sessions that nobody can use any more, at the start and then daily. */
export function startSessionCleanup({ sessions, log }: { sessions: Pick<Sessions, 'removeExpired'>; log: Log }): {
  stop(): void;
} {
  const clean = async () => {
    try {
      const removed = await sessions.removeExpired();
      if (removed > 0) log.info({ removed }, 'expired sessions were deleted');
    } catch (error) {
      log.warn({ err: error }, 'could not delete expired sessions; trying again tomorrow');
    }
  };
  void clean();
  const timer = setInterval(() => void clean(), everyMs);
  timer.unref();
  return { stop: () => clearInterval(timer) };
}
