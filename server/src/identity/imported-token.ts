import { tokenStatus } from '@tollgate/contract';
import { type Kysely, sql } from 'kysely';
import { createTokenQuota } from '../billing/index.ts';
import type { Crypto } from '../platform/crypto.ts';
import { notifyChange } from '../storage/changes.ts';
import type { Transaction } from '../storage/database.ts';
import type { Schema } from '../storage/schema.ts';
import { isKey } from './keyring.ts';
import { sealBinding } from './token-view.ts';

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

/**
 * Why a key cannot be brought over: `unusable` = no call could carry it, `taken` = it is here, or was the key of a token
 * here: one that its owner replaced opens nothing again, and no second token while it still works.
 */
export async function tokenKeyFault(
  read: Kysely<Schema> | undefined,
  crypto: Crypto,
  key: string,
): Promise<'taken' | 'unusable' | undefined> {
  if (!isKey(key)) return 'unusable';
  const hmac = crypto.hmac('token-key', key);
  const known = await read
    ?.selectFrom('token')
    .select('id')
    .where((row) => row.or([row('key_hmac', '=', hmac), row('old_key_hmac', '=', hmac)]))
    .executeTakeFirst();
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
