import type { Insertion, Statement, StatementResult, Value, Work } from './database.ts';

/** `int` is BIGINT, `text` is TEXT, on both engines. */
export type ColumnType = 'int' | 'text';

const castOf: Record<ColumnType, string> = { int: 'CAST(? AS BIGINT)', text: 'CAST(? AS TEXT)' };

/** As both engines give a text back: a lone surrogate would come back as something else, and a NUL not at all. */
export function keptText(text: string): string {
  return text.toWellFormed().replaceAll('\0', '');
}

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
function valuesTable(
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

/**
 * Changes rows by their key, as one statement: a plain UPDATE for a single row, which costs half, else UPDATE ... FROM v.
 * `set` and `where` name the given values `v.<column>`; each row has them in the order of `columns`.
 */
export function rowUpdate(
  table: string,
  columns: readonly (readonly [name: string, type: ColumnType])[],
  set: string,
  where: string,
): (rows: readonly (readonly Value[])[]) => Statement {
  const places: number[] = [];
  const single = `UPDATE ${table} SET ${set} WHERE ${where}`.replace(/\bv\.(\w+)/g, (_, name) => {
    const place = columns.findIndex(([column]) => column === name);
    places.push(place);
    return castOf[columns[place]?.[1] ?? 'text'];
  });
  return (rows) => {
    const [first = []] = rows;
    if (rows.length === 1) return { sql: single, parameters: places.map((place) => first[place] ?? null) };
    const values = valuesTable(columns, rows);
    return { sql: `${values.sql} UPDATE ${table} SET ${set} FROM v WHERE ${where}`, parameters: values.parameters };
  };
}

/** Adds the rows, if there are any. `tail` follows the values (`ON CONFLICT ...`, `RETURNING ...`). */
export function* insertRows(
  table: string,
  columns: readonly string[],
  rows: readonly (readonly Value[])[],
  tail = '',
): Generator<Insertion> {
  if (rows.length > 0) yield { table, columns, rows, tail };
}

/** The results of statements that do not need one another's: one message for all of them. */
export function* together(asked: readonly (Statement | Insertion)[]): Work<readonly StatementResult[]> {
  if (asked.length === 0) return [];
  return (yield { together: asked }).each ?? [];
}
