import type { Ledger } from '../billing/index.ts';
import { type Clock, nowSeconds } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import type { Job, JobRunner } from './runner.ts';

interface Parts {
  ledger: Ledger;
  clock: Clock;
  log: Log;
  runner: JobRunner;
  everySeconds: number;
}

/** Closes expired holds every `everySeconds`, and once at the start: what a crash left open is closed soon after. */
export function startSweeper({ ledger, clock, log, runner, everySeconds }: Parts): Job {
  return runner.start({
    ...{ name: 'hold-sweep', everyMs: everySeconds * 1000, firstMs: 0, failed: 'could not sweep holds; trying again' },
    async turn() {
      const closed = await ledger.sweep(nowSeconds(clock));
      if (closed > 0) log.info({ closed }, 'expired holds were closed');
    },
  });
}
