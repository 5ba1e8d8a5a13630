import {
  type ManageAction,
  type ManagedUser,
  role,
  tokenStatus,
  type User,
  type UserUpdate,
  userStatus,
} from '@tollgate/contract';
import { type AuditEvent, commandLine, recordAudit } from '../audit/index.ts';
import { voidRewardsFor } from '../billing/index.ts';
import { nowSeconds } from '../platform/clock.ts';
import { PublicError } from '../platform/errors.ts';
import { notifyChange } from '../storage/changes.ts';
import type { Transaction } from '../storage/database.ts';
import { isUniqueViolation } from '../storage/errors.ts';
import { actorFor } from './audit.ts';
import type { AccountDeps } from './deps.ts';
import { forgetDevices } from './devices.ts';
import { isKey } from './keyring.ts';
import { editUser } from './manage-edit.ts';
import { judgeAction, mayWrite } from './manage-rules.ts';
import { insertUser } from './registration.ts';
import { lockedToken } from './token-view.ts';
import { removeFactors } from './totp.ts';
import type { Caller, UserFacts } from './types.ts';
import { searchUsers, type UserSearch, withToken } from './user-queries.ts';
import type { UserRow } from './user-view.ts';
import { endedCredentials, lockedUser, readUser } from './users.ts';
import { checkNewPassword, isCommonPassword } from './weak-passwords.ts';

export interface NewUserInput {
  username: string;
  password: string;
  display_name: string;
  role?: number | undefined;
}

/** An administrator at work; what they may do depends on their role as of this request. */
export interface Manager {
  user: UserFacts;
  caller: Caller;
}

/** User management. Every write is judged under the row's lock, and leaves its change and audit rows in its transaction. */
export interface UserManagement {
  /**
   * One page of the matches: whose name or id the keyword is, then newest first, deregistered ones included; administrators
   * see lower levels only.
   */
  search(manager: Manager, search: UserSearch): Promise<User[]>;
  get(manager: Manager, id: number): Promise<User>;
  create(manager: Manager, input: NewUserInput): Promise<void>;
  update(manager: Manager, change: UserUpdate): Promise<void>;
  /** Removes the row for good, a deregistered one too. Its wallet and its movements stay in the books. */
  remove(manager: Manager, id: number): Promise<void>;
  manage(manager: Manager, id: number, action: ManageAction): Promise<ManagedUser>;
  /** Switches off a token of somebody whom the manager may edit. Throws PublicError `token_not_found`, `user_level_write`. */
  disableToken(manager: Manager, id: number): Promise<void>;
}

/** The command line, which may do what root may. */
export const commandLineManager: Manager = {
  user: {
    ...{ id: commandLine.id, username: commandLine.username, displayName: '', role: role.root, status: userStatus.enabled },
    ...{ group: '', sessionEpoch: 0, defaultPassword: false },
  },
  caller: { address: { ip: commandLine.ip, limitKey: '', isPrivate: true, isHttps: false }, userAgent: '' },
};

type ManageDeps = Omit<AccountDeps, 'sessions' | 'limiter'>;

export function createUserManagement(deps: ManageDeps): UserManagement {
  const { read } = deps.db;
  return {
    async search(manager, search) {
      const key = search.keyword.replace(/^sk-/, '');
      const keyHmac = isKey(key) ? deps.crypto.hmac('token-key', key) : undefined;
      // A keyword is looked for in every name: nothing quick waits for that.
      const found = searchUsers(search.keyword === '' ? read : deps.db.analyse, manager.user, { ...search, keyHmac });
      return keyHmac === undefined ? found : withToken(read, await found, keyHmac);
    },
    async get({ user }, id) {
      const found = await readUser(read, id);
      if (found === undefined) throw new PublicError('user_not_found');
      if (found.role >= user.role && user.role !== role.root) throw new PublicError('user_level_read');
      return found;
    },
    create: (manager, input) => createByManager(deps, manager, input),
    update: (manager, change) => update(deps, manager, change),
    remove: (manager, id) => remove(deps, manager, id),
    manage: (manager, id, action) => manage(deps, manager, id, action),
    disableToken: (manager, id) => disableToken(deps, manager, id),
  };
}

async function createByManager(deps: ManageDeps, { user, caller }: Manager, input: NewUserInput): Promise<void> {
  const newRole = input.role ?? role.common;
  if (newRole >= user.role) throw new PublicError('user_level_create');
  if (newRole !== role.common && newRole !== role.admin) throw new PublicError('invalid_parameters');
  await checkNewPassword(input.password, input.username);
  const passwordHash = await deps.passwords.hash(input.password);
  const now = nowSeconds(deps.clock);
  const blank = { email: '', verification_code: '', aff_code: '' };
  await insertUser(deps, { ...blank, ...input, role: newRole, passwordHash, options: deps.options(), now }, async (tx, id) => {
    const detail = { username: input.username, role: newRole };
    await tx.perform(recordAudit({ actor: actorFor(user, caller), action: 'user.create', target: `user:${id}`, detail, now }));
  });
  deps.changes.notify();
}

