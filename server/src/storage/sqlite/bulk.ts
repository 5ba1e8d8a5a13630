import { closeSync, existsSync, openSync, rmdirSync } from 'node:fs';
import type Sqlite from 'better-sqlite3';
import { useDataFolder } from '../../platform/data-folder.ts';
import { nameFile, syncFolder } from '../../platform/durable.ts';
import { type Execute, kyselyOver } from '../dialect.ts';
import { applyMigrations } from '../migrate.ts';
import {
  byName,
  bytesOf,
  type Column,
  listed,
  maxBatchBytes,
  maxBatchRows,
  migrationTable,
  quoted,
  type Row,
  type Side,
  selectAll,
  type Table,
  type Target,
} from '../move/side.ts';
import { toPostgres } from '../postgres/types.ts';
import { attemptSqlite, claimSqlite, openSqliteFile, openStage, sealSqlite } from './copy.ts';
import { databaseFile, presentDatabase } from './place.ts';
import { runStatement, toSql } from './rows.ts';

/** See `openSource`. */
export async function openSqliteSource(dataDir: string, { isAlone }: { isAlone: boolean }): Promise<Side> {
  const file = presentDatabase(dataDir);
  const db = isAlone ? claimSqlite(dataDir) : attemptSqlite(() => openSqliteFile(file, { readonly: true }));
  if (!isAlone) db.exec('BEGIN');
  return { ...sideOver(db, true), close: async () => void db.close() };
}

/** See `openTarget`: a file beside its place, which gets its name at the end. */
export async function openSqliteTarget(dataDir: string): Promise<Target> {
  const place = databaseFile(dataDir);
  if (existsSync(place)) throw new Error(`The target is not empty: ${place} exists`);
  const isNewFolder = useDataFolder(dataDir);
  const { folder, discard } = openStage(dataDir, '.move-');
  const file = databaseFile(folder);
  closeSync(openSync(file, 'wx', 0o600));
  const db = attemptSqlite(() => openSqliteFile(file));
  // Nobody reads the file before it is sealed; what is left by a crash is thrown away.
  db.pragma('synchronous = OFF');
  db.exec('BEGIN IMMEDIATE');
  const side = sideOver(db, false);
  return {
    ...side,
    async migrate() {
      await applyMigrations('sqlite', side.read);
    },
    async clear({ name }) {
      db.exec(`DELETE FROM ${quoted(name)}`);
    },
    async expect() {},
    async insert({ name, columns }, rows) {
      const marks = columns.map(() => '?').join(', ');
      const statement = db.prepare(`INSERT INTO ${quoted(name)} (${listed(columns)}) VALUES (${marks})`);
      attemptSqlite(() => {
        for (const row of rows) statement.run(...row.map(toSql));
      });
    },
    async setCounters(counters) {
      for (const [table, last] of counters) {
        db.prepare('DELETE FROM sqlite_sequence WHERE name = ?').run(table);
        db.prepare('INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)').run(table, BigInt(last));
      }
    },
    async settle() {
      db.exec('ANALYZE');
    },
    async commit() {
      db.exec('COMMIT');
      db.close();
      sealSqlite(file);
      nameFile(file, place);
      syncFolder(dataDir);
    },
    async close() {
      db.close();
      discard();
      if (isNewFolder && !existsSync(place)) rmdirSync(dataDir);
    },
  };
}

function sideOver(db: Sqlite.Database, readOnly: boolean): Omit<Side, 'close'> {
  const execute: Execute = async (sql, parameters) => attemptSqlite(() => runStatement(db.prepare(sql), parameters));
  return {
    read: kyselyOver('sqlite', execute, { readOnly }),
    async tables() {
      const names = db.prepare("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'").pluck().all();
      return names
        .map((name) => describe(db, String(name)))
        .filter(({ name }) => name !== migrationTable)
        .sort(byName);
    },
    count: async ({ name }) =>
      Number(
        db
          .prepare(`SELECT COUNT(*) FROM ${quoted(name)}`)
          .pluck()
          .get(),
      ),
    rows: (table) => batches(db, table),
    async counters() {
      const rows = db.prepare('SELECT name, seq FROM sqlite_sequence').all() as { name: string; seq: number }[];
      return new Map(rows.map(({ name, seq }) => [name, seq]));
    },
  };
}

const kinds: Readonly<Record<string, Column['kind']>> = { INTEGER: 'integer', REAL: 'real', TEXT: 'text' };

function describe(db: Sqlite.Database, name: string): Table {
  const info = db.pragma(`table_info(${quoted(name)})`) as { name: string; type: string; pk: number }[];
  const columns = info.map((column) => {
    const kind = kinds[column.type.toUpperCase()];
    if (kind === undefined) throw new Error(`${name}.${column.name} is of a type that cannot be moved: ${column.type}`);
    return { name: column.name, kind };
  });
  const key = info.filter(({ pk }) => pk > 0).sort((left, right) => left.pk - right.pk);
  return { name, columns: columns.sort(byName), key: key.map((column) => column.name) };
}

async function* batches(db: Sqlite.Database, table: Table): AsyncGenerator<Row[]> {
  let batch: Row[] = [];
  let bytes = 0;
  for (const row of db.prepare(selectAll(table)).raw().iterate() as IterableIterator<Row>) {
    // What both sides can keep is what is compared.
    const clean = row.map(toPostgres);
    batch.push(clean);
    bytes += bytesOf(clean);
    if (batch.length < maxBatchRows && bytes < maxBatchBytes) continue;
    yield batch;
    batch = [];
    bytes = 0;
  }
  if (batch.length > 0) yield batch;
}
