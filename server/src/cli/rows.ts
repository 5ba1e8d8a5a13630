import { timeText } from '../platform/clock.ts';
import { type Outcome, UsageError } from './outcome.ts';

/** The most that a list shows. */
const mostRows = 10_000;

/** Of `--limit`; absent = as many as a list may show. Throws UsageError. */
export function limitOf(text: string | undefined): number {
  return text === undefined ? mostRows : Math.min(wholeNumber(text, '--limit'), mostRows);
}

/** Throws UsageError. */
export function wholeNumber(text: string, name: string): number {
  if (!/^\d{1,15}$/.test(text)) throw new UsageError(`${name} must be a whole number`);
  return Number(text);
}

/** Rows in columns; times as people read them. */
export function listed(rows: readonly Readonly<Record<string, string | number | null>>[]): Outcome {
  const [first] = rows;
  if (first === undefined) return { exitCode: 0, text: 'There are none.', json: [] };
  const names = Object.keys(first);
  const table = [names, ...rows.map((row) => names.map((name) => cell(name, row[name] ?? '')))];
  const widths = names.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0)));
  const lines = table.map((row) =>
    row
      .map((text, column) => text.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
  return { exitCode: 0, text: lines.join('\n'), json: rows };
}

function cell(name: string, value: string | number): string {
  if (!name.endsWith('_time') || typeof value !== 'number') return String(value).replaceAll(/\p{Cc}/gu, ' ');
  return value <= 0 ? '-' : timeText(value);
}
