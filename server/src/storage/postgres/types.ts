import { DatabaseError } from '../errors.ts';

/** Object ids of the types whose text we read ourselves. */
const bool = 16;
const int8 = 20;
const numeric = 1700;

function readInteger(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new DatabaseError('other', '', `Integer out of the safe range: ${text}`);
  return value;
}

/** SUM over BIGINT is NUMERIC: an integer there must be exact too. */
function readNumeric(text: string): number {
  return /^-?\d+$/.test(text) ? readInteger(text) : Number(text);
}

const asText = (text: string): string => text;
const readers = new Map<number, (text: string) => string | number>([
  [bool, (text) => (text === 't' ? 1 : 0)],
  [int8, readInteger],
  [21, Number],
  [23, Number],
  [700, Number],
  [701, Number],
  [numeric, readNumeric],
]);

/** Rows look the same as SQLite's: numbers and text only. */
export const typeParsers = {
  getTypeParser: (oid: number): ((text: string) => string | number) => readers.get(oid) ?? asText,
};

/** NUL cannot be stored in PostgreSQL's text; user input must not turn that into an error. */
export function toPostgres<Value>(value: Value): Value | string {
  return typeof value === 'string' && value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value;
}
