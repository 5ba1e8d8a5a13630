import { logType, role, userStatus } from '@tollgate/contract';
import { recordAudit } from '../audit/index.ts';
import { openWallet, rewardInvitation, transfer } from '../billing/index.ts';
import { nowSeconds } from '../platform/clock.ts';
import { PublicError } from '../platform/errors.ts';
import { randomAlphanumerics } from '../platform/ids.ts';
import { mailPerson } from '../platform/mail-person.ts';
import { nameKey } from '../platform/name-key.ts';
import { formatLogQuota, isRegistrationOpen, type Options } from '../settings/index.ts';
import type { Transaction } from '../storage/database.ts';
import { isUniqueViolation } from '../storage/errors.ts';
import { insertSystemLog } from '../usage/index.ts';
import { actorFor } from './audit.ts';
import type { AccountDeps } from './deps.ts';
import { deviceMark } from './devices.ts';
import { normalAddress } from './mail-address.ts';
import { burnCode, type CodeScope, checkCode, claimAddress } from './mail-codes.ts';
import type { Caller } from './types.ts';
import { checkNewPassword } from './weak-passwords.ts';

export interface Registration {
  username: string;
  password: string;
  email: string;
  verification_code: string;
  aff_code: string;
}

const maxAttempts = 3;

/** The switches that close registration, judged before the body is looked at (contract 2.4). */
export function checkRegistrationOpen(options: Options): void {
  if (!isRegistrationOpen(options)) throw new PublicError('register_disabled');
  if (!options.PasswordRegisterEnabled) throw new PublicError('password_register_disabled');
}

/** Throws PublicError with the texts of contract 2.4. Creates no session. */
export async function registerUser(deps: AccountDeps, input: Registration, caller: Caller): Promise<void> {
  const options = deps.options();
  checkRegistrationOpen(options);
  await checkNewPassword(input.password, input.username);
  const scope = options.EmailVerificationEnabled ? await provenAddress(deps, input) : undefined;
  // Without verification no address is stored, so that none can be taken.
  const named = { ...input, email: scope?.address ?? '' };
  if (await isTaken(deps, named)) throw new PublicError('username_taken');
  const passwordHash = await deps.passwords.hash(input.password);
  const person = { ip: caller.address.ip, device: caller.device, address: named.email };
  const user = { ...named, passwordHash, options, now: nowSeconds(deps.clock), person };
  await insertUser(deps, user, async (tx, id) => {
    if (scope !== undefined) {
      await burnCode(tx, deps, scope, input.verification_code);
      await claimAddress(tx, scope.address, user.now, 'username_taken');
      await tx.query.updateTable('users').set({ email: scope.address }).where('id', '=', id).execute();
    }
    const actor = actorFor({ id, username: user.username }, caller);
    await tx.perform(recordAudit({ actor, action: 'register', target: `user:${id}`, now: user.now }));
  });
  deps.changes.notify();
}

async function provenAddress(deps: AccountDeps, { email, verification_code: code }: Registration): Promise<CodeScope> {
  if (email === '' || code === '') throw new PublicError('email_verification_needed');
  const scope: CodeScope = { purpose: 'register', address: normalAddress(email) ?? '', session: '' };
  await checkCode(deps, scope, code);
  return scope;
}

/**
 * Creates a user with all that new ones get; `finish` ends the same transaction. Two at once may pick the same name or
 * the same invite code: only the first of these is the user's concern and throws PublicError `username_taken`.
 */
export async function insertUser(
  deps: Pick<AccountDeps, 'db' | 'crypto'>,
  user: NewUser,
  finish: (tx: Transaction, id: number) => Promise<void>,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await deps.db.transaction(async (tx) => finish(tx, await createUser(tx, deps, user)));
      return;
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      if (attempt === maxAttempts || (await isTaken(deps, user))) throw new PublicError('username_taken');
    }
  }
}

/** Deregistered rows count too, and so does a name that reads the same: `ROOT` would pass for root (decision 0150). */
async function isTaken(deps: Pick<AccountDeps, 'db'>, { username, email }: Registration): Promise<boolean> {
  const row = await deps.db.read
    .selectFrom('users')
    .select('id')
    .where((where) => {
      const named = [where('username', '=', username), where('name_key', '=', nameKey(username))];
      return where.or(email === '' ? named : [...named, where('email', '=', email)]);
    })
    .executeTakeFirst();
  return row !== undefined;
}

