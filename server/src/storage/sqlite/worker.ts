import { parentPort, workerData } from 'node:worker_threads';
import Sqlite from 'better-sqlite3';
import { fillYoungRoomUnderLoad } from '../../platform/young-room.ts';
import type { StatementResult, WorkRegistry } from '../database.ts';
import { driveSync, type EngineStatement } from '../drive.ts';
import { firstYoungMb, type QueryAnswer, type Request, type Response, type ThreadConfig } from './protocol.ts';
import { render } from './render.ts';
import { type PackedRows, runStatement, toSql } from './rows.ts';

/** One thread, one connection. Requests are answered in order. */
const config = workerData as ThreadConfig;
const port = parentPort;
if (!port) throw new Error('worker.ts runs in a worker thread');

/**
 * Of the file's pages in memory, in KB. A commit of another connection makes them stale: what is read for an analysis serves
 * one step, and much room would be filled once, at any time, and stay with the process.
 */
const cacheKb: Record<ThreadConfig['role'], number> = { write: 32_768, read: 32_768, analyse: 4_096 };

/**
 * A thread with little to do fills its heap by megabytes for ten minutes and more before the runtime collects it, and the room
 * stays with the process. A collection takes some milliseconds. One with much to do is collected often enough by the runtime;
 * between two of its requests it would lose what was compiled for objects of which none is alive.
 */
const usualCollectMs = 60_000;
const muchToDo = 6_000;
let requests = 0;

const db = open(config);
const { works }: { works: WorkRegistry } = config.worksUrl === '' ? { works: {} } : await import(config.worksUrl);
const statements = new Map<string, Sqlite.Statement>();
const maxStatements = 512;

port.on('message', (request: Request) => {
  requests += 1;
  port.postMessage(answer(request));
  if (request.op === 'close') port.close();
});
// It may have grown once by then.
fillYoungRoomUnderLoad(2 * firstYoungMb[config.role]);
port.postMessage({ id: 0, value: null } satisfies Response);
setInterval(collect, config.collectMs ?? usualCollectMs).unref();

function collect(): void {
  if (requests > 0 && requests < muchToDo) globalThis.gc?.();
  requests = 0;
}

function open({ file, role, synchronous }: ThreadConfig): Sqlite.Database {
  const connection = new Sqlite(file, { readonly: role !== 'write', timeout: 1000 });
  connection.pragma(`synchronous = ${synchronous}`);
  connection.pragma('foreign_keys = ON');
  connection.pragma(`cache_size = -${cacheKb[role]}`);
  // Its own knows ASCII only: a search for a name in another alphabet must not mind capitals either.
  connection.function('lower', { deterministic: true }, (text: unknown) =>
    typeof text === 'string' ? text.toLowerCase() : text,
  );
  // What is sorted for an analysis may be larger than memory.
  connection.pragma(`temp_store = ${role === 'analyse' ? 'FILE' : 'MEMORY'}`);
  if (role === 'write') {
    connection.pragma('journal_mode = WAL');
    connection.pragma('wal_autocheckpoint = 4000');
    connection.pragma('journal_size_limit = 67108864');
  }
  return connection;
}

function answer(request: Request): Response {
  try {
    return { id: request.id, value: perform(request) };
  } catch (error) {
    const { code, message } = error as { code?: unknown; message?: unknown };
    return { id: request.id, failure: { code: typeof code === 'string' ? code : '', message: String(message) } };
  }
}

function perform(request: Request): unknown {
  switch (request.op) {
    case 'query':
      return query(request);
    case 'begin':
      return void db.exec('BEGIN IMMEDIATE');
    case 'commit':
      return void db.exec('COMMIT');
    case 'rollback':
      return db.inTransaction ? void db.exec('ROLLBACK') : undefined;
    case 'run':
      return runWork(request.name, request.input);
    case 'close':
      statements.clear();
      return void db.close();
  }
}

function runWork(name: string, input: unknown): unknown {
  const work = works[name];
  if (!work) throw new Error(`Unknown work ${name}`);
  prepared(config.role === 'write' ? 'BEGIN IMMEDIATE' : 'BEGIN').run();
  try {
    const result = driveSync(work(input), render, execute);
    prepared('COMMIT').run();
    return result;
  } finally {
    if (db.inTransaction) db.exec('ROLLBACK');
  }
}

const execute = ({ sql, parameters }: EngineStatement): StatementResult => runStatement(prepared(sql), parameters);

/** The same for another thread. */
function query({ sql, parameters }: { sql: string; parameters: readonly unknown[] }): QueryAnswer {
  const statement = prepared(sql);
  if (!statement.reader) return runStatement(statement, parameters);
  statement.raw(true);
  try {
    const rows = statement.all(...parameters.map(toSql)) as PackedRows['values'][];
    // Only now: where a migration has added columns, running a known `SELECT *` is what finds them.
    const columns = statement.columns().map(({ name }) => name);
    const values: PackedRows['values'] = [];
    for (const row of rows) for (const value of row) values.push(value);
    return { packed: { columns, values }, changes: rows.length };
  } finally {
    statement.raw(false);
  }
}

function prepared(sql: string): Sqlite.Statement {
  const known = statements.get(sql);
  if (known) {
    // Re-inserted, so that the first key is the one used longest ago.
    statements.delete(sql);
    statements.set(sql, known);
    return known;
  }
  const fresh = db.prepare(sql);
  if (statements.size >= maxStatements) {
    const oldest = statements.keys().next().value;
    if (oldest !== undefined) statements.delete(oldest);
  }
  statements.set(sql, fresh);
  return fresh;
}
