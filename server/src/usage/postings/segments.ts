import { type Kysely, type RawBuilder, sql } from 'kysely';
import { logSegmentOf, logSegmentRows } from '../../storage/log-segments.ts';
import type { Schema } from '../../storage/schema.ts';
import { type LogFilter, likePattern } from '../log/filter.ts';
import { allRows, shownRows, type Wanted, wantedBy } from './dimensions.ts';
import { addPositions, type Bits, bitsOf, both, isEmpty, upTo, without } from './positions.ts';
import { judgeTime, type SegmentTimes, type TimeVerdict } from './segment-times.ts';

/** A stretch of the log, both ends inclusive, with what is known of the rows that match. */
export interface Stretch {
  readonly from: number;
  readonly to: number;
  /** Exactly the rows that match; undefined = the rows have to be looked at. */
  readonly bits: Bits | undefined;
  /** How many match, where no row has to be looked at for it. */
  readonly count: number | undefined;
  /** What they charged together, where it is known. */
  readonly quota: number | undefined;
}

interface Segment extends SegmentTimes {
  readonly id: number;
  readonly row_count: number;
  readonly hidden_count: number;
}

export interface WalkOptions {
  /** Ids below this only. */
  readonly before: number;
  /** Rows that no page shows count too. */
  readonly hidden?: boolean;
}

/** Rows without postings are looked at in pieces of this many segments, so that other readers get their turn. */
const openSegments = 4;
const firstBatch = 8;
const lastBatch = 64;

/** Walks the log from the newest row to the oldest and leaves out what cannot match. */
export async function* stretches(read: Kysely<Schema>, filter: LogFilter, options: WalkOptions): AsyncGenerator<Stretch> {
  const ends = await endsOf(read);
  if (ends === undefined) return;
  const newest = Math.min(ends.newest, options.before - 1);
  if (newest < ends.oldest) return;
  const known = await readSegments(read, logSegmentOf(ends.oldest), logSegmentOf(newest));
  const wanted = wantedBy(filter);
  // What a pattern meets is put together by the thread that serves calls: between two small batches others get their turn.
  const isBroad = wanted.some(({ isPattern }) => isPattern);
  let batchSize = firstBatch;
  for (const run of runsOf(known, logSegmentOf(newest), logSegmentOf(ends.oldest))) {
    if (run.sealed === undefined) {
      yield* openStretches(run.from, Math.min(run.to, newest));
      continue;
    }
    const mayMatch = run.sealed.flatMap((segment) => plan(segment, filter));
    for (let index = 0; index < mayMatch.length; ) {
      const batch = mayMatch.slice(index, index + batchSize);
      yield* await sealedStretches(read, batch, wanted, { newest, hidden: options.hidden === true });
      index += batch.length;
      if (!isBroad) batchSize = Math.min(batchSize * 2, lastBatch);
    }
  }
}

interface Planned {
  readonly segment: Segment;
  readonly verdict: TimeVerdict;
}

function plan(segment: Segment, filter: LogFilter): Planned[] {
  if (segment.row_count === 0) return [];
  const verdict = judgeTime(segment, filter);
  return verdict.kind === 'out' && verdict.keep.length === 0 ? [] : [{ segment, verdict }];
}

/** Two looks at the ends of the key: asked for both at once, an engine reads everything between them. */
async function endsOf(read: Kysely<Schema>): Promise<{ oldest: number; newest: number } | undefined> {
  const ids = read.selectFrom('log').select('id').limit(1);
  const oldest = await ids.orderBy('id').executeTakeFirst();
  const newest = await ids.orderBy('id', 'desc').executeTakeFirst();
  return oldest === undefined || newest === undefined ? undefined : { oldest: oldest.id, newest: newest.id };
}

/** Those whose postings hold: rows changed later, or by another node meanwhile, count as unknown. */
async function readSegments(read: Kysely<Schema>, from: number, to: number): Promise<ReadonlyMap<number, Segment>> {
  const rows = await read
    .selectFrom('log_segment')
    .leftJoin('log_touch', 'log_touch.segment', 'log_segment.id')
    .select(['log_segment.id', 'row_count', 'hidden_count', 'first_at', 'last_at', 'outliers'])
    .where('log_segment.id', '>=', from)
    .where('log_segment.id', '<=', to)
    .where('log_segment.epoch', '=', sql<number>`coalesce(log_touch.epoch, 0)`)
    .execute();
  return new Map(rows.map((row) => [row.id, row]));
}

type Run = { readonly sealed: Segment[] } | { readonly sealed: undefined; readonly from: number; readonly to: number };

/** Neighbours that are both known, or both not, taken together; newest first. */
function* runsOf(known: ReadonlyMap<number, Segment>, newest: number, oldest: number): Generator<Run> {
  for (let id = newest; id >= oldest; ) {
    const sealed: Segment[] = [];
    for (let segment = known.get(id); segment !== undefined && id >= oldest; segment = known.get(id)) {
      sealed.push(segment);
      id -= 1;
    }
    if (sealed.length > 0) yield { sealed };
    const last = id;
    while (id >= oldest && !known.has(id)) id -= 1;
    if (last > id) yield { sealed: undefined, from: (id + 1) * logSegmentRows, to: (last + 1) * logSegmentRows - 1 };
  }
}

