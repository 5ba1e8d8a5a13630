import { accessSync, constants, mkdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { EnvironmentError } from '../env.ts';

const { R_OK, W_OK, X_OK } = constants;

const unmounted = 'See that its disk is mounted, and for writing, or name another folder';
const advices: Readonly<Record<string, string>> = {
  EEXIST: 'Name a folder',
  ENOTDIR: 'Name a folder',
  EROFS: unmounted,
  // What Node makes of it for a folder that is to be made.
  ENOENT: unmounted,
  ENOSPC: 'Make room on its disk, or name another folder',
};
const usualAdvice =
  'Let the user of this process read and write the folder and all in it (chown -R, chmod -R u+rwX), or name another folder';

/**
 * Makes the data folder where it is missing; returns whether it was. Throws EnvironmentError when it, or one of `names` in it
 * that is there, cannot be read and written: the embedded engine opens such a file all the same, and fails at the first write.
 */
export function useDataFolder(dataDir: string, names: readonly string[] = []): boolean {
  const folder = resolve(dataDir);
  try {
    const isNew = mkdirSync(folder, { recursive: true, mode: 0o700 }) !== undefined;
    accessSync(folder, R_OK | W_OK | X_OK);
    for (const name of names) accessUnlessMissing(join(folder, name), R_OK | W_OK);
    return isNew;
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    throw new EnvironmentError([`DATA_DIR, which is ${folder}, cannot be used: ${message}. ${advices[code] ?? usualAdvice}`]);
  }
}

/** False = there is no such file. Throws when there is one that may not be used so. */
export function accessUnlessMissing(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false;
    throw error;
  }
}
