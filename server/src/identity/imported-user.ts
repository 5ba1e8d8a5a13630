import { role, userStatus } from '@tollgate/contract';
import { compare } from 'bcryptjs';
import { sha256 } from '../platform/crypto.ts';
import { randomAlphanumerics } from '../platform/ids.ts';
import { nameKey } from '../platform/name-key.ts';
import { notifyChange } from '../storage/changes.ts';
import type { Transaction } from '../storage/database.ts';
import { normalAddress } from './mail-address.ts';
import { isImportedHash } from './passwords.ts';
import { blankUser, freshInviteCode } from './registration.ts';
import { endedCredentials, lockedUser, newPassword } from './users.ts';

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
const maxRenames = 10;
/** What follows a name that so many have. */
const randomNameChars = 12;

/**
 * Writes a user without a wallet. A root whose name is that of a root here is the same person; any other name that is taken
 * gets a number, since two people may have chosen it. `isTheirs`: the account's password is the one from there.
 */
export async function insertImportedUser(
  tx: Transaction,
  user: ImportedUser,
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
      name_key: await freeNameKey(tx, username),
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
  return { id, username, notes, isTheirs: true };
}

/** Nobody but the source's root knows a password here: theirs is the one to keep. */
async function takeOver(tx: Transaction, id: number, passwordHash: string): Promise<void> {
  await tx.query
    .updateTable('users')
    .set((column) => newPassword(column, passwordHash))
    .where('id', '=', id)
    .execute();
}

/** The name, or one after it that nobody has. */
export async function freeName(tx: Transaction, wanted: string): Promise<string> {
  for (let number = 1; number <= maxRenames; number++) {
    const name = number === 1 ? wanted : `${wanted}-${number}`;
    const taken = await tx.query.selectFrom('users').select('id').where('username', '=', name).executeTakeFirst();
    if (taken === undefined) return name;
  }
  return `${wanted}-${randomAlphanumerics(randomNameChars)}`;
}

/**
 * What the name is compared by; null where somebody has one that reads the same. Who had the name elsewhere, where capitals
 * told people apart, keeps it, since that is what they type.
 */
export async function freeNameKey(tx: Transaction, username: string): Promise<string | null> {
  const key = nameKey(username);
  const taken = await tx.query.selectFrom('users').select('id').where('name_key', '=', key).executeTakeFirst();
  return taken === undefined && key !== '' ? key : null;
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