function* openStretches(from: number, to: number): Generator<Stretch> {
  const step = openSegments * logSegmentRows;
  for (let end = to; end >= from; ) {
    const start = Math.max(from, Math.floor(end / step) * step);
    yield { from: start, to: end, bits: undefined, count: undefined, quota: undefined };
    end = start - 1;
  }
}

async function sealedStretches(
  read: Kysely<Schema>,
  batch: readonly Planned[],
  wanted: readonly Wanted[],
  { newest, hidden }: { newest: number; hidden: boolean },
): Promise<Stretch[]> {
  const ids = (of: readonly Planned[]) => of.map(({ segment }) => segment.id);
  const found = await matchingBits(read, ids(batch), wanted);
  const cut = batch.filter(({ verdict }) => found === undefined && verdict.kind === 'in' && verdict.drop.length > 0);
  const all = await readPostings(read, ids(cut), allRows);
  const veiled = hidden ? [] : batch.filter(({ segment }) => segment.hidden_count > 0);
  const shown = await readPostings(read, ids(veiled), shownRows);
  return batch.flatMap(({ segment, verdict }): Stretch[] => {
    const { id, row_count } = segment;
    const from = id * logSegmentRows;
    const to = Math.min(from + logSegmentRows - 1, newest);
    const look = { from, to, bits: undefined, count: undefined, quota: undefined };
    const posting = found?.get(id);
    const matching = posting?.bits;
    if (found !== undefined && (matching === undefined || isEmpty(matching))) return [];
    if (verdict.kind === 'edge') return [look];
    const timely = timelyBits(verdict, matching ?? all.get(id)?.bits);
    const mask = shown.get(id)?.bits;
    const bits = mask === undefined || timely === undefined ? (timely ?? mask) : both(timely, mask);
    if (bits === undefined) return [to === newest ? look : { from, to, bits, count: row_count, quota: undefined }];
    const below = upTo(bits, to - from);
    const isWhole = verdict.kind === 'in' && verdict.drop.length === 0 && mask === undefined && to < newest;
    const quota = isWhole && wanted.length === 1 ? posting?.quota : undefined;
    return isEmpty(below) ? [] : [{ from, to, bits: below, count: undefined, quota }];
  });
}

/** Undefined = every row. */
function timelyBits(verdict: Exclude<TimeVerdict, { kind: 'edge' }>, bits: Bits | undefined): Bits | undefined {
  if (verdict.kind === 'in') return bits === undefined || verdict.drop.length === 0 ? bits : without(bits, verdict.drop);
  const kept = bitsOf(verdict.keep);
  return bits === undefined ? kept : both(kept, bits);
}

interface Posting {
  readonly bits: Bits;
  readonly quota: number | undefined;
}

/** Per segment the rows that every part of the filter allows; undefined = it has no parts. */
async function matchingBits(
  read: Kysely<Schema>,
  batch: readonly number[],
  wanted: readonly Wanted[],
): Promise<ReadonlyMap<number, Posting> | undefined> {
  let found: ReadonlyMap<number, Posting> | undefined;
  for (const one of wanted) {
    // What an earlier part ruled out need not be read.
    const ids: number[] = found === undefined ? [...batch] : [...found.keys()];
    if (ids.length === 0) break;
    const postings = await readPostings(read, ids, one);
    for (const [id, { bits }] of postings) {
      const earlier = found?.get(id);
      if (earlier !== undefined && isEmpty(both(bits, earlier.bits))) postings.delete(id);
    }
    found = postings;
  }
  return found;
}

async function readPostings(read: Kysely<Schema>, segments: readonly number[], wanted: Wanted): Promise<Map<number, Posting>> {
  if (segments.length === 0) return new Map();
  const rows = await read
    .selectFrom('log_posting')
    // One row for each segment: a pattern may meet thousands of its values.
    .select(['segment', joined(sql`positions`).as('positions'), joined(sql`coalesce(CAST(quota AS text), '')`).as('quotas')])
    .where('segment', 'in', segments)
    .where('dimension', '=', wanted.dimension)
    .where((build) =>
      wanted.isPattern ? build(sql<string>`lower(value)`, 'like', likePattern(wanted.value)) : build('value', '=', wanted.value),
    )
    .groupBy('segment')
    .execute();
  return new Map(rows.map(({ segment, positions, quotas }) => [segment, { bits: setOf(positions), quota: sumOf(quotas) }]));
}

const joined = (texts: RawBuilder<unknown>) => sql<string>`string_agg(${texts}, ',')`;

function setOf(positions: string): Bits {
  const bits = bitsOf([]);
  for (const text of positions.split(',')) addPositions(bits, text);
  return bits;
}

/** Of values of one column: no row has two of them. Undefined where one is not known. */
function sumOf(quotas: string): number | undefined {
  const known = quotas.split(',');
  return known.includes('') ? undefined : known.reduce((sum, quota) => sum + Number(quota), 0);
}
