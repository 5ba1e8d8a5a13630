import { type Actor, recordAudit } from '../audit/index.ts';
import type { Work } from '../storage/database.ts';
import type { Caller, UserFacts } from './types.ts';

/** A user as the audit log names them. */
export function actorFor(user: Pick<UserFacts, 'id' | 'username'>, caller: Caller): Actor {
  return { id: user.id, username: user.username, ip: caller.address.ip };
}

/** Nobody is signed in yet. */
function stranger(caller: Caller): Actor {
  return { id: 0, username: '', ip: caller.address.ip };
}

/** Records a refused sign-in. What was typed as a name is not kept: it may be a password. */
export function recordLoginFailure(attempt: {
  userId: number | undefined;
  caller: Caller;
  /** By which door: `password`, `passkey`. */
  door: string;
  now: number;
}): Work<void> {
  const { userId, caller, door, now } = attempt;
  const target = userId === undefined ? 'user:unknown' : `user:${userId}`;
  return recordAudit({ actor: stranger(caller), action: 'login.failed', target, detail: { door }, now });
}
