import { role, tokenStatus, userStatus } from '@tollgate/contract';
import { compare } from 'bcryptjs';
import { type Kysely, sql } from 'kysely';
import { createTokenQuota } from '../billing/index.ts';
import { type Crypto, sha256 } from '../platform/crypto.ts';
import { notifyChange } from '../storage/changes.ts';
import type { Transaction } from '../storage/database.ts';
import type { Schema } from '../storage/schema.ts';
import { isKey } from './keyring.ts';
import { normalAddress } from './mail-address.ts';
import { isImportedHash } from './passwords.ts';
import { blankUser, freshInviteCode } from './registration.ts';
import { sealBinding } from './token-view.ts';
import { endedCredentials, lockedUser } from './users.ts';

const doors = ['github_id', 'oidc_id', 'wechat_id', 'telegram_id', 'linux_do_id'] as const;
type Door = (typeof doors)[number];

/** A user of another product; "" = has none. */
export interface ImportedUser extends Readonly<Record<Door, string>> {
  readonly username: string;
  readonly displayName: string;
  readonly passwordHash: string;
  readonly role: number;
  readonly status: number;
  readonly email: string;
  /** The system access token in plain. */
  readonly accessToken: string;
  readonly group: string;
  readonly inviteCode: string;
  readonly inviteCount: number;
  readonly inviteHistory: number;
  /** Our user; 0 = nobody. */
  readonly inviterId: number;
  /** JSON without secrets. */
  readonly setting: string;
  readonly createdAt: number;
}

/** What could not stay as it was. */
export type UserNote = 'renamed' | 'linked' | 'demoted' | 'default_password' | 'password_unusable' | 'invite_code_changed' | Door;

/** The password that everybody knows; a root who still has it is treated like one of our own. */
const wellKnownPassword = '123456';
const maxRenames = 100;

/**
 * Writes a user without a wallet. A root whose name is that of a root here is the same person; any other name that is taken
 * gets a number, since two people may have chosen it. `isTheirs`: the account's password is the one from there.
 */
