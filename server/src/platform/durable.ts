import { randomBytes } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, linkSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';

/** What was written to a file is on disk when this returns. Windows flushes only what was opened for writing. */
export function syncFile(path: string): void {
  syncAs(path, 'r+');
}

/** The same for the names in a folder: a new one is durable only with it. Windows cannot open folders and does not need it. */
export function syncFolder(path: string): void {
  if (foldersAreSynced()) syncAs(path, 'r');
}

type Open = (path: string, flags: string) => Promise<FileHandle>;

/** `syncFolder` that holds up nobody. `open`: tests have disks that fail. */
export async function syncFolderAside(path: string, open: Open): Promise<void> {
  if (!foldersAreSynced()) return;
  const folder = await open(path, 'r');
  await folder.sync().finally(() => folder.close());
}

const foldersAreSynced = (): boolean => process.platform !== 'win32';

/** Writes what its owner alone may read (0600): under its name there is the whole of it on disk, or what was there before. */
export function replaceFile(path: string, text: string): void {
  viaDraft(path, text, (draft) => renameSync(draft, path));
}

/** The same for a file that must be new: of several who make it at once one does, and what is there stays. */
export function createFile(path: string, text: string): void {
  viaDraft(path, text, (draft) => {
    try {
      nameFile(draft, path);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  });
}

/** Gives a file that is on disk its name, in the same file system, at no moment to an empty one. Throws when there is a file of that name. */
export function nameFile(draft: string, path: string): void {
  try {
    linkSync(draft, path);
  } catch (error) {
    if (existsSync(path)) throw error;
    // Not every file system has links.
    renameSync(draft, path);
  }
  rmSync(draft, { force: true });
}

function viaDraft(path: string, text: string, publish: (draft: string) => void): void {
  const draft = `${path}.${randomBytes(6).toString('hex')}.draft`;
  try {
    const handle = openSync(draft, 'wx', 0o600);
    try {
      writeFileSync(handle, text);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    publish(draft);
  } catch (error) {
    throw new Error(`${path} cannot be written: ${(error as Error).message}`, { cause: error });
  } finally {
    rmSync(draft, { force: true });
  }
  syncFolder(dirname(path));
}

function syncAs(path: string, flags: 'r' | 'r+'): void {
  const handle = openSync(path, flags);
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
