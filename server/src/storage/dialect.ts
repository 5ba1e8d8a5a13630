import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
  SqliteAdapter,
  SqliteIntrospector,
  SqliteQueryCompiler,
} from 'kysely';
import type { Engine, StatementResult } from './database.ts';
import type { Schema } from './schema.ts';

/** Runs one statement in the engine's own placeholder style. */
export type Execute = (sql: string, parameters: readonly unknown[]) => Promise<StatementResult>;

function connectionOf(execute: Execute, readOnly: boolean): DatabaseConnection {
  return {
    async executeQuery<R>(query: CompiledQuery): Promise<QueryResult<R>> {
      if (readOnly) assertReads(query);
      const result = await execute(query.sql, query.parameters);
      return { rows: result.rows as R[], numAffectedRows: BigInt(result.changes) };
    },
    // biome-ignore lint/correctness/useYield: streaming is not offered, and says so
    async *streamQuery() {
      throw new Error('Streaming queries are not supported');
    },
  };
}

function assertReads(query: CompiledQuery): void {
  if (!/^\s*(select|with|explain)\b/i.test(query.sql) || /^(Insert|Update|Delete|Merge)/.test(query.query.kind)) {
    throw new Error('Only SELECT is allowed on the read handle');
  }
}

function refuseNesting(): Promise<never> {
  return Promise.reject(new Error('Use database.transaction(), not Kysely transactions'));
}

/** Statements queue in our threads, not in Kysely, which would hold back the next one until the last has been answered. */
class QueueingSqliteAdapter extends SqliteAdapter {
  override get supportsMultipleConnections(): boolean {
    return true;
  }
}

/** Kysely over one `execute` function. Transactions are the caller's: Kysely's own are refused. */
export function kyselyOver(engine: Engine, execute: Execute, options: { readOnly: boolean }): Kysely<Schema> {
  const connection = connectionOf(execute, options.readOnly);
  const driver: Driver = {
    init: () => Promise.resolve(),
    acquireConnection: () => Promise.resolve(connection),
    beginTransaction: refuseNesting,
    commitTransaction: refuseNesting,
    rollbackTransaction: refuseNesting,
    releaseConnection: () => Promise.resolve(),
    destroy: () => Promise.resolve(),
  };
  const sqlite = engine === 'sqlite';
  const dialect: Dialect = {
    createAdapter: () => (sqlite ? new QueueingSqliteAdapter() : new PostgresAdapter()),
    createDriver: () => driver,
    createIntrospector: (db) => (sqlite ? new SqliteIntrospector(db) : new PostgresIntrospector(db)),
    createQueryCompiler: () => (sqlite ? new SqliteQueryCompiler() : new PostgresQueryCompiler()),
  };
  return new Kysely<Schema>({ dialect });
}
