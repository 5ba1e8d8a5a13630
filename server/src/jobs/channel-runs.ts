import type { Clock } from '../platform/clock.ts';
import { PublicError } from '../platform/errors.ts';
import type { ChannelJobs } from '../routing/index.ts';
import type { Options } from '../settings/index.ts';

interface Parts {
  jobs: ChannelJobs;
  options: () => Pick<Options, 'ChannelTestFrequency' | 'ChannelUpdateFrequency'>;
  clock: Clock;
}

const lookEveryMs = 15_000;
const minuteMs = 60_000;

/** Starts the runs over all channels as often as the options say; the first one a full period after the start. */
export function startChannelRuns({ jobs, options, clock }: Parts): { tick(): void; stop(): void } {
  const due = createDue(() => clock.monotonicMs());
  const tick = () => {
    const { ChannelTestFrequency: test, ChannelUpdateFrequency: balance } = options();
    if (due('test', test)) attempt(jobs.startTest);
    if (due('balance', balance)) attempt(jobs.startBalance);
  };
  const timer = setInterval(tick, lookEveryMs);
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
function attempt(start: () => void): void {
  try {
    start();
  } catch (error) {
    if (!(error instanceof PublicError)) throw error;
  }
}
