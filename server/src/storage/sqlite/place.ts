import { existsSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { DatabaseError } from '../errors.ts';

/** Where the embedded database lies in a data folder. */
export const databaseFile = (dataDir: string): string => join(dataDir, 'tollgate.db');

/** The database that a data folder holds. Throws DatabaseError when there is none. */
export function presentDatabase(dataDir: string): string {
  const file = databaseFile(dataDir);
  if (existsSync(file)) return file;
  throw new DatabaseError(
    'unavailable',
    'SQLITE_CANTOPEN',
    `There is no database in ${dataDir}: name the server's DATA_DIR (or DATABASE_URL)`,
  );
}

/** What stands beside a database that somebody has open, or that was not closed. */
export const companions = ['-wal', '-shm', '-journal'] as const;

const replaced = '.replaced-';

/** Where a restore moves the database that was there. */
export const replacedFile = (place: string, stamp: string): string => `${place}${replaced}${stamp}`;

/**
 * Throws DatabaseError when there is no database, but what is left of one: a restore was killed between its renames, or
 * somebody moved the file alone. An empty database in its place would look like the loss of everything.
 */
export function refuseLost(dataDir: string): void {
  const place = databaseFile(dataDir);
  if (existsSync(place) || !existsSync(dataDir)) return;
  const own = basename(place);
  const names = readdirSync(dataDir).toSorted();
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

function wayBack(own: string, old: string | undefined, names: readonly string[]): string {
  if (old === undefined) return `Put the ${own} back that the journal belongs to, or restore a backup`;
  const ending = old.slice(own.length);
  const renames = names.filter((name) => name.includes(ending)).map((name) => `${name} to ${name.replace(ending, '')}`);
  return `To have the database of before again, rename ${renames.join(', ')}; then start, or restore again`;
}
