import { accessSync, constants, existsSync, renameSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { useDataFolder } from '../../platform/data-folder.ts';
import { nameFile, syncFolder } from '../../platform/durable.ts';
import { DatabaseError } from '../errors.ts';
import { attemptSqlite, type CopyProgress, claimSqlite, copySqlite, openSqliteFile, openStage, sealSqlite } from './copy.ts';
import { companions, databaseFile, presentDatabase, replacedFile } from './place.ts';

/** A copy of a database that is not yet in its place. `dataDir` can be opened like any other data folder. */
export interface StagedCopy {
  readonly dataDir: string;
  /** Removes what is left of it. */
  discard(): void;
}

/** A backup on its way to `target`. */
export interface StagedBackup extends StagedCopy {
  /** Gives it its name; returns its bytes. Throws when there is a file of this name by now. */
  finish(): number;
}

/** A backup on its way into the data folder. */
export interface StagedRestore extends StagedCopy {
  /**
   * Puts it in the database's place; returns where the old one lies now. `between`: what goes with the old one, done while
   * there is none, when no server starts. Throws DatabaseError when a server started meanwhile.
   */
  finish(between: () => void): string | undefined;
}

/** Copies the database of `dataDir` beside `target`, whoever writes to it. Throws DatabaseError, and Error when there is a `target`. */
export async function stageBackup(
  dataDir: string,
  target: string,
  progress: CopyProgress,
  prefix = '.tollgate-backup-',
): Promise<StagedBackup> {
  const file = resolve(target);
  refuseExisting(file);
  const source = presentDatabase(dataDir);
  refuseUnwritable(dirname(file));
  const staged = await stage(dirname(file), prefix, source, progress);
  return {
    ...staged,
    finish() {
      sealSqlite(databaseFile(staged.dataDir));
      refuseExisting(file);
      nameFile(databaseFile(staged.dataDir), file);
      syncFolder(dirname(file));
      return statSync(file).size;
    },
  };
}

interface RestoreOptions {
  readonly source: string;
  readonly dataDir: string;
  /** Moves a database that is there aside. */
  readonly force: boolean;
  /** For the name of the one moved aside. */
  readonly stamp: string;
  readonly progress: CopyProgress;
}

/** Copies a backup into the data folder, beside the database. Throws DatabaseError while a server runs there, and Error when there is a database and no `force`. */
export async function stageRestore({ source, dataDir, force, stamp, progress }: RestoreOptions): Promise<StagedRestore> {
  const file = resolve(source);
  const place = databaseFile(dataDir);
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory() !== false) throw new Error(`There is no file ${file}`);
  if (file === resolve(place)) throw new Error(`${file} is the database itself`);
  claimPlace(dataDir, force)();
  useDataFolder(dataDir);
  const staged = await stage(dataDir, '.restore-', file, progress);
  try {
    refuseForeign(databaseFile(staged.dataDir), file);
  } catch (error) {
    staged.discard();
    throw told(error, file, dataDir);
  }
  return {
    ...staged,
    finish(between) {
      sealSqlite(databaseFile(staged.dataDir));
      const release = claimPlace(dataDir, force);
      try {
        const old = moveAside(place, replacedFile(place, stamp));
        between();
        renameSync(databaseFile(staged.dataDir), place);
        syncFolder(dataDir);
        return old;
      } finally {
        release();
      }
    },
  };
}

/** What a copy takes, with what still stands in the journal. */
export function databaseBytes(dataDir: string): number {
  const files = ['', ...companions].map((ending) => databaseFile(dataDir) + ending);
  return files.reduce((sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0), 0);
}

/** Whether nothing was charged, moved, logged or set since the copy was made; false also when it cannot be read. */
export function isAsCopied(copy: string, dataDir: string): boolean {
  try {
    return lastNumbers(copy) === lastNumbers(databaseFile(dataDir));
  } catch {
    return false;
  }
}

function lastNumbers(file: string): string {
  const db = openSqliteFile(file, { readonly: true });
  try {
    const sql = "SELECT name, seq FROM sqlite_sequence WHERE name IN ('change', 'log', 'transfer') ORDER BY name";
    return JSON.stringify(db.prepare(sql).all());
  } finally {
    db.close();
  }
}

function refuseExisting(file: string): void {
  const found = statSync(file, { throwIfNoEntry: false });
  if (found?.isDirectory()) throw new Error(`${file} is a folder: name a file in it`);
  if (found !== undefined) throw new Error(`${file} exists; a backup replaces nothing`);
}

function refuseUnwritable(folder: string): void {
  if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true) throw new Error(`There is no folder ${folder}`);
  try {
    accessSync(folder, constants.W_OK | constants.X_OK);
  } catch (error) {
    const { message } = error as Error;
    throw new Error(`${folder} cannot be written: ${message}. Let the user of this command write there, or name another folder`);
  }
}

/** Throws DatabaseError, kind `busy`, while somebody has the database open. */
export function refuseRunningServer(dataDir: string): void {
  claimPlace(dataDir, true)();
}

/** Nobody has the database open, or there is none. */
function claimPlace(dataDir: string, force: boolean): () => void {
  if (!existsSync(databaseFile(dataDir))) return () => undefined;
  if (!force) throw new Error(`There is a database in ${dataDir}; with --force it is moved aside`);
  try {
    const claimed = claimSqlite(dataDir);
    return () => void claimed.close();
  } catch (error) {
    if (!(error instanceof DatabaseError) || error.kind === 'busy') throw error;
    // Damaged: that may be why somebody restores.
    return () => undefined;
  }
}

/** An empty file would be migrated and proven like any other, and be nothing. */
function refuseForeign(copy: string, source: string): void {
  const db = openSqliteFile(copy, { readonly: true });
  try {
    const sql = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'migration'";
    if (attemptSqlite(() => db.prepare(sql).get()) !== undefined) return;
  } finally {
    db.close();
  }
  throw new Error(`${source} is no backup: no server ever made a database of it`);
}

/**
 * A journal that stayed would be played into the database that comes; one that went first would be missing from the
 * database when the rest is never done (see `refuseLost`).
 */
function moveAside(place: string, old: string): string | undefined {
  const present = ['', ...companions].filter((ending) => existsSync(place + ending));
  for (const ending of present) if (existsSync(old + ending)) throw new Error(`${old + ending} exists`);
  for (const ending of present) renameSync(place + ending, old + ending);
  return present.length === 0 ? undefined : old;
}

async function stage(parent: string, prefix: string, source: string, progress: CopyProgress): Promise<StagedCopy> {
  const { folder: dataDir, discard } = openStage(parent, prefix);
  try {
    await copySqlite(source, databaseFile(dataDir), progress);
    return { dataDir, discard };
  } catch (error) {
    discard();
    throw told(error, source, parent);
  }
}

const advices: readonly (readonly [RegExp, string])[] = [
  [/^SQLITE_(CORRUPT|NOTADB)/, 'It is damaged, or no database: take an earlier backup'],
  [/^SQLITE_FULL/, 'Make room there'],
  [/^SQLITE_(CANTOPEN|READONLY|PERM)/, "Run this as the server's user, who reads and writes in both places"],
  [/^/, 'Nothing was changed'],
];

/** SQLite's own words name neither the file nor what to do. */
function told(error: unknown, source: string, parent: string): unknown {
  if (!(error instanceof DatabaseError)) return error;
  const { kind, code, message, cause } = error;
  const advice = advices.find(([form]) => form.test(code))?.[1];
  return new DatabaseError(kind, code, `${source} could not be copied into ${parent}: ${message}. ${advice}`, cause);
}
