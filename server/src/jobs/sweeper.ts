import { cutLeases, type Ledger } from '../billing/index.ts';
import { type Clock, nowSeconds } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import type { Database } from '../storage/database.ts';
import type { Job, JobRunner } from './runner.ts';

interface Parts {
  db: Database;
  ledger: Ledger;
  clock: Clock;
  log: Log;
  runner: JobRunner;
  everySeconds: number;
  /** Of a hold. */
  leaseSeconds: number;
}

/** Closes expired holds every `everySeconds`, and once at the start: what a crash left open is closed soon after. */
export function startSweeper({ db, ledger, clock, log, runner, everySeconds, leaseSeconds }: Parts): Job {
  return runner.start({
    ...{ name: 'hold-sweep', everyMs: everySeconds * 1000, firstMs: 0, failed: 'could not sweep holds; trying again' },
    async turn() {
      const now = nowSeconds(clock);
      await cutLeases(db, { now, seconds: leaseSeconds });
      const closed = await ledger.sweep(now);
      if (closed > 0) log.info({ closed }, 'expired holds were closed');
    },
  });
}
