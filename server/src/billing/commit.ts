import type { Clock } from '../platform/clock.ts';
import type { Database } from '../storage/database.ts';
import { DatabaseError, isOutage } from '../storage/errors.ts';
import { LedgerUnavailable } from './errors.ts';
import { createPatientLane } from './patient.ts';
import type { Waiting } from './queue.ts';
import { batchWork } from './works.ts';
import { type PackedResult, packBatch, unpackResult } from './works-packed.ts';
import { type BatchInput, deferred, type OperationResult } from './works-types.ts';

export interface CommitterParts {
  db: Database;
  clock: Clock;
  /** A hold was made whose caller had been told that there is none. */
  releaseAbandoned(id: string): void;
}

export interface Committer {
  /** Runs a batch and answers every caller, except those whose rows are locked: they go on in a lane of their own. Never throws. */
  commit(batch: readonly Waiting[]): Promise<void>;
  /** Waits for those. */
  flush(): Promise<void>;
}

/** How long closing a hold waits for a locked wallet before its caller hears of it. */
const maxPatienceMs = 8000;

/** Turns batches into transactions and results into answers. */
export function createCommitter({ db, clock, releaseAbandoned }: CommitterParts): Committer {
  const run = (batch: readonly Waiting[], locks: BatchInput['locks']): Promise<PackedResult[]> =>
    db.run<PackedResult[]>(
      batchWork,
      packBatch({ operations: batch.map((waiting) => waiting.operation), locks }),
      batch.every(closes),
    );
  const answer = (waiting: Waiting, result: OperationResult): void => {
    const held = typeof result === 'object' && 'ok' in result && result.ok;
    if (waiting.state === 'abandoned' && held) releaseAbandoned(waiting.operation.id);
    waiting.state = 'done';
    waiting.resolve(result);
  };
  const commitPatiently = async (batch: readonly Waiting[]): Promise<void> => {
    await commitAll(batch, 'wait', (waiting, error) => {
      const isLate = clock.monotonicMs() - waiting.queuedMs > maxPatienceMs;
      if (waiting.operation.kind === 'hold' || isLate || !isOutage(error)) fail(waiting, error);
      else patient.add(waiting);
    });
  };
  const patient = createPatientLane(commitPatiently);

  /** A batch that fails for a reason of its own is repeated one by one, so that only the culprit fails. */
  const commitAll = async (
    batch: readonly Waiting[],
    locks: BatchInput['locks'],
    onFailure: (waiting: Waiting, error: unknown) => void,
  ): Promise<void> => {
    try {
      const results = await run(batch, locks);
      for (const [index, waiting] of batch.entries()) {
        const result = unpackResult(results[index] ?? deferred);
        if (result === deferred) patient.add(waiting);
        else answer(waiting, result);
      }
    } catch (error) {
      const closing = batch.filter(closes);
      // The last room of a full disk is not for those who only come.
      if (isFull(error) && closing.length > 0 && closing.length < batch.length) {
        for (const waiting of batch) if (!closes(waiting)) onFailure(waiting, error);
        await commitAll(closing, locks, onFailure);
      } else if (isOutage(error) || batch.length === 1) for (const waiting of batch) onFailure(waiting, error);
      else for (const waiting of batch) await commitAll([waiting], locks, onFailure);
    }
  };
  return {
    async commit(batch) {
      // Behind the lane that waits for their wallet, and not into a transaction of their own that finds it locked.
      const behind = new Set(batch.filter(({ operation }) => patient.isAt(operation.userId)));
      for (const waiting of behind) patient.add(waiting);
      const others = behind.size === 0 ? batch : batch.filter((waiting) => !behind.has(waiting));
      if (others.length > 0) await commitAll(others, 'skip', fail);
    },
    flush: () => patient.flush(),
  };
}

function closes({ operation }: Waiting): boolean {
  return operation.kind !== 'hold';
}

function isFull(error: unknown): boolean {
  return error instanceof DatabaseError && error.kind === 'full';
}

function fail(waiting: Waiting, error: unknown): void {
  waiting.state = 'done';
  waiting.reject(isOutage(error) ? new LedgerUnavailable('The database is out', error) : error);
}
