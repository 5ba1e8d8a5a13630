import type { Kysely } from 'kysely';
import type { Schema } from './schema.ts';

export type Engine = 'sqlite' | 'postgres';

/** What a column holds, on both engines. */
export type Value = string | number | null;

/** One SQL statement with `?` placeholders; storage rewrites them for the engine. */
export interface Statement {
  readonly sql: string;
  readonly parameters: readonly Value[];
  /**
   * A SELECT whose rows stay locked until the end of the transaction; `skip` leaves out rows that others have locked.
   * PostgreSQL: FOR UPDATE. SQLite has one writer: all rows, always.
   */
  readonly lock?: 'wait' | 'skip';
}

/** Rows to add, each in the order of `columns`; into how many statements they are cut is the engine's own. */
export interface Insertion {
  readonly table: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Value[])[];
  /** What follows the values: `ON CONFLICT ...`, `RETURNING ...`. */
  readonly tail: string;
  /** Columns that hold fractions; in any other a fraction is refused. */
  readonly real?: readonly string[];
}

/** What an engine answers to one statement. */
export interface StatementResult {
  readonly rows: readonly Record<string, Value>[];
  /** Rows inserted, updated or deleted. */
  readonly changes: number;
}

/** What a work asks for in one step. Several come as one message where the database is a network away, and run in their order. */
export type Step = Statement | Insertion | { readonly together: readonly (Statement | Insertion)[] };

/** Of a step; `each` is of those that ran together. */
export interface StepResult extends StatementResult {
  readonly each?: readonly StatementResult[];
}

/**
 * A piece of a transaction as a pure program: it yields statements and receives their results. The same text runs
 * synchronously in SQLite's writer thread and asynchronously on a PostgreSQL connection, and tests can fail any step.
 */
export type Work<T> = Generator<Step, T, StepResult>;

/** Named works that run where the writer is, or where rows are read: name -> program. Inputs and outputs must be structured-cloneable. */
// biome-ignore lint/suspicious/noExplicitAny: the registry's members differ in their input; callers go through a typed wrapper
export type WorkRegistry = Record<string, (input: any) => Work<unknown>>;

export interface Transaction {
  readonly query: Kysely<Schema>;
  perform<T>(work: Work<T>): Promise<T>;
}

export interface Database {
  readonly engine: Engine;
  /** Why nothing is written at present although the server answers; absent, or undefined = it is. */
  readonly refusal?: () => Error | undefined;
  /** Read-only queries; never waits for a writer. */
  readonly read: Kysely<Schema>;
  /** The same for whoever reads many rows (log, sums, proofs): has threads or connections of its own, so that nothing quick waits for it. */
  readonly analyse: Kysely<Schema>;
  /**
   * An interactive transaction on the writer. Keep it short; only SQL inside, because the body runs again after a
   * deadlock or a lost connection. Rolled back after `timeoutMs` (default 10 s). Serialised on SQLite.
   */
  transaction<T>(body: (tx: Transaction) => Promise<T>, options?: { timeoutMs?: number }): Promise<T>;
  /**
   * Runs a named work as one transaction, on SQLite without leaving the writer thread: the ledger's path.
   * Throws DatabaseError; kind `unknown` means that nobody could find out whether it was committed.
   * `closes`: what is under way cannot end without it, so on a full disk it gets the last room there is.
   */
  run<T>(name: string, input: unknown, closes?: boolean): Promise<T>;
  /** Runs a named work that only reads, where `analyse` reads: on SQLite its rows do not leave their thread. Throws DatabaseError. */
  examine<T>(name: string, input: unknown): Promise<T>;
  /** Closes all handles; waits for what was accepted. */
  close(): Promise<void>;
}

/** The database as parts see it whose every read may be long. */
export function forAnalysis(db: Database): Database {
  return { ...db, read: db.analyse };
}

/** Stands in for what a database that was opened for a few reads cannot do. */
export function refuseWrite(): Promise<never> {
  return Promise.reject(new Error('This database was opened for reading'));
}
