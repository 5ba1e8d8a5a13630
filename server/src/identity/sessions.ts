import { role } from '@tollgate/contract';
import { type Clock, cautiousClock, nowSeconds } from '../platform/clock.ts';
import { sha256 } from '../platform/crypto.ts';
import { newSecret } from '../platform/ids.ts';
import type { Database, Transaction } from '../storage/database.ts';
import { isOutage } from '../storage/errors.ts';
import { beyondLease } from '../storage/leases.ts';
import type { Caller, Identity, SignInTimes, UserFacts } from './types.ts';
import { factsColumns, toFacts } from './users.ts';

/** Session life in seconds (settled points of the security page). */
export interface SessionLife {
  idleSeconds: number;
  maxSeconds: number;
  adminIdleSeconds: number;
  adminMaxSeconds: number;
}

/** A user's oldest sessions end when a newer one makes it more than this. */
const maxSessionsPerUser = 10;
/** `seen_at` is written at most this often: idle life is counted in hours. */
const seenEverySeconds = 60;
const maxUserAgentLength = 255;

export interface Sessions {
  /** Seconds a cookie may live for this role. */
  maxAgeSeconds(userRole: number): number;
  /** Opens a session inside the caller's transaction; returns the cookie's value, which is stored nowhere. */
  open(tx: Transaction, user: Pick<UserFacts, 'id' | 'sessionEpoch'>, caller: Caller, times: SignInTimes): Promise<string>;
  /** Neither silent for too long nor too old for this role. */
  isAlive(userRole: number, session: { created_at: number; seen_at: number }): boolean;
  /** The identity behind a cookie's value; undefined when it is unknown, too old, or ended by an epoch. */
  find(cookie: string): Promise<Identity | undefined>;
  /** The password was proven in this session just now. */
  prove(idHash: string, now: number): Promise<void>;
  /** Deletes sessions that no role's life would still accept; returns how many. */
  removeExpired(): Promise<number>;
}

export function createSessions({ db, clock, life }: { db: Database; clock: Clock; life: SessionLife }): Sessions {
  const lifeOf = (userRole: number) =>
    userRole >= role.admin
      ? { idle: life.adminIdleSeconds, max: life.adminMaxSeconds }
      : { idle: life.idleSeconds, max: life.maxSeconds };

  const isAlive = (userRole: number, session: { created_at: number; seen_at: number }) => {
    const now = nowSeconds(clock);
    const { idle, max } = lifeOf(userRole);
    return now - session.seen_at < idle && now - session.created_at < max;
  };

  const cautious = cautiousClock(clock);
  return {
    isAlive,
    maxAgeSeconds: (userRole) => lifeOf(userRole).max,
    open: (tx, user, caller, times) => openSession(tx, { now: nowSeconds(clock), user, caller, times }),
    async find(cookie) {
      const idHash = sha256(cookie);
      const row = await db.read
        .selectFrom('session')
        .innerJoin('users', 'users.id', 'session.user_id')
        .select(['session.session_epoch as epoch', 'session.created_at as signed_in_at', 'session.seen_at', 'session.proven_at'])
        .select(factsColumns)
        .where('session.id_hash', '=', idHash)
        .where('users.deleted_at', 'is', null)
        .executeTakeFirst();
      if (row === undefined || row.epoch !== row.session_epoch) return undefined;
      if (!isAlive(row.role, { created_at: row.signed_in_at, seen_at: row.seen_at })) return undefined;
      const now = nowSeconds(clock);
      // By a clock that ran ahead and was set back since: it lives no longer than one of now.
      const isAhead = Math.max(row.seen_at, row.signed_in_at) > beyondLease(now, 0);
      const times = { seen_at: now, created_at: Math.min(row.signed_in_at, now) };
      if (isAhead || now - row.seen_at >= seenEverySeconds) await touch(db, idHash, times);
      const signedIn = { signedInAt: times.created_at, provenAt: row.proven_at };
      return { user: toFacts(row), credential: { kind: 'session', idHash, ...signedIn } };
    },
    async prove(idHash, now) {
      await db.transaction((tx) =>
        tx.query.updateTable('session').set({ proven_at: now }).where('id_hash', '=', idHash).execute(),
      );
    },
    async removeExpired() {
      const now = nowSeconds(cautious);
      const oldest = now - Math.max(life.maxSeconds, life.adminMaxSeconds);
      const longSilent = now - Math.max(life.idleSeconds, life.adminIdleSeconds);
      const result = await db.transaction((tx) =>
        tx.query
          .deleteFrom('session')
          .where((where) => where.or([where('created_at', '<=', oldest), where('seen_at', '<=', longSilent)]))
          .executeTakeFirst(),
      );
      return Number(result.numDeletedRows);
    },
  };
}

/** What can only be read just now is still shown: who is to make room on a full disk must get in. */
async function touch(db: Database, idHash: string, times: { seen_at: number; created_at: number }): Promise<void> {
  try {
    await db.transaction((tx) => tx.query.updateTable('session').set(times).where('id_hash', '=', idHash).execute());
  } catch (error) {
    if (!isOutage(error)) throw error;
  }
}

interface Opening {
  now: number;
  user: Pick<UserFacts, 'id' | 'sessionEpoch'>;
  caller: Caller;
  times: SignInTimes;
}

async function openSession(tx: Transaction, { now, user, caller, times }: Opening): Promise<string> {
  const secret = newSecret();
  const idHash = sha256(secret);
  await tx.query
    .insertInto('session')
    .values({
      id_hash: idHash,
      user_id: user.id,
      session_epoch: user.sessionEpoch,
      created_at: times.signedInAt,
      proven_at: times.provenAt,
      seen_at: now,
      ip: caller.address.ip,
      user_agent: caller.userAgent.slice(0, maxUserAgentLength),
    })
    .execute();
  // Sessions of an ended epoch are dead already; counting them would drop live ones.
  await tx.query.deleteFrom('session').where('user_id', '=', user.id).where('session_epoch', '<', user.sessionEpoch).execute();
  const surplus = tx.query
    .selectFrom('session')
    .select('id_hash')
    .where('user_id', '=', user.id)
    // Never the new one, of which the others may be of the same second.
    .where('id_hash', '!=', idHash)
    .orderBy('seen_at', 'desc')
    .orderBy('created_at', 'desc')
    .limit(1000)
    .offset(maxSessionsPerUser - 1);
  await tx.query.deleteFrom('session').where('id_hash', 'in', surplus).execute();
  return secret;
}
