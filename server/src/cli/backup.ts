import { existsSync, renameSync } from 'node:fs';
import { stat, statfs } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import type { LedgerProof } from '@tollgate/contract';
import { filledOutboxes } from '../billing/index.ts';
import { type Env, readEnv } from '../env.ts';
import { openStorage, openStorageForReading } from '../main-storage.ts';
import { lackOfRoom, reservedBytes } from '../platform/disk-guard.ts';
import { databaseBytes, databasePath, refuseRunningServer, serverTools, stageBackup, stageRestore } from '../storage/backup.ts';
import { backupNotePath, writeBackupNote } from '../storage/backup-note.ts';
import { stampOf } from '../storage/copy-folder.ts';
import { DatabaseError, isMissingName } from '../storage/errors.ts';
import { lockFile } from '../storage/file-lock.ts';
import { migrate } from '../storage/migrate.ts';
import { percentTold } from '../storage/progress.ts';
import { gatherStatistics } from '../storage/statistics.ts';
import { isOlder, written } from './database.ts';
import { proofOf, proofTable } from './doctor.ts';
import {
  lastMoment,
  listOrders,
  type OrderInDoubt,
  ordersText,
  unknownOrders,
  type Voided,
  voidedText,
  voidOldEpoch,
} from './new-epoch.ts';
import { type CliWorld, type Outcome, placed, UsageError } from './outcome.ts';

const keyAdvice = 'The master key is not in it: keep secret.key (or SECRET_KEY) in another place.';

const unprovenText =
  'The database is of an older version, whose books this one cannot read: each page was looked at, and the ledger is proven when it is restored.';

/** Copies the embedded database into one file while a server runs on it, and proves the copy before it gets its name. */
export async function backupCommand(world: CliWorld, file: string): Promise<Outcome> {
  const env = readEnv(world.env);
  if (env.DATABASE_URL !== undefined) throw new UsageError(serverTools.backup);
  await refuseFullDisk(env, dirname(resolve(file)));
  const staged = await stageBackup(
    env.DATA_DIR,
    file,
    percentTold((line) => world.err(`${line}\n`)),
  );
  try {
    const proof = await proveAsFarAsReadable(world, env, staged.dataDir);
    if (proof?.ok === false) {
      const text = `${proofTable(proof)}\nNothing was written: what does not add up in the copy does not add up in the database. How to keep it all the same: docs/runbook.md, "Books that do not add up".`;
      return placed(env, { exitCode: 1, text, json: { ok: false, proof } });
    }
    const bytes = staged.finish();
    await writeBackupNote(backupNotePath(env.DATA_DIR), { madeMs: world.clock.nowMs(), bytes });
    const proofText = proof === undefined ? unprovenText : proofTable(proof);
    const text = `${proofText}\n${file} holds the database (${bytes} bytes). ${keyAdvice}`;
    return placed(env, { exitCode: 0, text, json: { ok: true, file, bytes, proof: proof ?? null } });
  } finally {
    staged.discard();
  }
}

/** A copy on the disk of the database must leave the room that calls need: a server that runs there would refuse them meanwhile. */
async function refuseFullDisk(env: Env, folder: string): Promise<void> {
  const [disk, own, other] = await Promise.all([statfs(folder), stat(env.DATA_DIR), stat(folder)]).catch(() => []);
  // What cannot be looked at is told by the copy.
  if (disk === undefined) return;
  const limits = { megabytes: env.DISK_RESERVE_MB, percent: env.DISK_RESERVE_PERCENT };
  const reserve = own.dev === other.dev ? reservedBytes(limits, disk.blocks * disk.bsize) : 0;
  const lack = lackOfRoom({ bytes: databaseBytes(env.DATA_DIR), free: disk.bavail * disk.bsize, reserve, folder });
  if (lack === undefined) return;
  throw new Error(`There is no room for the backup: ${lack}. Make room, or name a file on another disk`);
}

/** Puts a backup in the place of the embedded database once it is brought up to date and proven. */
export async function restoreCommand(world: CliWorld, file: string, { force = false }: { force?: boolean }): Promise<Outcome> {
  const env = readEnv(world.env);
  if (env.DATABASE_URL !== undefined) throw new UsageError(serverTools.restore);
  const release = lockServer(env.DATA_DIR);
  return restoreAlone(world, env, file, force).finally(release);
}

async function restoreAlone(world: CliWorld, env: Env, file: string, force: boolean): Promise<Outcome> {
  const stamp = stampOf(world.clock.nowMs());
  const staged = await stageRestore({
    ...{ source: file, dataDir: env.DATA_DIR, force, stamp },
    progress: percentTold((line) => world.err(`${line}\n`)),
  });
  try {
    const applied = await bringUpToDate(env, staged.dataDir);
    const proof = await proveCopy(world, env, staged.dataDir);
    if (!proof.ok) {
      const text = `${proofTable(proof)}\nNothing was changed. Receipts that are forged mean that this is not the master key of the backup.`;
      return { exitCode: 1, text, json: { ok: false, proof } };
    }
    const epoch = await beginEpoch(world, env, staged.dataDir);
    let outboxes: readonly string[] = [];
    const old = staged.finish(() => {
      outboxes = setAside(env.DATA_DIR, stamp);
    });
    const aside = old === undefined ? '' : `\nThe database that was there is ${old} now.`;
    const text = `${proofTable(proof)}\n${file} is the database of ${env.DATA_DIR} now.${aside}${leftText(outboxes)}\n${epochText(epoch)}`;
    return placed(env, { exitCode: 0, text, json: { ok: true, replaced: old ?? null, outboxes, applied, ...epoch, proof } });
  } catch (error) {
    throw ofBackup(error, file);
  } finally {
    staged.discard();
  }
}

