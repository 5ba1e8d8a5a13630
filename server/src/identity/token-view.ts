import { type OldKey, readTokenPolicy, type Token } from '@tollgate/contract';
import type { Selectable } from 'kysely';
import { tokenQuotaVersion } from '../billing/index.ts';
import { type Crypto, openedOrNone } from '../platform/crypto.ts';
import type { Transaction } from '../storage/database.ts';
import type { SealedColumn } from '../storage/reseal.ts';
import type { TokenTable } from '../storage/schema.ts';

export type TokenRow = Selectable<TokenTable>;

/** A query for a token that is there, locked until the transaction ends, as `lockedUser` does it. */
export function lockedToken(tx: Transaction, id: number) {
  return tx.query
    .updateTable('token')
    .set((column) => ({ name: column.ref('name') }))
    .where('id', '=', id)
    .where('deleted_at', 'is', null)
    .returningAll();
}

/** Where a sealed token key belongs: one owner, one key. */
export function sealBinding(userId: number, keyHmac: string): string {
  return `token/key/${userId}/${keyHmac}`;
}

/** Where its keys lie sealed. */
export const sealedTokens: SealedColumn = {
  table: 'token',
  key: 'id',
  column: 'key_sealed',
  reads: ['user_id', 'key_hmac'],
  binding: ({ user_id, key_hmac }) => sealBinding(Number(user_id), String(key_hmac)),
};

/** The key itself, 48 characters for ours; "" of one that was sealed by a master key that is lost. */
export function openKey(row: Pick<TokenRow, 'user_id' | 'key_sealed' | 'key_hmac'>, crypto: Crypto): string {
  return openedOrNone(crypto, row.key_sealed, sealBinding(row.user_id, row.key_hmac));
}

/** Null once it has ended. */
export function oldKeyOf({ old_key_hmac, old_key_hint, old_key_until }: TokenRow, now: number): OldKey | null {
  return old_key_hmac === null || old_key_until <= now ? null : { last_four: old_key_hint, ends_time: old_key_until };
}

/** A token as its owner reads it, key included (security page: "view key"). */
export function toToken(row: TokenRow, crypto: Crypto, now: number): Token {
  return {
    id: row.id,
    user_id: row.user_id,
    key: openKey(row, crypto),
    status: row.status,
    name: row.name,
    created_time: row.created_at,
    accessed_time: row.accessed_at,
    expired_time: row.expired_at,
    remain_quota: row.remain_quota,
    quota_version: tokenQuotaVersion(row),
    unlimited_quota: row.unlimited_quota === 1,
    model_limits_enabled: row.model_limits_enabled === 1,
    model_limits: row.model_limits,
    allow_ips: row.allow_ips,
    used_quota: row.used_quota,
    group: row.group_name,
    ...readTokenPolicy(row.policy),
    old_key: oldKeyOf(row, now),
    DeletedAt: row.deleted_at === null ? null : new Date(row.deleted_at * 1000).toISOString(),
  };
}
