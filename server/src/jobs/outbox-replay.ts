import type { Outbox } from '../billing/index.ts';
import type { Log } from '../platform/log.ts';
import type { Job, JobRunner } from './runner.ts';

const everyMs = 2_000;
const longestPauseMs = 15_000;

/** Replays the outbox every few seconds while it holds something; more seldom while the database stays out. */
export function startOutboxReplay({ outbox, log, runner }: { outbox: Outbox; log: Log; runner: JobRunner }): Job {
  let pauseMs = everyMs;
  return runner.start({
    ...{ name: 'outbox-replay', everyMs, failed: 'the outbox could not be replayed' },
    async turn() {
      if (outbox.size() > 0) pauseMs = (await replayOutbox(outbox, log)) ? everyMs : Math.min(pauseMs * 2, longestPauseMs);
      return pauseMs;
    },
  });
}

/** One pass with its line in the log; true when nothing is left. Never throws. */
export async function replayOutbox(outbox: Outbox, log: Log): Promise<boolean> {
  try {
    const { settled, left, fault } = await outbox.replay();
    if (settled > 0) log.info({ settled, left }, 'settles from the outbox were booked');
    if (left > 0) log.warn({ left, err: fault }, 'settles wait in the outbox');
    return left === 0;
  } catch (error) {
    log.warn({ err: error, left: outbox.size() }, 'the outbox could not be replayed');
    return false;
  }
}
