import { chmodSync, closeSync, lstatSync, mkdtempSync, openSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { syncFile } from '../../platform/durable.ts';
import { DatabaseError, sqliteKind } from '../errors.ts';
import { lockFile } from '../file-lock.ts';
import { databaseFile } from './place.ts';

/** Told between the batches of a copy. */
export type CopyProgress = (done: { copiedPages: number; totalPages: number }) => void;

const batchPages = 4096;
const busyMs = 5000;
const checkedKibibytes = 65_536;

/**
 * Copies a database as it is at this moment into a new file (0600), also while others write to it: the open read keeps
 * the moment, so that the copy never starts over. Throws DatabaseError.
 */
export async function copySqlite(from: string, to: string, progress: CopyProgress): Promise<void> {
  const source = attemptSqlite(() => openSqliteFile(from, { readonly: true }));
  try {
    attemptSqlite(() => {
      source.exec('BEGIN');
      source.prepare('SELECT COUNT(*) FROM sqlite_master').get();
    });
    closeSync(openSync(to, 'wx', 0o600));
    await source.backup(to, {
      progress: ({ totalPages, remainingPages }) => {
        progress({ copiedPages: totalPages - remainingPages, totalPages });
        return batchPages;
      },
    });
  } catch (error) {
    throw asDatabaseError(error);
  } finally {
    source.close();
  }
}

/**
 * Makes a copy one file that is on disk, and looks at every page of it. Throws DatabaseError, kind `other`, with what
 * SQLite finds wrong. Nobody else may have it open.
 */
export function sealSqlite(file: string): void {
  const db = attemptSqlite(() => openSqliteFile(file));
  try {
    const wrong = attemptSqlite(() => {
      // Each row is looked for in each index: pages that are not kept are read again and again.
      db.pragma(`cache_size = -${checkedKibibytes}`);
      db.pragma('wal_checkpoint(TRUNCATE)');
      db.pragma('journal_mode = DELETE');
      return (db.pragma('integrity_check') as { integrity_check: string }[]).map((row) => row.integrity_check);
    });
    if (wrong.join() !== 'ok') throw new DatabaseError('other', 'SQLITE_CORRUPT', `The database is damaged: ${wrong[0]}`);
  } finally {
    db.close();
  }
  chmodSync(file, 0o600);
  syncFile(file);
}

/**
 * Opens the database of a data folder and keeps everybody else away from it until it is closed; what stood in its journal
 * is in the file then. Throws DatabaseError, kind `busy`, while a server has it open. A damaged database has no such lock.
 */
export function claimSqlite(dataDir: string): Sqlite.Database {
  try {
    return claimFile(databaseFile(dataDir));
  } catch (error) {
    if (!(error instanceof DatabaseError) || error.kind !== 'busy') throw error;
    throw new DatabaseError('busy', error.code, `A server runs on ${dataDir}: stop it first`, error);
  }
}

function claimFile(file: string): Sqlite.Database {
  const db = attemptSqlite(() => openSqliteFile(file, { timeout: 0 }));
  try {
    attemptSqlite(() => {
      // SQLite leaves this mode only when no other connection is open, whatever process it is of.
      db.pragma('journal_mode = DELETE');
      db.exec('BEGIN EXCLUSIVE');
    });
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

/** Opens a file that exists, outside of the database threads. */
export function openSqliteFile(file: string, options: Sqlite.Options = {}): Sqlite.Database {
  return new Sqlite(file, { fileMustExist: true, timeout: busyMs, ...options });
}

/** What SQLite throws becomes DatabaseError. */
export function attemptSqlite<T>(work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw asDatabaseError(error);
  }
}

function asDatabaseError(error: unknown): unknown {
  if (error instanceof DatabaseError || !(error instanceof Sqlite.SqliteError)) return error;
  return new DatabaseError(sqliteKind(error.code), error.code, error.message, error);
}

const lockName = 'lock';
/** Longer than between a folder and its lock. */
const unlockedMs = 60_000;

/** A folder in `parent` for a database on its way to its place, and how it goes. What killed runs left of `prefix` goes first. */
export function openStage(parent: string, prefix: string): { folder: string; discard: () => void } {
  const folder = mkdtempSync(join(parent, prefix));
  let lock: ReturnType<typeof lockFile>;
  const discard = () => {
    lock?.release();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    lock = attemptSqlite(() => lockFile(join(folder, lockName)));
    removeLeft(parent, prefix, statSync(folder).mtimeMs);
    return { folder, discard };
  } catch (error) {
    discard();
    throw error;
  }
}

/**
 * What was staged by runs that were killed is up to a whole database each; whoever still works has the lock, and of what is
 * younger than a minute at `nowMs` nothing goes: it may be about to get its lock.
 */
export function removeLeft(parent: string, prefix: string, nowMs: number): void {
  for (const name of readdirSync(parent).filter((entry) => entry.startsWith(prefix))) {
    const left = join(parent, name);
    const found = lstatSync(left, { throwIfNoEntry: false });
    if (found?.isDirectory() !== true || found.uid !== (process.getuid?.() ?? 0) || found.mtimeMs > nowMs - unlockedMs) continue;
    const lock = lockFile(join(left, lockName));
    lock?.release();
    if (lock !== undefined) rmSync(left, { recursive: true, force: true });
  }
}
