import { type ErrorCode, type User, userStatus } from '@tollgate/contract';
import { changesBetween, recordAudit } from '../audit/index.ts';
import { nowSeconds } from '../platform/clock.ts';
import { PublicError } from '../platform/errors.ts';
import { nameKey } from '../platform/name-key.ts';
import { notifyChange } from '../storage/changes.ts';
import type { Database, Transaction } from '../storage/database.ts';
import { isUniqueViolation } from '../storage/errors.ts';
import { admitUser, type SignIn } from './admit-user.ts';
import { actorFor, recordLoginFailure } from './audit.ts';
import type { AccountDeps } from './deps.ts';
import { normalAddress } from './mail-address.ts';
import { changedNames, withNameKey } from './names.ts';
import { failureClaims, proveSelf, underFailureLimit } from './prove.ts';
import { type Registration, registerUser } from './registration.ts';
import type { Caller, Identity, OpenedSession, UserFacts } from './types.ts';
import { factsColumns, lockSelf, newPassword, readUser, toFacts, toLoginUser } from './users.ts';
import { checkNewPassword } from './weak-passwords.ts';

export interface SelfChange {
  username: string;
  display_name: string;
  password: string;
  original_password: string;
}

export interface Accounts {
  register(input: Registration, caller: Caller): Promise<void>;
  /** `previous`: the session the caller still holds; it ends. */
  login(input: { username: string; password: string }, caller: Caller, previous?: Identity): Promise<SignIn>;
  logout(identity: Identity, caller: Caller): Promise<void>;
  self(identity: Identity): Promise<User>;
  /** Writes the non-empty fields. A new password ends all sessions and opens a new one for this caller. */
  updateSelf(identity: Identity, change: SelfChange, caller: Caller): Promise<OpenedSession | undefined>;
}

export function createAccounts(deps: AccountDeps): Accounts {
  return {
    register: (input, caller) => registerUser(deps, input, caller),
    login: (input, caller, previous) => login(deps, input, caller, previous),
    async logout({ user, credential }, caller) {
      if (credential.kind !== 'session') return;
      const { idHash } = credential;
      await deps.db.transaction(async (tx) => {
        await tx.query.deleteFrom('session').where('id_hash', '=', idHash).execute();
        const event = { actor: actorFor(user, caller), target: `user:${user.id}`, now: nowSeconds(deps.clock) };
        await tx.perform(recordAudit({ ...event, action: 'session.end' }));
      });
    },
    async self(identity) {
      const user = await readUser(deps.db.read, identity.user.id);
      if (user === undefined) throw new PublicError('user_invalid');
      return user;
    },
    updateSelf: (identity, change, caller) => updateSelf(deps, identity, change, caller),
  };
}

async function login(
  deps: AccountDeps,
  { username, password }: { username: string; password: string },
  caller: Caller,
  previous: Identity | undefined,
): Promise<SignIn> {
  if (!deps.options().PasswordLoginEnabled) throw new PublicError('password_login_disabled');
  if (username === '' || password === '') throw new PublicError('credentials_empty');
  const row = await findByName(deps.db, username);
  const claims = await failureClaims(deps, row === undefined ? nobodys(username) : row.id, caller);
  const verify = () => deps.passwords.verify(row?.password_hash, password);
  let refusal: ErrorCode = 'credentials_wrong';
  const accept = () => {
    if (row?.status !== userStatus.enabled || row.deleted_at !== null) return false;
    const isRemote = row.default_password === 1 && !caller.address.isPrivate;
    if (isRemote) refusal = 'default_password_remote';
    return !isRemote;
  };
  const isAccepted = await underFailureLimit(deps, claims, verify, accept);
  if (!isAccepted || row === undefined) {
    const attempt = { userId: row?.id, caller, door: 'password', now: nowSeconds(deps.clock) };
    await deps.db.transaction((tx) => tx.perform(recordLoginFailure(attempt)));
    throw new PublicError(refusal);
  }
  const user = toFacts(row);
  const entrance = { userId: user.id, door: 'password', caller, previous, epoch: user.sessionEpoch } as const;
  const signIn = await deps.db.transaction((tx) => admitUser(tx, deps, entrance));
  await rehash(deps, user, row.password_hash, password);
  return signIn;
}

/** Whose failures they are where nobody is found: spellings that would find one account count together, or the limit told of it. */
function nobodys(name: string): string {
  return `name:${nameKey(normalAddress(name) ?? name)}`;
}

/**
 * By username as it is typed, else by e-mail address, which imports may have given to several: of those it is one that is
 * there; else by a username that reads the same. The row may be banned or, by its username, deleted: the caller answers all
 * alike.
 */
