import type { Clock } from '../platform/clock.ts';
import type { Log } from '../platform/log.ts';
import type { Database } from './database.ts';
import { databaseNowMs } from './presence.ts';

export interface DatabaseClock {
  /** The database's time, wherever this process reads it. */
  readonly clock: Clock;
  /** What the machine's own clock says minus the database's, in milliseconds. */
  aheadMs(): number;
  /** Follows the database's clock now, sooner than by itself. Never throws. */
  look(): Promise<void>;
  stop(): void;
}

interface Parts {
  readonly db: Pick<Database, 'engine' | 'read'>;
  readonly machine: Clock;
  readonly log: Log;
}

const everyMs = 5_000;
/** An answer that took longer says too little about when it was given. */
const slowAnswerMs = 2_000;
/** Less than that is the way there and back; following it would make time tremble. */
const toleratedMs = 100;
const warnMs = 5_000;

/**
 * The one clock of all nodes: leases, sessions, codes and orders are judged by it, whatever a machine's own says or is set to.
 * Between two looks at the database it goes on by the monotonic clock. The embedded database has no clock but its machine's.
 * Throws DatabaseError when the first look fails; later ones leave the clock as it goes.
 */
export async function startDatabaseClock({ db, machine, log }: Parts): Promise<DatabaseClock> {
  if (db.engine === 'sqlite') return { clock: machine, aheadMs: () => 0, look: async () => undefined, stop: () => undefined };
  let startMs = await startOf(db, machine);
  const clock: Clock = { nowMs: () => Math.floor(startMs + machine.monotonicMs()), monotonicMs: machine.monotonicMs };
  const aheadMs = () => machine.nowMs() - clock.nowMs();
  const report = createReport(log);
  report(aheadMs());
  const follow = async () => {
    const askedMs = machine.monotonicMs();
    try {
      const seenMs = await startOf(db, machine);
      const isVague = machine.monotonicMs() - askedMs > slowAnswerMs;
      if (!isVague && Math.abs(seenMs - startMs) > toleratedMs) startMs = seenMs;
    } catch (error) {
      log.debug({ err: error }, 'could not look at the clock of the database');
    }
    report(aheadMs());
  };
  let isLooking = false;
  const timer = setInterval(() => {
    if (isLooking) return;
    isLooking = true;
    void follow().finally(() => {
      isLooking = false;
    });
  }, everyMs);
  timer.unref();
  return { clock, aheadMs, look: follow, stop: () => clearInterval(timer) };
}

/** The database's time at zero of the monotonic clock. */
async function startOf(db: Parts['db'], machine: Clock): Promise<number> {
  const askedMs = machine.monotonicMs();
  const nowMs = await databaseNowMs(db);
  return nowMs - (askedMs + machine.monotonicMs()) / 2;
}

/** One line when the machine's clock goes wrong and one when it is right again. */
function createReport(log: Log): (aheadMs: number) => void {
  let isWrong = false;
  return (aheadMs) => {
    const wasWrong = isWrong;
    isWrong = Math.abs(aheadMs) > warnMs;
    if (isWrong && !wasWrong) log.warn({ aheadMs }, "the machine's clock differs from the database's: run NTP on both");
    if (wasWrong && !isWrong) log.info({ aheadMs }, "the machine's clock agrees with the database's again");
  };
}
