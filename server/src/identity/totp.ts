import { randomBytes, randomInt } from 'node:crypto';
import type { TotpSetup, TotpStatus } from '@tollgate/contract';
import { Secret, TOTP } from 'otpauth';
import { recordAudit } from '../audit/index.ts';
import { nowSeconds } from '../platform/clock.ts';
import { openedOrNone } from '../platform/crypto.ts';
import { PublicError } from '../platform/errors.ts';
import type { Transaction } from '../storage/database.ts';
import { beyondLease } from '../storage/leases.ts';
import { countRows } from '../storage/page.ts';
import type { SealedColumn } from '../storage/reseal.ts';
import { admitUser, type Door, readTicket, type SignIn } from './admit-user.ts';
import { actorFor, recordLoginFailure } from './audit.ts';
import type { AccountDeps } from './deps.ts';
import { maxTries, oneTimeKey, takeOneTime, tryOneTime } from './one-time.ts';
import { failureClaims, proveSelf, underFailureLimit } from './prove.ts';
import type { Caller, Identity } from './types.ts';
import { lockSelf } from './users.ts';

export interface Totp {
  status(identity: Identity): Promise<TotpStatus>;
  /** A new secret that counts only once `confirm` saw a code of it. Throws PublicError `second_factor_on`. */
  setup(identity: Identity, password: string, caller: Caller): Promise<TotpSetup>;
  /** Switches the second factor on and answers the recovery codes, which are stored as hashes only. */
  confirm(identity: Identity, code: string, caller: Caller): Promise<string[]>;
  /** By a code of the authenticator or a recovery code. */
  disable(identity: Identity, code: string, caller: Caller): Promise<void>;
  /** The second step of a sign-in. Throws PublicError `second_factor_ticket_gone` or `second_factor_wrong`. */
  signIn(input: { ticket: string; code: string }, caller: Caller, previous?: Identity): Promise<SignIn>;
}

const stepSeconds = 30;
const secretBytes = 20;
const recoveryCodes = 10;
/** Without what is easily misread. */
const recoveryAlphabet = 'abcdefghjkmnpqrstuvwxyz23456789';
const recoveryLength = 10;

export function createTotp(deps: AccountDeps): Totp {
  return {
    status: (identity) => readStatus(deps, identity.user.id),
    setup: (identity, password, caller) => setup(deps, identity, password, caller),
    confirm: (identity, code, caller) => confirm(deps, identity, code, caller),
    disable: (identity, code, caller) => disable(deps, identity, code, caller),
    signIn: (input, caller, previous) => signIn(deps, input, caller, previous),
  };
}

async function readStatus({ db }: AccountDeps, userId: number): Promise<TotpStatus> {
  const totp = await db.read.selectFrom('totp').select('confirmed').where('user_id', '=', userId).executeTakeFirst();
  const left = await countRows(db.read.selectFrom('recovery_code').where('user_id', '=', userId));
  return { enabled: totp?.confirmed === 1, recovery_codes_left: left };
}

async function setup(deps: AccountDeps, identity: Identity, password: string, caller: Caller): Promise<TotpSetup> {
  await proveSelf(deps, identity, password, caller);
  const { user } = identity;
  const secret = new Secret({ buffer: Uint8Array.from(randomBytes(secretBytes)).buffer });
  const row = {
    secret_sealed: deps.crypto.seal(secret.base32, factorBinding(user.id)),
    confirmed: 0,
    last_step: 0,
    created_at: nowSeconds(deps.clock),
  };
  const stored = await deps.db.transaction((tx) =>
    tx.query
      .insertInto('totp')
      .values({ ...row, user_id: user.id })
      .onConflict((conflict) => conflict.column('user_id').doUpdateSet(row).where('totp.confirmed', '=', 0))
      .returning('user_id')
      .executeTakeFirst(),
  );
  if (stored === undefined) throw new PublicError('second_factor_on');
  const issuer = deps.options().SystemName;
  return { secret: secret.base32, uri: new TOTP({ issuer, label: user.username, secret }).toString() };
}

