import type { Kysely } from 'kysely';
import type { Value } from '../database.ts';
import type { Schema } from '../schema.ts';

/** Values in the order of the table's columns. */
export type Row = readonly Value[];

export interface Column {
  readonly name: string;
  readonly kind: 'integer' | 'real' | 'text';
}

export interface Table {
  readonly name: string;
  /** By name. */
  readonly columns: readonly Column[];
  /** Columns of the primary key. */
  readonly key: readonly string[];
}

/** A database that is read whole, within one transaction. */
export interface Side {
  /** Sees what `rows` gives. */
  readonly read: Kysely<Schema>;
  /** All tables but the list of migrations, by name. */
  tables(): Promise<Table[]>;
  count(table: Table): Promise<number>;
  /** In the order of the key, in batches of bounded size. */
  rows(table: Table): AsyncIterable<readonly Row[]>;
  /** Of each table that numbers its rows: the last number it gave, also when that row is gone. */
  counters(): Promise<ReadonlyMap<string, number>>;
  /** Ends the transaction; what was not committed is gone. */
  close(): Promise<void>;
}

/** A database that is being filled: nobody sees anything of it before `commit`. */
export interface Target extends Side {
  /** Brings the schema up to date. */
  migrate(): Promise<void>;
  clear(table: Table): Promise<void>;
  /** Makes room for what comes, where that has to be made. */
  expect(counters: ReadonlyMap<string, number>): Promise<void>;
  insert(table: Table, rows: readonly Row[]): Promise<void>;
  setCounters(counters: ReadonlyMap<string, number>): Promise<void>;
  /** To be called when all is in: plans for the reads that follow. */
  settle(): Promise<void>;
  commit(): Promise<void>;
}

export const migrationTable = 'migration';
export const maxBatchRows = 2_000;
export const maxBatchBytes = 4 << 20;

export const byName = (left: { name: string }, right: { name: string }): number => (left.name < right.name ? -1 : 1);
export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
export const listed = (columns: readonly { name: string }[]): string => columns.map(({ name }) => quoted(name)).join(', ');

/** `SELECT` of all rows along the key. */
export function selectAll({ name, columns, key }: Table): string {
  const order = key.length === 0 ? '' : ` ORDER BY ${key.map(quoted).join(', ')}`;
  return `SELECT ${listed(columns)} FROM ${quoted(name)}${order}`;
}

/** About what a row takes in memory. */
export function bytesOf(row: Row): number {
  let bytes = 0;
  for (const value of row) bytes += typeof value === 'string' ? value.length : 8;
  return bytes;
}
