import { constants } from 'node:fs';
import Sqlite from 'better-sqlite3';
import { accessUnlessMissing } from '../platform/data-folder.ts';

/**
 * Locks a file, which is made where it is missing, until it is released or the process has ended, however it ended: the
 * runtime has no such lock of its own, the embedded database's is one of the operating system. Undefined = another process, or
 * this one, has it. Throws where the file cannot be locked at all.
 */
export function lockFile(path: string): { release(): void } | undefined {
  // One that may only be read is opened all the same, and locks nobody out.
  accessUnlessMissing(path, constants.R_OK | constants.W_OK);
  const file = new Sqlite(path, { timeout: 0 });
  try {
    file.exec('BEGIN EXCLUSIVE');
    return { release: () => void file.close() };
  } catch (error) {
    file.close();
    if (error instanceof Sqlite.SqliteError && error.code.startsWith('SQLITE_BUSY')) return undefined;
    throw error;
  }
}
