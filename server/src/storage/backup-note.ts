import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What the data folder remembers of the last backup. */
export interface BackupNote {
  readonly madeMs: number;
  readonly bytes: number;
}

export const backupNotePath = (dataDir: string): string => join(dataDir, 'last-backup.json');

/** Undefined when there is none, or none that can be read. */
export async function readBackupNote(path: string): Promise<BackupNote | undefined> {
  const text = await readFile(path, 'utf8').catch(() => '');
  try {
    const { madeMs, bytes } = JSON.parse(text) as Partial<BackupNote>;
    return Number.isSafeInteger(madeMs) && Number.isSafeInteger(bytes)
      ? { madeMs: Number(madeMs), bytes: Number(bytes) }
      : undefined;
  } catch {
    return undefined;
  }
}

/** Best effort: a backup is good without it. */
export async function writeBackupNote(path: string, note: BackupNote): Promise<void> {
  await writeFile(path, `${JSON.stringify(note)}\n`, { mode: 0o600 }).catch(() => undefined);
}
