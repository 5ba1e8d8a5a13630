import { Secret } from 'otpauth';
import type { Crypto } from '../platform/crypto.ts';
import type { Transaction } from '../storage/database.ts';
import { factorBinding } from './totp.ts';

const leastBytes = 10;

/** The secret of an authenticator as it is kept; undefined when no authenticator can have it. */
export function factorSecret(text: string): string | undefined {
  try {
    const secret = Secret.fromBase32(text.replaceAll(/[\s=]/g, '').toUpperCase());
    return secret.bytes.length < leastBytes ? undefined : secret.base32;
  } catch {
    return undefined;
  }
}

/**
 * Switches on the second factor that a user had at another product; codes of the authenticator go on counting. One that the
 * user set up here stays: false. `secret` as `factorSecret` gave it.
 */
export async function insertImportedFactor(
  tx: Transaction,
  crypto: Pick<Crypto, 'seal'>,
  { userId, secret, now }: { userId: number; secret: string; now: number },
): Promise<boolean> {
  const row = {
    user_id: userId,
    secret_sealed: crypto.seal(secret, factorBinding(userId)),
    confirmed: 1,
    last_step: 0,
    created_at: now,
  };
  const inserted = await tx.query
    .insertInto('totp')
    .values(row)
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet(row).where('totp.confirmed', '=', 0))
    .returning('user_id')
    .executeTakeFirst();
  return inserted !== undefined;
}