/** What is found in the copy on the way is the backup's. */
function ofBackup(error: unknown, file: string): unknown {
  if (!(error instanceof DatabaseError) || !/^SQLITE_(CORRUPT|NOTADB)/.test(error.code)) return error;
  const [fault] = error.message.split(/[.\n]/);
  return new Error(`${file} is damaged (${fault}): take an earlier backup. Nothing was changed`, { cause: error });
}

const leftText = (outboxes: readonly string[]): string =>
  outboxes.map((name) => `\nCharges of the database that was there are not booked here: ${name}.`).join('');

async function bringUpToDate(env: Env, dataDir: string): Promise<string[]> {
  const db = await openStorage({ ...env, DATA_DIR: dataDir });
  return migrate(db).finally(() => db.close());
}

/** What a database that was restored by other tools needs before a server runs on it. */
export async function afterRestoreCommand(world: CliWorld): Promise<Outcome> {
  const env = readEnv(world.env);
  if (env.DATABASE_URL === undefined) refuseRunningServer(env.DATA_DIR);
  const release = lockOutboxes(env.DATA_DIR);
  return written(world, async (parts) => {
    await gatherStatistics(parts.db);
    const epoch: Epoch = { voided: await voidOldEpoch(parts), pending: await listOrders(parts.db), lost: [] };
    const outboxes = setAside(env.DATA_DIR, stampOf(world.clock.nowMs()));
    return { exitCode: 0, text: `${epochText(epoch)}${leftText(outboxes)}`, json: { ...epoch, outboxes } };
  }).finally(release);
}

interface Epoch {
  readonly voided: Voided;
  /** They were open when the backup was made, and may have been paid since. */
  readonly pending: readonly OrderInDoubt[];
  /** Of the time since the backup, as the database that is replaced knows them; undefined = it cannot be read. */
  readonly lost: readonly OrderInDoubt[] | undefined;
}

async function beginEpoch({ clock }: CliWorld, env: Env, dataDir: string): Promise<Epoch> {
  const db = await openStorage({ ...env, DATA_DIR: dataDir });
  try {
    const since = await lostOrders(env, await lastMoment(db));
    const lost = since && (await unknownOrders(db, since));
    return { pending: await listOrders(db), lost, voided: await voidOldEpoch({ db, clock }) };
  } finally {
    await db.close();
  }
}

/** What the replaced database knows and the backup does not. It may be damaged, or not be there. */
async function lostOrders(env: Env, since: number): Promise<OrderInDoubt[] | undefined> {
  if (!existsSync(databasePath(env.DATA_DIR))) return [];
  try {
    const old = await openStorageForReading(env);
    return await listOrders(old, since).finally(() => old.close());
  } catch {
    return undefined;
  }
}

function epochText({ voided, pending, lost }: Epoch): string {
  const unknown = '\nThe database that was there cannot be read: look for orders since the backup at the payment service.';
  return [
    voidedText(voided),
    ordersText(pending, 'Orders that were open when the backup was made; look at the payment service whether they were paid:'),
    lost === undefined
      ? unknown
      : ordersText(lost, 'Orders that were made or paid since the backup and are not known here any more:'),
  ].join('');
}

/** A server has it as long as it runs, also on a database that is damaged. Returns how it is given back; throws while one runs. */
function lockServer(dataDir: string): () => void {
  const file = join(dataDir, 'outbox.lock');
  if (!existsSync(file)) return () => undefined;
  const lock = lockFile(file);
  if (lock === undefined) throw new Error(`A server runs on ${dataDir}: stop it first`);
  return lock.release;
}

/** Returns how they are given back. Throws while their server runs, which would write on into what is set aside. */
function lockOutboxes(dataDir: string): () => void {
  const locks = filledOutboxes(dataDir).map((name) => lockFile(join(dataDir, `${name}.lock`)));
  const release = () => {
    for (const lock of locks) lock?.release();
  };
  if (!locks.includes(undefined)) return release;
  release();
  throw new Error(`A server runs on ${dataDir}: stop it first`);
}

/** What waited for the old database is never booked into the new one. Returns the names that they have now. */
function setAside(dataDir: string, stamp: string): string[] {
  return filledOutboxes(dataDir).map((name) => {
    const aside = join(dataDir, `${name}.replaced-${stamp}`);
    renameSync(join(dataDir, name), aside);
    return aside;
  });
}

/** With the key of the data folder, not of the copy's. */
async function proveCopy(world: CliWorld, env: Env, dataDir: string): Promise<LedgerProof> {
  const db = await openStorageForReading({ ...env, DATA_DIR: dataDir });
  return proofOf(db, env, world.clock).finally(() => db.close());
}

/** Undefined: a backup is wanted before the migrations, which bring the tables that the proof reads. */
async function proveAsFarAsReadable(world: CliWorld, env: Env, dataDir: string): Promise<LedgerProof | undefined> {
  try {
    return await proveCopy(world, env, dataDir);
  } catch (error) {
    if (!isMissingName(error)) throw error;
    const db = await openStorageForReading({ ...env, DATA_DIR: dataDir });
    if (await isOlder(db).finally(() => db.close())) return undefined;
    throw error;
  }
}
