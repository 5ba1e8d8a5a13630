import { type Env, readEnv } from '../env.ts';
import { openStorage, openStorageForReading } from '../main-storage.ts';
import type { Clock } from '../platform/clock.ts';
import type { Crypto } from '../platform/crypto.ts';
import { type MasterKeySource, readMasterKey } from '../platform/master-key.ts';
import { createSettings } from '../settings/index.ts';
import type { Database } from '../storage/database.ts';
import { isMissingName } from '../storage/errors.ts';
import { openCrypto } from '../storage/master.ts';
import { pendingMigrations } from '../storage/migrate.ts';
import { migrations } from '../storage/migrations/index.ts';
import { type CliWorld, type Outcome, placed } from './outcome.ts';

/** A look at the database that the environment names, also beside a running server. */
export async function lookedAt(world: CliWorld, work: (db: Database, env: Env) => Promise<Outcome>): Promise<Outcome> {
  const env = readEnv(world.env);
  const db = await openStorageForReading(env);
  return onPresent(db, () => work(db, env)).finally(() => db.close());
}

/** A write to it, also beside a running server; the outcome says where it is. */
export async function written(
  { env, clock }: CliWorld,
  work: (parts: { db: Database; clock: Clock }) => Promise<Outcome>,
): Promise<Outcome> {
  const settings = readEnv(env);
  // Opening for writing would create a database where there is none.
  await (await openStorageForReading(settings)).close();
  const db = await openStorage(settings);
  return placed(settings, await onPresent(db, () => work({ db, clock })).finally(() => db.close()));
}

/**
 * What works on the tables of an older version works there. Throws Error that names the command that helps for what does not,
 * and DatabaseError.
 */
export async function onPresent<T>(db: Pick<Database, 'read'>, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isMissingName(error) && (await isOlder(db))) throw olderVersion(error);
    throw error;
  }
}

/** Throws Error for one of a newer version, and for one that has nothing of ours. */
export async function isOlder(db: Pick<Database, 'read'>): Promise<boolean> {
  const pending = await pendingMigrations(db, { counts: false });
  if (pending.length < migrations.length) return pending.length > 0;
  throw new Error(
    'This database has nothing of Tollgate in it: name the right one, or run `npx tollgate migrate` on an empty one',
  );
}

const olderVersion = (cause?: unknown): Error =>
  new Error('The database is of an older version: run `npx tollgate migrate` first', { cause });

/** The secrets of a database that this program knows whole. Throws Error for one of an older version, EnvironmentError. */
export async function presentCrypto(db: Database, key: MasterKeySource): Promise<Crypto> {
  if (await isOlder(db)) throw olderVersion();
  return openCrypto(db, await readMasterKey(key));
}

/** What the console's services are made of, for a command that does what the console does. */
export async function consoleParts({ env }: CliWorld, { db, clock }: { db: Database; clock: Clock }) {
  const crypto = await openCrypto(db, await readMasterKey(readEnv(env)));
  const parts = { db, clock, crypto, changes: { notify: () => undefined } };
  const settings = await createSettings({ ...parts, warn: () => undefined });
  return { ...parts, options: () => settings.current() };
}
