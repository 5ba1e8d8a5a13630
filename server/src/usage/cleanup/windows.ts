import { logType } from '@tollgate/contract';
import { sql } from 'kysely';
import type { Database, Transaction } from '../../storage/database.ts';
import { logSegmentOf, logSegmentRows } from '../../storage/log-segments.ts';
import {
  addLogWindow,
  dropLogWindow,
  type LogWindow,
  lockLogWindow,
  readLogWindows,
  truncateLogWindow,
} from '../../storage/postgres/log-windows.ts';
import { addToCompaction, compactionColumns } from './compaction.ts';

const monthSeconds = 30 * 86_400;
const windowRows: { readonly least: number; readonly most: number } = { least: 8 * logSegmentRows, most: 1024 * logSegmentRows };
/** Millions of rows are summed in it. */
const deleteTimeoutMs = 600_000;

/** What is to be done now and then: the next window, and an end to empty ones. Nothing on SQLite. Throws DatabaseError. */
export async function keepLogWindows(db: Database, now: number): Promise<void> {
  if (db.engine !== 'postgres') return;
  await keepWindowAhead(db, now);
  await dropEmptyWindows(db);
}

/**
 * Makes the next window of the log on PostgreSQL while a whole one is still free. A window is as large as what came in the
 * last 30 days, so that it holds about a month. Throws DatabaseError.
 */
export async function keepWindowAhead(db: Database, now: number, { least, most } = windowRows): Promise<void> {
  const last = (await readLogWindows(db.read)).at(-1);
  const newest = await endOfLog(db, 'desc');
  if (last === undefined || last.to - newest > most) return;
  const rows = Math.min(most, Math.max(least, await rowsSince(db, newest, now - monthSeconds)));
  if (last.to - newest > rows) return;
  // Where rows came before their window they stay in the rest: the next one begins well above them.
  const from = newest < last.to ? last.to : (logSegmentOf(newest) + 4) * logSegmentRows;
  await db.transaction((tx) => addLogWindow(tx.query, last, { from, to: from + rows }));
}

/** Whole segments: what came since `since`, about. */
async function rowsSince({ read }: Database, newest: number, since: number): Promise<number> {
  const first = await read
    .selectFrom('log_segment')
    .select((of) => of.fn.min<number | null>('id').as('id'))
    .where('last_at', '>=', since)
    .executeTakeFirst();
  return first === undefined || first.id === null ? 0 : (logSegmentOf(newest) + 1 - first.id) * logSegmentRows;
}

async function endOfLog({ read }: Database, end: 'asc' | 'desc'): Promise<number> {
  const row = await read.selectFrom('log').select('id').orderBy('id', end).limit(1).executeTakeFirst();
  return row?.id ?? 0;
}

/**
 * Empties one window whose rows are all older than `before` (unix seconds), keeps their totals per user in the same
 * transaction, and leaves the rows that a late charge may still rewrite. Returns how many rows went; 0 = there is no such
 * window. Nobody waits for it but readers of that window, for a moment. Throws DatabaseError.
 */
export async function deleteOldWindow(db: Database, before: number): Promise<number> {
  if (db.engine !== 'postgres') return 0;
  const { rolled_to } = await db.read.selectFrom('usage_rollup').select('rolled_to').executeTakeFirstOrThrow();
  for (const window of await readLogWindows(db.read)) {
    if (window.to > rolled_to) return 0;
    if (!(await isOld(db, window, before))) continue;
    const deleted = await db.transaction((tx) => emptyWindow(tx, window), { timeoutMs: deleteTimeoutMs });
    if (deleted > 0) return deleted;
  }
  return 0;
}

/** Has rows of which none is young. */
async function isOld({ read }: Database, { name }: LogWindow, before: number): Promise<boolean> {
  const { rows } = await sql<{ youngest: number | null }>`
    SELECT max(created_at) AS youngest FROM ${sql.table(name)}`.execute(read);
  const youngest = rows[0]?.youngest ?? null;
  return youngest !== null && youngest < before;
}

async function emptyWindow(tx: Transaction, window: LogWindow): Promise<number> {
  const { query } = tx;
  const rows = sql.table(window.name);
  await lockLogWindow(query, window);
  // Decided once: which sweeps are forgotten meanwhile must change nothing.
  await sql`CREATE TEMPORARY TABLE log_kept ON COMMIT DROP AS SELECT * FROM ${rows}
    WHERE id IN (SELECT log_id FROM swept WHERE log_id >= ${window.from} AND log_id < ${window.to})`.execute(query);
  const isKept = sql`id IN (SELECT id FROM log_kept)`;
  const { rows: counted } = await sql<{ total: number }>`SELECT count(*) AS total FROM ${rows} WHERE NOT (${isKept})`.execute(
    query,
  );
  const total = counted[0]?.total ?? 0;
  if (total === 0) return 0;
  await sql`INSERT INTO log_touch (segment, epoch)
    SELECT segment, 1 FROM generate_series(${sql.lit(logSegmentOf(window.from))}, ${sql.lit(logSegmentOf(window.to - 1))}) AS segment
    ON CONFLICT (segment) DO UPDATE SET epoch = log_touch.epoch + 1`.execute(query);
  await sql`INSERT INTO log_compaction (${sql.join(compactionColumns.map((column) => sql.ref(column)))})
    SELECT user_id, count(*), sum(quota), sum(shortfall), sum(prompt_tokens), sum(completion_tokens), max(created_at)
    FROM ${rows} WHERE type = ${sql.lit(logType.consume)} AND NOT (${isKept}) GROUP BY user_id ORDER BY user_id
    ${sql.raw(addToCompaction)}`.execute(query);
  await truncateLogWindow(query, window);
  await sql`INSERT INTO ${rows} SELECT * FROM log_kept`.execute(query);
  return total;
}

/** Removes the tables of windows that are empty for ever. Throws DatabaseError. */
export async function dropEmptyWindows(db: Database): Promise<void> {
  // Read first: rows up to there are committed, while above it one that nobody sees yet may be on its way.
  const { rolled_to } = await db.read.selectFrom('usage_rollup').select('rolled_to').executeTakeFirstOrThrow();
  const oldest = await endOfLog(db, 'asc');
  for (const window of await readLogWindows(db.read)) {
    if (window.to > oldest || window.to > rolled_to) return;
    await db.transaction((tx) => dropLogWindow(tx.query, window));
  }
}
