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

const insertSizes = [64, 16, 4, 1] as const;
const insertTexts = new Map<string, Map<number, string>>();
const maxInsertTexts = 256;

/** The same text is the same object: whoever looks a statement up by it need not read its thousands of characters. */
function insertText(table: string, columns: readonly string[], size: number, tail: string): string {
  const key = `${table} ${columns.length} ${tail}`;
  const known = insertTexts.get(key)?.get(size);
  // A table is always written with the same columns; the check costs less than a wrong statement.
  const names = columns.join(', ');
  if (known?.startsWith(`INSERT INTO ${table} (${names}) `)) return known;
  const one = `(${'?, '.repeat(columns.length - 1)}?)`;
  const text = `INSERT INTO ${table} (${names}) VALUES ${one}${`, ${one}`.repeat(size - 1)} ${tail}`;
  if (insertTexts.size >= maxInsertTexts) insertTexts.clear();
  const bySize = insertTexts.get(key) ?? new Map<number, string>();
  insertTexts.set(key, bySize.set(size, text));
  return text;
}

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
  let start = 0;
  for (const size of insertSizes) {
    while (rows.length - start >= size) {
      const part = rows.slice(start, start + size);
      yield { sql: insertText(table, columns, size, tail), parameters: part.flat() };
      start += size;
    }
  }
}
