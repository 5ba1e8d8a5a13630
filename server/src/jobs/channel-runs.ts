import type { Clock } from '../platform/clock.ts';
import { PublicError } from '../platform/errors.ts';
import type { Log } from '../platform/log.ts';
import type { ChannelJobs } from '../routing/index.ts';
import type { Options } from '../settings/index.ts';

interface Parts {
  jobs: ChannelJobs;
  options: () => Pick<Options, 'ChannelTestFrequency' | 'ChannelUpdateFrequency'>;
  clock: Clock;
  /** True for one node per so many seconds. */
  isOurs: (run: 'test' | 'balance', seconds: number) => Promise<boolean>;
  log: Pick<Log, 'warn'>;
}

const lookEveryMs = 15_000;
const minuteMs = 60_000;

/** Starts the runs over all channels as often as the options say, on one node; the first one a full period after the start. */
export function startChannelRuns({ jobs, options, clock, isOurs, log }: Parts): { tick(): Promise<void>; stop(): void } {
  const due = createDue(() => clock.monotonicMs());
  const begin = async (run: 'test' | 'balance', minutes: number, start: () => Promise<void>) => {
    if (due(run, minutes) && (await isOurs(run, minutes * 60))) await attempt(start);
  };
  const tick = async () => {
    const { ChannelTestFrequency: test, ChannelUpdateFrequency: balance } = options();
    try {
      await begin('test', test, jobs.startTest);
      await begin('balance', balance, jobs.startBalance);
    } catch (error) {
      log.warn({ err: error }, 'a run over all channels could not be started');
    }
  };
  const timer = setInterval(() => void tick(), lookEveryMs);
  timer.unref();
  return { tick, stop: () => clearInterval(timer) };
}

function createDue(monotonicMs: () => number): (name: string, minutes: number) => boolean {
  const startedMs = monotonicMs();
  const last = new Map<string, number>();
  return (name, minutes) => {
    const nowMs = monotonicMs();
    if (minutes <= 0 || nowMs - (last.get(name) ?? startedMs) < minutes * minuteMs) return false;
    last.set(name, nowMs);
    return true;
  };
}

/** One that is still running, started by hand or long, is this period's run. */
async function attempt(start: () => Promise<void>): Promise<void> {
  try {
    await start();
  } catch (error) {
    if (!(error instanceof PublicError)) throw error;
  }
}