async function confirm(deps: AccountDeps, { user }: Identity, code: string, caller: Caller): Promise<string[]> {
  const codes = Array.from({ length: recoveryCodes }, newRecoveryCode);
  const now = nowSeconds(deps.clock);
  const isRight = await underFailureLimit(deps, await failureClaims(deps, user.id, caller), () =>
    deps.db.transaction(async (tx) => {
      if (!(await acceptCode(tx, deps, { userId: user.id, code, confirmed: 0 }))) return false;
      await lockSelf(tx, user);
      await tx.query.updateTable('totp').set({ confirmed: 1 }).where('user_id', '=', user.id).execute();
      await tx.query.deleteFrom('recovery_code').where('user_id', '=', user.id).execute();
      const rows = codes.map((each) => ({ user_id: user.id, code_hmac: recoveryHash(deps, user.id, each) }));
      await tx.query.insertInto('recovery_code').values(rows).execute();
      await recordChange(tx, { user, caller, isOn: true, now });
      return true;
    }),
  );
  if (isRight) return codes;
  const { enabled } = await readStatus(deps, user.id);
  throw new PublicError(enabled ? 'second_factor_on' : 'second_factor_wrong');
}

async function disable(deps: AccountDeps, { user }: Identity, code: string, caller: Caller): Promise<void> {
  if (!(await readStatus(deps, user.id)).enabled) throw new PublicError('second_factor_off');
  const now = nowSeconds(deps.clock);
  const isRight = await underFailureLimit(deps, await failureClaims(deps, user.id, caller), () =>
    deps.db.transaction(async (tx) => {
      if ((await acceptEither(tx, deps, user.id, code)) === undefined) return false;
      await lockSelf(tx, user);
      await removeSecondFactor(tx, user.id);
      await recordChange(tx, { user, caller, isOn: false, now });
      return true;
    }),
  );
  if (!isRight) throw new PublicError('second_factor_wrong');
}

/**
 * Switches a user's second factor off inside the caller's transaction; the caller writes the audit row. False when there was
 * none.
 */
async function removeSecondFactor(tx: Transaction, userId: number): Promise<boolean> {
  const removed = await tx.query.deleteFrom('totp').where('user_id', '=', userId).returning('confirmed').executeTakeFirst();
  await tx.query.deleteFrom('recovery_code').where('user_id', '=', userId).execute();
  await tx.query.deleteFrom('one_time').where('kind', '=', 'second-step').where('user_id', '=', userId).execute();
  return removed?.confirmed === 1;
}

/** The same, and the passkeys with it: a door that was added by whoever the account is taken back from. False when there was none. */
export async function removeFactors(tx: Transaction, userId: number): Promise<boolean> {
  const hadSecond = await removeSecondFactor(tx, userId);
  const passkeys = await tx.query.deleteFrom('passkey').where('user_id', '=', userId).executeTakeFirst();
  return hadSecond || Number(passkeys.numDeletedRows) > 0;
}

async function signIn(
  deps: AccountDeps,
  input: { ticket: string; code: string },
  caller: Caller,
  previous: Identity | undefined,
): Promise<SignIn> {
  const now = nowSeconds(deps.clock);
  const parts = [input.ticket];
  let result: SignIn | undefined;
  const step = () =>
    deps.db.transaction(async (tx) => {
      result = undefined;
      const found = await tryOneTime(tx, 'second-step', parts, now, async (ticket) => {
        const door = await acceptEither(tx, deps, ticket.userId, input.code);
        if (door === undefined) return false;
        const { userId, payload } = ticket;
        const { epoch, door: firstDoor } = readTicket(payload);
        result = await admitUser(tx, deps, { userId, door, firstDoor, caller, previous, isStrong: true, epoch });
        return true;
      });
      if (found === undefined) return false;
      await takeOneTime(tx, 'second-step', parts, now);
      return true;
    });
  const { userId, isBurnt } = await ticketOwner(deps, parts, now);
  const isRight = await underFailureLimit(deps, await failureClaims(deps, userId, caller), step);
  if (isRight && result !== undefined) return result;
  await deps.db.transaction((tx) => tx.perform(recordLoginFailure({ userId, caller, door: 'totp', now })));
  // Nobody would find out with a burnt one that the code was right.
  throw new PublicError(isBurnt ? 'second_factor_ticket_gone' : 'second_factor_wrong');
}

