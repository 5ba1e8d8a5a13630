import { readCallLimits, type User } from '@tollgate/contract';
import type { Kysely, Selectable } from 'kysely';
import { affiliateBalances } from '../billing/index.ts';
import { shownSetting } from '../notify/index.ts';
import type { Schema, UserTable } from '../storage/schema.ts';

export type UserRow = Selectable<UserTable>;

/** Users as the console reads them, by named columns, in the order of `rows`. No secret of theirs is in it. */
export async function toUsers(read: Kysely<Schema>, rows: readonly UserRow[]): Promise<User[]> {
  const ids = rows.map(({ id }) => id);
  if (ids.length === 0) return [];
  const wallets = await read.selectFrom('wallet').selectAll().where('user_id', 'in', ids).execute();
  const walletOf = new Map(wallets.map((wallet) => [wallet.user_id, wallet]));
  // Also of those without a history: earnings can be brought over by an import.
  const pending = await affiliateBalances(read, ids);
  return rows.map((row) => {
    const wallet = walletOf.get(row.id);
    return {
      ...columnsOf(row),
      quota: wallet?.available ?? 0,
      quota_held: wallet?.held ?? 0,
      quota_version: wallet?.version ?? 0,
      used_quota: wallet?.used_quota ?? 0,
      request_count: wallet?.request_count ?? 0,
      aff_quota: pending.get(row.id) ?? 0,
    };
  });
}

function columnsOf(row: UserRow) {
  return {
    id: row.id,
    username: row.username,
    display_name: row.display_name,
    role: row.role,
    status: row.status,
    group: row.group_name,
    ...(row.default_password === 1 ? { must_change_password: true } : {}),
    password: '',
    access_token: '',
    verification_code: '',
    email: row.email ?? '',
    github_id: row.github_id ?? '',
    oidc_id: row.oidc_id ?? '',
    wechat_id: row.wechat_id ?? '',
    telegram_id: row.telegram_id ?? '',
    linux_do_id: row.linux_do_id ?? '',
    aff_code: row.aff_code,
    aff_count: row.aff_count,
    aff_history_quota: row.aff_history_quota,
    inviter_id: row.inviter_id,
    DeletedAt: row.deleted_at === null ? null : new Date(row.deleted_at * 1000).toISOString(),
    setting: shownSetting(row.setting),
    limits: readCallLimits(row.limits),
    created_time: row.created_at,
  } as const;
}
