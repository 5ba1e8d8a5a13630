import { redemptionStatus } from '@tollgate/contract';
import type { Kysely } from 'kysely';
import type { Crypto } from '../platform/crypto.ts';
import type { Transaction } from '../storage/database.ts';
import type { Schema } from '../storage/schema.ts';
import { isRedemptionCode, redemptionBinding } from './redeem.ts';

/** An unused code of another product. */
export interface ImportedCode {
  readonly key: string;
  readonly name: string;
  readonly quota: number;
  readonly enabled: boolean;
  readonly createdAt: number;
  /** 0 = never. */
  readonly expiresAt: number;
  /** Who made it, as our user; 0 = unknown. */
  readonly userId: number;
}

/** Why a code cannot be brought over: `unusable` = nobody could ever redeem it, `taken` = it is here. */
export async function redemptionFault(
  read: Kysely<Schema> | undefined,
  crypto: Crypto,
  { key, quota }: Pick<ImportedCode, 'key' | 'quota'>,
): Promise<'taken' | 'unusable' | undefined> {
  if (!isRedemptionCode(key.toLowerCase()) || quota < 1) return 'unusable';
  const hmac = crypto.hmac('redemption', key.toLowerCase());
  const known = await read?.selectFrom('redemption').select('id').where('key_hmac', '=', hmac).executeTakeFirst();
  return known === undefined ? undefined : 'taken';
}

/** Writes a code that `redemptionFault` has nothing against; answers its id. */
export async function insertImportedCode(tx: Transaction, crypto: Crypto, code: ImportedCode): Promise<number> {
  const key = code.key.toLowerCase();
  const hmac = crypto.hmac('redemption', key);
  const { id } = await tx.query
    .insertInto('redemption')
    .values({
      user_id: code.userId,
      key_hmac: hmac,
      key_sealed: crypto.seal(key, redemptionBinding(hmac)),
      status: code.enabled ? redemptionStatus.unused : redemptionStatus.disabled,
      name: code.name,
      quota: code.quota,
      created_at: code.createdAt,
      expires_at: code.expiresAt,
      deleted_at: null,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** The code was used or withdrawn where it came from. Answers false when it was redeemed here before. */
export async function retireImportedCode(tx: Transaction, id: number): Promise<boolean> {
  const { numUpdatedRows } = await tx.query
    .updateTable('redemption')
    .set({ status: redemptionStatus.disabled })
    .where('id', '=', id)
    .where('status', '<>', redemptionStatus.used)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** The code brings something else where it came from, or ends at another time. What was redeemed here stays. */
export async function changeImportedCode(
  tx: Transaction,
  id: number,
  change: { quota?: number; expires_at?: number },
): Promise<void> {
  await tx.query
    .updateTable('redemption')
    .set(change)
    .where('id', '=', id)
    .where('status', '<>', redemptionStatus.used)
    .execute();
}
