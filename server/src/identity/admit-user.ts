import { type LoginAnswer, userStatus } from '@tollgate/contract';
import { recordAudit } from '../audit/index.ts';
import { nowSeconds } from '../platform/clock.ts';
import { PublicError } from '../platform/errors.ts';
import { newSecret } from '../platform/ids.ts';
import type { Transaction } from '../storage/database.ts';
import { actorFor } from './audit.ts';
import type { AccountDeps } from './deps.ts';
import { deviceMark, rememberDevice } from './devices.ts';
import { putOneTime } from './one-time.ts';
import type { Caller, Identity, OpenedSession } from './types.ts';
import { lockedUser, lockSelf, toFacts, toLoginUser } from './users.ts';

/** Which door somebody came through. */
export type Door = 'password' | 'github' | 'linuxdo' | 'oidc' | 'wechat' | 'telegram' | 'passkey' | 'totp' | 'recovery_code';

/** How a sign-in ended: with a session, or with the ticket for its second step. */
export type SignIn = { kind: 'session'; session: OpenedSession } | { kind: 'second-step'; ticket: string };

export interface Entrance {
  userId: number;
  door: Door;
  caller: Caller;
  /** The session that the caller still holds; it ends. */
  previous?: Identity | undefined;
  /** This door proves a second factor by itself, or is the second step. */
  isStrong?: boolean;
  /** Of a second step: the door of the first. */
  firstDoor?: Door;
  /** The session epoch of the row that the proof was judged by, where judging takes its time. */
  epoch?: number | undefined;
}

const ticketSeconds = 300;

/**
 * The end of every sign-in: a session, or the ticket for the second step where the user has one. Throws PublicError
 * `user_deleted`, `user_banned` or, where the proof is older than what ended all sessions, `credentials_wrong`; judged by the
 * row as it is now, under its lock.
 */
export async function admitUser(tx: Transaction, deps: AccountDeps, entrance: Entrance): Promise<SignIn> {
  const { userId, caller, previous } = entrance;
  const row = await lockedUser(tx, userId).executeTakeFirst();
  if (row === undefined || row.deleted_at !== null) throw new PublicError('user_deleted');
  if (row.status !== userStatus.enabled) throw new PublicError('user_banned');
  if (row.default_password === 1 && !caller.address.isPrivate) throw new PublicError('default_password_remote');
  if (entrance.epoch !== undefined && entrance.epoch !== row.session_epoch) throw new PublicError('credentials_wrong');
  const now = nowSeconds(deps.clock);
  if (!entrance.isStrong && (await hasSecondFactor(tx, userId))) {
    const ticket = newSecret();
    const expiresAt = now + ticketSeconds;
    const payload = ticketPayload({ epoch: row.session_epoch, door: entrance.door });
    await putOneTime(tx, { kind: 'second-step', parts: [ticket], userId, payload, expiresAt }, now);
    return { kind: 'second-step', ticket };
  }
  const user = toFacts(row);
  if (previous?.credential.kind === 'session') {
    await tx.query.deleteFrom('session').where('id_hash', '=', previous.credential.idHash).execute();
  }
  const isProven = (entrance.firstDoor ?? entrance.door) === 'password';
  const cookie = await deps.sessions.open(tx, user, caller, { signedInAt: now, provenAt: isProven ? now : 0 });
  if (caller.device !== undefined) await rememberDevice(tx, user.id, deviceMark(deps, caller.device), now);
  const event = { actor: actorFor(user, caller), target: `user:${userId}`, detail: { door: entrance.door }, now };
  await tx.perform(recordAudit({ ...event, action: 'login' }));
  return { kind: 'session', session: { cookie, user: toLoginUser(user) } };
}

/** What the ticket of a second step remembers of the first: the session epoch that it was judged by, and its door. */
export interface FirstStep {
  epoch: number;
  door: Door;
}

const ticketPayload = ({ epoch, door }: FirstStep): string => `${epoch} ${door}`;

export function readTicket(payload: string): FirstStep {
  const [epoch, door] = payload.split(' ');
  return { epoch: Number(epoch), door: door as Door };
}

async function hasSecondFactor(tx: Transaction, userId: number): Promise<boolean> {
  const row = await tx.query
    .selectFrom('totp')
    .select('user_id')
    .where('user_id', '=', userId)
    .where('confirmed', '=', 1)
    .executeTakeFirst();
  return row !== undefined;
}

/** What login answers while the second step is due: nothing of the user. */
export function secondStepAnswer(ticket: string): LoginAnswer {
  const nobody = { id: 0, username: '', display_name: '', role: 0, status: 0, group: '' };
  return { ...nobody, totp_required: true, ticket };
}

/** A new session id for this caller inside the transaction of a bind; the old one ends. */
export async function renewSession(
  tx: Transaction,
  deps: AccountDeps,
  { user, credential }: Identity,
  caller: Caller,
): Promise<OpenedSession> {
  if (credential.kind !== 'session') throw new PublicError('permission_denied');
  await lockSelf(tx, user);
  const ended = await tx.query.deleteFrom('session').where('id_hash', '=', credential.idHash).returning('id_hash').execute();
  // Signed out meanwhile: it must not come back.
  if (ended.length === 0) throw new PublicError('not_logged_in');
  return { cookie: await deps.sessions.open(tx, user, caller, credential), user: toLoginUser(user) };
}
