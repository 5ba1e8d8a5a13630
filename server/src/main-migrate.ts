import { createRequire } from 'node:module';
import { proveLedger } from './billing/index.ts';
import type { Env } from './env.ts';
import { openStorageForReading } from './main-storage.ts';
import type { Clock } from './platform/clock.ts';
import { inMebibytes, lackOfRoom, reservedBytes } from './platform/disk-guard.ts';
import { readMasterKey } from './platform/master-key.ts';
import { databaseBytes, isAsCopied, stageBackup } from './storage/backup.ts';
import { type CopyFolder, openCopyFolder } from './storage/copy-folder.ts';
import type { Database } from './storage/database.ts';
import { openCrypto } from './storage/master.ts';
import { migrate, pendingMigrations } from './storage/migrate.ts';
import { type Migration, migrations } from './storage/migrations/index.ts';
import { percentTold } from './storage/progress.ts';

export const { version } = createRequire(import.meta.url)('../package.json') as { version: string };

interface Parts {
  readonly db: Database;
  readonly env: Env;
  readonly clock: Clock;
  /** One sentence each. */
  readonly log: { info(text: string): void; warn(text: string): void };
  /** What there is to apply, for tests of an upgrade. */
  readonly known?: readonly Migration[];
}

/** What a start may take to recompute. */
const maxReceipts = 100_000;

/**
 * Brings the database up to date; an embedded one with data is copied before, so that there is a way back from whatever
 * the migrations do. Returns what was applied, the copy if one was made, and whether there was no database. Throws when there is
 * no room for the copy.
 */
export async function bringUpToDate(parts: Parts): Promise<{ applied: string[]; backup: string | null; isNew: boolean }> {
  const { db, log, known = migrations } = parts;
  const pending = await pendingMigrations(db, { known, counts: false });
  const isNew = pending.length === known.length;
  if (pending.length === 0 || isNew) return { applied: await migrate(db, known), backup: null, isNew };
  const guard = db.engine === 'sqlite' ? await copyBefore(parts) : undefined;
  if (guard === undefined) log.info('The database has data and no copy is made of it here: going back needs your own backup.');
  log.info(`Migrations to apply: ${pending.map(({ name }) => name).join(', ')}`);
  const applied = await migrate(db, known);
  guard?.folder.done();
  log.info('The migrations are applied.');
  return { applied, backup: guard?.file ?? null, isNew };
}

/** Undefined: the environment wants none. */
async function copyBefore(parts: Parts): Promise<{ folder: CopyFolder; file: string } | undefined> {
  const { env, clock, log } = parts;
  if (env.MIGRATION_BACKUP_DIR === 'off') return undefined;
  const folder = openCopyFolder({ env, version, nowMs: clock.nowMs() });
  // The version before may have been started again, and have served calls.
  const file = folder.unfinished().find((copy) => isAsCopied(copy, env.DATA_DIR)) ?? (await makeCopy(parts, folder));
  log.info(
    `The database as it was before is ${file}. To go back: stop the server, install the version before, ` +
      `and with it: npx tollgate restore --from ${file} --force`,
  );
  return { folder, file };
}

async function makeCopy({ env, clock, log }: Parts, folder: CopyFolder): Promise<string> {
  const bytes = databaseBytes(env.DATA_DIR);
  await refuseFullDisk(env, folder, bytes);
  const startedMs = clock.monotonicMs();
  log.info(
    `The database (${inMebibytes(bytes)}) is copied to ${folder.path} before it is migrated; this takes as long as the disk does.`,
  );
  const told = percentTold((line) => log.info(line));
  const staged = await stageBackup(env.DATA_DIR, folder.next, told, folder.prefix);
  try {
    log.info('The copy is complete; its books and then each of its pages are looked at.');
    await tellProof(env, clock, log, staged.dataDir);
    staged.finish();
  } finally {
    staged.discard();
  }
  log.info(`The copy was made in ${Math.ceil((clock.monotonicMs() - startedMs) / 1000)} s.`);
  folder.made();
  return folder.next;
}

/** After the copy there must still be the room that calls need: a full disk in the middle of a migration is no way forward. */
async function refuseFullDisk(env: Env, { path: folder, space }: CopyFolder, bytes: number): Promise<void> {
  const { free, total } = await space();
  const reserve = reservedBytes({ megabytes: env.DISK_RESERVE_MB, percent: env.DISK_RESERVE_PERCENT }, total);
  const lack = lackOfRoom({ bytes, free, reserve, folder });
  if (lack === undefined) return;
  throw new Error(
    `There is no room for the copy of the database that is made before a migration: ${lack}. ` +
      'Nothing was changed. Make room, or set MIGRATION_BACKUP_DIR to a folder on another disk, ' +
      'or make a backup of your own (npx tollgate backup --to <file>) and set MIGRATION_BACKUP_DIR=off for this start.',
  );
}

/** A copy of books that do not add up is kept all the same: the start must go on, and the way back is to that very state. */
async function tellProof(env: Env, clock: Clock, log: Parts['log'], dataDir: string): Promise<void> {
  try {
    const db = await openStorageForReading({ ...env, DATA_DIR: dataDir });
    const proof = await proveCopy(db, env, clock).finally(() => db.close());
    const wrong = proof.checks
      .filter(({ ok }) => !ok)
      .map((check) => `${check.name} (${check.first_difference ?? check.detail})`);
    if (!proof.ok) log.warn(`The books did not add up before the migration already: ${wrong.join(', ')}`);
  } catch (error) {
    // Its tables are those of the version before.
    log.info(`The ledger of the copy is proven when it is restored; this version cannot read it yet (${String(error)}).`);
  }
}

async function proveCopy(db: Database, env: Env, clock: Clock) {
  const crypto = await openCrypto(db, await readMasterKey(env));
  return proveLedger({ db, clock, sign: (text) => crypto.hmac('receipt', text), maxReceipts });
}
