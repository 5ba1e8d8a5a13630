import { asObject, parseObject } from '@tollgate/wire';
import type { Row } from './source.ts';

/** Values of a row as the engines give them: numbers as text or bigint, booleans as 0, 1 or true, JSON as text or parsed. */

/** Undefined: absent, or no whole number that code can hold exactly. */
export function exactNumber(value: unknown): number | undefined {
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (value === null || value === undefined || value === '') return undefined;
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : undefined;
}

/** A row's own number. Some servers number rows beyond what code holds otherwise; rounded, it would lead to other rows. */
export function idOf({ id }: Row): bigint {
  return BigInt(String(id));
}

const int32 = 2_147_483_647;

/** More than a column of 32 bits holds, as most of the sources had them. */
export function isBeyond32Bit(value: number): boolean {
  return Math.abs(value) > int32;
}

/** Without a value, or with one that cannot be held, `fallback`. */
export function whole(row: Row, column: string, fallback = 0): number {
  return exactNumber(row[column]) ?? fallback;
}

export function decimal(row: Row, column: string, fallback = 0): number {
  const number = Number(row[column] ?? fallback);
  return Number.isFinite(number) ? number : fallback;
}

/** Texts of fixed length come padded from PostgreSQL. */
export function text(row: Row, column: string): string {
  const value = row[column];
  if (value === null || value === undefined) return '';
  if (value instanceof Uint8Array) return Buffer.from(value).toString('utf8').trim();
  return typeof value === 'object' ? JSON.stringify(value) : clean(String(value)).trim();
}

/** PostgreSQL refuses NUL, and a lone surrogate would come back as something else. */
function clean(value: string): string {
  return value.toWellFormed().replaceAll('\0', '\u{fffd}');
}

export function isSet(row: Row, column: string): boolean {
  const value = row[column];
  return value === true || value === 'true' || exactNumber(value) === 1;
}

/** Some tables keep milliseconds where others keep seconds. */
export function seconds(row: Row, column: string): number {
  const value = whole(row, column);
  return value > latestSeconds ? Math.floor(value / 1000) : value;
}

/** The year 5138: what is more is milliseconds. */
const latestSeconds = 100_000_000_000;

/** True when the row was deleted softly. */
export function isDeleted(row: Row): boolean {
  const value = row.deleted_at;
  return value !== null && value !== undefined && value !== '' && exactNumber(value) !== 0;
}

/** The object in a JSON column; `{}` when it is empty, undefined when it is none. */
export function jsonObject(value: string): Readonly<Record<string, unknown>> | undefined {
  const trimmed = value.trim();
  if (trimmed === '' || trimmed === 'null') return {};
  return parseObject(trimmed);
}

/** An object inside of one; `{}` for anything else. */
export function recordIn(value: unknown): Readonly<Record<string, unknown>> {
  return asObject(value) ?? {};
}

/** Entries of a comma-separated list. */
export function words(value: string): string[] {
  return [...new Set(value.split(/[,\n]/).flatMap((word) => word.trim() || []))];
}
