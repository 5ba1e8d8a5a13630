import { setTimeout as delay } from 'node:timers/promises';
import { type Kysely, type QueryExecutorProvider, sql } from 'kysely';
import type { Database, Engine } from './database.ts';
import { DatabaseError } from './errors.ts';
import { supportedEncoding } from './expected.ts';
import { migrationContext } from './migrations/context.ts';
import { type Migration, migrations } from './migrations/index.ts';
import type { Schema } from './schema.ts';

/** Any fixed number: the lock under which nodes that start together take turns. */
const lockKey = 7_206_515;
const timeoutMs = 600_000;
const busyPauseMs = 250;

/**
 * Brings the schema up to date and returns the names of what this call applied. A new database gets everything in one
 * transaction; one with data one migration in each, so that what an interruption left is where the next call goes on. Of
 * several nodes one applies and the others wait for it. Throws when a newer program changed the database in a way that this
 * one does not know; what it only added does not matter. `known`:
 * what there is to apply, for tests of an upgrade.
 */
export async function migrate(db: Database, known: readonly Migration[] = migrations): Promise<string[]> {
  const applied: string[] = [];
  const step = () => db.transaction((tx) => applyNext(db.engine, tx.query, known), { timeoutMs });
  for (let turn = 0; turn <= known.length; turn += 1) {
    const { names, left } = await patiently(step).catch((error: unknown) => Promise.reject(told(error)));
    applied.push(...names);
    if (left === 0) break;
  }
  return applied;
}

const foreign =
  'It has tables of another program: name an empty database. What another gateway has is brought by `npx tollgate import`';
/** By SQLSTATE. */
const advices: Readonly<Record<string, string>> = {
  '42501':
    'Make the user of the address its owner: ALTER DATABASE <name> OWNER TO <user>, and in it ALTER SCHEMA public OWNER TO <user>',
  '42P07': foreign,
  '25006': 'It is a replica, or was set to be read only: name the server that takes writes',
};

function told(error: unknown): unknown {
  if (!(error instanceof DatabaseError)) return error;
  const isTaken = error.code === 'SQLITE_ERROR' && / already exists$/.test(error.message);
  const advice = isTaken ? foreign : advices[error.code];
  if (advice === undefined) return error;
  const text = `The database cannot be brought up to date: ${error.message}. ${advice}`;
  return new DatabaseError(error.kind, error.code, text, error);
}

/** All of them inside of a transaction that the caller began, which keeps other nodes waiting until its end. */
export async function applyMigrations(engine: Engine, on: Kysely<Schema>): Promise<void> {
  const query = on as unknown as Kysely<unknown>;
  const pending = await lockedPending(engine, query, migrations).catch((error: unknown) => Promise.reject(told(error)));
  for (const migration of pending) await apply(engine, query, migration);
}

async function applyNext(engine: Engine, on: Kysely<Schema>, known: readonly Migration[]) {
  const query = on as unknown as Kysely<unknown>;
  const pending = await lockedPending(engine, query, known);
  const now = pending.length === known.length ? pending : pending.slice(0, 1);
  for (const migration of now) await apply(engine, query, migration);
  return { names: now.map(({ name }) => name), left: pending.length - now.length };
}

async function lockedPending(engine: Engine, query: Kysely<unknown>, known: readonly Migration[]): Promise<Migration[]> {
  if (engine === 'postgres') {
    await sql`SET LOCAL lock_timeout = ${sql.raw(String(timeoutMs))}`.execute(query);
    await sql`SET LOCAL idle_in_transaction_session_timeout = ${sql.raw(String(timeoutMs))}`.execute(query);
    await sql`SELECT pg_advisory_xact_lock(${sql.raw(String(lockKey))})`.execute(query);
  }
  await sql`CREATE TABLE IF NOT EXISTS migration (name text NOT NULL PRIMARY KEY, applied_at text NOT NULL)`.execute(query);
  const applied = await readApplied(query);
  if (engine === 'postgres' && applied.length === 0) await refuseEncoding(query);
  return notIn(applied, known);
}

