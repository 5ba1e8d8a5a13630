import { nowSeconds } from '../platform/clock.ts';
import { PublicError } from '../platform/errors.ts';
import type { Claim, LimitRule } from '../platform/limiter/memory.ts';
import type { AccountDeps } from './deps.ts';
import { deviceMark, isKnownDevice } from './devices.ts';
import type { Caller, Identity } from './types.ts';

const minuteMs = 60_000;
/** R-53; both count failures only. */
const accountFailures: LimitRule = { limit: 5, windowMs: 15 * minuteMs };
const addressFailures: LimitRule = { limit: 20, windowMs: 15 * minuteMs };
/** So long after proving the password it need not be proven again (settled points). */
const freshSignInSeconds = 600;

/**
 * Where wrong guesses at an account count (a user's id, or a name that nobody has): with everybody's, or, from a browser that its
 * owner signed in with, alone, so that no stranger shuts the owner out (decision 0198).
 */
export async function failureClaims(
  deps: Pick<AccountDeps, 'db' | 'crypto'>,
  account: number | string,
  caller: Caller,
): Promise<Claim[]> {
  const device = deviceMark(deps, caller.device);
  const key = `login-fail/account/${account}`;
  // Asked for nobody's, too: time tells nothing.
  const isOwn = await isKnownDevice(deps.db, typeof account === 'number' ? account : 0, device);
  if (isOwn) return [{ key: `${key}/${device}`, rule: accountFailures }];
  return [
    { key, rule: accountFailures },
    { key: `login-fail/ip/${caller.address.limitKey}`, rule: addressFailures },
  ];
}

/**
 * Runs a check under the failure limits. Places are taken before it, so that parallel guesses cannot outrun the count,
 * and given back when it holds and `accept` agrees, or when it could not be made.
 */
export async function underFailureLimit(
  deps: Pick<AccountDeps, 'limiter'>,
  claims: Claim[],
  check: () => Promise<boolean>,
  accept: () => boolean = () => true,
): Promise<boolean> {
  const verdict = await deps.limiter.take(claims);
  if (!verdict.ok) throw new PublicError('too_many_requests', {}, verdict.retryAfterSeconds);
  // What could not be judged, as when hashing is crowded, was no wrong guess.
  const isRight = await check().catch((error: unknown) => {
    verdict.refund();
    throw error;
  });
  if (!isRight || !accept()) return false;
  verdict.refund();
  return true;
}

/**
 * Before something that decides who may sign in: the present password, unless it opened the session or was given in it
 * within the last ten minutes, or there is none. A given password is always checked. Answers when the session's password was
 * last proven. Throws PublicError `original_password_wrong`.
 */
export async function proveSelf(
  deps: AccountDeps,
  { user, credential }: Identity,
  password: string,
  caller: Caller,
): Promise<number> {
  if (credential.kind !== 'session') throw new PublicError('permission_denied');
  const row = await deps.db.read.selectFrom('users').select('password_hash').where('id', '=', user.id).executeTakeFirst();
  if (row === undefined) throw new PublicError('user_invalid');
  // What a clock that ran ahead proved is not fresh for as long as that.
  const now = nowSeconds(deps.clock);
  const fresh = Math.abs(now - credential.provenAt) < freshSignInSeconds;
  if (row.password_hash === '' || (fresh && password === '')) return credential.provenAt;
  const claims = await failureClaims(deps, user.id, caller);
  const verify = () => deps.passwords.verify(row.password_hash, password);
  if (!(await underFailureLimit(deps, claims, verify))) throw new PublicError('original_password_wrong');
  await deps.sessions.prove(credential.idHash, now);
  return now;
}
