import { constants, existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { accessUnlessMissing } from '../../platform/data-folder.ts';
import { DatabaseError } from '../errors.ts';

const ownName = 'tollgate.db';

/** Where the embedded database lies in a data folder. */
export const databaseFile = (dataDir: string): string => join(dataDir, ownName);

/** The database that a data folder holds. Throws DatabaseError when there is none, or none that may be read. */
export function presentDatabase(dataDir: string): string {
  const file = databaseFile(dataDir);
  if (isReadable(file)) return file;
  throw new DatabaseError(
    'unavailable',
    'SQLITE_CANTOPEN',
    `There is no database in ${dataDir}: name the server's DATA_DIR (or DATABASE_URL)`,
  );
}

function isReadable(file: string): boolean {
  try {
    return accessUnlessMissing(file, constants.R_OK);
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    if (code === 'ENOTDIR') return false;
    throw new DatabaseError('unavailable', code, `The database cannot be read: ${message}. Run this as the server's user`, error);
  }
}

/** What stands beside a database that somebody has open, or that was not closed. */
export const companions = ['-wal', '-shm', '-journal'] as const;

/** Names in a data folder of what the embedded database may consist of. */
export const databaseFiles: readonly string[] = ['', ...companions].map((ending) => ownName + ending);

const replaced = '.replaced-';

/** Where a restore moves the database that was there. */
export const replacedFile = (place: string, stamp: string): string => `${place}${replaced}${stamp}`;

/**
 * Throws DatabaseError when there is no database, but what is left of one: a restore was killed between its renames, or
 * somebody moved the file alone. An empty database in its place would look like the loss of everything.
 */
export function refuseLost(dataDir: string): void {
  const place = databaseFile(dataDir);
  const own = basename(place);
  const names = namesIn(dataDir);
  if (existsSync(place) || names.includes(own)) return;
  const old = names
    .filter((name) => name.startsWith(own + replaced) && !companions.some((ending) => name.endsWith(ending)))
    .at(-1);
  const journal = names.find((name) => name === `${own}-wal` || name === `${own}-journal`);
  const found = [old, journal].filter((name) => name !== undefined);
  if (found.length === 0) return;
  const text =
    `There is no ${own} in ${dataDir}, but ${found.join(' and ')}, as after a restore that was cut off. ` +
    `${wayBack(own, old, names)}. To begin an empty database there, move what is left to another folder`;
  throw new DatabaseError('unavailable', '', text);
}

/** None of what is no folder, or may not be read: whoever opens the database in it says so. */
function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).toSorted();
  } catch {
    return [];
  }
}

function wayBack(own: string, old: string | undefined, names: readonly string[]): string {
  if (old === undefined) return `Put the ${own} back that the journal belongs to, or restore a backup`;
  const ending = old.slice(own.length);
  const renames = names.filter((name) => name.includes(ending)).map((name) => `${name} to ${name.replace(ending, '')}`);
  return `To have the database of before again, rename ${renames.join(', ')}; then start, or restore again`;
}

/** What to do about a file that cannot be used, by the beginning of SQLite's code. */
const advice: readonly [code: RegExp, text: string][] = [
  [/^SQLITE_(NOTADB|CORRUPT)/, 'is damaged, or no database: go back to a backup (npx tollgate restore --from <file> --force)'],
  [
    /^SQLITE_(READONLY|CANTOPEN|PERM|IOERR)/,
    'and its folder must be there, on a disk that works and has room, and belong to the user that runs this, who reads and writes both',
  ],
  [/^SQLITE_FULL/, 'has no room on its disk: make some'],
];

const noTemporaryRoom =
  '. What is sorted on the way has no room on the disk of temporary files: make some there (/var/tmp or /tmp), or let SQLITE_TMPDIR name another folder';

/** "" = none. `code`: SQLite's. `onlyReads`: whoever met it writes nothing into the file. */
export function adviceOn(code: string, file: string, onlyReads = false): string {
  if (onlyReads && code === 'SQLITE_FULL') return noTemporaryRoom;
  const text = advice.find(([codes]) => codes.test(code))?.[1];
  return text === undefined ? '' : `. ${file} ${text}`;
}
