import { cutLeases, type Ledger } from '../billing/index.ts';
import { type Clock, nowSeconds } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import type { Database } from '../storage/database.ts';
import type { Job, JobRunner } from './runner.ts';

interface Parts {
  db: Database;
  ledger: Pick<Ledger, 'sweep'>;
  clock: Clock;
  /** See `DatabaseClock`. */
  look: () => Promise<void>;
  log: Log;
  runner: JobRunner;
  everySeconds: number;
  /** How long a hold lives without renewal. */
  leaseSeconds: number;
}

/** Of a lease: by so much it may end too soon without a call that runs being closed. */
const harmlessShare = 0.25;

/**
 * Closes expired holds every `everySeconds`, and once at the start: what a crash left open is closed soon after. When the
 * clock was set forward all holds look expired; calls that run renew theirs within one lease.
 */
export function startSweeper({ db, ledger, clock, look, log, runner, everySeconds, leaseSeconds }: Parts): Job {
  /** What the clock says beside the time that has passed. */
  let offsetMs: number | undefined;
  let waitsUntilMs = Number.NEGATIVE_INFINITY;
  const lookAtClock = () => {
    const nowMs = clock.monotonicMs();
    const seenMs = clock.nowMs() - nowMs;
    const aheadMs = seenMs - (offsetMs ?? seenMs);
    offsetMs = seenMs;
    if (aheadMs <= leaseSeconds * 1000 * harmlessShare) return;
    waitsUntilMs = nowMs + leaseSeconds * 1000;
    log.warn({ aheadMs: Math.round(aheadMs) }, 'the clock was set forward: no hold is swept until calls have renewed theirs');
  };
  return runner.start({
    ...{ name: 'hold-sweep', everyMs: everySeconds * 1000, firstMs: 0, failed: 'could not sweep holds; trying again' },
    async turn() {
      // Other nodes may have seen already that it was set back: by the clock of before their leases are over.
      await look();
      lookAtClock();
      if (clock.monotonicMs() < waitsUntilMs) return undefined;
      const now = nowSeconds(clock);
      await cutLeases(db, { now, seconds: leaseSeconds });
      const closed = await ledger.sweep(now);
      if (closed > 0) log.info({ closed }, 'expired holds were closed');
      return undefined;
    },
  });
}
