import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { type Execute, kyselyOver } from '../dialect.ts';
import { DatabaseError } from '../errors.ts';
import { logSegmentRows } from '../log-segments.ts';
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
import { addLogWindow, readLogWindows } from './log-windows.ts';
import { execute as run } from './pipeline.ts';
import { addressForDriver, asDatabaseError, unreached } from './pools.ts';
import { render } from './render.ts';
import { typeParsers } from './types.ts';

const connectTimeoutMs = 5_000;
/** Of one statement: building or reading a whole table is one. */
const statementTimeoutMs = 3_600_000;
const lockTimeoutMs = 5_000;
const idleTimeoutMs = 600_000;
const firstBatchRows = 100;
const looks = 20;
const lookEveryMs = 100;
const windowRows = 1024 * logSegmentRows;

/** See `openSource`. */
export async function openPostgresSource(url: string, { isAlone }: { isAlone: boolean }): Promise<Side> {
  return opened(url, async (client) => {
    if (isAlone) await refuseOthers(client);
    const tables = isAlone ? await readTables(client) : [];
    await begin(client, 'REPEATABLE READ');
    // Before the first look, so that the moment that is read is one in which nobody writes.
    if (tables.length > 0) await client.query(`LOCK TABLE ${listed(tables)} IN SHARE MODE`);
    return sideOver(client, true);
  });
}

/** See `openTarget`: one transaction, schema included. */
export async function openPostgresTarget(url: string): Promise<Target> {
  return opened(url, async (client) => {
    await refuseOthers(client);
    await begin(client, 'READ COMMITTED');
    const side = sideOver(client, false);
    return {
      ...side,
      async migrate() {
        await applyMigrations('postgres', side.read);
      },
      clear: ({ name }) => tell(client, `DELETE FROM ${quoted(name)}`),
      async expect(counters) {
        const next = (counters.get('log') ?? 0) + 1;
        const last = (await readLogWindows(side.read)).at(-1);
        if (last === undefined || last.to > next) return;
        const windows = Math.ceil((next + 1 - last.to) / windowRows);
        await addLogWindow(side.read, last, { from: last.to, to: last.to + windows * windowRows });
      },
      async insert({ name, columns }, rows) {
        const named = (part: typeof columns) => part.map((column) => quoted(column.name));
        const real = named(columns.filter(({ kind }) => kind === 'real'));
        const insertion = { table: quoted(name), columns: named(columns), rows, tail: '', real };
        for (const { sql, parameters } of render(insertion)) await run(client, sql, parameters);
      },
      async setCounters(counters) {
        for (const [table, last] of counters) {
          const [sequence] = await numbered(client, table);
          if (sequence === undefined) throw new Error(`${table} does not number its rows`);
          // A table that never had a row begins with 1.
          await tell(client, 'SELECT setval(CAST($1 AS regclass), $2, $3)', [sequence, Math.max(1, last), last > 0]);
        }
      },
      settle: () => tell(client, 'ANALYZE'),
      commit: () => tell(client, 'COMMIT'),
    };
  });
}

async function opened<T extends Omit<Side, 'close'>>(url: string, open: (client: pg.Client) => Promise<T>) {
  const client = new pg.Client({
    connectionString: addressForDriver(url),
    types: typeParsers,
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
  });
  // A connection that breaks is told by the statement that needs it.
  client.on('error', () => undefined);
  try {
    await client.connect().catch((error: unknown) => Promise.reject(unreached(url, asDatabaseError(error))));
    return { ...(await open(client)), close: () => client.end() };
  } catch (error) {
    await client.end().catch(() => undefined);
    throw asDatabaseError(error);
  }
}

async function begin(client: pg.Client, level: string): Promise<void> {
  await client.query(`BEGIN ISOLATION LEVEL ${level}`);
  await client.query(`SET LOCAL statement_timeout = ${statementTimeoutMs}`);
  await client.query(`SET LOCAL lock_timeout = ${lockTimeoutMs}`);
  await client.query(`SET LOCAL idle_in_transaction_session_timeout = ${idleTimeoutMs}`);
}

/** Nodes that run are connected. Who has just ended or was cut off is listed a moment longer. */
async function refuseOthers(client: pg.Client): Promise<void> {
  let others = await countOthers(client);
  for (let look = 1; others > 0 && look < looks; look += 1) {
    await delay(lookEveryMs);
    others = await countOthers(client);
  }
  if (others === 0) return;
  const text = `${others} other connections to the PostgreSQL database are open: stop all nodes (and the connection pooler) first`;
  throw new DatabaseError('busy', '', text);
}

