import type { NotifyWay } from '@tollgate/contract';
import { type Clock, nowSeconds, toSeconds } from '../platform/clock.ts';
import { PublicError } from '../platform/errors.ts';
import type { Limiter } from '../platform/limiter/memory.ts';
import type { Log } from '../platform/log.ts';
import type { Database } from '../storage/database.ts';
import { beyondLease } from '../storage/leases.ts';
import { isAtWill, isUrgent, type Lane, lanes } from './events.ts';
import { limitMail } from './mail-limits.ts';
import type { Message } from './message.ts';
import { messageFor, type OwnGroupOptions } from './own-prices.ts';
import { quietUntil } from './quiet.ts';
import { type Recipient, readRecipient } from './recipients.ts';
import type { Ways } from './ways/index.ts';
import { DeliveryFault, type Way } from './ways/way.ts';

export interface DeliverParts {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Pick<Log, 'warn'>;
  readonly ways: Ways;
  readonly limiter: Limiter;
  readonly options: () => OwnGroupOptions;
  /** Names this process in the leases it takes. */
  readonly node: string;
  /** In [0, 1). */
  readonly random: () => number;
}

/** Pauses after the first, the second ... failed attempt; after the last one it is given up. */
const pausesSeconds = [30, 120, 600, 3_600, 14_400];
const maxAttempts = pausesSeconds.length + 1;
/** Nobody wants to hear of it later. */
const staleSeconds = 2 * 86_400;
/** Quiet hours are over by then, and so is the longest pause. */
const longestWaitSeconds = 86_400;
/** Longer than any attempt: mail servers are given the longest. */
export const leaseSeconds = 90;
const jitter = 0.2;

/** A delivery in this node's hands. */
export interface Claimed {
  readonly id: number;
  readonly notificationId: number;
  readonly userId: number;
  readonly way: NotifyWay;
  /** This one included. */
  readonly attempts: number;
  readonly createdAt: number;
}

/**
 * Takes due deliveries for this node alone until the lease ends, lane by lane. The attempt counts from here on, whatever
 * becomes of it.
 */
export async function claimDue({ db, node }: DeliverParts, now: number, limit: number): Promise<Claimed[]> {
  const ids: number[] = [];
  for (const lane of Object.values(lanes))
    if (ids.length < limit) ids.push(...(await readDue(db, lane, now, limit - ids.length)));
  if (ids.length === 0) return [];
  const rows = await db.transaction((tx) =>
    tx.query
      .updateTable('notification_delivery')
      .set((column) => ({ lease_owner: node, lease_until: now + leaseSeconds, attempts: column('attempts', '+', 1) }))
      .where('id', 'in', ids)
      // Judged again on the row as it is: another node may have taken it meanwhile.
      .where('state', '=', 'waiting')
      .where('lease_until', '<=', now)
      .returning(['id', 'notification_id', 'user_id', 'way', 'attempts', 'created_at'])
      .execute(),
  );
  return rows.map(({ id, notification_id, user_id, way, attempts, created_at }) => ({
    ...{ id, attempts, notificationId: notification_id, userId: user_id, createdAt: created_at },
    way: way as NotifyWay,
  }));
}

async function readDue({ read }: Database, lane: Lane, now: number, limit: number): Promise<number[]> {
  const due = await read
    .selectFrom('notification_delivery')
    .select('id')
    .where('state', '=', 'waiting')
    .where('lane', '=', lane)
    .where('due_at', '<=', now)
    .where('lease_until', '<=', now)
    .where('attempts', '<', maxAttempts)
    .orderBy('due_at')
    .limit(limit)
    .execute();
  return due.map(({ id }) => id);
}

interface Outcome {
  readonly state: 'waiting' | 'sent' | 'failed';
  readonly detail: string;
  readonly due_at: number;
  readonly attempts?: number;
}

/** Sends one. Rejects with DatabaseError alone. */
export async function deliver(parts: DeliverParts, claimed: Claimed): Promise<{ claimed: Claimed; outcome: Outcome }> {
  return { claimed, outcome: await attempt(parts, claimed) };
}

/** Writes what became of deliveries, together: the writer is that of the ledger. Throws DatabaseError. */
export async function settle(parts: DeliverParts, delivered: readonly { claimed: Claimed; outcome: Outcome }[]): Promise<void> {
  if (delivered.length === 0) return;
  const now = nowSeconds(parts.clock);
  await parts.db.transaction(async (tx) => {
    for (const { claimed, outcome } of delivered) {
      await tx.query
        .updateTable('notification_delivery')
        .set({ ...outcome, sent_at: outcome.state === 'sent' ? now : 0, lease_owner: '', lease_until: 0 })
        .where('id', '=', claimed.id)
        .where('lease_owner', '=', parts.node)
        .execute();
    }
  });
}

