import { type Clock, cautiousClock, nowSeconds } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import type { Database } from '../storage/database.ts';
import { type Aging, trimAged, trimChanges } from '../storage/trim.ts';
import type { Job, JobRunner } from './runner.ts';

const everyMs = 6 * 3_600_000;

/** Payments, orders, transfers and the audit log are books: they are never trimmed. */
const aging: readonly Aging[] = [
  // A late answer, or the outbox of a node that was away, may still correct what a sweep charged.
  { table: 'swept', stamp: 'closed_at', keepSeconds: 90 * 86_400 },
  // Nodes name what they use each half day, and no hold is open for so long.
  { table: 'hold_note', stamp: 'used_at', keepSeconds: 30 * 86_400 },
  { table: 'user_device', stamp: 'seen_at', keepSeconds: 400 * 86_400 },
  { table: 'notification_delivery', stamp: 'created_at', keepSeconds: 30 * 86_400 },
  { table: 'notification', stamp: 'created_at', keepSeconds: 30 * 86_400 },
];

/** Deletes what nobody can need any more, every few hours. */
export function startTrim({ db, clock, log, runner }: { db: Database; clock: Clock; log: Log; runner: JobRunner }): Job {
  const cautious = cautiousClock(clock);
  return runner.start({
    ...{ name: 'trim', everyMs, failed: 'old rows could not be deleted; trying again later' },
    async turn() {
      const now = nowSeconds(cautious);
      let rows = await trimChanges(db, now);
      for (const each of aging) rows += await trimAged(db, each, now);
      if (rows > 0) log.info({ rows }, 'rows that nobody needs any more were deleted');
    },
  });
}
