import { type Clock, nowSeconds } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import { within } from '../platform/within.ts';

export interface Job {
  /** A turn now, or the one under way. Never rejects. */
  tick(): Promise<void>;
  /** No further turn. Resolves when the one under way has ended, or after `stopWithinMs`. */
  stop(): Promise<void>;
}

export interface Work {
  /** What the metrics call it. */
  readonly name: string;
  readonly everyMs: number;
  /** Until the first turn; `everyMs` unless it is given. */
  readonly firstMs?: number;
  /** Long enough for a turn that must not be cut; two seconds unless it is given. */
  readonly stopWithinMs?: number;
  /** Answers after how many milliseconds the next one comes, if that is not `everyMs`. */
  readonly turn: (isStopped: () => boolean) => Promise<number | undefined>;
  /** What the log is told of a turn that throws; the next one comes after `everyMs`. */
  readonly failed: string;
}

/** When a job last ended a turn well, before the first one when it was started; Unix seconds. */
export interface Beat {
  readonly name: string;
  readonly everySeconds: number;
  readonly endedAt: number;
}

export interface JobRunner {
  /** Starts turns one after the other, never two at once. */
  start(work: Work): Job;
  /** Of every job that was started (F-34: none ends in silence). */
  beats(): readonly Beat[];
}

const usualStopWithinMs = 2_000;

export function createJobRunner({ clock, log }: { clock: Clock; log: Pick<Log, 'warn'> }): JobRunner {
  const beats = new Map<string, Beat>();
  const start = ({ name, everyMs, firstMs = everyMs, stopWithinMs = usualStopWithinMs, turn, failed }: Work): Job => {
    let timer: NodeJS.Timeout | undefined;
    let running: Promise<number> | undefined;
    let stopped = false;
    const beat = () => beats.set(name, { name, everySeconds: everyMs / 1000, endedAt: nowSeconds(clock) });
    const run = async (): Promise<number> => {
      try {
        const nextMs = await turn(() => stopped);
        beat();
        return nextMs ?? everyMs;
      } catch (error) {
        log.warn({ err: error }, failed);
        return everyMs;
      }
    };
    const next = (): Promise<number> => {
      running ??= run().finally(() => {
        running = undefined;
      });
      return running;
    };
    const arm = (ms: number) => {
      if (stopped) return;
      timer = setTimeout(() => void next().then(arm), ms);
      timer.unref();
    };
    beat();
    arm(firstMs);
    return {
      tick: async () => void (await next()),
      async stop() {
        stopped = true;
        clearTimeout(timer);
        await within(Promise.resolve(running), stopWithinMs, () => undefined);
      },
    };
  };
  return { start, beats: () => [...beats.values()] };
}

/** Several as one. */
export function stopAll(jobs: readonly Pick<Job, 'stop'>[]): () => Promise<void> {
  return async () => {
    await Promise.all(jobs.map((job) => job.stop()));
  };
}
