import type { Transaction, Work } from '../storage/database.ts';
import { beyondLease } from '../storage/leases.ts';
import type { Notification, Once } from './message.ts';

/**
 * Puts a notification into the outbox; perform it inside the transaction of what it tells of, so that neither stands without
 * the other. False: it was told of already. `now` in unix seconds.
 */
export function* publish({ event, message, audience, once }: Notification, now: number): Work<boolean> {
  let isNew = once === undefined;
  for (const mark of marksOf(once)) if (yield* reach(mark)) isNew = true;
  if (!isNew) return false;
  const [kind, userId] = typeof audience === 'string' ? [audience, 0] : ['user', audience.userId];
  yield {
    sql: 'INSERT INTO notification (event, body, audience, user_id, created_at) VALUES (?, ?, ?, ?, ?)',
    parameters: [event, JSON.stringify(message), kind, userId, now],
  };
  return true;
}

export function marksOf(once: Notification['once']): readonly Once[] {
  return once === undefined ? [] : [once].flat();
}

/** From when on a mark is of a time that has not come: of a clock that ran ahead and was set back since. Numbers, one apart, have none. */
const aheadOf = ({ reached, apart }: Once): number => (apart === 1 ? Number.MAX_SAFE_INTEGER : beyondLease(reached, 0));

/** Whether a mark that stands at `last` would be moved. */
export function isReachable(last: number, once: Once): boolean {
  return last <= once.reached - once.apart || last > aheadOf(once);
}

/** Whether a mark could be moved: one statement, so that of two who come at once one is told no. */
export function* reach(once: Once): Work<boolean> {
  const { name, reached, apart } = once;
  const { changes } = yield {
    sql:
      'INSERT INTO notification_mark (name, reached) VALUES (?, ?) ' +
      'ON CONFLICT (name) DO UPDATE SET reached = excluded.reached WHERE notification_mark.reached <= ? OR notification_mark.reached > ?',
    parameters: [name, reached, reached - apart, aheadOf(once)],
  };
  return changes > 0;
}

/** A turn that came to nothing may be taken again; one that was taken since stays whose it is. */
export function* giveBack({ name, reached, apart }: Once): Work<void> {
  const sql = 'UPDATE notification_mark SET reached = ? WHERE name = ? AND reached = ?';
  yield { sql, parameters: [reached - apart, name, reached] };
}

/** Forgets what was not sent yet; returns how many messages. Throws DatabaseError. */
export async function dropWaiting({ query }: Pick<Transaction, 'query'>): Promise<number> {
  const unspread = await query.updateTable('notification').set({ is_spread: 1 }).where('is_spread', '=', 0).executeTakeFirst();
  const waiting = await query.deleteFrom('notification_delivery').where('state', '=', 'waiting').executeTakeFirst();
  return Number(unspread.numUpdatedRows) + Number(waiting.numDeletedRows);
}
