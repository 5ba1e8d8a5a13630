import { existsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Sqlite from 'better-sqlite3';
import { ImportFault } from '../faults.ts';
import type { Row, Source } from '../source.ts';
import { openImportStage } from '../stage.ts';

/** All pages in one step: writers of meanwhile would make the copy begin anew. */
const allPages = 2_147_483_647;

/**
 * Reads a private copy: a read transaction as long as an import would keep the other program from writing, and a file copied
 * by hand misses what stands in its journal. What a run that was killed left of its copy goes with the next one: keys and
 * passwords are in it.
 */
export async function openSqliteSource(file: string): Promise<Source> {
  if (!existsSync(file)) throw new ImportFault('no_file', { file });
  const { folder, discard } = openImportStage('copy');
  try {
    const copy = path.join(folder, 'source.db');
    await copyDatabase(file, copy);
    return sourceOf(new Sqlite(copy, { readonly: true, fileMustExist: true }), discard);
  } catch (error) {
    discard();
    if (error instanceof Sqlite.SqliteError && error.code === 'SQLITE_FULL')
      throw new ImportFault('no_room', { file, folder: tmpdir() }, { cause: error });
    const reason = error instanceof Error ? error.message : String(error);
    throw new ImportFault('unreadable_file', { file, reason });
  }
}

async function copyDatabase(file: string, copy: string): Promise<void> {
  const original = new Sqlite(file, { readonly: true, fileMustExist: true, timeout: 10_000 });
  try {
    await original.backup(copy, { progress: () => allPages });
  } finally {
    original.close();
  }
}

function sourceOf(db: Sqlite.Database, discard: () => void): Source {
  // Amounts beyond what a double holds must be seen, not rounded.
  db.defaultSafeIntegers(true);
  const names = db.prepare<[], { name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'").all();
  const columnsOf = (table: string) =>
    db
      .prepare<[string], { name: string }>('SELECT name FROM pragma_table_info(?)')
      .all(table)
      .map(({ name }) => name);
  const tables = new Map(names.map(({ name }) => [name, new Set(columnsOf(name))]));
  return {
    tables,
    async page(table, { key, after, limit }) {
      return db
        .prepare<[number | bigint | string, number], Row>(`SELECT * FROM "${table}" WHERE "${key}" > ? ORDER BY "${key}" LIMIT ?`)
        .all(after, limit);
    },
    async count(table) {
      return Number(db.prepare<[], { rows: bigint }>(`SELECT COUNT(*) AS rows FROM "${table}"`).get()?.rows ?? 0);
    },
    async greatest(table, column) {
      const sql = `SELECT MAX("${column}") AS greatest FROM "${table}"`;
      return Number(db.prepare<[], { greatest: bigint | null }>(sql).get()?.greatest ?? 0);
    },
    async close() {
      db.close();
      discard();
    },
  };
}
