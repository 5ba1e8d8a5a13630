import type { Statement } from './database.ts';

type Value = string | number | null;
/** `int` is BIGINT, `text` is TEXT, on both engines. */
export type ColumnType = 'int' | 'text';

const castOf: Record<ColumnType, string> = { int: 'CAST(? AS BIGINT)', text: 'CAST(? AS TEXT)' };

/** Rounds up to a power of two, so that few different statement texts exist. */
function padded(count: number): number {
  return 2 ** Math.ceil(Math.log2(count));
}

/** `(?, ?, ...)` for IN, filled up with repeats of the last value (harmless in a set). `values` must not be empty. */
export function inList(values: readonly Value[]): { sql: string; parameters: Value[] } {
  const size = padded(values.length);
  const last = values[values.length - 1] ?? null;
  const parameters = [...values];
  while (parameters.length < size) parameters.push(last);
  return { sql: `(${'?, '.repeat(size - 1)}?)`, parameters };
}

/**
 * A `WITH v(...) AS (VALUES ...)` head for UPDATE ... FROM v. The first row carries the types, as PostgreSQL needs.
 * Repeats the last row up to a power of two: the same row twice changes nothing in an UPDATE by key.
 */
export function valuesTable(
  columns: readonly (readonly [name: string, type: ColumnType])[],
  rows: readonly (readonly Value[])[],
): { sql: string; parameters: Value[] } {
  const size = padded(rows.length);
  const first = `(${columns.map(([, type]) => castOf[type]).join(', ')})`;
  const next = `, (${'?, '.repeat(columns.length - 1)}?)`;
  const parameters = rows.flat();
  const last = rows[rows.length - 1] ?? [];
  for (let index = rows.length; index < size; index += 1) parameters.push(...last);
  return { sql: `WITH v(${columns.map(([name]) => name).join(', ')}) AS (VALUES ${first}${next.repeat(size - 1)})`, parameters };
}

const insertSizes = [64, 16, 4, 1] as const;

/**
 * Multi-row INSERTs of the rows, cut into a few fixed sizes so that prepared statements are found again.
 * `tail` follows the values (`ON CONFLICT ...`, `RETURNING ...`).
 */
export function* insertRows(
  table: string,
  columns: readonly string[],
  rows: readonly (readonly Value[])[],
  tail = '',
): Generator<Statement> {
  const one = `(${'?, '.repeat(columns.length - 1)}?)`;
  let start = 0;
  for (const size of insertSizes) {
    while (rows.length - start >= size) {
      const part = rows.slice(start, start + size);
      const values = one + `, ${one}`.repeat(size - 1);
      yield { sql: `INSERT INTO ${table} (${columns.join(', ')}) VALUES ${values} ${tail}`, parameters: part.flat() };
      start += size;
    }
  }
}
