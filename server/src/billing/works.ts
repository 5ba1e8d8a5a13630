import type { Work, WorkRegistry } from '../storage/database.ts';
import { bookUsage, bookUsageWork, foldLog, foldLogWork, postSegment, postSegmentWork } from '../usage/works.ts';
import { applyOperation } from './works-apply.ts';
import { loadState } from './works-load.ts';
import { type PackedBatch, type PackedResult, packResult, unpackBatch } from './works-packed.ts';
import { storeState } from './works-store.ts';
import { deferred, type Operation } from './works-types.ts';

export const batchWork = 'ledger.batch';
export const expiredWork = 'ledger.expired';

/** One group commit: lock and read, decide each operation in order but sweeps last, write. Results stand in the order of the operations. */
function* batch(packed: PackedBatch): Work<PackedResult[]> {
  const input = unpackBatch(packed);
  const state = yield* loadState(input);
  const decide = (operation: Operation, index: number) =>
    packResult(state.deferred.has(index) ? deferred : applyOperation(state, operation));
  const results = input.operations.map((operation, index) =>
    operation.kind === 'sweep' ? packResult(deferred) : decide(operation, index),
  );
  // A call that comes late with its charge, but in the same commit as the sweep of its hold, is not too late.
  for (const [index, operation] of input.operations.entries()) {
    if (operation.kind === 'sweep') results[index] = decide(operation, index);
  }
  yield* storeState(state);
  return results;
}

/** Ids of holds whose lease has ended, oldest first; those of tasks are not for a sweep to close. */
function* expired({ now, limit }: { now: number; limit: number }): Work<{ id: string; userId: number; tokenId: number }[]> {
  const sql = 'SELECT id, user_id, token_id FROM hold WHERE lease_until <= ? AND keeper = ? ORDER BY lease_until, id LIMIT ?';
  const { rows } = yield { sql, parameters: [now, '', limit] };
  return rows.map((row) => ({ id: String(row.id), userId: Number(row.user_id), tokenId: Number(row.token_id) }));
}

/** The programs that run where the writer is, or where rows are read. */
export const works: WorkRegistry = {
  [batchWork]: batch,
  [expiredWork]: expired,
  [bookUsageWork]: bookUsage,
  [foldLogWork]: foldLog,
  [postSegmentWork]: postSegment,
};
