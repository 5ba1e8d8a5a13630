import { isNotifyEvent, type NotifyWay } from '@tollgate/contract';
import { sql } from 'kysely';
import type { Database } from '../storage/database.ts';
import { countUpTo } from '../storage/page.ts';
import { type Lane, laneOf, lanes, urgentEvents } from './events.ts';
import type { Message } from './message.ts';
import { messageFor, type OwnGroupOptions } from './own-prices.ts';
import { waysFor } from './preferences.ts';
import { type Recipient, readRecipients } from './recipients.ts';
import type { Ways } from './ways/index.ts';

interface Parts {
  readonly db: Database;
  readonly ways: Ways;
  readonly options: () => OwnGroupOptions;
}

const usersAtATime = 200;
/** Deliveries of one lane that wait at most; then what is to be spread waits itself. */
export const maxWaiting = 20_000;

/** Of one user, of what is for them alone; more is not told: it would hold up what is for others. */
export const maxWaitingOfUser = 100;

type Row = { id: number; event: string; audience: string; user_id: number; spread_to: number };

/**
 * Makes deliveries of the first notification for its next users: of the first lane that has one, the oldest. Several nodes may do so at once: each step moves the mark
 * that it started from, in its transaction, and whose mark has moved meanwhile does nothing. False: there is nothing to do.
 */
export async function spreadStep({ db, ways, options }: Parts, now: number): Promise<boolean> {
  const row = await db.read
    .selectFrom('notification')
    .select(['id', 'event', 'body', 'audience', 'user_id', 'spread_to'])
    .where('is_spread', '=', 0)
    // As `laneOf` says it of each.
    .orderBy((build) => {
      const rest = build.case().when('audience', '=', 'all').then(build.lit(lanes.mass));
      return rest.when('event', 'in', urgentEvents).then(build.lit(lanes.urgent)).else(build.lit(lanes.own)).end();
    })
    .orderBy('id')
    .limit(1)
    .executeTakeFirst();
  if (row === undefined || (await waiting(db, laneOf(row))) >= maxWaiting) return false;
  const audience = row.audience === 'all' || row.audience === 'root' ? row.audience : 'user';
  const people = await readRecipients(db, { audience, userId: row.user_id, after: row.spread_to, limit: usersAtATime });
  const message = JSON.parse(row.body) as Message;
  const concerned = people.filter(({ group }) => messageFor(message, group, options()) !== undefined);
  const isFull = audience === 'user' && (await waitingOf(db, row.user_id)) >= maxWaitingOfUser;
  const told = isFull ? [] : concerned;
  const parcels = told.flatMap((person) => waysOf(ways, row.event, person).map((way) => ({ userId: person.userId, way })));
  const last = people.at(-1)?.userId ?? row.spread_to;
  await move(db, row, { last, isDone: people.length < usersAtATime, parcels, now });
  return true;
}

function waiting({ read }: Database, lane: Lane): Promise<number> {
  const rows = read.selectFrom('notification_delivery').where('state', '=', 'waiting').where('lane', '=', lane);
  return countUpTo(read, rows, maxWaiting);
}

/** The sign keeps to the rows that wait: of a user's own there may be many more. */
export function waitingOf({ read }: Database, userId: number): Promise<number> {
  const rows = read.selectFrom('notification_delivery').where('state', '=', 'waiting').where('lane', '=', lanes.own);
  return countUpTo(read, rows.where(sql<number>`+user_id`, '=', userId), maxWaitingOfUser);
}

/** Those by which this person wants to hear of it and can. */
function waysOf(ways: Ways, event: string, person: Recipient): NotifyWay[] {
  // What a newer program tells of is for newer programs.
  if (!isNotifyEvent(event)) return [];
  return waysFor(person.preferences, event).filter((way) => ways[way].reaches(person));
}

interface Step {
  readonly last: number;
  readonly isDone: boolean;
  readonly parcels: readonly { readonly userId: number; readonly way: NotifyWay }[];
  readonly now: number;
}

function move(db: Database, row: Row, { last, isDone, parcels, now }: Step): Promise<void> {
  return db.transaction(async (tx) => {
    const { numUpdatedRows } = await tx.query
      .updateTable('notification')
      .set({ spread_to: last, is_spread: isDone ? 1 : 0 })
      .where('id', '=', row.id)
      .where('spread_to', '=', row.spread_to)
      .where('is_spread', '=', 0)
      .executeTakeFirst();
    if (numUpdatedRows === 0n || parcels.length === 0) return;
    const fresh = { notification_id: row.id, lane: laneOf(row), state: 'waiting', due_at: now, created_at: now };
    await tx.query
      .insertInto('notification_delivery')
      .values(parcels.map(({ userId, way }) => ({ ...fresh, user_id: userId, way })))
      .execute();
  });
}
