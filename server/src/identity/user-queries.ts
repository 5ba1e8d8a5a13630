import { role, shownUserStatus, tokenStatus, type User } from '@tollgate/contract';
import type { Expression, ExpressionBuilder, Kysely, SqlBool } from 'kysely';
import { contains } from '../storage/like.ts';
import { type ListPage, rowsOf } from '../storage/page.ts';
import type { Schema } from '../storage/schema.ts';
import type { UserFacts } from './types.ts';
import { toUsers } from './user-view.ts';

type Reader = Pick<UserFacts, 'role'>;

export interface UserSearch extends ListPage {
  keyword: string;
  /** The mark of the API key that the keyword may be. */
  keyHmac?: string | undefined;
  /** '' = every group. */
  group: string;
  /** 0 = any. */
  role: number;
  /** One of `shownUserStatus`; 0 = any. */
  status: number;
}

/**
 * One page of the users this reader may see, of those that `keyword` meets, by id or by a part of username, address or display name. Whose id, whole
 * username or API key it is comes first, so that a name in full is found however many others contain it; then newest first.
 */
export async function searchUsers(read: Kysely<Schema>, reader: Reader, search: UserSearch): Promise<User[]> {
  const { keyword } = search;
  const isNamed = (build: Build) => named(build, search);
  const { limit, offset } = rowsOf(search);
  const found = visible(read, reader).where((build) => build.and(matches(build, search)));
  if (keyword === '') return toUsers(read, await found.limit(limit).offset(offset).execute());
  const exact = await found.where(isNamed).execute();
  const shown = exact.slice(offset, offset + limit);
  const others = found.where((build) => build.not(isNamed(build)));
  const rest = others.limit(limit - shown.length).offset(Math.max(0, offset - exact.length));
  return toUsers(read, [...shown, ...(await rest.execute())]);
}

function visible(read: Kysely<Schema>, reader: Reader) {
  const users = read.selectFrom('users').selectAll().orderBy('id', 'desc');
  return reader.role === role.root ? users : users.where('role', '<', reader.role);
}

type Build = ExpressionBuilder<Schema, 'users'>;
type Condition = Expression<SqlBool>;

function matches(build: Build, search: UserSearch): Condition[] {
  const { keyword, group, role: asked, status } = search;
  const conditions: Condition[] = [];
  if (group !== '') conditions.push(build('group_name', '=', group));
  if (asked > 0) conditions.push(build('role', '=', asked));
  if (status > 0) conditions.push(build('deleted_at', status === shownUserStatus.gone ? 'is not' : 'is', null));
  if (status > 0 && status !== shownUserStatus.gone) conditions.push(build('status', '=', status));
  if (keyword === '') return conditions;
  const parts = ['username', 'email', 'display_name'].map((column) => contains(column, keyword));
  return [...conditions, build.or([...parts, named(build, search)])];
}

function named(build: Build, { keyword, keyHmac }: UserSearch): Condition {
  const conditions: Condition[] = [build('username', '=', keyword)];
  if (/^\d{1,15}$/.test(keyword)) conditions.push(build('id', '=', Number(keyword)));
  if (keyHmac !== undefined) conditions.push(build('id', 'in', tokensOf(build, keyHmac).select('user_id')));
  return build.or(conditions);
}

function tokensOf(read: Pick<Build, 'selectFrom'>, keyHmac: string) {
  const tokens = read.selectFrom('token').where('deleted_at', 'is', null);
  return tokens.where((token) => token.or([token('key_hmac', '=', keyHmac), token('old_key_hmac', '=', keyHmac)]));
}

/** The same users, with the token of that key at its owner. */
export async function withToken(read: Kysely<Schema>, users: readonly User[], keyHmac: string): Promise<User[]> {
  const token = await tokensOf(read, keyHmac).select(['id', 'user_id', 'name', 'status']).executeTakeFirst();
  if (token === undefined) return [...users];
  const { user_id: owner, status, ...named } = token;
  const found_token = { ...named, disabled: status === tokenStatus.disabled };
  return users.map((user) => (user.id === owner ? { ...user, found_token } : user));
}
