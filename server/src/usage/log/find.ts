import type { Kysely } from 'kysely';
import { logSegmentOf, logSegmentRows } from '../../storage/log-segments.ts';
import { countUpTo } from '../../storage/page.ts';
import type { Schema } from '../../storage/schema.ts';
import { countBits, newestIds } from '../postings/positions.ts';
import { type Stretch, stretches } from '../postings/segments.ts';
import { conditionsOf, isUnposted, type LogFilter } from './filter.ts';

/** Above every id. */
export const noCursor = Number.MAX_SAFE_INTEGER;

/** 0 = the log is empty. */
export async function newestId(read: Kysely<Schema>): Promise<number> {
  const row = await read.selectFrom('log').select('id').orderBy('id', 'desc').limit(1).executeTakeFirst();
  return row?.id ?? 0;
}

interface Window {
  readonly before: number;
  readonly skip: number;
  readonly limit: number;
}

/** `next`: what follows lies below this id; 0 = there are no more. */
interface Found {
  readonly ids: number[];
  readonly next: number;
}

/** Ids of matching rows below `before`, newest first; leaves out the first `skip`. */
export async function findIds(read: Kysely<Schema>, filter: LogFilter, window: Window): Promise<Found> {
  const ids: number[] = [];
  if (filter.requestId !== '') return findRequest(read, filter, window);
  if (isUnposted(filter)) return readThrough(read, filter, window);
  let skip = window.skip;
  for await (const stretch of stretches(read, filter, { before: window.before })) {
    const count = countOf(stretch);
    if (count !== undefined && count <= skip) {
      skip -= count;
      continue;
    }
    // One more than wanted tells whether more follow.
    const found = await idsOf(read, filter, stretch, window.before, skip + window.limit + 1 - ids.length);
    ids.push(...found.slice(skip));
    skip = Math.max(0, skip - found.length);
    if (ids.length > window.limit) break;
  }
  return foundOf(ids, window.limit);
}

/** `ids` has one more than wanted where more follow. */
function foundOf(ids: readonly number[], limit: number): Found {
  const wanted = ids.slice(0, limit);
  return { ids: wanted, next: ids.length > limit ? (wanted.at(-1) ?? 0) : 0 };
}

/** How many rows match; stops counting at `limit`. */
export async function countMatching(read: Kysely<Schema>, filter: LogFilter, limit: number): Promise<number> {
  const all = { before: noCursor, skip: 0, limit };
  if (filter.requestId !== '') return (await findRequest(read, filter, all)).ids.length;
  if (isUnposted(filter)) return (await countRead(read, filter, limit)).total;
  let total = 0;
  for await (const stretch of stretches(read, filter, { before: noCursor })) {
    total += countOf(stretch) ?? (await countIn(read, filter, stretch, limit - total));
    if (total >= limit) return limit;
  }
  return total;
}

/** The same for what nothing points at; `more`: older rows were not read. */
export async function countRead(
  read: Kysely<Schema>,
  filter: LogFilter,
  limit: number,
): Promise<{ readonly total: number; readonly more: boolean }> {
  const { ids, next } = await readThrough(read, filter, { before: noCursor, skip: 0, limit });
  return { total: ids.length, more: next > 0 };
}

/** How many match, where no row has to be looked at for it. */
export function countOf({ bits, count }: Stretch): number | undefined {
  return bits === undefined ? count : countBits(bits);
}

async function idsOf(
  read: Kysely<Schema>,
  filter: LogFilter,
  stretch: Stretch,
  before: number,
  limit: number,
): Promise<number[]> {
  if (stretch.bits !== undefined) return newestIds(stretch.bits, logSegmentOf(stretch.from), before, limit);
  const rows = await within(read, filter, stretch).select('id').orderBy('id', 'desc').limit(limit).execute();
  return rows.map(({ id }) => id);
}

const countIn = (read: Kysely<Schema>, filter: LogFilter, stretch: Stretch, limit: number): Promise<number> =>
  countUpTo(read, within(read, filter, stretch), limit);

/** Bounded by ids: a stretch is short, whatever else is asked. */
function within(read: Kysely<Schema>, filter: LogFilter, { from, to }: Stretch) {
  return read
    .selectFrom('log')
    .where('id', '>=', from)
    .where('id', '<=', to)
    .where((build) => conditionsOf(build, filter));
}

/** A request has few rows, and an index of its own. */
async function findRequest(read: Kysely<Schema>, filter: LogFilter, { before, skip, limit }: Window): Promise<Found> {
  const rows = await read
    .selectFrom('log')
    .select('id')
    .where((build) => conditionsOf(build, filter))
    .where('id', '<', before)
    .orderBy('id', 'desc')
    .offset(skip)
    .limit(limit + 1)
    .execute();
  const ids = rows.map(({ id }) => id);
  return foundOf(ids, limit);
}

/** Rows that one answer reads through where nothing points at what is looked for. */
export const mostRead = 16 * logSegmentRows;

/** What the rest of the filter leaves is read row by row, so far; the next page goes on below. */
async function readThrough(read: Kysely<Schema>, filter: LogFilter, { before, skip, limit }: Window): Promise<Found> {
  const ids: number[] = [];
  let left = mostRead;
  for await (const stretch of stretches(read, filter, { before })) {
    if (left <= 0) return { ids: ids.slice(skip), next: stretch.to + 1 };
    const rows = await within(read, filter, stretch)
      .select('id')
      .orderBy('id', 'desc')
      .limit(skip + limit + 1 - ids.length)
      .execute();
    ids.push(...rows.map(({ id }) => id));
    if (ids.length > skip + limit) break;
    left -= countOf(stretch) ?? stretch.to - stretch.from + 1;
  }
  return foundOf(ids.slice(skip), limit);
}
