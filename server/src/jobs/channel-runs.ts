import { type Clock, nowSeconds } from '../platform/clock.ts';
import { PublicError } from '../platform/errors.ts';
import type { ChannelJobs } from '../routing/index.ts';
import type { Options } from '../settings/index.ts';
import { takeLease } from '../storage/leases.ts';
import type { LeaseHolder } from './leased.ts';
import type { Job, JobRunner } from './runner.ts';

interface Parts {
  jobs: ChannelJobs;
  options: () => Pick<Options, 'ChannelTestFrequency' | 'ChannelUpdateFrequency'>;
  clock: Clock;
  /** True for one node per so many seconds. */
  isOurs: (run: 'test' | 'balance', seconds: number) => Promise<boolean>;
  runner: JobRunner;
}

const lookEveryMs = 15_000;
const minuteMs = 60_000;

/** Starts the runs over all channels as often as the options say, on one node; the first one a full period after the start. */
export function startChannelRuns({ jobs, options, clock, isOurs, runner }: Parts): Job {
  const startedMs = clock.monotonicMs();
  const last = new Map<string, number>();
  const begin = async (run: 'test' | 'balance', minutes: number, start: () => Promise<void>) => {
    const nowMs = clock.monotonicMs();
    if (minutes <= 0 || nowMs - (last.get(run) ?? startedMs) < minutes * minuteMs) return;
    if (await isOurs(run, minutes * 60)) await attempt(start);
    // Only now: a database that is away for a moment must not cost a whole period.
    last.set(run, nowMs);
  };
  return runner.start({
    ...{ name: 'channel-runs', everyMs: lookEveryMs, failed: 'a run over all channels could not be started' },
    async turn() {
      const { ChannelTestFrequency: test, ChannelUpdateFrequency: balance } = options();
      await begin('test', test, () => jobs.startTest());
      await begin('balance', balance, jobs.startBalance);
    },
  });
}

/** For `isOurs`. A lease holds for one period: one that a node took for another, longer one does not outlive the change. */
export function createTurns({ db, clock, node }: Pick<LeaseHolder, 'db' | 'clock' | 'node'>): Parts['isOurs'] {
  return (run, seconds) => takeLease(db, { name: `channel-${run}:${seconds}`, node, now: nowSeconds(clock), seconds });
}

/** One that is still running, started by hand or long, is this period's run. */
async function attempt(start: () => Promise<void>): Promise<void> {
  try {
    await start();
  } catch (error) {
    if (!(error instanceof PublicError)) throw error;
  }
}
