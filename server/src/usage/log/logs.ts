import type { LogEntry, LogExportQuery, LogPage, LogQuery, LogStat, LogTail, LogTailQuery } from '@tollgate/contract';
import { sql } from 'kysely';
import { type Clock, nowSeconds } from '../../platform/clock.ts';
import { PublicError } from '../../platform/errors.ts';
import type { Database } from '../../storage/database.ts';
import { createHorizon, type Horizon } from '../../storage/horizon.ts';
import { countLimit } from '../../storage/page.ts';
import { readEntries } from './entries.ts';
import { exportLogs } from './export.ts';
import { anyRow, filterOf, isUnposted, type LogFilter, type LogScope, withOwner } from './filter.ts';
import { countMatching, countRead, findIds, newestId, noCursor } from './find.ts';
import { readStat } from './stat.ts';
import { tailLogs } from './tail.ts';

export interface Logs {
  /** Throws PublicError for a page beyond the counted ones: those are reached with `before`. */
  page(scope: LogScope, query: LogQuery): Promise<LogPage>;
  /** The newest 100 rows of a type, of a request, or (administrators) whose content begins so (contract 1.10). */
  search(scope: LogScope, keyword: string): Promise<LogEntry[]>;
  /** The newest 100 rows of one token, as its owner sees them. */
  ofToken(userId: number, tokenId: number): Promise<LogEntry[]>;
  /** See `exportLogs`. */
  export(scope: LogScope, query: LogExportQuery): AsyncGenerator<string>;
  /** See `tailLogs`. */
  tail(scope: LogScope, query: LogTailQuery): Promise<LogTail>;
  /** Consumption only; rpm and tpm look at the last 60 seconds whatever the range is. */
  stat(scope: LogScope, query: LogQuery): Promise<LogStat>;
}

const listLimit = 100;

export interface LogsParts {
  db: Database;
  clock: Clock;
  horizon?: Horizon;
  /** Of a dollar, for files. */
  quotaPerUnit: () => number;
}

export function createLogs({ db, clock, horizon = createHorizon(db), quotaPerUnit }: LogsParts): Logs {
  return {
    page: (scope, query) => readPage(db, scope, query),
    search: (scope, keyword) => searchLogs(db, scope, keyword),
    async ofToken(userId, tokenId) {
      const filter = { ...anyRow, userId, tokenId };
      const { ids } = await findIds(db.read, filter, { before: noCursor, skip: 0, limit: listLimit });
      const rows = await readEntries(db, { kind: 'own', userId }, filter, ids);
      // Whoever else has the key need not know where its owner calls from.
      return rows.map((row) => ({ ...row, ip: '' }));
    },
    export: (scope, query) => exportLogs(db, scope, query, quotaPerUnit()),
    tail: (scope, query) => tailLogs({ db, horizon }, scope, query),
    stat: (scope, query) => readStat(db, scope, query, nowSeconds(clock)),
  };
}

async function readPage(db: Database, scope: LogScope, query: LogQuery): Promise<LogPage> {
  const { p, page_size } = query;
  const skip = (p - 1) * page_size;
  // Pages by number end where the count does.
  if (skip >= countLimit) throw new PublicError('invalid_parameters', { detail: 'p: too deep, use before' });
  const filter = await withOwner(db.read, filterOf(scope, query));
  const before = query.before === 0 ? noCursor : query.before;
  const found = await findIds(db.read, filter, { before, skip, limit: page_size });
  const isAll = before === noCursor && skip === 0 && found.next === 0;
  const { total, more } = isAll ? { total: found.ids.length, more: false } : await countAll(db, filter);
  return {
    items: await readEntries(db, scope, filter, found.ids),
    page: p,
    page_size,
    total: Math.min(total, countLimit),
    total_capped: total > countLimit || more,
    next_before: found.next,
  };
}

async function countAll({ read }: Database, filter: LogFilter): Promise<{ readonly total: number; readonly more: boolean }> {
  const limit = countLimit + 1;
  return isUnposted(filter) ? countRead(read, filter, limit) : { total: await countMatching(read, filter, limit), more: false };
}

/** Contents are searched in the newest rows only: nothing points at them. */
const searchedRows = 50_000;

async function searchLogs(db: Database, scope: LogScope, keyword: string): Promise<LogEntry[]> {
  const mine = { ...anyRow, ...(scope.kind === 'own' ? { userId: scope.userId } : {}) };
  if (keyword === '') return [];
  // A filter of type 0 is one of any type; rows of type 0 there are none.
  const filter = /^[1-9]$/.test(keyword) ? { ...mine, type: Number(keyword) } : { ...mine, requestId: keyword };
  const { ids } = await findIds(db.read, filter, { before: noCursor, skip: 0, limit: listLimit });
  const found = await readEntries(db, scope, filter, ids);
  if (found.length > 0 || scope.kind === 'own') return found;
  const newest = await newestId(db.read);
  const rows = await db.read
    .selectFrom('log')
    .select('id')
    .where('id', '>', newest - searchedRows)
    .where('hidden', '=', 0)
    // The engines count characters, not units of UTF-16.
    .where((build) => build(sql`substr(content, 1, ${[...keyword].length})`, '=', keyword))
    .orderBy('id', 'desc')
    .limit(listLimit)
    .execute();
  return readEntries(
    db,
    scope,
    mine,
    rows.map(({ id }) => id),
  );
}
