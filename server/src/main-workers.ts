import cluster, { type Worker } from 'node:cluster';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { Env } from './env.ts';
import type { RootState } from './identity/index.ts';
import { systemClock } from './platform/clock.ts';
import { listening } from './platform/listening.ts';
import { passOn } from './platform/workers/bus.ts';
import { createCountsOfWorkers } from './platform/workers/counts.ts';
import { hearWorkers, openLine, type WorkerPlace } from './platform/workers/line.ts';
import { createGatherings } from './platform/workers/together.ts';
import { createTurnsOfWorkers } from './platform/workers/turns.ts';
import { createWatchdog, pingEveryMs } from './platform/workers/watchdog.ts';

interface Ready {
  readonly port: number;
  readonly root: RootState;
}

const indexName = 'TOLLGATE_WORKER';
/** A worker that dies sooner after its start is not started again at once. */
const shortLifeMs = 5_000;

/** Where this process stands when it is a worker. */
export function workerPlace({ WORKERS }: Pick<Env, 'WORKERS'>): WorkerPlace | undefined {
  if (!cluster.isWorker) return undefined;
  const index = Number(process.env[indexName] ?? '1');
  return { index, workers: WORKERS, sharesPort: process.platform === 'linux', line: openLine() };
}

/**
 * Starts `WORKERS` processes behind one port and keeps them running: one that dies is started again, one that stands still is
 * ended before. The first one comes alone, since it may have to make the database. Rejects when a worker does not start, once
 * the others have ended. `ended` resolves with the exit code, the largest of all.
 */
export async function startWorkers(
  { WORKERS, PORT, HOST }: Pick<Env, 'WORKERS' | 'PORT' | 'HOST'>,
  log: { error(fields: object, text: string): void },
  { againMs = shortLifeMs, pingMs = pingEveryMs } = {},
) {
  await claimPort(PORT, HOST);
  const counts = createCountsOfWorkers(systemClock.monotonicMs);
  const turns = createTurnsOfWorkers((ticket) => tellAll('wanted', ticket));
  const readyOf = new Map<number, (ready: Ready) => void>();
  const serving = new Set<number>();
  const gatherings = createGatherings(
    (...said) => tellAll(...said),
    () => serving,
  );
  const watchdog = createWatchdog({
    workers: () => serving,
    ping: () => tellAll('ping'),
    end: (id) => standsStill(id),
  });
  const tellAll = hearWorkers({
    alive: watchdog.alive,
    ...passOn((...said) => tellAll(...said)),
    ready: (from: number, ready: Ready) => readyOf.get(from)?.(ready),
    watched: () => tellAll('watched'),
    catchUp: gatherings.catchUp,
    caughtUp: gatherings.caughtUp,
    take: counts.take,
    look: counts.look,
    add: counts.add,
    leave: counts.leave,
    turn: turns.turn,
    turned: turns.turned,
  });
  let isStopping = false;
  let stopSignal: NodeJS.Signals | undefined;
  const codes: number[] = [];
  const { promise: ended, resolve: tellEnd } = Promise.withResolvers<number>();
  const running = new Set<Worker>();
  const endWhenLast = () => {
    if (running.size === 0) tellEnd(Math.max(0, ...codes));
  };

  let port = PORT;
  const begin = async (index: number): Promise<Ready> => {
    const startedMs = performance.now();
    const worker: Worker = cluster.fork({ [indexName]: String(index), PORT: String(port) });
    running.add(worker);
    let isReady = false;
    return new Promise((resolve, reject) => {
      readyOf.set(worker.id, (ready) => {
        isReady = true;
        serving.add(worker.id);
        resolve(ready);
      });
      const gone = (code: number | null, signal: string | null, fault?: Error) => {
        running.delete(worker);
        readyOf.delete(worker.id);
        serving.delete(worker.id);
        watchdog.gone(worker.id);
        gatherings.gone(worker.id);
        counts.gone(worker.id);
        turns.gone(worker.id);
        // One that was still starting is ended by the signal itself.
        const exitCode = code ?? (isStopping && signal === stopSignal ? 0 : 1);
        if (!isReady) reject(fault ?? new WorkerNotStarted(exitCode));
        if (isStopping) {
          codes.push(exitCode);
          endWhenLast();
        } else if (isReady) {
          log.error({ worker: index, code, signal }, 'a worker has ended and is started again');
          beginAgain(index, startedMs);
        }
      };
      worker.once('exit', (code, signal) => gone(code, signal));
      // Of a process that was never there: no end of it is told. Without a listener it would end this one.
      worker.on('error', (error) => worker.process.pid === undefined && gone(1, null, error));
    });
  };
  const standsStill = (id: number) => {
    const worker = cluster.workers?.[id];
    if (worker === undefined) return;
    log.error({ pid: worker.process.pid }, 'a worker has not answered for a minute and is ended');
    worker.process.kill('SIGKILL');
  };
  /** The others go on serving meanwhile: the program may just be replaced, or the machine have no process left. */
  const beginAgain = (index: number, startedMs: number) => {
    const attempt = () => {
      if (isStopping) return;
      const attemptedMs = performance.now();
      begin(index).catch((error: unknown) => {
        if (isStopping) return;
        log.error({ worker: index, err: error }, 'a worker could not be started again; trying again');
        beginAgain(index, attemptedMs);
      });
    };
    setTimeout(attempt, Math.max(0, againMs - (performance.now() - startedMs)));
  };
  const signalAll = (signal: NodeJS.Signals) => {
    isStopping = true;
    stopSignal = signal;
    endWhenLast();
    for (const worker of running) worker.process.kill(signal);
  };

  setInterval(watchdog.look, pingMs).unref();
  const first = await begin(1);
  port = first.port;
  await Promise.all(Array.from({ length: WORKERS - 1 }, (_, index) => begin(index + 2))).catch(async (error: unknown) => {
    signalAll('SIGTERM');
    await ended;
    throw error;
  });
  return { ...first, ended, signalAll };
}

/** Another server may listen at a port that is shared, without an error: takes it alone for a moment. Throws when it is not free. */
async function claimPort(port: number, host: string): Promise<void> {
  const claim = createServer();
  await listening(claim, { port, host }, 'PORT');
  claim.close();
  await once(claim, 'close');
}

/** It has said why by itself. */
export class WorkerNotStarted extends Error {
  readonly exitCode: number;
  constructor(exitCode: number) {
    super('A worker did not start');
    this.exitCode = exitCode;
  }
}
