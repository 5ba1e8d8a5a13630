import { setFlagsFromString } from 'node:v8';
import { Worker } from 'node:worker_threads';
import { DatabaseError, sqliteKind } from '../errors.ts';
import { adviceOn } from './place.ts';
import { type Call, firstYoungMb, type Response, type ThreadConfig } from './protocol.ts';

/** A database thread seen from outside. A thread that died or hangs is replaced at the next call. */
export interface Thread {
  /** `limitMs`: of what may take longer than other calls. Throws DatabaseError. */
  call<T>(call: Call, limitMs?: number): Promise<T>;
  /** Grows with every replacement: a transaction must not go on over a new thread. */
  generation(): number;
  close(): Promise<void>;
}

interface Waiter {
  id: number;
  resolve(value: unknown): void;
  reject(error: DatabaseError): void;
  deadlineMs: number;
}

const usualCallMs = 30_000;
const maxPending = 16_384;
/** For what lives for one request, in MB, three times a half of its room. Without a bound each thread's share grows for half an hour, to 128, and nothing is faster for it. */
const youngMb: Record<ThreadConfig['role'], number> = { write: 48, read: 48, analyse: 12 };

/**
 * For the rest, in MB. A heap that may become large is collected only at four times what it was left with, one of 512 at less
 * than half more: room that filled once stays with the process.
 */
const oldMb = 512;

const codeOf = (error: Error): string => ('code' in error ? String(error.code) : '');

/** Starts the thread and waits until its connection is open. No call takes longer than `callMs`, unless it says so. */
export async function startThread(config: ThreadConfig, callMs = usualCallMs): Promise<Thread> {
  let generation = 0;
  let lastId = 0;
  let closed = false;
  let worker: Worker | undefined;
  let watchdog: NodeJS.Timeout | undefined;
  /** In the order of the calls, which is the order of the answers. */
  const waiters: Waiter[] = [];

  const fail = (dead: Worker, reason: string): void => {
    if (worker !== dead) return;
    worker = undefined;
    generation += 1;
    clearInterval(watchdog);
    // What was under way may or may not be committed; works are idempotent by their refs.
    for (const waiter of waiters.splice(0)) waiter.reject(new DatabaseError('unknown', '', reason));
  };
  const settle = (response: Response): void => {
    if (waiters[0]?.id !== response.id) return;
    const waiter = waiters.shift();
    if (!waiter) return;
    if ('failure' in response) {
      const { code, message } = response.failure;
      waiter.reject(new DatabaseError(sqliteKind(code), code, message + adviceOn(code, config.file, config.role !== 'write')));
    } else waiter.resolve(response.value);
  };
  const start = (): Worker => {
    // Seen by threads that start from now on: `worker.ts` collects its heap by the clock.
    setFlagsFromString('--expose-gc');
    setFlagsFromString(`--min-semi-space-size=${firstYoungMb[config.role]}`);
    const resourceLimits = { maxYoungGenerationSizeMb: youngMb[config.role], maxOldGenerationSizeMb: oldMb };
    const fresh = new Worker(new URL('./worker.ts', import.meta.url), { workerData: config, execArgv: [], resourceLimits });
    worker = fresh;
    fresh.on('message', settle);
    fresh.on('error', (error) =>
      fail(fresh, `The database thread failed: ${error.message}${adviceOn(codeOf(error), config.file)}`),
    );
    fresh.on('exit', () => fail(fresh, 'The database thread ended'));
    watchdog = setInterval(() => {
      const oldest = waiters[0];
      if (!oldest || oldest.deadlineMs > performance.now()) return;
      fail(fresh, 'The database thread does not answer');
      void fresh.terminate();
    }, 1000);
    watchdog.unref();
    return fresh;
  };
  const post = (target: Worker, id: number, call: Call | undefined, limitMs = callMs): Promise<unknown> =>
    new Promise((resolve, reject) => {
      // First: what cannot be sent has no answer, and all behind it would wait for that.
      if (call) target.postMessage({ ...call, id });
      waiters.push({ id, resolve, reject, deadlineMs: performance.now() + Math.max(callMs, limitMs) });
    });

  await post(start(), 0, undefined);
  return {
    generation: () => generation,
    call<T>(call: Call, limitMs?: number): Promise<T> {
      if (closed) return Promise.reject(new DatabaseError('unavailable', '', 'The database is closed'));
      if (waiters.length >= maxPending) return Promise.reject(new DatabaseError('unavailable', '', 'Too many queries wait'));
      lastId += 1;
      return post(worker ?? start(), lastId, call, limitMs) as Promise<T>;
    },
    async close() {
      if (closed) return;
      closed = true;
      clearInterval(watchdog);
      if (!worker) return;
      const last = worker;
      await post(last, lastId + 1, { op: 'close' });
      await last.terminate();
    },
  };
}