async function update(deps: ManageDeps, manager: Manager, change: UserUpdate): Promise<void> {
  const passwordHash = change.password === '' ? undefined : await newHash(deps, change.password);
  try {
    await changeUser(deps, manager, change.id, (tx, row, now) => {
      if (row.deleted_at !== null) throw new PublicError('user_not_found');
      if (!mayWrite(manager.user, row)) throw new PublicError('user_level_write');
      // One's own password is changed where the present one is asked for.
      if (passwordHash !== undefined && row.id === manager.user.id) throw new PublicError('permission_denied');
      return editUser(tx, { row, change, passwordHash, editor: manager.user, options: deps.options(), now });
    });
  } catch (error) {
    if (isUniqueViolation(error)) throw new PublicError('username_taken');
    throw error;
  }
}

async function newHash(deps: ManageDeps, password: string): Promise<string> {
  if (await isCommonPassword(password)) throw new PublicError('password_is_weak');
  return deps.passwords.hash(password);
}

async function remove(deps: ManageDeps, manager: Manager, id: number): Promise<void> {
  await changeUser(deps, manager, id, async (tx, row, now) => {
    if (!mayWrite(manager.user, row)) throw new PublicError('user_level_delete');
    if (row.role === role.root) throw new PublicError('user_root_delete');
    await tx.query.deleteFrom('session').where('user_id', '=', id).execute();
    await removeFactors(tx, id);
    await tx.query.deleteFrom('one_time').where('user_id', '=', id).execute();
    await forgetDevices(tx, id);
    await voidRewardsFor(tx, row);
    // How an agent is reached; without the user nobody could decide about an application. What was earned stays in the books.
    await tx.query.deleteFrom('agent').where('user_id', '=', id).execute();
    await tx.query
      .updateTable('token')
      .set({ deleted_at: now })
      .where('user_id', '=', id)
      .where('deleted_at', 'is', null)
      .execute();
    await tx.query.deleteFrom('users').where('id', '=', id).execute();
    return { action: 'user.delete', detail: { username: row.username } };
  });
}

async function manage(deps: ManageDeps, manager: Manager, id: number, action: ManageAction): Promise<ManagedUser> {
  let after: ManagedUser = { role: 0, status: 0 };
  await changeUser(deps, manager, id, async (tx, row, now) => {
    const refusal = judgeAction(manager.user, row, action);
    if (refusal !== undefined) throw new PublicError(refusal);
    if (action === 'reset_second_factor' && !(await removeFactors(tx, id))) throw new PublicError('second_factor_off');
    const columns = effects[action](now);
    after = { role: columns.role ?? row.role, status: columns.status ?? row.status };
    const ending = action === 'enable' ? {} : endedCredentials(row);
    if (action === 'delete') {
      await forgetDevices(tx, id);
      await voidRewardsFor(tx, row);
    }
    await tx.query
      .updateTable('users')
      .set({ ...columns, ...ending })
      .where('id', '=', id)
      .execute();
    return { action: auditNames[action], detail: { from: { role: row.role, status: row.status }, to: after } };
  });
  return after;
}

interface Effect {
  role?: number;
  status?: number;
  deleted_at?: number;
}

const effects: Record<ManageAction, (now: number) => Effect> = {
  disable: () => ({ status: userStatus.disabled }),
  enable: () => ({ status: userStatus.enabled }),
  delete: (now) => ({ deleted_at: now }),
  promote: () => ({ role: role.admin }),
  demote: () => ({ role: role.common }),
  reset_second_factor: () => ({}),
};
const auditNames = {
  disable: 'user.disable',
  enable: 'user.enable',
  delete: 'user.deregister',
  promote: 'user.promote',
  demote: 'user.demote',
  reset_second_factor: 'user.second_factor_reset',
} as const;

type Change = (tx: Transaction, row: UserRow, now: number) => Promise<Pick<AuditEvent, 'action' | 'detail'> | undefined>;

/** One write to a user's row, judged by what the row is under its lock. */
async function changeUser(deps: ManageDeps, { user, caller }: Manager, id: number, change: Change): Promise<void> {
  const now = nowSeconds(deps.clock);
  await deps.db.transaction(async (tx) => {
    const row = await lockedUser(tx, id).executeTakeFirst();
    if (row === undefined) throw new PublicError('user_not_found');
    const event = await change(tx, row, now);
    if (event === undefined) return;
    await tx.perform(notifyChange('user', String(id), now));
    await tx.perform(recordAudit({ ...event, actor: actorFor(user, caller), target: `user:${id}`, now }));
  });
  deps.changes.notify();
}

async function disableToken(deps: ManageDeps, { user, caller }: Manager, id: number): Promise<void> {
  const now = nowSeconds(deps.clock);
  await deps.db.transaction(async (tx) => {
    const token = await lockedToken(tx, id).executeTakeFirst();
    if (token === undefined) throw new PublicError('token_not_found');
    const owner = await tx.query.selectFrom('users').selectAll().where('id', '=', token.user_id).executeTakeFirst();
    if (owner === undefined || !mayWrite(user, owner)) throw new PublicError('user_level_write');
    if (token.status === tokenStatus.disabled) return;
    await tx.query.updateTable('token').set({ status: tokenStatus.disabled }).where('id', '=', id).execute();
    await tx.perform(notifyChange('token', String(id), now));
    const detail = { user: owner.id, name: token.name };
    await tx.perform(recordAudit({ actor: actorFor(user, caller), action: 'token.disable', target: `token:${id}`, detail, now }));
  });
  deps.changes.notify();
}