export async function insertImportedUser(
  tx: Transaction,
  user: ImportedUser,
  now: number,
): Promise<{ id: number; username: string; notes: UserNote[]; isTheirs: boolean }> {
  const notes: UserNote[] = [];
  const usable = isImportedHash(user.passwordHash);
  if (!usable && user.passwordHash !== '') notes.push('password_unusable');
  const passwordHash = usable ? user.passwordHash : '';
  const isWellKnown = user.role === role.root && usable && (await compare(wellKnownPassword, passwordHash));
  if (isWellKnown) notes.push('default_password');
  const roots = await tx.query
    .selectFrom('users')
    .select(['id', 'username', 'default_password'])
    .where('role', '=', role.root)
    .execute();
  const same = user.role === role.root ? roots.find(({ username }) => username === user.username) : undefined;
  if (same !== undefined) {
    const isTheirs = same.default_password === 1 && usable && !isWellKnown;
    if (isTheirs) await takeOver(tx, same.id, passwordHash);
    const more = notes.filter((note) => note === 'password_unusable');
    return { id: same.id, username: same.username, notes: ['linked', ...more], isTheirs };
  }
  const isSecondRoot = user.role === role.root && roots.length > 0;
  if (isSecondRoot) notes.push('demoted');
  const username = await freeName(tx, user.username);
  if (username !== user.username) notes.push('renamed');
  const inviteCode = await freeInviteCode(tx, user.inviteCode);
  if (inviteCode !== user.inviteCode && user.inviteCode !== '') notes.push('invite_code_changed');
  const identities = await freeIdentities(tx, user, notes);
  const { id } = await tx.query
    .insertInto('users')
    .values({
      ...blankUser(user.createdAt),
      ...identities,
      username,
      display_name: user.displayName,
      password_hash: passwordHash,
      default_password: isWellKnown ? 1 : 0,
      role: isSecondRoot ? role.admin : user.role,
      status: user.status,
      email: user.email === '' ? null : (normalAddress(user.email) ?? user.email),
      access_token_hash: await freeAccessToken(tx, accessTokenDigest(user.accessToken)),
      group_name: user.group,
      aff_code: inviteCode,
      aff_count: user.inviteCount,
      aff_history_quota: user.inviteHistory,
      inviter_id: user.inviterId,
      setting: user.setting,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  await tx.perform(notifyChange('user', String(id), now));
  return { id, username, notes, isTheirs: true };
}

/** Nobody but the source's root knows a password here: theirs is the one to keep. */
async function takeOver(tx: Transaction, id: number, passwordHash: string): Promise<void> {
  await tx.query
    .updateTable('users')
    .set((column) => ({
      password_hash: passwordHash,
      default_password: 0,
      session_epoch: column('session_epoch', '+', 1),
      access_token_hash: null,
    }))
    .where('id', '=', id)
    .execute();
}

async function freeName(tx: Transaction, wanted: string): Promise<string> {
  for (let number = 1; number <= maxRenames; number++) {
    const name = number === 1 ? wanted : `${wanted}-${number}`;
    const taken = await tx.query.selectFrom('users').select('id').where('username', '=', name).executeTakeFirst();
    if (taken === undefined) return name;
  }
  throw new Error(`${maxRenames} users are named like ${wanted}`);
}

async function freeInviteCode(tx: Transaction, wanted: string): Promise<string> {
  if (wanted === '') return freshInviteCode(tx);
  const taken = await tx.query.selectFrom('users').select('id').where('aff_code', '=', wanted).executeTakeFirst();
  return taken === undefined ? wanted : freshInviteCode(tx);
}

/** How a system access token is stored; "" = has none. */
export function accessTokenDigest(token: string): string {
  return token === '' ? '' : sha256(token);
}

async function freeAccessToken(tx: Transaction, hash: string): Promise<string | null> {
  if (hash === '') return null;
  const taken = await tx.query.selectFrom('users').select('id').where('access_token_hash', '=', hash).executeTakeFirst();
  return taken === undefined ? hash : null;
}

async function freeIdentities(tx: Transaction, user: ImportedUser, notes: UserNote[]): Promise<Partial<Record<Door, string>>> {
  const free: Partial<Record<Door, string>> = {};
  for (const door of doors) {
    if (user[door] === '') continue;
    const taken = await tx.query.selectFrom('users').select('id').where(door, '=', user[door]).executeTakeFirst();
    if (taken === undefined) free[door] = user[door];
    else notes.push(door);
  }
  return free;
}

/** What of a user changed elsewhere. `mayEnable`: one who is switched off here may be switched on. */
type UserChange = Partial<Pick<ImportedUser, 'displayName' | 'status' | 'group' | 'passwordHash'>> & {
  readonly mayEnable: boolean;
};

/**
 * What changed at the source since, and nothing else; a password that was changed here meanwhile stays. True when that ended
 * the sessions and the system access token of here.
 */
export async function changeImportedUser(
  tx: Transaction,
  id: number,
  { displayName, status, group, passwordHash = '', mayEnable }: UserChange,
  now: number,
): Promise<boolean> {
  const row = await lockedUser(tx, id).executeTakeFirst();
  if (row === undefined || row.role === role.root) return false;
  const keepsPassword = !isImportedHash(passwordHash) || !isImportedHash(row.password_hash);
  const keepsStatus = status === undefined || (!mayEnable && row.status !== userStatus.enabled);
  const changed = {
    ...(displayName === undefined ? {} : { display_name: displayName }),
    ...(keepsStatus ? {} : { status }),
    ...(group === undefined ? {} : { group_name: group }),
    ...(keepsPassword || row.password_hash === passwordHash ? {} : { password_hash: passwordHash }),
  };
  if (Object.keys(changed).length === 0) return false;
  const isEnded = (!keepsStatus && status !== userStatus.enabled) || 'password_hash' in changed;
  const ending = isEnded ? endedCredentials(row) : {};
  await tx.query
    .updateTable('users')
    .set({ ...changed, ...ending })
    .where('id', '=', id)
    .execute();
  await tx.perform(notifyChange('user', String(id), now));
  return isEnded;
}

/** Replaces the settings where they are still the text of before; what is saved here has another form. Answers whether it did. */
export async function changeImportedSetting(
  tx: Transaction,
  id: number,
  { before, after }: { before: string; after: string },
  now: number,
): Promise<boolean> {
  const { numUpdatedRows } = await tx.query
    .updateTable('users')
    .set({ setting: after })
    .where('id', '=', id)
    .where('setting', '=', before)
    .where('role', '!=', role.root)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  if (numUpdatedRows === 0n) return false;
  await tx.perform(notifyChange('user', String(id), now));
  return true;
}

/** A system access token that was replaced or withdrawn at the source; one that was made or ended here meanwhile stays so. */
export async function changeImportedAccessToken(
  tx: Transaction,
  id: number,
  digests: { before: string; after: string },
  now: number,
): Promise<void> {
  const row = await lockedUser(tx, id).executeTakeFirst();
  if (row === undefined || row.role === role.root || (row.access_token_hash ?? '') !== digests.before) return;
  await tx.query
    .updateTable('users')
    .set({ access_token_hash: await freeAccessToken(tx, digests.after) })
    .where('id', '=', id)
    .execute();
  await tx.perform(notifyChange('user', String(id), now));
}

/** A key of another product, without its prefix; amounts are quota. */
export interface ImportedToken {
  readonly userId: number;
  readonly key: string;
  readonly name: string;
  readonly status: number;
  readonly createdAt: number;
  readonly accessedAt: number;
  /** -1 = never. */
  readonly expiredAt: number;
  readonly remain: number;
  readonly used: number;
  readonly unlimited: boolean;
  /** Undefined = every model. */
  readonly models: string | undefined;
  readonly allowIps: string;
  readonly group: string;
}

function columnsOf(token: Omit<ImportedToken, 'userId'>) {
  return {
    name: token.name,
    status: token.status,
    expired_at: token.expiredAt,
    model_limits_enabled: token.models === undefined ? 0 : 1,
    model_limits: token.models ?? '',
    allow_ips: token.allowIps,
    group_name: token.group,
  };
}

/** What may be changed elsewhere, and where it stands here; the quota is billing's. */
const tokenColumns = {
  name: ['name'],
  status: ['status'],
  expiredAt: ['expired_at'],
  unlimited: [],
  models: ['model_limits_enabled', 'model_limits'],
  allowIps: ['allow_ips'],
  group: ['group_name'],
} as const satisfies Partial<Record<keyof ImportedToken, readonly (keyof ReturnType<typeof columnsOf>)[]>>;

/** A token that changed elsewhere, and what of it. `mayEnable`: one that is switched off here may be switched on. */
export interface TokenChange {
  readonly token: Omit<ImportedToken, 'userId'>;
  readonly changed: readonly (keyof typeof tokenColumns)[];
  readonly mayEnable: boolean;
}

/** Why a key cannot be brought over: `unusable` = no call could carry it, `taken` = it is here. */
export async function tokenKeyFault(
  read: Kysely<Schema> | undefined,
  crypto: Crypto,
  key: string,
): Promise<'taken' | 'unusable' | undefined> {
  if (!isKey(key)) return 'unusable';
  const hmac = crypto.hmac('token-key', key);
  const known = await read?.selectFrom('token').select('id').where('key_hmac', '=', hmac).executeTakeFirst();
  return known === undefined ? undefined : 'taken';
}

/** Writes a token with the key that its callers have, which `tokenKeyFault` has nothing against. */
export async function insertImportedToken(tx: Transaction, crypto: Crypto, token: ImportedToken, now: number): Promise<number> {
  const keyHmac = crypto.hmac('token-key', token.key);
  const { id } = await tx.query
    .insertInto('token')
    .values({
      ...columnsOf(token),
      user_id: token.userId,
      key_hmac: keyHmac,
      key_sealed: crypto.seal(token.key, sealBinding(token.userId, keyHmac)),
      created_at: token.createdAt,
      accessed_at: token.accessedAt,
      ...createTokenQuota({ remain: token.remain, used: token.used, unlimited: token.unlimited }),
      deleted_at: null,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  await tx.perform(notifyChange('token', String(id), now));
  return id;
}

function changedColumns({ token, changed, mayEnable }: TokenChange) {
  const all = columnsOf(token);
  const names = changed.flatMap((field): readonly (keyof typeof all)[] => tokenColumns[field]);
  const columns = Object.fromEntries(names.map((name) => [name, all[name]])) as Partial<typeof all>;
  if (mayEnable || columns.status === undefined) return columns;
  const kept = sql<number>`CASE WHEN status = ${tokenStatus.disabled} THEN status ELSE ${columns.status} END`;
  return { ...columns, status: kept };
}

/** What changed at the source since; without a change it was deleted there. The quota is moved by billing/. */
export async function changeImportedToken(
  tx: Transaction,
  id: number,
  change: TokenChange | undefined,
  now: number,
): Promise<void> {
  const columns = change === undefined ? { status: tokenStatus.disabled, deleted_at: now } : changedColumns(change);
  if (Object.keys(columns).length > 0)
    await tx.query.updateTable('token').set(columns).where('id', '=', id).where('deleted_at', 'is', null).execute();
  await tx.perform(notifyChange('token', String(id), now));
}
