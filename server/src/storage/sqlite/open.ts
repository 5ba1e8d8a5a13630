import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import { useDataFolder } from '../../platform/data-folder.ts';
import type { InTurn } from '../../platform/workers/turns.ts';
import { type Database, refuseWrite, type StatementResult } from '../database.ts';
import { type Execute, kyselyOver } from '../dialect.ts';
import { DatabaseError } from '../errors.ts';
import { createFifo } from '../fifo.ts';
import { withRetry } from '../retry.ts';
import { defaultTransactionMs, inTransaction, type Session } from '../session.ts';
import { createBallast } from './ballast.ts';
import { databaseFile, databaseFiles, presentDatabase, refuseLost } from './place.ts';
import type { QueryAnswer } from './protocol.ts';
import { render } from './render.ts';
import { unpackRows } from './rows.ts';
import { startThread, type Thread } from './thread.ts';

export interface SqliteConfig {
  dataDir: string;
  synchronous: 'FULL' | 'NORMAL';
  worksModule: URL;
  /** With others that write into the same file. */
  inTurn?: InTurn | undefined;
}

const maxWaitingTransactions = 10_000;
/** Two: a long one does not keep the next one waiting, and a machine of two cores still has one for calls. */
const analysingThreads = 2;
/** For who reads beside a server, where nobody else waits: a proof of many millions of charges. */
const patientMs = 20 * 60_000;

/** SQLite in WAL mode: one writing thread, one that reads what calls and pages need at once, and some for long reading. */
export async function openSqlite(config: SqliteConfig): Promise<Database> {
  useDataFolder(config.dataDir, databaseFiles);
  refuseLost(config.dataDir);
  const file = databaseFile(config.dataDir);
  const ballast = createBallast(join(config.dataDir, 'ballast'));
  const common = { file, synchronous: config.synchronous };
  const worksUrl = config.worksModule.href;
  const writer = await startThread({ ...common, role: 'write', worksUrl });
  chmodSync(file, 0o600);
  const reader = await startThread({ ...common, role: 'read', worksUrl: '' });
  const inTurn = config.inTurn ?? alone;
  const analysts = Array.from({ length: analysingThreads }, () => lazily({ ...common, role: 'analyse', worksUrl }));
  const line = createFifo(maxWaitingTransactions);
  const query: Execute = (sql, parameters) => queryIn(reader.call, sql, parameters);
  const idlest = () => analysts.reduce((best, each) => (each.waiting() < best.waiting() ? each : best));
  const analyse: Execute = (sql, parameters) => queryIn(idlest().call, sql, parameters);
  return {
    engine: 'sqlite',
    read: kyselyOver('sqlite', query, { readOnly: true }),
    analyse: kyselyOver('sqlite', analyse, { readOnly: true }),
    transaction: (body, { timeoutMs = defaultTransactionMs } = {}) =>
      line.run(() => withRetry(() => inTurn(() => inTransaction('sqlite', sessionOn(writer, timeoutMs), body, timeoutMs)))),
    run: <T>(name: string, input: unknown, closes = false) => {
      const attempt = () => writer.call<T>({ op: 'run', name, input });
      return line.run(() => withRetry(() => inTurn(closes ? () => ballast.relieving(attempt) : attempt)));
    },
    examine: <T>(name: string, input: unknown) => idlest().call<T>({ op: 'run', name, input }),
    async close() {
      await line.close();
      ballast.close();
      try {
        await Promise.all([reader, ...analysts].map((thread) => thread.close()));
      } finally {
        // Last: only who may write takes the journal into the file, so that nobody misses it who copies that alone.
        await writer.close();
      }
    },
  };
}

/** The reading thread alone, beside whoever writes. Throws DatabaseError when there is no database. */
export async function openSqliteForReading(config: SqliteConfig): Promise<Database> {
  refuseLost(config.dataDir);
  const file = presentDatabase(config.dataDir);
  const worksUrl = config.worksModule.href;
  const reader = await startThread({ file, synchronous: config.synchronous, role: 'analyse', worksUrl }, patientMs);
  const query: Execute = (sql, parameters) => queryIn(reader.call, sql, parameters);
  const read = kyselyOver('sqlite', query, { readOnly: true });
  return {
    engine: 'sqlite',
    read,
    analyse: read,
    transaction: refuseWrite,
    run: refuseWrite,
    examine: <T>(name: string, input: unknown) => reader.call<T>({ op: 'run', name, input }),
    close: () => reader.close(),
  };
}

/** A thread that starts with its first call. */
function lazily(config: Parameters<typeof startThread>[0]): Pick<Thread, 'call' | 'close'> & { waiting(): number } {
  let started: Promise<Thread> | undefined;
  let waiting = 0;
  let isClosed = false;
  return {
    waiting: () => waiting,
    async call(request) {
      if (isClosed) throw new DatabaseError('unavailable', '', 'The database is closed');
      waiting += 1;
      try {
        started ??= startThread(config);
        return await (await started).call(request);
      } catch (error) {
        // A start that failed is tried again.
        await started?.catch(() => {
          started = undefined;
        });
        throw error;
      } finally {
        waiting -= 1;
      }
    },
    async close() {
      isClosed = true;
      await (await started?.catch(ignore))?.close();
    },
  };
}

async function queryIn(call: Thread['call'], sql: string, parameters: readonly unknown[]): Promise<StatementResult> {
  const answer = await call<QueryAnswer>({ op: 'query', sql, parameters });
  return 'packed' in answer ? { rows: unpackRows(answer.packed), changes: answer.changes } : answer;
}

/** `limitMs`: of the transaction, so that one long statement of it (an index over the log) may take that long. */
function sessionOn(writer: Thread, limitMs: number): Session {
  let generation = 0;
  const call: Thread['call'] = (request) => {
    // A replaced thread has no open transaction: the statement would commit on its own.
    if (writer.generation() !== generation) {
      return Promise.reject(new DatabaseError('unavailable', '', 'The transaction was lost with its thread'));
    }
    return writer.call(request, limitMs);
  };
  return {
    async begin() {
      const first = writer.call({ op: 'begin' });
      generation = writer.generation();
      await first;
    },
    execute: (sql, parameters) => queryIn(call, sql, parameters),
    async executeAll(statements) {
      const results: StatementResult[] = [];
      for (const { sql, parameters } of statements) results.push(await queryIn(call, sql, parameters));
      return results;
    },
    commit: () => call({ op: 'commit' }),
    rollback: () => call({ op: 'rollback' }).then(ignore, ignore),
    render,
  };
}

const alone: InTurn = (body) => body();

function ignore(): void {}
