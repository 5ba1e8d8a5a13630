import type pg from 'pg';
import type { StatementResult, Value } from '../database.ts';
import type { EngineStatement } from '../drive.ts';
import { asDatabaseError } from './pools.ts';
import { toPostgres, typeParsers } from './types.ts';

/** The driver's connection, as far as its own queries use it. */
interface Connection {
  readonly stream: { cork(): void; uncork(): void };
  parse(message: { text: string }): void;
  bind(message: { values: readonly (string | null)[] }): void;
  describe(message: { type: 'P'; name: string }): void;
  execute(message: object): void;
  sync(): void;
}

interface Field {
  readonly name: string;
  readonly dataTypeID: number;
}

interface Column {
  readonly name: string;
  readonly read: (text: string) => string | number;
}

/** Runs one statement; errors become DatabaseError. */
export async function execute(client: pg.ClientBase, sql: string, parameters: readonly unknown[]): Promise<StatementResult> {
  const [result = { rows: [], changes: 0 }] = await executeAll(client, [{ sql, parameters }]);
  return result;
}

/**
 * Sends all statements in one message with one Sync at its end, and resolves with their results: one journey instead of one for each.
 * PostgreSQL runs them in their order and skips the rest after one that fails; that one's error is thrown as DatabaseError.
 * `timeoutMs` replaces the pool's client-side limit.
 */
export function executeAll(
  client: pg.ClientBase,
  statements: readonly EngineStatement[],
  timeoutMs?: number,
): Promise<StatementResult[]> {
  return new Promise((resolve, reject) => {
    client.query(
      pipeline(statements, timeoutMs, (error, results) => {
        if (error === null) resolve(results);
        else reject(asDatabaseError(error));
      }),
    );
  });
}

type Done = (error: unknown, results: StatementResult[]) => void;

/** A query of the driver's own kind: it submits itself, and the driver hands it the answers until the next ReadyForQuery. */
function pipeline(statements: readonly EngineStatement[], timeoutMs: number | undefined, done: Done) {
  // Before anything is sent: what cannot be sent must not leave half a message behind.
  const messages = statements.map(({ sql, parameters }) => ({ text: sql, values: parameters.map(wireText) }));
  const results: StatementResult[] = [];
  let rows: Record<string, Value>[] = [];
  let columns: Column[] = [];
  let unread: unknown;
  const end = (changes: number): void => {
    results.push({ rows, changes });
    rows = [];
    columns = [];
  };
  return {
    // The driver replaces it, and tells it of a lost connection or of a time-out too.
    callback: done,
    query_timeout: timeoutMs,
    submit(driver: unknown): void {
      const connection = driver as Connection;
      connection.stream.cork();
      for (const { text, values } of messages) {
        connection.parse({ text });
        connection.bind({ values });
        connection.describe({ type: 'P', name: '' });
        connection.execute({});
      }
      connection.sync();
      connection.stream.uncork();
    },
    handleRowDescription({ fields }: { fields: readonly Field[] }): void {
      columns = fields.map(({ name, dataTypeID }) => ({ name, read: typeParsers.getTypeParser(dataTypeID) }));
    },
    handleDataRow({ fields }: { fields: readonly (string | null)[] }): void {
      try {
        rows.push(rowOf(columns, fields));
      } catch (error) {
        // Thrown from here it would end the process.
        unread ??= error;
      }
    },
    /** "INSERT 0 5", "SELECT 3", "BEGIN". */
    handleCommandComplete({ text }: { text: string }): void {
      end(Number(/\d+$/.exec(text)?.[0] ?? 0));
    },
    handleEmptyQuery(): void {
      end(0);
    },
    handleError(error: unknown): void {
      this.callback(error, []);
    },
    handleReadyForQuery(): void {
      this.callback(unread ?? null, results);
    },
  };
}

function rowOf(columns: readonly Column[], fields: readonly (string | null)[]): Record<string, Value> {
  const row: Record<string, Value> = {};
  for (const [index, { name, read }] of columns.entries()) {
    const text = fields[index] ?? null;
    row[name] = text === null ? null : read(text);
  }
  return row;
}

function wireText(value: unknown): string | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'object') throw new TypeError('Lists and objects are no parameters');
  return String(toPostgres(value));
}
