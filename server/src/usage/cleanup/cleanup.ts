import { logType } from '@tollgate/contract';
import { sql } from 'kysely';
import type { Database, Transaction } from '../../storage/database.ts';
import { logSegmentOf, touchLogSegment } from '../../storage/log-segments.ts';
import { countUpTo } from '../../storage/page.ts';
import { compact } from './compaction.ts';

/** Rows that one transaction deletes: calls wait a few milliseconds for it, not longer. */
const batchSize = 200;

/**
 * Deletes up to 200 of the rows before `before` (unix seconds) and keeps their totals per user, in one transaction, so
 * that the books add up at every moment. Rows that a late charge may still rewrite stay, and those that are not in the
 * rollups yet. Returns how many were deleted; 0 = done. Throws DatabaseError.
 */
export async function deleteOldLogs(db: Database, before: number): Promise<number> {
  const ids = await oldIds(db, before);
  if (ids.length === 0) return 0;
  return db.transaction(async (tx) => {
    const rows = await tx.query
      .deleteFrom('log')
      .where('id', 'in', ids)
      .where('id', 'not in', tx.query.selectFrom('swept').select('log_id'))
      .returning(['id', 'type', 'user_id', 'quota', 'shortfall', 'prompt_tokens', 'completion_tokens', 'created_at'])
      .execute();
    await touchSegments(tx, new Set(rows.map(({ id }) => logSegmentOf(id))));
    await compact(
      tx,
      rows.filter(({ type }) => type === logType.consume),
    );
    return rows.length;
  });
}

async function oldIds({ read }: Database, before: number): Promise<number[]> {
  const rows = await read
    .selectFrom('log')
    .select('id')
    .where('created_at', '<', before)
    .where('id', 'not in', read.selectFrom('swept').select('log_id'))
    .where(sql<number>`+id`, '<=', sql<number>`(SELECT rolled_to FROM usage_rollup WHERE id = 1)`)
    .orderBy('created_at')
    .limit(batchSize)
    .execute();
  return rows.map(({ id }) => id);
}

const maxCounted = 50_000;

/** About how many rows there are before `before`, for a progress bar: nobody waits for millions to be counted. */
export async function estimateOldLogs({ read }: Database, before: number): Promise<number> {
  const sealed = await read
    .selectFrom('log_segment')
    .select((of) => of.fn.sum<number | string | null>('row_count').as('total'))
    .where('last_at', '<', before)
    .executeTakeFirst();
  const rows = read.selectFrom('log').where('created_at', '<', before);
  return Math.max(Number(sealed?.total ?? 0), await countUpTo(read, rows, maxCounted));
}

/** What stands in their postings is no longer true. */
async function touchSegments(tx: Transaction, segments: ReadonlySet<number>): Promise<void> {
  for (const segment of [...segments].sort((left, right) => left - right)) await tx.perform(touchLogSegment(segment));
}

/** Removes the postings of one segment that has no row any more. False: there is none. */
export async function dropEmptySegment({ read, transaction }: Database): Promise<boolean> {
  const oldest = await read.selectFrom('log').select('id').orderBy('id').limit(1).executeTakeFirst();
  const first = await read.selectFrom('log_segment').select('id').orderBy('id').limit(1).executeTakeFirst();
  // Ids never come back: with no row at all, no segment has one.
  const below = oldest === undefined ? Number.MAX_SAFE_INTEGER : logSegmentOf(oldest.id);
  if (first === undefined || first.id >= below) return false;
  await transaction(async (tx) => {
    await tx.query.deleteFrom('log_posting').where('segment', '=', first.id).execute();
    await tx.query.deleteFrom('log_segment').where('id', '=', first.id).execute();
    await tx.query.deleteFrom('log_touch').where('segment', '<=', first.id).execute();
  });
  return true;
}