/** Whose ticket it is. Throws PublicError `second_factor_ticket_gone`, also where all sessions were ended since. */
async function ticketOwner(
  { db }: AccountDeps,
  parts: readonly string[],
  now: number,
): Promise<{ userId: number; isBurnt: boolean }> {
  const row = await db.read
    .selectFrom('one_time')
    .innerJoin('users', 'users.id', 'one_time.user_id')
    .select(['one_time.user_id', 'one_time.payload', 'one_time.tries', 'users.session_epoch'])
    .where('one_time.key_hash', '=', oneTimeKey('second-step', parts))
    .where('one_time.expires_at', '>', now)
    .executeTakeFirst();
  if (row === undefined || readTicket(row.payload).epoch !== row.session_epoch)
    throw new PublicError('second_factor_ticket_gone');
  return { userId: row.user_id, isBurnt: row.tries >= maxTries };
}

/** By which of the two the user got in; undefined for neither. */
async function acceptEither(tx: Transaction, deps: AccountDeps, userId: number, code: string): Promise<Door | undefined> {
  if (await acceptCode(tx, deps, { userId, code, confirmed: 1 })) return 'totp';
  const used = await tx.query
    .deleteFrom('recovery_code')
    .where('user_id', '=', userId)
    .where('code_hmac', '=', recoveryHash(deps, userId, code))
    .returning('user_id')
    .executeTakeFirst();
  return used === undefined ? undefined : 'recovery_code';
}

const stepOf = (seconds: number): number => Math.floor(seconds / stepSeconds);

/** A Chinese keyboard may type full-width digits and letters, which are the same. */
const plain = (code: string): string => code.normalize('NFKC');

/** Accepts the codes of the present step and its neighbours, each once. */
async function acceptCode(
  tx: Transaction,
  { crypto, clock }: AccountDeps,
  { userId, code, confirmed }: { userId: number; code: string; confirmed: 0 | 1 },
): Promise<boolean> {
  const token = plain(code).replaceAll(/\s/g, '');
  const row = await tx.query
    .selectFrom('totp')
    .select('secret_sealed')
    .where('user_id', '=', userId)
    .where('confirmed', '=', confirmed)
    .executeTakeFirst();
  if (row === undefined || !/^\d{6}$/.test(token)) return false;
  const opened = openedOrNone(crypto, row.secret_sealed, factorBinding(userId));
  if (opened === '') return false;
  const secret = Secret.fromBase32(opened);
  const now = nowSeconds(clock);
  const delta = new TOTP({ secret, period: stepSeconds }).validate({ token, timestamp: now * 1000, window: 1 });
  if (delta === null) return false;
  const step = stepOf(now) + delta;
  const accepted = await tx.query
    .updateTable('totp')
    .set({ last_step: step })
    .where('user_id', '=', userId)
    // A set-up meanwhile put another secret there, which this code says nothing about.
    .where('secret_sealed', '=', row.secret_sealed)
    // A code of further ahead was taken by a clock that ran ahead and was set back since: it must not shut its owner out.
    .where((row) => row.or([row('last_step', '<', step), row('last_step', '>', stepOf(beyondLease(now, stepSeconds)))]))
    .returning('user_id')
    .executeTakeFirst();
  return accepted !== undefined;
}

interface Change {
  user: Identity['user'];
  caller: Caller;
  isOn: boolean;
  now: number;
}

function recordChange(tx: Transaction, { user, caller, isOn, now }: Change): Promise<void> {
  const event = { actor: actorFor(user, caller), target: `user:${user.id}`, detail: { enabled: isOn }, now };
  return tx.perform(recordAudit({ ...event, action: 'user.second_factor' }));
}

function newRecoveryCode(): string {
  const pick = () => recoveryAlphabet[randomInt(recoveryAlphabet.length)] ?? '';
  const text = Array.from({ length: recoveryLength }, pick).join('');
  return `${text.slice(0, recoveryLength / 2)}-${text.slice(recoveryLength / 2)}`;
}

function recoveryHash({ crypto }: Pick<AccountDeps, 'crypto'>, userId: number, code: string): string {
  return crypto.hmac(
    'recovery-code',
    `${userId}|${plain(code)
      .toLowerCase()
      .replaceAll(/[^a-z0-9]/g, '')}`,
  );
}

/** Names the place of a sealed secret. */
export function factorBinding(userId: number): string {
  return `totp/secret_sealed/${userId}`;
}

/** Where the secrets of authenticators lie sealed. */
export const sealedSecondFactors: SealedColumn = {
  table: 'totp',
  key: 'user_id',
  column: 'secret_sealed',
  binding: ({ user_id }) => factorBinding(Number(user_id)),
};
