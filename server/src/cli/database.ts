import { type Env, readEnv } from '../env.ts';
import { openStorage, openStorageForReading } from '../main-storage.ts';
import type { Clock } from '../platform/clock.ts';
import type { Crypto } from '../platform/crypto.ts';
import { type MasterKeySource, readMasterKey } from '../platform/master-key.ts';
import { createSettings } from '../settings/index.ts';
import type { Database } from '../storage/database.ts';
import { openCrypto } from '../storage/master.ts';
import { pendingMigrations } from '../storage/migrate.ts';
import { type CliWorld, type Outcome, placed } from './outcome.ts';

/** A look at the database that the environment names, also beside a running server. */
export async function lookedAt(world: CliWorld, work: (db: Database, env: Env) => Promise<Outcome>): Promise<Outcome> {
  const env = readEnv(world.env);
  const db = await openStorageForReading(env, world.clock);
  return work(db, env).finally(() => db.close());
}

/** A write to it, also beside a running server; the outcome says where it is. */
export async function written(
  { env, clock }: CliWorld,
  work: (parts: { db: Database; clock: Clock }) => Promise<Outcome>,
): Promise<Outcome> {
  const settings = readEnv(env);
  // Opening for writing would create a database where there is none.
  await (await openStorageForReading(settings, clock)).close();
  const db = await openStorage(settings, clock);
  return placed(settings, await work({ db, clock }).finally(() => db.close()));
}

/** The secrets of a database that this program knows whole. Throws Error for one of an older version, EnvironmentError. */
export async function presentCrypto(db: Database, key: MasterKeySource): Promise<Crypto> {
  const pending = await pendingMigrations(db);
  if (pending.length > 0) throw new Error('The database is of an older version: run `npx tollgate migrate` first');
  return openCrypto(db, await readMasterKey(key));
}

/** What the console's services are made of, for a command that does what the console does. */
export async function consoleParts({ env }: CliWorld, { db, clock }: { db: Database; clock: Clock }) {
  const crypto = await openCrypto(db, await readMasterKey(readEnv(env)));
  const parts = { db, clock, crypto, changes: { notify: () => undefined } };
  const settings = await createSettings({ ...parts, warn: () => undefined });
  return { ...parts, options: () => settings.current() };
}
