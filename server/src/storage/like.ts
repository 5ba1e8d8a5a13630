import { type RawBuilder, type SqlBool, sql } from 'kysely';

/**
 * Whether the column holds the text, capitals or not; `%` and `_` in it mean themselves. Both sides in lower case by the same
 * rule, as which letters it knows depends on the engine and its locale (decision 0079).
 */
export function contains(column: string, text: string): RawBuilder<SqlBool> {
  return alike(column, `%${escaped(text)}%`);
}

/** The same of its beginning. */
export function beginsWith(column: string, text: string): RawBuilder<SqlBool> {
  return alike(column, `${escaped(text)}%`);
}

/**
 * Whether a long text holds this one. Making it lower case would cost more than looking through it: PostgreSQL heeds
 * capitals, SQLite does not.
 */
export function holds(column: string, text: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`${sql.ref(column)} LIKE ${`%${escaped(text)}%`} ESCAPE '\\'`;
}

function alike(column: string, pattern: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`lower(${sql.ref(column)}) LIKE lower(${pattern}) ESCAPE '\\'`;
}

function escaped(text: string): string {
  return text.replaceAll(/[\\%_]/g, '\\$&');
}
