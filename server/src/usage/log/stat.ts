import { type LogQuery, type LogStat, logType } from '@tollgate/contract';
import { type Kysely, sql } from 'kysely';
import type { Database } from '../../storage/database.ts';
import { logSegmentOf } from '../../storage/log-segments.ts';
import type { Schema } from '../../storage/schema.ts';
import { type Bits, countBits, newestIds, sumQuotas } from '../postings/positions.ts';
import { stretches } from '../postings/segments.ts';
import { isRolledUp, unsummedRows, usageSums } from '../sums/sums.ts';
import { conditionsOf, filterOf, isUnposted, type LogFilter, type LogScope, withOwner } from './filter.ts';
import { countOf, mostRead, noCursor } from './find.ts';

const rateWindowSeconds = 60;

/** Consumption of the range; the rates of the last minute. */
export async function readStat(db: Database, scope: LogScope, query: LogQuery, now: number): Promise<LogStat> {
  const filter = { ...(await withOwner(db.read, filterOf(scope, query))), type: logType.consume };
  return { ...(await chargesOf(db, filter)), ...(await ratesOf(db.read, filter, now - rateWindowSeconds)) };
}

/** Rows since `since`; the lowest of their ids bounds what any index has to go through. */
async function ratesOf(read: Kysely<Schema>, filter: LogFilter, since: number): Promise<Omit<LogStat, 'quota'>> {
  const lowest = await read
    .selectFrom('log')
    // The plus keeps planners from walking the key from its lowest id, through the whole log, instead of the index by time.
    .select(sql<number | null>`min(+id)`.as('id'))
    .where('created_at', '>=', since)
    .executeTakeFirst();
  if (lowest === undefined || lowest.id === null) return { rpm: 0, tpm: 0 };
  const rate = await read
    .selectFrom('log')
    .select((count) => [
      count.fn.countAll<number | string>().as('rpm'),
      count.fn.sum<number | string | null>(sql`prompt_tokens + completion_tokens`).as('tpm'),
    ])
    .where('id', '>=', lowest.id)
    .where((build) => conditionsOf(build, { ...filter, start: since, end: 0 }, { hidden: true }))
    .executeTakeFirst();
  return { rpm: Number(rate?.rpm ?? 0), tpm: Number(rate?.tpm ?? 0) };
}

async function chargesOf({ read }: Database, filter: LogFilter): Promise<Pick<LogStat, 'quota' | 'unsummed'>> {
  if (filter.requestId !== '') return { quota: await sumOf(read, filter) };
  if (isUnposted(filter)) return { quota: await sumThrough(read, filter) };
  if (!isRolledUp(filter)) return { quota: await sumFound(read, filter) };
  const unsummed = await unsummedRows(read);
  const { quota } = await usageSums(read, filter, 'newest');
  return unsummed === 0 ? { quota } : { quota, unsummed };
}

/** Up to so many rows of a segment are read themselves, and not the segment's list of all charges. */
const fewRows = 64;
const idsAtATime = 1_000;

/** Lists of charges that are read at once: some 90 KB each. */
const listsAtATime = 16;

/** The sum over what no rollup tells apart, from the postings; exact, hidden rows included. */
export async function sumFound(read: Kysely<Schema>, filter: LogFilter): Promise<number> {
  let sum = 0;
  let ids: number[] = [];
  let lists: { segment: number; bits: Bits }[] = [];
  const addIds = async () => {
    sum += await sumById(read, ids);
    ids = [];
  };
  const addLists = async () => {
    sum += await sumByLists(read, lists);
    lists = [];
  };
  // Lists and postings count consumption alone: its postings need not be read.
  for await (const stretch of stretches(read, { ...filter, type: 0 }, { before: noCursor, hidden: true })) {
    const { from, to, bits, quota } = stretch;
    const segment = logSegmentOf(from);
    if (quota !== undefined) sum += quota;
    else if (bits === undefined) sum += await sumOf(read, filter, { from, to });
    else if (countBits(bits) > fewRows) lists.push({ segment, bits });
    else ids.push(...newestIds(bits, segment, noCursor, fewRows));
    if (ids.length >= idsAtATime) await addIds();
    if (lists.length >= listsAtATime) await addLists();
  }
  await addIds();
  await addLists();
  return sum;
}

/** As far as the first page is looked for. */
async function sumThrough(read: Kysely<Schema>, filter: LogFilter): Promise<number> {
  let sum = 0;
  let left = mostRead;
  for await (const stretch of stretches(read, filter, { before: noCursor, hidden: true })) {
    if (left <= 0) break;
    sum += await sumOf(read, filter, stretch);
    left -= countOf(stretch) ?? stretch.to - stretch.from + 1;
  }
  return sum;
}

async function sumOf(
  read: Kysely<Schema>,
  filter: LogFilter,
  { from, to }: { from?: number; to?: number } = {},
): Promise<number> {
  let rows = read.selectFrom('log').where((build) => conditionsOf(build, filter, { hidden: true }));
  if (from !== undefined && to !== undefined) rows = rows.where('id', '>=', from).where('id', '<=', to);
  const row = await rows.select((of) => of.fn.sum<number | string | null>('quota').as('quota')).executeTakeFirst();
  return Number(row?.quota ?? 0);
}

async function sumById(read: Kysely<Schema>, ids: readonly number[]): Promise<number> {
  if (ids.length === 0) return 0;
  const rows = read.selectFrom('log').where('id', 'in', ids).where('type', '=', logType.consume);
  const row = await rows.select((of) => of.fn.sum<number | string | null>('quota').as('quota')).executeTakeFirst();
  return Number(row?.quota ?? 0);
}

async function sumByLists(read: Kysely<Schema>, lists: readonly { segment: number; bits: Bits }[]): Promise<number> {
  if (lists.length === 0) return 0;
  const rows = await read
    .selectFrom('log_segment')
    .select(['id', 'quotas'])
    .where(
      'id',
      'in',
      lists.map(({ segment }) => segment),
    )
    .execute();
  const quotas = new Map(rows.map((row) => [row.id, row.quotas]));
  return lists.reduce((sum, { segment, bits }) => sum + sumQuotas(quotas.get(segment) ?? '', bits), 0);
}
