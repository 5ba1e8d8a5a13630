import type { LogTail, LogTailQuery } from '@tollgate/contract';
import type { Database } from '../../storage/database.ts';
import type { Horizon } from '../../storage/horizon.ts';
import { readEntries } from './entries.ts';
import { conditionsOf, filterOf, type LogFilter, type LogScope, withOwner } from './filter.ts';
import { findIds, newestId } from './find.ts';

const maxRows = 100;
/** Rows that one look goes through: whoever was away longer starts from the newest again. */
const maxBack = 20_000;

/**
 * What came after `after`, newest first. Only up to the id below which nothing can appear any more: a row that another
 * transaction commits late is told late and not left out. Throws PublicError, DatabaseError.
 */
export async function tailLogs(
  { db, horizon }: { db: Database; horizon: Horizon },
  scope: LogScope,
  query: LogTailQuery,
): Promise<LogTail> {
  const { after } = query;
  if (after === undefined) return { items: [], after: await newestId(db.read), skipped: false };
  const settled = await horizon.settledId();
  if (after >= settled) return { items: [], after, skipped: false };
  const from = Math.max(after, settled - maxBack);
  const filter = await withOwner(db.read, filterOf(scope, query));
  const rows = await db.read
    .selectFrom('log')
    .select('id')
    .where('id', '>', from)
    .where('id', '<=', settled)
    .where((build) => conditionsOf(build, filter))
    .orderBy('id', 'desc')
    .limit(maxRows + 1)
    .execute();
  const ids = rows.slice(0, maxRows).map(({ id }) => id);
  const items = await readEntries(db, scope, filter, ids);
  return { items, after: settled, skipped: rows.length > maxRows || (await isBetween(db, filter, after, from)) };
}

/** Whether a row that matches was gone by: of one filter there may be none for a long time. */
async function isBetween({ read }: Database, filter: LogFilter, after: number, from: number): Promise<boolean> {
  if (from === after) return false;
  const { ids } = await findIds(read, filter, { before: from + 1, skip: 0, limit: 1 });
  return (ids[0] ?? 0) > after;
}
