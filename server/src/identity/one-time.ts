import { sha256 } from '../platform/crypto.ts';
import type { Transaction } from '../storage/database.ts';

/** What a secret is for: one of another kind opens nothing. */
export type OneTimeKind =
  | 'mail-code'
  | 'mail-address'
  | 'reset'
  | 'oauth-state'
  | 'telegram'
  | 'second-step'
  | 'passkey-register'
  | 'passkey-login';

export interface OneTime {
  kind: OneTimeKind;
  /** Everything that must be presented again, secrets included; only its hash is stored. */
  parts: readonly string[];
  userId: number;
  payload: string;
  /** Unix seconds. */
  expiresAt: number;
}

export interface Redeemed {
  userId: number;
  payload: string;
}

/** Wrong attempts that burn what may be tried. */
export const maxTries = 5;

export function oneTimeKey(kind: OneTimeKind, parts: readonly string[]): string {
  return sha256(JSON.stringify([kind, ...parts]));
}

/** Stores it in place of an older one with the same key, and sweeps what has expired. */
export async function putOneTime(tx: Transaction, entry: OneTime, now: number): Promise<void> {
  await tx.query.deleteFrom('one_time').where('expires_at', '<=', now).execute();
  await tx.query
    .insertInto('one_time')
    .values(rowOf(entry))
    .onConflict((conflict) => conflict.column('key_hash').doUpdateSet(rowOf(entry)))
    .execute();
}

/** Inserts it unless it is there: false for the second who comes with the same. */
export async function markOnce(tx: Transaction, entry: OneTime): Promise<boolean> {
  const inserted = await tx.query
    .insertInto('one_time')
    .values(rowOf(entry))
    .onConflict((conflict) => conflict.column('key_hash').doNothing())
    .returning('key_hash')
    .executeTakeFirst();
  return inserted !== undefined;
}

function rowOf({ kind, parts, userId, payload, expiresAt }: OneTime) {
  return { key_hash: oneTimeKey(kind, parts), kind, user_id: userId, payload, tries: 0, expires_at: expiresAt };
}

/** Redeems it: of all who try at once exactly one gets it. */
export async function takeOneTime(
  tx: Transaction,
  kind: OneTimeKind,
  parts: readonly string[],
  now: number,
): Promise<Redeemed | undefined> {
  const row = await tx.query
    .deleteFrom('one_time')
    .where('key_hash', '=', oneTimeKey(kind, parts))
    .where('expires_at', '>', now)
    .where('tries', '<', maxTries)
    .returning(['user_id', 'payload'])
    .executeTakeFirst();
  return row === undefined ? undefined : { userId: row.user_id, payload: row.payload };
}

/**
 * One attempt at what may be tried a few times: a wrong one counts, a right one does not. The count is taken before the
 * comparison, so that parallel attempts cannot outrun it. The caller commits in either case.
 */
export async function tryOneTime(
  tx: Transaction,
  kind: OneTimeKind,
  parts: readonly string[],
  now: number,
  isRight: (redeemed: Redeemed) => boolean | Promise<boolean>,
): Promise<Redeemed | undefined> {
  const key = oneTimeKey(kind, parts);
  const row = await tx.query
    .updateTable('one_time')
    .set((column) => ({ tries: column('tries', '+', 1) }))
    .where('key_hash', '=', key)
    .where('expires_at', '>', now)
    .where('tries', '<', maxTries)
    .returning(['user_id', 'payload'])
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const found = { userId: row.user_id, payload: row.payload };
  if (!(await isRight(found))) return undefined;
  await tx.query
    .updateTable('one_time')
    .set((column) => ({ tries: column('tries', '-', 1) }))
    .where('key_hash', '=', key)
    .execute();
  return found;
}
