import type { SessionEntry } from '@tollgate/contract';
import { recordAudit } from '../audit/index.ts';
import { type Clock, nowSeconds } from '../platform/clock.ts';
import { PublicError } from '../platform/errors.ts';
import type { Database } from '../storage/database.ts';
import { actorFor } from './audit.ts';
import type { Sessions } from './sessions.ts';
import type { Caller, Identity } from './types.ts';

/** Of a hash in hexadecimal. */
const idDigits = 12;

export interface SessionListDeps {
  db: Database;
  clock: Clock;
  sessions: Pick<Sessions, 'isAlive'>;
}

/** A user's own sessions: seeing them, and signing out elsewhere. */
export interface SessionList {
  /** The most recently used first. */
  list(identity: Identity): Promise<SessionEntry[]>;
  /** Throws PublicError `session_not_found`. */
  end(identity: Identity, id: number, caller: Caller): Promise<void>;
  /** Ends all but the one that asks; returns how many. */
  endOthers(identity: Identity, caller: Caller): Promise<number>;
}

export function createSessionList({ db, clock, sessions: { isAlive } }: SessionListDeps): SessionList {
  const end = async (identity: Identity, hashes: readonly string[], caller: Caller): Promise<number> => {
    if (hashes.length === 0) return 0;
    const { user } = identity;
    return db.transaction(async (tx) => {
      const ended = await tx.query
        .deleteFrom('session')
        .where('user_id', '=', user.id)
        .where('id_hash', 'in', [...hashes])
        .executeTakeFirst();
      const sessions = Number(ended.numDeletedRows);
      const event = { actor: actorFor(user, caller), target: `user:${user.id}`, detail: { sessions }, now: nowSeconds(clock) };
      if (sessions > 0) await tx.perform(recordAudit({ ...event, action: 'session.end' }));
      return sessions;
    });
  };
  return {
    async list(identity) {
      const rows = await liveSessions(db, identity);
      const alive = rows.filter((row) => isAlive(identity.user.role, row));
      return alive.map((row) => ({
        id: publicId(row.id_hash),
        ip: row.ip,
        user_agent: row.user_agent,
        created_time: row.created_at,
        proven_time: row.proven_at,
        last_seen_time: row.seen_at,
        current: row.id_hash === currentHash(identity),
      }));
    },
    async end(identity, id, caller) {
      const hashes = (await liveSessions(db, identity)).map((row) => row.id_hash).filter((hash) => publicId(hash) === id);
      if ((await end(identity, hashes, caller)) === 0) throw new PublicError('session_not_found');
    },
    async endOthers(identity, caller) {
      const hashes = (await liveSessions(db, identity)).map((row) => row.id_hash);
      return end(
        identity,
        hashes.filter((hash) => hash !== currentHash(identity)),
        caller,
      );
    },
  };
}

function liveSessions({ read }: Database, { user }: Identity) {
  return read
    .selectFrom('session')
    .selectAll()
    .where('user_id', '=', user.id)
    .where('session_epoch', '=', user.sessionEpoch)
    .orderBy('seen_at', 'desc')
    .orderBy('created_at', 'desc')
    .execute();
}

function currentHash({ credential }: Identity): string | undefined {
  return credential.kind === 'session' ? credential.idHash : undefined;
}

/** A number that names one of a user's few sessions and is no way to its secret: 48 bits of the stored hash. */
export function publicId(idHash: string): number {
  return Number.parseInt(idHash.slice(0, idDigits), 16) + 1;
}

/** What the hashes with this public id begin with. */
export function hashStart(id: number): string {
  return (id - 1).toString(16).padStart(idDigits, '0');
}