async function countOthers(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ others: number }>(
    `SELECT count(*) AS others FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'`,
  );
  return Number(rows[0]?.others ?? 0);
}

async function tell(client: pg.Client, sql: string, parameters: readonly unknown[] = []): Promise<void> {
  await run(client, sql, parameters);
}

function sideOver(client: pg.Client, readOnly: boolean): Omit<Side, 'close'> {
  const execute: Execute = (sql, parameters) => run(client, sql, parameters);
  return {
    read: kyselyOver('postgres', execute, { readOnly }),
    tables: async () => (await readTables(client)).filter(({ name }) => name !== migrationTable),
    async count({ name }) {
      const { rows } = await run(client, `SELECT count(*) AS count FROM ${quoted(name)}`, []);
      return Number(rows[0]?.count);
    },
    rows: (table) => batches(client, table),
    counters: () => readCounters(client),
  };
}

const kinds: Readonly<Record<string, Column['kind']>> = { bigint: 'integer', 'double precision': 'real', text: 'text' };

/** Without the windows of the log, which are parts of it. */
async function readTables(client: pg.Client): Promise<Table[]> {
  const { rows } = await run(
    client,
    `SELECT part.relname AS name, a.attname AS "column", format_type(a.atttypid, NULL) AS type,
            array_position(CAST(i.indkey AS smallint[]), a.attnum) AS place
     FROM pg_class AS part JOIN pg_attribute AS a ON a.attrelid = part.oid AND a.attnum > 0 AND NOT a.attisdropped
     LEFT JOIN pg_index AS i ON i.indrelid = part.oid AND i.indisprimary
     WHERE part.relkind IN ('r', 'p') AND NOT part.relispartition AND part.relnamespace = CAST(current_schema() AS regnamespace)
     ORDER BY part.relname`,
    [],
  );
  const tables = new Map<string, (Column & { place: number | null })[]>();
  for (const row of rows) {
    const [name, column, type] = [String(row.name), String(row.column), String(row.type)];
    const kind = kinds[type];
    if (kind === undefined) throw new Error(`${name}.${column} is of a type that cannot be moved: ${type}`);
    const place = row.place === null || row.place === undefined ? null : Number(row.place);
    tables.set(name, [...(tables.get(name) ?? []), { name: column, kind, place }]);
  }
  return [...tables].map(([name, columns]) => tableOf(name, columns)).sort(byName);
}

function tableOf(name: string, columns: readonly (Column & { place: number | null })[]): Table {
  const key = columns.filter(({ place }) => place !== null).sort((left, right) => (left.place ?? 0) - (right.place ?? 0));
  const plain = columns.map((column) => ({ name: column.name, kind: column.kind }));
  return { name, columns: plain.sort(byName), key: key.map((column) => column.name) };
}

/** The sequence behind a table's generated key. */
async function numbered(client: pg.Client, table: string): Promise<string[]> {
  const { rows } = await run(
    client,
    `SELECT pg_get_serial_sequence(quote_ident(table_name), column_name) AS sequence FROM information_schema.columns
     WHERE table_schema = current_schema() AND table_name = $1
       AND pg_get_serial_sequence(quote_ident(table_name), column_name) IS NOT NULL`,
    [table],
  );
  return rows.map((row) => String(row.sequence));
}

async function readCounters(client: pg.Client): Promise<ReadonlyMap<string, number>> {
  const counters = new Map<string, number>();
  for (const { name } of await readTables(client)) {
    for (const sequence of await numbered(client, name)) {
      const { rows } = await run(client, `SELECT last_value, is_called FROM ${sequence}`, []);
      counters.set(name, Number(rows[0]?.is_called) === 1 ? Number(rows[0]?.last_value) : 0);
    }
  }
  return counters;
}

async function* batches(client: pg.Client, table: Table): AsyncGenerator<Row[]> {
  await tell(client, `DECLARE moved NO SCROLL CURSOR FOR ${selectAll(table)}`);
  const names = table.columns.map(({ name }) => name);
  for (let wanted = firstBatchRows; ; ) {
    const { rows } = await run(client, `FETCH ${wanted} FROM moved`, []);
    if (rows.length === 0) break;
    const batch = rows.map((row) => names.map((name) => row[name] ?? null));
    const bytes = batch.reduce((sum, row) => sum + bytesOf(row), 0);
    wanted = Math.max(1, Math.min(maxBatchRows, Math.floor((maxBatchBytes * batch.length) / bytes)));
    yield batch;
  }
  await tell(client, 'CLOSE moved');
}
