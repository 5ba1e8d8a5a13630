import type Sqlite from 'better-sqlite3';
import type { StatementResult, Value } from '../database.ts';

/** Rows on their way between threads: the names of the columns once, then all values, row after row. */
export interface PackedRows {
  columns: string[];
  values: Value[];
}

/** The rows as records, as they are worked with. Every row has a value for every column. */
export function unpackRows({ columns, values }: PackedRows): StatementResult['rows'] {
  const rows: Record<string, Value>[] = [];
  for (let at = 0; at < values.length; ) {
    const row: Record<string, Value> = {};
    for (const column of columns) row[column] = values[at++] ?? null;
    rows.push(row);
  }
  return rows;
}

/** Integers are bound as integers: the library would bind every number as a float. */
export function toSql(value: unknown): unknown {
  if (typeof value !== 'number' || !Number.isInteger(value)) return value;
  if (!Number.isSafeInteger(value)) throw new RangeError(`Unsafe integer ${value}`);
  return BigInt(value);
}

export function runStatement(statement: Sqlite.Statement, parameters: readonly unknown[]): StatementResult {
  const values = parameters.map(toSql);
  if (!statement.reader) return { rows: [], changes: statement.run(...values).changes };
  const rows = statement.all(...values) as StatementResult['rows'];
  return { rows, changes: rows.length };
}
