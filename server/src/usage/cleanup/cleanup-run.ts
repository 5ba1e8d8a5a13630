import type { LogCleanup } from '@tollgate/contract';
import { type Actor, recordAudit } from '../../audit/index.ts';
import { type Clock, nowSeconds } from '../../platform/clock.ts';
import { PublicError } from '../../platform/errors.ts';
import type { Log } from '../../platform/log.ts';
import { within } from '../../platform/within.ts';
import type { Database } from '../../storage/database.ts';
import { deleteOldLogs, dropEmptySegment, estimateOldLogs } from './cleanup.ts';
import { deleteOldWindow } from './windows.ts';

/** Deletes old rows beside the calls. One run at a time per node; two nodes do not disturb each other. */
export interface CleanupRun {
  /** Starts deleting what is older than `before` (unix seconds) and records who wanted it. Throws PublicError while a run is under way. */
  start(before: number, actor: Actor): Promise<void>;
  state(): LogCleanup;
  /** Resolves when the run under way has ended, or after `limitMs`. Never rejects. */
  wait(limitMs: number): Promise<void>;
  /** Ends after the batch under way. */
  stop(): Promise<void>;
}

interface Parts {
  db: Database;
  clock: Clock;
  log: Log;
  /** Between two batches: what else waits for the writer comes first. */
  pauseMs?: number;
}

const nothing: LogCleanup = {
  ...{ running: false, target_timestamp: 0, deleted: 0, total: 0 },
  ...{ started_at: 0, finished_at: 0, failed: false },
};

export function createCleanupRun({ db, clock, log, pauseMs = 10 }: Parts): CleanupRun {
  let state = nothing;
  let stopped = false;
  let ended: Promise<void> = Promise.resolve();
  const pause = () => new Promise((resolve) => setTimeout(resolve, pauseMs));
  const run = async (before: number): Promise<void> => {
    try {
      state = { ...state, total: await estimateOldLogs(db, before) };
      // Whole windows first, at once; the rest in small pieces.
      for (const step of [deleteOldWindow, deleteOldLogs]) {
        for (;;) {
          const deleted = stopped ? 0 : await step(db, before);
          if (deleted === 0) break;
          state = { ...state, deleted: state.deleted + deleted };
          await pause();
        }
      }
      while (!stopped && (await dropEmptySegment(db))) await pause();
      if (state.deleted > 0) log.info({ deleted: state.deleted, before }, 'old log rows were deleted');
    } catch (error) {
      state = { ...state, failed: true };
      log.error({ err: error, deleted: state.deleted, before }, 'old log rows could not be deleted');
    }
    state = { ...state, running: false, finished_at: nowSeconds(clock) };
  };
  return {
    async start(before, actor) {
      if (state.running) throw new PublicError('log_cleanup_running');
      const now = nowSeconds(clock);
      state = { ...nothing, running: true, target_timestamp: before, started_at: now };
      try {
        const event = { actor, action: 'log.delete', target: 'log', detail: { before }, now } as const;
        await db.transaction((tx) => tx.perform(recordAudit(event)));
      } catch (error) {
        state = nothing;
        throw error;
      }
      ended = run(before);
    },
    state: () => state,
    wait: (limitMs) => within(ended, limitMs, () => undefined),
    async stop() {
      stopped = true;
      await ended;
    },
  };
}
