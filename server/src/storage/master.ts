import { createCrypto, keyId, SealError } from '../platform/crypto.ts';
import type { Database } from './database.ts';

/** Where the root of all signatures lies once the master key was changed, sealed under the present one. */
export const signingRootOption = 'master.signing_root';
export const signingRootBinding = `option/value/${signingRootOption}`;

/**
 * What the master key opens and signs in this database. Signatures and look-ups (receipts, API keys) keep the root that
 * they began with, so that a new master key changes none of them. Throws when this is not the database's key.
 */
export async function openCrypto({ read }: Pick<Database, 'read'>, masterKey: Uint8Array) {
  const root = await signingRoot({ read });
  if (root === undefined) return createCrypto(masterKey);
  return createCrypto(masterKey, readRoot(root, masterKey));
}

/** The sealed root; undefined = the master key was never changed. Throws DatabaseError. */
export async function signingRoot({ read }: Pick<Database, 'read'>): Promise<string | undefined> {
  const row = await read.selectFrom('option').select('value').where('key', '=', signingRootOption).executeTakeFirst();
  return row?.value;
}

/** Throws when another master key sealed it. */
export function readRoot(sealed: string, masterKey: Uint8Array): Buffer {
  try {
    return Buffer.from(createCrypto(masterKey).open(sealed, signingRootBinding), 'hex');
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    throw new Error(
      `This is not the master key of this database: it wants ${keyOf(sealed)}, and this is ${keyId(masterKey)} (see keys rotate)`,
    );
  }
}

/** Short name of the key that sealed a text; "" when it is not a sealed one. */
export function keyOf(sealed: string): string {
  return /^v1\.([0-9a-f]{8})\./.exec(sealed)?.[1] ?? '';
}
