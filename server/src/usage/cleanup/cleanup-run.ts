import type { LogCleanup } from '@tollgate/contract';
import { type Actor, recordAudit } from '../../audit/index.ts';
import { type Clock, nowSeconds } from '../../platform/clock.ts';
import { PublicError } from '../../platform/errors.ts';
import type { Log } from '../../platform/log.ts';
import { within } from '../../platform/within.ts';
import type { Database } from '../../storage/database.ts';
import { createRunBoard, tellOthers } from '../../storage/run-board.ts';
import { deleteOldLogs, dropEmptySegment, estimateOldLogs } from './cleanup.ts';
import { deleteOldWindow } from './windows.ts';

/** Deletes old rows beside the calls, on one node at a time; every node tells how far it is. */
export interface CleanupRun {
  /**
   * Starts deleting what is older than `before` (unix seconds) and records who wanted it. Throws PublicError while a run is
   * under way on any node.
   */
  start(before: number, actor: Actor): Promise<void>;
  /** Of the run that is under way or was the last one, on whichever node. */
  state(): Promise<LogCleanup>;
  /** Resolves when the run under way on this node has ended, or after `limitMs`. Never rejects. */
  wait(limitMs: number): Promise<void>;
  /** Ends after the batch under way. */
  stop(): Promise<void>;
}

interface Parts {
  db: Database;
  clock: Clock;
  log: Log;
  /** Name of this process among the nodes. */
  node: string;
  /** Between two batches: what else waits for the writer comes first. */
  pauseMs?: number;
}

const nothing: LogCleanup = {
  ...{ running: false, target_timestamp: 0, deleted: 0, total: 0 },
  ...{ started_at: 0, finished_at: 0, failed: false },
};

export function createCleanupRun({ db, clock, log, node, pauseMs = 10 }: Parts): CleanupRun {
  const board = createRunBoard<LogCleanup>({ db, clock, node, run: 'log-cleanup' });
  const stopping = new AbortController();
  let state = nothing;
  let ended: Promise<void> = Promise.resolve();
  const pause = () => new Promise((resolve) => setTimeout(resolve, pauseMs));
  const deleteAll = async (before: number, signal: AbortSignal): Promise<void> => {
    state = { ...state, total: await estimateOldLogs(db, before) };
    // Whole windows first, at once; the rest in small pieces.
    for (const step of [deleteOldWindow, deleteOldLogs]) {
      for (let deleted = -1; deleted !== 0 && !signal.aborted; ) {
        deleted = await step(db, before);
        state = { ...state, deleted: state.deleted + Math.max(0, deleted) };
        if (deleted !== 0) await pause();
      }
    }
    while (!signal.aborted && (await dropEmptySegment(db))) await pause();
  };
  const run = async (before: number): Promise<void> => {
    const lost = new AbortController();
    const telling = tellOthers({ board, log }, () => state, lost);
    const signal = AbortSignal.any([stopping.signal, lost.signal]);
    try {
      await deleteAll(before, signal);
      if (state.deleted > 0) log.info({ deleted: state.deleted, before }, 'old log rows were deleted');
    } catch (error) {
      state = { ...state, failed: true };
      log.error({ err: error, deleted: state.deleted, before }, 'old log rows could not be deleted');
    }
    state = { ...state, failed: state.failed || signal.aborted, finished_at: nowSeconds(clock) };
    await telling.end();
    state = { ...state, running: false };
  };
  const begin = async (before: number, actor: Actor): Promise<void> => {
    if (!(await board.begin())) throw new PublicError('log_cleanup_running');
    const now = nowSeconds(clock);
    const event = { actor, action: 'log.delete', target: 'log', detail: { before }, now } as const;
    await db.transaction((tx) => tx.perform(recordAudit(event)));
    state = { ...state, started_at: now };
    // Whichever node is asked next knows of it.
    await board.tell(state);
  };
  return {
    async start(before, actor) {
      if (stopping.signal.aborted) throw new PublicError('shutting_down');
      if (state.running) throw new PublicError('log_cleanup_running');
      state = { ...nothing, running: true, target_timestamp: before };
      try {
        await begin(before, actor);
      } catch (error) {
        state = nothing;
        throw error;
      }
      ended = run(before);
    },
    async state() {
      if (state.running) return state;
      const said = await board.read();
      if (said === undefined) return state;
      const { state: told, isRunning } = said;
      // Its node died.
      return told.running && !isRunning ? { ...told, running: false, failed: true } : told;
    },
    wait: (limitMs) => within(ended, limitMs, () => undefined),
    async stop() {
      stopping.abort();
      await ended;
    },
  };
}