async function attempt(parts: DeliverParts, claimed: Claimed): Promise<Outcome> {
  const { db, clock, ways, options } = parts;
  const { id, notificationId, userId, way: name, attempts, createdAt } = claimed;
  const nowMs = clock.nowMs();
  const [recipient, row] = await Promise.all([
    readRecipient(db, userId),
    db.read.selectFrom('notification').select(['event', 'body']).where('id', '=', notificationId).executeTakeFirst(),
  ]);
  const way = ways[name];
  if (recipient === undefined || row === undefined || !way.reaches(recipient)) return failed('no target');
  const { quiet_hours: quiet } = recipient.preferences;
  const until = quiet === undefined || isUrgent(row.event) ? undefined : quietUntil(quiet, nowMs);
  const crowdedSeconds = until === undefined && isAtWill(row.event) ? await secondsToWait(parts, way, recipient) : 0;
  const waitsUntil = until ?? (crowdedSeconds > 0 ? nowMs + crowdedSeconds * 1000 : undefined);
  if (waitsUntil !== undefined)
    return { state: 'waiting', detail: '', due_at: Math.ceil(waitsUntil / 1000), attempts: attempts - 1 };
  try {
    const message = messageFor(JSON.parse(row.body) as Message, recipient.group, options());
    if (message === undefined) return failed('no target');
    await way.send({ id: `tollgate-${notificationId}-${id}`, message, createdAt }, recipient);
    return { state: 'sent', detail: '', due_at: 0 };
  } catch (error) {
    if (!(error instanceof DeliveryFault)) parts.log.warn({ err: error, way: name }, 'a notification could not be sent');
    const fault = error instanceof DeliveryFault ? error : new DeliveryFault('internal');
    const pause = pausesSeconds[attempts - 1];
    const isLate = toSeconds(nowMs) - createdAt > staleSeconds;
    if (fault.isFinal || pause === undefined || isLate || row.event === 'test') return failed(fault.message);
    const spread = 1 - jitter + 2 * jitter * parts.random();
    return { state: 'waiting', detail: fault.message, due_at: Math.round(nowMs / 1000 + pause * spread) };
  }
}

/** Until there is room for a mail to an address that nobody proved, which a stranger could cause as well. */
async function secondsToWait({ limiter }: DeliverParts, way: Way, recipient: Recipient): Promise<number> {
  const unproven = way.unproven?.(recipient);
  if (unproven === undefined) return 0;
  try {
    await limitMail(limiter, unproven, `user:${recipient.userId}`);
    return 0;
  } catch (error) {
    if (error instanceof PublicError && error.retryAfterSeconds !== undefined) return error.retryAfterSeconds;
    throw error;
  }
}

function failed(detail: string): Outcome {
  return { state: 'failed', detail, due_at: 0 };
}

/**
 * What a clock ahead of time wrote, and that was set back since, waits no longer than what one of now writes: it is due now,
 * and what somebody has in hand is free when a lease of now is over. Throws DatabaseError.
 */
export async function cutWaits({ db }: DeliverParts, now: number): Promise<void> {
  const ahead = await db.read
    .selectFrom('notification_delivery')
    .select(['id', 'lease_until', 'created_at'])
    .where('state', '=', 'waiting')
    .where((row) =>
      row.or([
        row('created_at', '>', beyondLease(now, 0)),
        row('due_at', '>', beyondLease(now, longestWaitSeconds)),
        row('lease_until', '>', beyondLease(now, leaseSeconds)),
      ]),
    )
    .limit(1_000)
    .execute();
  if (ahead.length === 0) return;
  await db.transaction(async ({ query }) => {
    for (const { id, lease_until, created_at } of ahead) {
      const times = {
        due_at: now,
        created_at: Math.min(created_at, now),
        lease_until: Math.min(lease_until, now + leaseSeconds),
      };
      await query.updateTable('notification_delivery').set(times).where('id', '=', id).where('state', '=', 'waiting').execute();
    }
  });
}

/** Those whose process died with their last attempt are given up. Throws DatabaseError. */
export async function giveUpLost({ db }: DeliverParts, now: number): Promise<void> {
  const lost = await db.read
    .selectFrom('notification_delivery')
    .select('id')
    .where('state', '=', 'waiting')
    .where('due_at', '<=', now)
    .where('lease_until', '<=', now)
    .where('attempts', '>=', maxAttempts)
    .limit(100)
    .execute();
  if (lost.length === 0) return;
  const ids = lost.map(({ id }) => id);
  await db.transaction((tx) =>
    tx.query
      .updateTable('notification_delivery')
      .set({ ...failed('lost'), lease_owner: '', lease_until: 0 })
      .where('id', 'in', ids)
      .where('state', '=', 'waiting')
      .where('lease_until', '<=', now)
      .execute(),
  );
}
