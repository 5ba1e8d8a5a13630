import { batchesOf, type RowWindow } from './batches.ts';
import { timeText } from './clock.ts';

export type CsvColumn<Row> = readonly [name: string, value: (row: Row) => string | number | boolean];

/** The first line. Spreadsheets take a file without the mark before it for one of their own code page. */
export function csvHead<Row>(columns: readonly CsvColumn<Row>[]): string {
  return `\uFEFF${columns.map(([name]) => name).join(',')}\r\n`;
}

export function csvLine<Row>(columns: readonly CsvColumn<Row>[], row: Row): string {
  return `${columns.map(([, value]) => csvCell(value(row))).join(',')}\r\n`;
}

/** RFC 4180. What a spreadsheet would take for a formula gets an apostrophe before it; in East Asia the wide signs begin one, too. */
export function csvCell(value: string | number | boolean): string {
  if (typeof value !== 'string') return String(value);
  const harmless = /^[=+\-@\t\r\n＝＋－＠]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(harmless) ? `"${harmless.replaceAll('"', '""')}"` : harmless;
}

/** Unix seconds as a cell; "" for what did not happen yet. */
export function csvTime(seconds: number): string {
  return seconds === 0 ? '' : timeText(seconds);
}

/** All rows as CSV, as `batchesOf` reads them. */
export async function* csvOf<Row extends { readonly id: number }>(
  columns: readonly CsvColumn<Row>[],
  read: (window: RowWindow) => Promise<readonly Row[]>,
): AsyncGenerator<string> {
  // With the first rows: whoever reads a first text knows that there are some to read.
  let head = csvHead(columns);
  for await (const rows of batchesOf(read)) {
    yield head + rows.map((row) => csvLine(columns, row)).join('');
    head = '';
  }
  if (head !== '') yield head;
}