async function findByName(db: Database, name: string) {
  const users = db.read.selectFrom('users').select(factsColumns).select(['password_hash', 'deleted_at']);
  const byName = await users.where('username', '=', name).executeTakeFirst();
  if (byName !== undefined) return byName;
  if (name.includes('@')) {
    const spellings = [name, normalAddress(name) ?? name];
    const holders = users.where('email', 'in', spellings).where('deleted_at', 'is', null);
    const holder = await holders.orderBy('id').limit(1).executeTakeFirst();
    if (holder !== undefined) return holder;
  }
  return users.where('name_key', '=', nameKey(name)).executeTakeFirst();
}

/** Old or imported hashes move to the present cost once the plain text is at hand. */
async function rehash(deps: AccountDeps, user: UserFacts, passwordHash: string, password: string): Promise<void> {
  if (!deps.passwords.isOutdated(passwordHash)) return;
  // The user is signed in already: when hashing is crowded the next sign-in does it.
  const fresh = await deps.passwords.hash(password).catch(() => undefined);
  if (fresh === undefined) return;
  await deps.db.transaction((tx) =>
    tx.query
      .updateTable('users')
      .set({ password_hash: fresh })
      .where('id', '=', user.id)
      .where('password_hash', '=', passwordHash)
      .execute(),
  );
}

async function updateSelf(
  deps: AccountDeps,
  identity: Identity,
  change: SelfChange,
  caller: Caller,
): Promise<OpenedSession | undefined> {
  const { user } = identity;
  if (change.password === '') {
    if (user.defaultPassword) throw new PublicError('must_change_password');
    await writeNames(deps, user, namesOf(user, change), caller);
    return undefined;
  }
  const proven = await hashForChange(deps, identity, change, caller);
  // While the default password stands, nothing else may be changed (settled points).
  const names = user.defaultPassword ? {} : namesOf(user, change);
  return replacePassword(deps, identity, { ...proven, names }, caller);
}

interface ProvenChange {
  passwordHash: string;
  provenAt: number;
}

async function hashForChange(deps: AccountDeps, identity: Identity, change: SelfChange, caller: Caller): Promise<ProvenChange> {
  const { user } = identity;
  const provenAt = await proveSelf(deps, identity, change.original_password, caller);
  await checkNewPassword(change.password, change.username || user.username);
  return { passwordHash: await deps.passwords.hash(change.password), provenAt };
}

type NewNames = ReturnType<typeof changedNames>;

function namesOf(user: UserFacts, change: SelfChange): NewNames {
  return changedNames({ username: user.username, display_name: user.displayName }, change);
}

async function writeNames(deps: AccountDeps, user: UserFacts, names: NewNames, caller: Caller): Promise<void> {
  if (Object.keys(names).length === 0) return;
  await naming(deps, async (tx) => {
    const now = nowSeconds(deps.clock);
    await lockSelf(tx, user);
    await tx.query.updateTable('users').set(withNameKey(names)).where('id', '=', user.id).execute();
    await tx.perform(notifyChange('user', String(user.id), now));
    await recordNames(tx, { user, names, caller, now });
  });
}

/** A transaction that may give a name. Throws PublicError `username_taken`. */
async function naming<T>(deps: AccountDeps, body: (tx: Transaction) => Promise<T>): Promise<T> {
  const result = await deps.db.transaction(body).catch((error: unknown) => {
    if (isUniqueViolation(error)) throw new PublicError('username_taken');
    throw error;
  });
  deps.changes.notify();
  return result;
}

async function recordNames(
  tx: Transaction,
  { user, names, caller, now }: { user: UserFacts; names: NewNames; caller: Caller; now: number },
): Promise<void> {
  if (Object.keys(names).length === 0) return;
  const present = { username: user.username, display_name: user.displayName };
  const event = { actor: actorFor(user, caller), target: `user:${user.id}`, detail: changesBetween(present, names), now };
  await tx.perform(recordAudit({ ...event, action: 'user.update' }));
}

async function replacePassword(
  deps: AccountDeps,
  { user, credential }: Identity,
  { passwordHash, provenAt, names }: ProvenChange & { names: NewNames },
  caller: Caller,
): Promise<OpenedSession> {
  if (credential.kind !== 'session') throw new PublicError('permission_denied');
  return naming(deps, async (tx) => {
    const row = await tx.query
      .updateTable('users')
      .set((column) => ({ ...withNameKey(names), ...newPassword(column, passwordHash) }))
      .where('id', '=', user.id)
      .where('session_epoch', '=', user.sessionEpoch)
      .returning(factsColumns)
      .executeTakeFirst();
    // Somebody else ended this session's epoch meanwhile: their change stands.
    if (row === undefined) throw new PublicError('not_logged_in');
    const facts = toFacts(row);
    const now = nowSeconds(deps.clock);
    await tx.perform(notifyChange('user', String(user.id), now));
    const cookie = await deps.sessions.open(tx, facts, caller, { ...credential, provenAt });
    await recordNames(tx, { user, names, caller, now });
    const event = { actor: actorFor(facts, caller), target: `user:${user.id}`, now };
    await tx.perform(recordAudit({ ...event, action: 'password.change' }));
    return { cookie, user: toLoginUser(facts) };
  });
}
