import type { Clock } from '../platform/clock.ts';
import { LedgerUnavailable } from './errors.ts';
import type { Operation, OperationResult } from './works-types.ts';

/** An operation with its caller. `state` says how far it is: a hold may be given up by its caller. */
export interface Waiting {
  operation: Operation;
  queuedMs: number;
  /** Counts up: what came first is committed first. */
  arrival: number;
  state: 'queued' | 'running' | 'done' | 'abandoned';
  resolve(result: OperationResult): void;
  reject(error: unknown): void;
}

export interface GroupCommit {
  add(operation: Operation): Promise<OperationResult>;
  /** The same for what is not urgent: it goes with the next commit of others, or with one of its own a little later. */
  addLater(operation: Operation): Promise<OperationResult>;
  /** Waits until everything accepted so far is settled one way or the other. */
  flush(): Promise<void>;
}

export interface GroupCommitParts {
  clock: Clock;
  /** Runs one batch in one transaction. */
  commit(batch: readonly Waiting[]): Promise<void>;
}

export const maxBatch = 256;
export const maxWaiting = 4096;
const maxWaitMs = 2000;
const gatherTurns = 4;
const patienceMs = 4;
/** Closing a hold is never refused for load; this only bounds memory. */
const maxQueued = 65_536;

/**
 * While one commit runs the next batch gathers, and a few turns of the loop longer; an idle ledger commits at once. New holds are refused when too many wait
 * or the oldest waits too long; holds that wait too long are given up.
 */
export function createGroupCommit({ clock, commit }: GroupCommitParts): GroupCommit {
  let queue: Waiting[] = [];
  let running: readonly Waiting[] = [];
  let patient: Waiting[] = [];
  let patientTimer: NodeJS.Timeout | undefined;
  /** Holds, oldest first; the first one is unanswered. */
  const holds: Waiting[] = [];
  let isPumping = false;
  let timer: NodeJS.Timeout | undefined;
  let idle: (() => void)[] = [];
  let arrivals = 0;

  const pump = async (): Promise<void> => {
    isPumping = true;
    while (queue.length > 0) {
      takePatient();
      running = queue.slice(0, maxBatch);
      queue = queue.slice(maxBatch);
      for (const waiting of running) waiting.state = 'running';
      await commit(running);
      running = [];
      await gather();
    }
    isPumping = false;
    for (const resolve of idle) resolve();
    idle = [];
  };
  const takePatient = (): void => {
    if (patient.length === 0) return;
    clearTimeout(patientTimer);
    patientTimer = undefined;
    queue = [...queue, ...patient].sort((left, right) => left.arrival - right.arrival);
    patient = [];
  };
  /** Whoever was answered just now has more to say within a few turns of the loop: one commit for all of it. */
  const gather = async (): Promise<void> => {
    for (let turn = 0; turn < gatherTurns; turn += 1) await new Promise<void>((resolve) => setImmediate(resolve));
  };
  const giveUp = (): void => {
    timer = undefined;
    const limitMs = clock.monotonicMs() - maxWaitMs;
    for (const waiting of holds) {
      if (waiting.queuedMs > limitMs) break;
      if (waiting.state === 'done' || waiting.state === 'abandoned') continue;
      // One that is under way may still be made: then it is given back at once.
      const state = waiting.state === 'running' ? 'abandoned' : 'done';
      waiting.reject(new LedgerUnavailable('The ledger did not answer in time'));
      waiting.state = state;
    }
    queue = queue.filter((waiting) => waiting.state === 'queued');
    arm();
  };
  const dropAnswered = (): void => {
    while (holds[0] && (holds[0].state === 'done' || holds[0].state === 'abandoned')) holds.shift();
  };
  const arm = (): void => {
    if (timer) return;
    dropAnswered();
    const oldest = holds[0];
    if (!oldest) return;
    timer = setTimeout(giveUp, Math.max(1, oldest.queuedMs + maxWaitMs - clock.monotonicMs() + 1));
    timer.unref();
  };
  const refuse = ({ kind }: Operation): LedgerUnavailable | undefined => {
    if (queue.length >= maxQueued) return new LedgerUnavailable('The ledger is overloaded');
    if (kind !== 'hold' && kind !== 'extend') return undefined;
    if (queue.length >= maxWaiting) return new LedgerUnavailable('Too many wait for the ledger');
    const oldest = running[0] ?? queue[0];
    const late = oldest !== undefined && clock.monotonicMs() - oldest.queuedMs > maxWaitMs;
    return late ? new LedgerUnavailable('The ledger is too slow') : undefined;
  };
  const enqueue = (waiting: Waiting): void => {
    queue.push(waiting);
    start();
  };
  const start = (): void => {
    // A microtask later, so that what comes in the same turn shares the commit.
    if (isPumping) return;
    isPumping = true;
    queueMicrotask(() => void pump());
  };
  const startPatient = (): void => {
    takePatient();
    if (queue.length > 0) start();
  };
  return {
    add(operation) {
      const refusal = refuse(operation);
      if (refusal) return Promise.reject(refusal);
      return new Promise((resolve, reject) => {
        const waiting: Waiting = {
          operation,
          queuedMs: clock.monotonicMs(),
          arrival: ++arrivals,
          state: 'queued',
          resolve,
          reject,
        };
        enqueue(waiting);
        if (operation.kind !== 'hold') return;
        dropAnswered();
        holds.push(waiting);
        arm();
      });
    },
    addLater(operation) {
      const refusal = refuse(operation);
      if (refusal) return Promise.reject(refusal);
      return new Promise((resolve, reject) => {
        patient.push({ operation, queuedMs: clock.monotonicMs(), arrival: ++arrivals, state: 'queued', resolve, reject });
        if (patient.length >= maxBatch) startPatient();
        else patientTimer ??= setTimeout(startPatient, patienceMs);
      });
    },
    flush() {
      startPatient();
      if (!isPumping) return Promise.resolve();
      return new Promise((resolve) => idle.push(resolve));
    },
  };
}
