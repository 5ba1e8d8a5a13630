import { type Clock, nowSeconds } from '../platform/clock.ts';
import type { Database, Work } from '../storage/database.ts';
import type { Notification } from './message.ts';
import { isReachable, marksOf, publish } from './publish.ts';

/** Looks at one thing; what it finds is told to root as often as it says itself. May throw. */
export type AlertCheck = (now: number) => Promise<readonly Alert[]>;
export type Alert = Pick<Notification, 'event' | 'message' | 'once'>;

/** Of one thing, at one look: more come with the next ones. */
const atATime = 20;

interface Parts {
  readonly db: Database;
  readonly clock: Clock;
  readonly checks: readonly AlertCheck[];
}

/** Looks at everything that root wants to hear of. One check that fails harms no other; rejects with what failed when all were looked at. */
export function createAlerts({ db, clock, checks }: Parts): { tick(): Promise<void> } {
  return {
    async tick() {
      const now = nowSeconds(clock);
      const faults: unknown[] = [];
      for (const check of checks) {
        try {
          const alerts = (await untold(db, await check(now))).slice(0, atATime);
          if (alerts.length > 0) await db.transaction((tx) => tx.perform(publishAll(alerts, now)));
        } catch (error) {
          faults.push(error);
        }
      }
      if (faults.length > 0) throw new AggregateError(faults, 'some alerts could not be looked at');
    },
  };
}

/** Without those that were told lately: they must not stand before others, and need no writer. */
async function untold({ read }: Database, alerts: readonly Alert[]): Promise<readonly Alert[]> {
  const names = alerts.flatMap(({ once }) => marksOf(once).map(({ name }) => name));
  if (names.length === 0) return alerts;
  const marks = await read.selectFrom('notification_mark').select(['name', 'reached']).where('name', 'in', names).execute();
  const reached = new Map(marks.map((mark) => [mark.name, mark.reached]));
  return alerts.flatMap((alert) => {
    if (alert.once === undefined) return alert;
    const once = marksOf(alert.once).filter((mark) => isReachable(reached.get(mark.name) ?? Number.NEGATIVE_INFINITY, mark));
    return once.length === 0 ? [] : { ...alert, once };
  });
}

function* publishAll(alerts: readonly Alert[], now: number): Work<void> {
  for (const alert of alerts) yield* publish({ ...alert, audience: 'root' }, now);
}
