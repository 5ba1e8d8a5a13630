import { role, type User } from '@tollgate/contract';
import { type ExpressionBuilder, type ExpressionWrapper, type Kysely, type SqlBool, sql } from 'kysely';
import type { Schema } from '../storage/schema.ts';
import type { UserFacts } from './types.ts';
import { toUsers } from './user-view.ts';

const searchLimit = 100;

type Reader = Pick<UserFacts, 'role'>;

/** One page of the users this reader may see, newest first; `page` counts from 0. */
export async function listUsers(read: Kysely<Schema>, reader: Reader, page: number, size: number): Promise<User[]> {
  const rows = await visible(read, reader)
    .limit(size)
    .offset(page * size)
    .execute();
  return toUsers(read, rows);
}

/** By id, or by a part of username, address or display name; `group` narrows to exactly that one. */
export async function searchUsers(read: Kysely<Schema>, reader: Reader, keyword: string, group: string): Promise<User[]> {
  const found = visible(read, reader).where((build) => build.and(matches(build, keyword, group)));
  return toUsers(read, await found.limit(searchLimit).execute());
}

function visible(read: Kysely<Schema>, reader: Reader) {
  const users = read.selectFrom('users').selectAll().orderBy('id', 'desc');
  return reader.role === role.root ? users : users.where('role', '<', reader.role);
}

type Build = ExpressionBuilder<Schema, 'users'>;
type Condition = ExpressionWrapper<Schema, 'users', SqlBool>;

function matches(build: Build, keyword: string, group: string): Condition[] {
  const conditions: Condition[] = group === '' ? [] : [build('group_name', '=', group)];
  if (keyword === '') return conditions;
  const either = (['username', 'email', 'display_name'] as const).map((column) => contains(build, column, keyword));
  if (/^\d{1,15}$/.test(keyword)) either.push(build('id', '=', Number(keyword)));
  return [...conditions, build.or(either)];
}

function contains(build: Build, column: 'username' | 'email' | 'display_name', text: string): Condition {
  const pattern = `%${text.toLowerCase().replaceAll(/[\\%_]/g, '\\$&')}%`;
  return build(sql`lower(${sql.ref(column)})`, 'like', sql`${pattern} escape '\\'`) as Condition;
}
