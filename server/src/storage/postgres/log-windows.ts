import { setTimeout as delay } from 'node:timers/promises';
import { type QueryExecutorProvider, sql } from 'kysely';
import { logSegmentRows } from '../log-segments.ts';

/** A part of PostgreSQL's log: the ids `from` to `to` (exclusive), in a table of its own. */
export interface LogWindow {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

/** Rows whose window was never made: nothing is refused because a job stood still. */
const restTable = 'log_rest';
const firstWindowRows = 64 * logSegmentRows;
const lockKey = 7_206_516;

/** The windows in the order of their ids. */
export async function readLogWindows(query: QueryExecutorProvider): Promise<LogWindow[]> {
  const { rows } = await sql<{ name: string; bound: string }>`
    SELECT part.relname AS name, pg_get_expr(part.relpartbound, part.oid) AS bound
    FROM pg_inherits JOIN pg_class AS part ON part.oid = inhrelid WHERE inhparent = CAST('log' AS regclass)`.execute(query);
  return rows
    .flatMap(({ name, bound }) => {
      const [, from, to] = /FROM \((.*)\) TO \('(\d+)'\)/.exec(bound) ?? [];
      return to === undefined ? [] : [{ name, from: Number(from?.replaceAll("'", '').replace('MINVALUE', '0')), to: Number(to) }];
    })
    .sort((left, right) => left.from - right.from);
}

/**
 * Makes the log a partitioned table whose first window is the table as it was: no row moves, and what reads or writes
 * `log` stays as it is. PostgreSQL reads the old table once to see that its ids belong there.
 */
export async function partitionLog(query: QueryExecutorProvider): Promise<void> {
  const run = (text: string) => sql.raw(text).execute(query);
  await run('LOCK TABLE log IN ACCESS EXCLUSIVE MODE');
  const { rows } = await sql<{ next: number }>`
    SELECT last_value + CASE WHEN is_called THEN 1 ELSE 0 END AS next FROM log_id_seq`.execute(query);
  const next = Number(rows[0]?.next ?? 1);
  const end = (Math.floor(next / firstWindowRows) + 1) * firstWindowRows;
  const indexes = ['log_by_user_id_id', 'log_by_created_at', 'log_by_request_id'];
  await run('ALTER TABLE log RENAME TO log_first');
  await run('ALTER INDEX log_pkey RENAME TO log_first_pkey');
  for (const index of indexes) await run(`ALTER INDEX ${index} RENAME TO ${index.replace('log_', 'log_first_')}`);
  // Partitions cannot have identities before PostgreSQL 17.
  await run('ALTER TABLE log_first ALTER COLUMN id DROP IDENTITY');
  await run(`CREATE SEQUENCE log_id_seq START WITH ${next}`);
  await run('CREATE TABLE log (LIKE log_first INCLUDING DEFAULTS, PRIMARY KEY (id)) PARTITION BY RANGE (id)');
  await run(`ALTER TABLE log ALTER COLUMN id SET DEFAULT nextval('log_id_seq')`);
  await run('ALTER SEQUENCE log_id_seq OWNED BY log.id');
  await run('CREATE INDEX log_by_user_id_id ON log (user_id, id)');
  await run('CREATE INDEX log_by_created_at ON log (created_at)');
  await run(`CREATE INDEX log_by_request_id ON log (request_id) WHERE request_id <> ''`);
  await run(`ALTER TABLE log ATTACH PARTITION log_first FOR VALUES FROM (MINVALUE) TO (${end})`);
  await run(`CREATE TABLE ${restTable} PARTITION OF log DEFAULT`);
}

/**
 * Adds the window after `last`, unless another node was faster. Inserts do not wait for it; whoever reads the rest waits
 * for milliseconds. Throws DatabaseError, also when rows stand in the rest that belong there: those stay where they are.
 */
export async function addLogWindow(query: QueryExecutorProvider, last: LogWindow, next: Omit<LogWindow, 'name'>): Promise<void> {
  const run = (text: string) => sql.raw(text).execute(query);
  await run('SET LOCAL lock_timeout = 250');
  await run(`SELECT pg_advisory_xact_lock(${lockKey})`);
  if ((await readLogWindows(query)).at(-1)?.to !== last.to) return;
  const name = `log_from_${next.from}`;
  await run(`CREATE TABLE ${name} (LIKE log INCLUDING DEFAULTS INCLUDING CONSTRAINTS)`);
  // Not CREATE ... PARTITION OF, which would keep every insert away meanwhile.
  await run(`ALTER TABLE log ATTACH PARTITION ${name} FOR VALUES FROM (${next.from}) TO (${next.to})`);
}

/** Keeps writers away from a window until the end of the transaction; readers go on. */
export async function lockLogWindow(query: QueryExecutorProvider, { name }: LogWindow): Promise<void> {
  await sql`LOCK TABLE ${sql.table(name)} IN SHARE ROW EXCLUSIVE MODE`.execute(query);
}

const truncateTries = 150;
const truncatePauseMs = 200;

/**
 * Empties a locked window at once, whatever its size. It waits for a moment in which nobody reads the window, in short
 * attempts: who comes to read meanwhile must not wait behind it. Throws DatabaseError when there was none in 30 seconds.
 */
export async function truncateLogWindow(query: QueryExecutorProvider, { name }: LogWindow): Promise<void> {
  await sql`SET LOCAL lock_timeout = 100`.execute(query);
  for (let tries = 1; ; tries += 1) {
    await sql`SAVEPOINT free`.execute(query);
    try {
      await sql`TRUNCATE TABLE ${sql.table(name)}`.execute(query);
      return;
    } catch (error) {
      if (tries === truncateTries) throw error;
      await sql`ROLLBACK TO SAVEPOINT free`.execute(query);
      await delay(truncatePauseMs);
    }
  }
}

/** Removes the table of an empty window. Calls wait for it, a tenth of a second at most: then it throws DatabaseError. */
export async function dropLogWindow(query: QueryExecutorProvider, { name }: LogWindow): Promise<void> {
  await sql`SET LOCAL lock_timeout = 100`.execute(query);
  await sql`DROP TABLE ${sql.table(name)}`.execute(query);
}