export interface NewUser extends Registration {
  /** "" or absent: the username. */
  display_name?: string;
  role?: number;
  passwordHash: string;
  options: Options;
  now: number;
  /** Who it is, when somebody registers themselves. */
  person?: Person;
}

/** By what two registrations may turn out to be one person's. */
interface Person {
  readonly ip: string;
  readonly device: string | undefined;
  /** "" = not known. */
  readonly address: string;
}

async function createUser(tx: Transaction, deps: Pick<AccountDeps, 'crypto'>, user: NewUser): Promise<number> {
  const inviter = await findInviter(tx, user.aff_code);
  const { id } = await tx.query
    .insertInto('users')
    .values({
      ...blankUser(user.now),
      username: user.username,
      name_key: nameKey(user.username),
      display_name: user.display_name || user.username,
      role: user.role ?? role.common,
      password_hash: user.passwordHash,
      aff_code: await freshInviteCode(tx),
      inviter_id: inviter?.id ?? 0,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  await tx.perform(openWallet(id));
  await grantWelcome(tx, user, id);
  if (inviter === undefined) return id;
  const invitee = { id, username: user.username };
  const { options, now } = user;
  await rewardInvitation(tx, { inviter, invitee, marks: marksOf(deps, user, inviter), options, now });
  return id;
}

/** What an invitation is compared by, as far as the options ask for it; nothing of it tells who it was. */
function marksOf(deps: Pick<AccountDeps, 'crypto'>, { person, options }: NewUser, inviter: Inviter) {
  const personMark = (address: string) => {
    const mailbox = options.InviteSameEmailRewarded || address === '' ? undefined : mailPerson(address);
    return mailbox === undefined ? '' : deps.crypto.hmac('mail-person', mailbox);
  };
  return {
    ip: person?.ip ?? '',
    device: options.InviteSameDeviceRewarded ? '' : deviceMark(deps, person?.device),
    email: personMark(person?.address ?? ''),
    inviterEmail: personMark(inviter.email ?? ''),
  };
}

/** What every new row starts with; the caller names the rest. */
export function blankUser(now: number) {
  return {
    default_password: 0,
    role: role.common,
    status: userStatus.enabled,
    email: null,
    github_id: null,
    oidc_id: null,
    wechat_id: null,
    telegram_id: null,
    linux_do_id: null,
    access_token_hash: null,
    group_name: 'default',
    aff_count: 0,
    aff_history_quota: 0,
    inviter_id: 0,
    setting: '',
    session_epoch: 0,
    created_at: now,
    deleted_at: null,
  };
}

/** A code of 4 characters, longer ones once those get crowded. */
export async function freshInviteCode(tx: Transaction): Promise<string> {
  for (const length of [4, 4, 4, 5, 6]) {
    const code = randomAlphanumerics(length);
    const taken = await tx.query.selectFrom('users').select('id').where('aff_code', '=', code).executeTakeFirst();
    if (taken === undefined) return code;
  }
  return randomAlphanumerics(12);
}

interface Inviter {
  id: number;
  username: string;
  email: string | null;
}

async function findInviter(tx: Transaction, code: string): Promise<Inviter | undefined> {
  if (code === '') return undefined;
  return tx.query
    .selectFrom('users')
    .select(['id', 'username', 'email'])
    .where('aff_code', '=', code)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
}

async function grantWelcome(tx: Transaction, { options, username, now }: NewUser, userId: number): Promise<void> {
  const amount = options.QuotaForNewUser;
  if (amount <= 0) return;
  await tx.perform(
    transfer({
      from: 'grant',
      to: `user:${userId}`,
      amount,
      kind: 'grant',
      ref: `grant:register:${userId}`,
      userId,
      actorId: userId,
      now,
      note: '',
    }),
  );
  await insertSystemLog(tx, {
    type: logType.system,
    userId,
    username,
    now,
    content: `新用户注册赠送 ${formatLogQuota(amount, options)}`,
  });
}
