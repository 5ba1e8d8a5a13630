import type { LoginUser, User } from '@tollgate/contract';
import type { Kysely } from 'kysely';
import type { Schema } from '../storage/schema.ts';
import type { UserFacts } from './types.ts';

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

/** A user as the console reads it, by named columns; undefined when there is none. */
export async function readUser(read: Kysely<Schema>, id: number): Promise<User | undefined> {
  const row = await read.selectFrom('users').selectAll().where('id', '=', id).executeTakeFirst();
  if (row === undefined) return undefined;
  const wallet = await read.selectFrom('wallet').selectAll().where('user_id', '=', id).executeTakeFirst();
  return {
    ...toLoginUser(toFacts(row)),
    password: '',
    access_token: '',
    verification_code: '',
    email: row.email ?? '',
    github_id: row.github_id ?? '',
    oidc_id: row.oidc_id ?? '',
    wechat_id: row.wechat_id ?? '',
    telegram_id: row.telegram_id ?? '',
    linux_do_id: row.linux_do_id ?? '',
    quota: wallet?.available ?? 0,
    used_quota: wallet?.used_quota ?? 0,
    request_count: wallet?.request_count ?? 0,
    aff_code: row.aff_code,
    aff_count: row.aff_count,
    aff_quota: row.aff_history_quota === 0 ? 0 : await affiliateBalance(read, id),
    aff_history_quota: row.aff_history_quota,
    inviter_id: row.inviter_id,
    DeletedAt: row.deleted_at === null ? null : new Date(row.deleted_at * 1000).toISOString(),
    setting: row.setting,
    created_time: row.created_at,
  };
}

/** Pending invite earnings: derived from the transfers, kept nowhere else. */
async function affiliateBalance(read: Kysely<Schema>, userId: number): Promise<number> {
  const account = `user:${userId}:affiliate`;
  const rows = await read
    .selectFrom('transfer')
    .select(['to_account', (sum) => sum.fn.sum<number | string>('amount').as('total')])
    .where('user_id', '=', userId)
    .where('kind', 'not in', ['charge', 'correction'])
    .where((where) => where.or([where('to_account', '=', account), where('from_account', '=', account)]))
    .groupBy('to_account')
    .execute();
  return rows.reduce((balance, row) => balance + (row.to_account === account ? 1 : -1) * Number(row.total), 0);
}
