import type { LoginUser, User } from '@tollgate/contract';
import type { ExpressionBuilder, Kysely } from 'kysely';
import { PublicError } from '../platform/errors.ts';
import type { Transaction } from '../storage/database.ts';
import type { Schema } from '../storage/schema.ts';
import type { UserFacts } from './types.ts';
import { toUsers, type UserRow } from './user-view.ts';

/** Columns of `UserFacts`; always read together, never cached beyond one request. */
export const factsColumns = [
  'users.id',
  'users.username',
  'users.display_name',
  'users.role',
  'users.status',
  'users.group_name',
  'users.session_epoch',
  'users.default_password',
] as const;

interface FactsRow {
  id: number;
  username: string;
  display_name: string;
  role: number;
  status: number;
  group_name: string;
  session_epoch: number;
  default_password: number;
}

export function toFacts(row: FactsRow): UserFacts {
  return {
    id: row.id,
    username: row.username,
    displayName: row.display_name,
    role: row.role,
    status: row.status,
    group: row.group_name,
    sessionEpoch: row.session_epoch,
    defaultPassword: row.default_password === 1,
  };
}

/** What login answers: only what the console needs to draw itself. */
export function toLoginUser(user: UserFacts): LoginUser {
  return {
    id: user.id,
    username: user.username,
    display_name: user.displayName,
    role: user.role,
    status: user.status,
    group: user.group,
    ...(user.defaultPassword ? { must_change_password: true } : {}),
  };
}

/** A user as the console reads it; undefined when there is none. */
export async function readUser(read: Kysely<Schema>, id: number): Promise<User | undefined> {
  const rows = await read.selectFrom('users').selectAll().where('id', '=', id).execute();
  return (await toUsers(read, rows))[0];
}

/**
 * A query for the row as it is now, locked until the transaction ends: a write that changes nothing, in the SQL both engines
 * share.
 */
export function lockedUser(tx: Transaction, id: number) {
  return tx.query
    .updateTable('users')
    .set((column) => ({ username: column.ref('username') }))
    .where('id', '=', id)
    .returningAll();
}

/** The caller's own row, locked. Throws PublicError `not_logged_in` when their sessions were ended meanwhile. */
export async function lockSelf(tx: Transaction, user: Pick<UserFacts, 'id' | 'sessionEpoch'>): Promise<UserRow> {
  const row = await lockedUser(tx, user.id)
    .where('session_epoch', '=', user.sessionEpoch)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  if (row === undefined) throw new PublicError('not_logged_in');
  return row;
}

/** Columns whose write ends every session and the system access token at once, on every node. */
export function endedCredentials(row: Pick<UserRow, 'session_epoch'>) {
  return { session_epoch: row.session_epoch + 1, access_token_hash: null };
}

/** The same columns, in the write of a password that its owner chose or alone was told. */
export function newPassword(column: ExpressionBuilder<Schema, 'users'>, passwordHash: string) {
  return {
    password_hash: passwordHash,
    default_password: 0,
    session_epoch: column('session_epoch', '+', 1),
    access_token_hash: null,
  };
}
