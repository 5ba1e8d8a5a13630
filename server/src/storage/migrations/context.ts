import { type CreateTableBuilder, type Kysely, type RawBuilder, sql } from 'kysely';
import type { Engine } from '../database.ts';

type ColumnType = 'text' | 'integer' | 'bigint' | 'real' | 'double precision';

/** What a migration may use: the schema builder and the few places where the engines differ. */
export interface MigrationContext {
  readonly engine: Engine;
  readonly query: Kysely<unknown>;
  readonly text: ColumnType;
  readonly int: ColumnType;
  readonly real: ColumnType;
  /** Starts a table whose column types are enforced on both engines. */
  table(name: string): CreateTableBuilder<string, never>;
  /** The same for a table that is always read along its primary key: SQLite keeps the rows in that very order. */
  clustered(name: string): CreateTableBuilder<string, never>;
  /** Adds a generated primary key whose numbers never come back. */
  id<T extends string>(table: CreateTableBuilder<T, never>, column?: string): CreateTableBuilder<T, string>;
  /** Refuses UPDATE and DELETE. */
  appendOnly(table: string): Promise<void>;
}

/** Amounts stay within what code can hold exactly. */
export const maxMoney: RawBuilder<number> = sql.raw(String(Number.MAX_SAFE_INTEGER));

/** The context for one engine, inside the migration's transaction. */
export function migrationContext(engine: Engine, query: Kysely<unknown>): MigrationContext {
  const sqlite = engine === 'sqlite';
  return {
    engine,
    query,
    text: 'text',
    int: sqlite ? 'integer' : 'bigint',
    real: sqlite ? 'real' : 'double precision',
    table: (name) => {
      const builder = query.schema.createTable(name);
      return sqlite ? builder.modifyEnd(sql`STRICT`) : builder;
    },
    clustered: (name) => {
      const builder = query.schema.createTable(name);
      return sqlite ? builder.modifyEnd(sql`STRICT, WITHOUT ROWID`) : builder;
    },
    id: (table, column = 'id') =>
      sqlite
        ? table.addColumn(column, 'integer', (define) => define.primaryKey().autoIncrement())
        : table.addColumn(column, 'bigint', (define) => define.primaryKey().generatedByDefaultAsIdentity()),
    appendOnly: (table) => (sqlite ? appendOnlySqlite(query, table) : appendOnlyPostgres(query, table)),
  };
}

async function appendOnlySqlite(query: Kysely<unknown>, table: string): Promise<void> {
  for (const action of ['UPDATE', 'DELETE']) {
    await sql
      .raw(
        `CREATE TRIGGER ${table}_refuses_${action.toLowerCase()} BEFORE ${action} ON ${table} ` +
          `BEGIN SELECT RAISE(ABORT, '${table} is append-only'); END`,
      )
      .execute(query);
  }
}

async function appendOnlyPostgres(query: Kysely<unknown>, table: string): Promise<void> {
  await sql
    .raw(
      `CREATE FUNCTION ${table}_refuses() RETURNS trigger LANGUAGE plpgsql AS ` +
        `$$ BEGIN RAISE EXCEPTION '${table} is append-only'; END $$`,
    )
    .execute(query);
  await sql
    .raw(
      `CREATE TRIGGER ${table}_refuses_change BEFORE UPDATE OR DELETE OR TRUNCATE ON ${table} ` +
        `FOR EACH STATEMENT EXECUTE FUNCTION ${table}_refuses()`,
    )
    .execute(query);
}
