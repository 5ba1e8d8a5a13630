import { sql } from 'kysely';
import { EnvironmentError } from '../env.ts';
import { createCrypto, keyId, SealError } from '../platform/crypto.ts';
import { loadMasterKey, type MasterKeySource, readMasterKey } from '../platform/master-key.ts';
import type { Database } from './database.ts';

/** Where the root of all signatures lies once the master key was changed, sealed under the present one. */
export const signingRootOption = 'master.signing_root';
export const signingRootBinding = `option/value/${signingRootOption}`;

/**
 * What the master key opens and signs in this database. Signatures and look-ups (receipts, API keys) keep the root that
 * they began with, so that a new master key changes none of them. Throws EnvironmentError when this is not the
 * database's key.
 */
export async function openCrypto({ read }: Pick<Database, 'read'>, masterKey: Uint8Array) {
  const root = await signingRoot({ read });
  if (root !== undefined) return createCrypto(masterKey, readRoot(root, masterKey));
  const own = keyId(masterKey);
  const wanted = await firstSealedUnder({ read });
  // Some of it may be of another key, since a server was once started with that; the doctor says which.
  const isOurs = wanted === undefined || wanted === own || (await firstSealedUnder({ read }, own)) !== undefined;
  if (!isOurs) throw otherKey(wanted, own);
  return createCrypto(masterKey);
}

/**
 * The key of a database that a server or an import is about to use, whatever version wrote it. A key file is made where
 * nothing is sealed yet: beside secrets a new key would only hide that the one they want is missing. Throws EnvironmentError.
 */
export async function masterKeyOf(db: Pick<Database, 'read'>, source: MasterKeySource): Promise<Buffer> {
  const wanted = await wantedKey(db);
  if (wanted === undefined) return loadMasterKey(source);
  const masterKey = await readMasterKey(source).catch((error: unknown) => {
    if (!(error instanceof EnvironmentError)) throw error;
    throw new EnvironmentError([...error.faults, `This database wants the master key ${wanted}: ${wayOut}`]);
  });
  await openCrypto(db, masterKey);
  return masterKey;
}

/** Id of the key that a database was used with; undefined = nothing is sealed in it. */
async function wantedKey(db: Pick<Database, 'read'>): Promise<string | undefined> {
  const tables = await db.read.introspection.getTables();
  if (!tables.some(({ name }) => name === 'migration')) return undefined;
  const root = await signingRoot(db);
  return root === undefined ? firstSealedUnder(db) : keyOf(root);
}

/** Tables of the first version with what every installation seals. */
const telling = ['token', 'channel'];

/** Id of the key of the oldest secret; of the given key only, when there is one. */
async function firstSealedUnder({ read }: Pick<Database, 'read'>, id = '________'): Promise<string | undefined> {
  for (const table of telling) {
    const { rows } = await sql<{ text: string }>`SELECT key_sealed AS text FROM ${sql.table(table)}
      WHERE key_sealed LIKE ${`v1.${id}.%`} ORDER BY id LIMIT 1`.execute(read);
    if (rows[0] !== undefined) return keyOf(rows[0].text);
  }
  return undefined;
}

/** The sealed root; undefined = the master key was never changed. Throws DatabaseError. */
export async function signingRoot({ read }: Pick<Database, 'read'>): Promise<string | undefined> {
  const row = await read.selectFrom('option').select('value').where('key', '=', signingRootOption).executeTakeFirst();
  return row?.value;
}

/** Throws EnvironmentError when another master key sealed it. */
export function readRoot(sealed: string, masterKey: Uint8Array): Buffer {
  try {
    return Buffer.from(createCrypto(masterKey).open(sealed, signingRootBinding), 'hex');
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    throw otherKey(keyOf(sealed), keyId(masterKey));
  }
}

const wayOut =
  'start with the one that it was used with (SECRET_KEY, SECRET_KEY_FILE, or secret.key in DATA_DIR). ' +
  'If that is lost for good: docs/runbook.md, "The master key is lost".';

function otherKey(wanted: string, own: string): EnvironmentError {
  return new EnvironmentError([`This is not the master key of this database: it wants ${wanted}, and this is ${own}: ${wayOut}`]);
}

/** Short name of the key that sealed a text; "" when it is not a sealed one. */
export function keyOf(sealed: string): string {
  return /^v1\.([0-9a-f]{8})\./.exec(sealed)?.[1] ?? '';
}
