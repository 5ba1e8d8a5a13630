import type { Env } from '../env.ts';
import { readEnv } from '../env.ts';
import { openStorage, openStorageForReading } from '../main-storage.ts';
import { serverTools, stageBackup, stageRestore } from '../storage/backup.ts';
import { backupNotePath, writeBackupNote } from '../storage/backup-note.ts';
import { migrate } from '../storage/migrate.ts';
import { proofOf, proofTable } from './doctor.ts';
import { type CliWorld, type Outcome, UsageError } from './outcome.ts';
import { percentTold } from './progress.ts';

const keyAdvice = 'The master key is not in it: keep secret.key (or SECRET_KEY) at another place.';

/** Copies the embedded database into one file while a server runs on it, and proves the copy before it gets its name. */
export async function backupCommand(world: CliWorld, file: string): Promise<Outcome> {
  const env = readEnv(world.env);
  if (env.DATABASE_URL !== undefined) throw new UsageError(serverTools.backup);
  const staged = await stageBackup(env.DATA_DIR, file, percentTold(world, 'copied'));
  try {
    const proof = await proveCopy(world, env, staged.dataDir);
    if (!proof.ok) {
      const text = `${proofTable(proof)}\nNothing was written: what does not add up in the copy does not add up in the database.`;
      return { exitCode: 1, text, json: { ok: false, proof } };
    }
    const bytes = staged.finish();
    await writeBackupNote(backupNotePath(env.DATA_DIR), { madeMs: world.clock.nowMs(), bytes });
    const text = `${proofTable(proof)}\n${file} holds the database (${bytes} bytes). ${keyAdvice}`;
    return { exitCode: 0, text, json: { ok: true, file, bytes, proof } };
  } finally {
    staged.discard();
  }
}

/** Puts a backup in the place of the embedded database once it is brought up to date and proven. */
export async function restoreCommand(world: CliWorld, file: string, { force = false }: { force?: boolean }): Promise<Outcome> {
  const env = readEnv(world.env);
  if (env.DATABASE_URL !== undefined) throw new UsageError(serverTools.restore);
  const stamp = new Date(world.clock.nowMs()).toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const staged = await stageRestore({
    ...{ source: file, dataDir: env.DATA_DIR, force, stamp },
    progress: percentTold(world, 'copied'),
  });
  try {
    const applied = await bringUpToDate(world, env, staged.dataDir);
    const proof = await proveCopy(world, env, staged.dataDir);
    if (!proof.ok) {
      const text = `${proofTable(proof)}\nNothing was changed. Receipts that are forged mean that this is not the master key of the backup.`;
      return { exitCode: 1, text, json: { ok: false, proof } };
    }
    const old = staged.finish();
    const aside = old === undefined ? '' : `\nThe database that was there is ${old} now.`;
    const text = `${proofTable(proof)}\n${file} is the database of ${env.DATA_DIR} now.${aside}`;
    return { exitCode: 0, text, json: { ok: true, replaced: old ?? null, applied, proof } };
  } finally {
    staged.discard();
  }
}

async function bringUpToDate({ clock }: CliWorld, env: Env, dataDir: string): Promise<string[]> {
  const db = await openStorage({ ...env, DATA_DIR: dataDir }, clock);
  return migrate(db).finally(() => db.close());
}

/** With the key of the data folder, not of the copy's. */
async function proveCopy(world: CliWorld, env: Env, dataDir: string) {
  const db = await openStorageForReading({ ...env, DATA_DIR: dataDir }, world.clock);
  return proofOf(db, env, world.clock).finally(() => db.close());
}
