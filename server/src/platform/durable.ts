import { closeSync, fsyncSync, openSync } from 'node:fs';
import { type FileHandle, open as openOnDisk } from 'node:fs/promises';

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
export async function syncFolderAside(path: string, open: Open = openOnDisk): Promise<void> {
  if (!foldersAreSynced()) return;
  const folder = await open(path, 'r');
  await folder.sync().finally(() => folder.close());
}

const foldersAreSynced = (): boolean => process.platform !== 'win32';

function syncAs(path: string, flags: 'r' | 'r+'): void {
  const handle = openSync(path, flags);
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
