import { DatabaseSync } from 'node:sqlite';
import { crowdColumns, crowdRows } from '../../e2e/support/log-crowd.ts';

const rowsPerCommit = 50_000;

/**
 * Fills the log of a migrated SQLite database that no server has open with `count` rows over 90 days before `end` (unix
 * seconds). Rows per second, of all and of the last tenth; the database is written without waiting for the disk.
 */
export function seedLog(file: string, count: number, end: number): { rate: number; lastRate: number } {
  const db = new DatabaseSync(file);
  db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; PRAGMA cache_size = -262144');
  const marks = crowdColumns.map(() => '?').join(', ');
  const insert = db.prepare(`INSERT INTO log (${crowdColumns.join(', ')}) VALUES (${marks})`);
  const startedMs = performance.now();
  let lateMs = startedMs;
  let rows = 0;
  db.exec('BEGIN');
  for (const row of crowdRows(count, { end, days: 90 })) {
    insert.run(...row);
    rows += 1;
    if (rows === Math.floor(count * 0.9)) lateMs = performance.now();
    if (rows % rowsPerCommit === 0) db.exec('COMMIT; BEGIN');
  }
  db.exec('COMMIT; PRAGMA wal_checkpoint(TRUNCATE)');
  db.close();
  const endedMs = performance.now();
  return { rate: (rows * 1000) / (endedMs - startedMs), lastRate: (rows * 100) / (endedMs - lateMs) };
}

/** What is there; `end`: unix seconds of the newest row. */
export function seededLog(file: string): { rows: number; newestId: number; end: number } {
  const db = new DatabaseSync(file, { readOnly: true });
  const row = db.prepare('SELECT count(*) AS rows, max(id) AS newest, max(created_at) AS "end" FROM log').get();
  db.close();
  return { rows: Number(row?.rows ?? 0), newestId: Number(row?.newest ?? 0), end: Number(row?.end ?? 0) };
}