/** Before the first table: every text of another script, and our own "…", would fail one by one. */
async function refuseEncoding(query: Kysely<unknown>): Promise<void> {
  const { rows } = await sql<{ encoding: string }>`SELECT current_setting('server_encoding') AS encoding`.execute(query);
  const encoding = rows[0]?.encoding ?? '';
  if (encoding === supportedEncoding) return;
  const text = `The database's encoding is ${encoding}, in which most texts cannot be stored. Make it anew: CREATE DATABASE <name> OWNER <user> ENCODING '${supportedEncoding}' LOCALE 'C.UTF-8' TEMPLATE template0`;
  throw new DatabaseError('other', '', text);
}

async function apply(engine: Engine, query: Kysely<unknown>, { name, up, onlyAdds }: Migration): Promise<void> {
  await up(migrationContext(engine, query));
  await sql`INSERT INTO migration (name, applied_at) VALUES (${name}, CAST(CURRENT_TIMESTAMP AS text))`.execute(query);
  if (onlyAdds === true) await sql`UPDATE migration SET only_adds = 1 WHERE name = ${name}`.execute(query);
}

interface Applied {
  readonly name: string;
  /** Absent in a database of before there was such a mark. */
  readonly only_adds?: number;
}

/** Every column, since not every database has the same. */
async function readApplied(query: QueryExecutorProvider): Promise<Applied[]> {
  return (await sql<Applied>`SELECT * FROM migration ORDER BY name`.execute(query)).rows;
}

/** SQLite's own patience is shorter than a migration of a large table by another process. */
async function patiently<T>(attempt: () => Promise<T>): Promise<T> {
  const deadlineMs = performance.now() + timeoutMs;
  for (;;) {
    try {
      return await attempt();
    } catch (error) {
      const isBusy = error instanceof DatabaseError && error.kind === 'busy';
      if (!isBusy || performance.now() > deadlineMs) throw error;
      await delay(busyPauseMs);
    }
  }
}

export interface PendingMigration {
  readonly name: string;
  /** Rows that it has to read or write anew. */
  readonly rows: number;
}

interface Look {
  readonly known?: readonly Migration[];
  /** Throws for what was only added, too. */
  readonly isExact?: boolean;
  /** False: nobody wants to know the rows, which takes a while to count. */
  readonly counts?: boolean;
}

/** What `migrate` would apply, in order; changes nothing. Throws like `migrate`. */
export async function pendingMigrations(
  db: Pick<Database, 'read'>,
  { known = migrations, isExact = false, counts: isCounting = true }: Look = {},
): Promise<PendingMigration[]> {
  const tables = new Set((await db.read.introspection.getTables()).map(({ name }) => name));
  const isNew = !tables.has('migration');
  const applied = isNew ? [] : await readApplied(db.read);
  const counts = new Map<string, number>();
  const pending: PendingMigration[] = [];
  for (const { name, reads = [] } of notIn(applied, known, isExact)) {
    let rows = 0;
    for (const table of isCounting ? reads : []) {
      if (!tables.has(table)) continue;
      const count = counts.get(table) ?? (await countRows(db, table));
      counts.set(table, count);
      rows += count;
    }
    pending.push({ name, rows });
  }
  return pending;
}

async function countRows({ read }: Pick<Database, 'read'>, table: string): Promise<number> {
  const { rows } = await sql<{ count: number }>`SELECT count(*) AS count FROM ${sql.table(table)}`.execute(read);
  return Number(rows[0]?.count ?? 0);
}

function notIn(rows: readonly Applied[], known: readonly Migration[], isExact = false): Migration[] {
  const applied = new Set(rows.map((row) => row.name));
  const names = new Set(known.flatMap(({ name, formerly = name }) => [name, formerly]));
  const foreign = rows.find(({ name, only_adds }) => !names.has(name) && (isExact || only_adds !== 1));
  if (foreign !== undefined) throw new Error(newerVersion(foreign.name));
  return known.filter(({ name, formerly = name }) => !applied.has(name) && !applied.has(formerly));
}

const newerVersion = (name: string) =>
  `The database was written by a newer version, which changed it in a way that this one does not know (migration ${name}): ` +
  'start that version or a later one';
