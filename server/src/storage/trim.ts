import type { Database, Work } from './database.ts';

/** Rows whose age decides alone: oldest first along an index on `stamp`, in unix seconds. */
export interface Aging {
  readonly table: 'swept' | 'user_device' | 'hold_note' | 'notification' | 'notification_delivery';
  readonly stamp: 'closed_at' | 'seen_at' | 'used_at' | 'created_at';
  readonly keepSeconds: number;
}

/** A node that could not read for so long must be started again: what it missed is not kept for it. */
const keepChangesSeconds = 7 * 86_400;
/** Far more than a node looks back when it starts. */
const keptChanges = 10_000;
const batchRows = 500;
const maxBatches = 200;

/** Deletes changes that every node has read long ago, in small transactions. Returns how many. Throws DatabaseError. */
export function trimChanges(db: Database, now: number): Promise<number> {
  return inBatches(db, () => oldChanges(now));
}

/** Deletes rows that have outlived their use, in small transactions. Returns how many. Throws DatabaseError. */
export function trimAged(db: Database, { table, stamp, keepSeconds }: Aging, now: number): Promise<number> {
  return inBatches(db, () => agedRows(table, stamp, now - keepSeconds));
}

async function inBatches(db: Database, batch: () => Work<number>): Promise<number> {
  let total = 0;
  for (let count = 0; count < maxBatches; count += 1) {
    const deleted = await db.transaction((tx) => tx.perform(batch()));
    total += deleted;
    if (deleted < batchRows) break;
  }
  return total;
}

/**
 * In the order of their numbers, and only as far as all of them are old: a young one may have an old number. One that a clock
 * ahead of time stamped says nothing; it goes with an old one after it, and holds nothing up until its time has come.
 */
function* oldChanges(now: number): Work<number> {
  const before = now - keepChangesSeconds;
  const sql = 'SELECT seq, created_at FROM change WHERE created_at <= ? ORDER BY seq LIMIT ?';
  const oldest = yield { sql, parameters: [now, batchRows] };
  const top = yield { sql: 'SELECT MAX(seq) AS seq FROM change', parameters: [] };
  const last = Number(top.rows[0]?.seq ?? 0) - keptChanges;
  const young = oldest.rows.findIndex(({ seq, created_at }) => Number(created_at) >= before || Number(seq) > last);
  const end = (young < 0 ? oldest.rows : oldest.rows.slice(0, young)).at(-1);
  if (end === undefined) return 0;
  const { changes } = yield { sql: 'DELETE FROM change WHERE seq <= ?', parameters: [Number(end.seq)] };
  return changes;
}

/** All rows of one second go together. */
function* agedRows(table: Aging['table'], stamp: Aging['stamp'], before: number): Work<number> {
  const sql = `SELECT ${stamp} AS stamp FROM ${table} WHERE ${stamp} < ? ORDER BY ${stamp} LIMIT ?`;
  const { rows } = yield { sql, parameters: [before, batchRows] };
  const end = rows.at(-1);
  if (end === undefined) return 0;
  const { changes } = yield { sql: `DELETE FROM ${table} WHERE ${stamp} <= ?`, parameters: [Number(end.stamp)] };
  return changes;
}
