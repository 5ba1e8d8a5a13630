import { logType } from '@tollgate/contract/roles.ts';
import type { Work } from '../../storage/database.ts';
import { logSegmentRows } from '../../storage/log-segments.ts';
import { allRows, dimensions, type PostedRow, postedColumns, shownRows } from './dimensions.ts';
import { encodePositions, encodeQuotas, notePosition, type Positions } from './positions.ts';
import { type SegmentTimes, timesOf } from './segment-times.ts';

/** The work of `postSegment` among the programs that run where rows are read. */
export const postSegmentWork = 'usage.post';

/** What stands in the tables of a sealed segment. */
export interface SegmentPostings {
  readonly contents: SegmentTimes & {
    readonly epoch: number;
    readonly row_count: number;
    readonly hidden_count: number;
    readonly quotas: string;
  };
  /** Each as `postingColumns` has it. */
  readonly postings: (string | number)[][];
}

export const postingColumns = ['segment', 'dimension', 'value', 'positions', 'quota'];

/** Few, so that little is alive whenever their thread collects its garbage. */
const rowsAtATime = 512;

/** One value of a dimension, and what its rows charged together. */
interface Posting {
  readonly dimension: number;
  readonly value: string | number;
  readonly positions: Positions;
  quota: number;
}

/** Mostly of a fixed size: lists that grow are garbage of their thread. */
interface Contents {
  rows: number;
  hidden: number;
  /** Of each row, in the order of their ids. */
  readonly positions: Uint16Array;
  readonly times: Float64Array;
  /** By position. */
  readonly quotas: Float64Array;
  /** dimension -> value */
  readonly postings: Map<string | number, Posting>[];
  /** Of each dimension what the row before had: most rows go where it went. */
  readonly latest: (Posting | undefined)[];
}

const emptyContents = (): Contents => ({
  rows: 0,
  hidden: 0,
  positions: new Uint16Array(logSegmentRows),
  times: new Float64Array(logSegmentRows),
  quotas: new Float64Array(logSegmentRows),
  postings: [],
  latest: [],
});

/** Reads the rows of a segment and says which of them have what, in one place: the rows themselves go nowhere. */
export function* postSegment(segment: number): Work<SegmentPostings> {
  // Read before the rows: whoever changes one afterwards leaves another number, and the postings do not hold.
  const touched = yield { sql: 'SELECT epoch FROM log_touch WHERE segment = ?', parameters: [segment] };
  const { rows, hidden, positions, times, quotas, postings } = yield* readContents(segment);
  return {
    contents: {
      epoch: Number(touched.rows[0]?.epoch ?? 0),
      row_count: rows,
      hidden_count: hidden,
      ...timesOf(positions.subarray(0, rows), times.subarray(0, rows)),
      quotas: encodeQuotas(quotas),
    },
    postings: postings.flatMap((byValue) =>
      [...byValue.values()].map((each) => [
        segment,
        each.dimension,
        String(each.value),
        encodePositions(each.positions),
        each.quota,
      ]),
    ),
  };
}

const rowsSql = `SELECT id, created_at, hidden, quota, ${postedColumns.join(', ')} FROM log WHERE id > ? AND id < ? ORDER BY id LIMIT ?`;

function* readContents(segment: number): Work<Contents> {
  const contents = emptyContents();
  const base = segment * logSegmentRows;
  for (let after = base - 1; ; ) {
    const found = yield { sql: rowsSql, parameters: [after, base + logSegmentRows, rowsAtATime] };
    const rows = found.rows as unknown as SealedRow[];
    for (const row of rows) note(contents, row, row.id - base);
    const last = rows.at(-1);
    if (last === undefined || rows.length < rowsAtATime) return contents;
    after = last.id;
  }
}

function note(contents: Contents, row: SealedRow, position: number): void {
  const quota = row.type === logType.consume ? row.quota : 0;
  contents.positions[contents.rows] = position;
  contents.times[contents.rows] = row.created_at;
  contents.quotas[position] = quota;
  contents.rows += 1;
  post(postingOf(contents, allRows), position, quota);
  if (row.hidden === 0) post(postingOf(contents, shownRows), position, quota);
  else contents.hidden += 1;
  for (const [dimension, column] of dimensions) {
    const value = row[column];
    // Never asked for.
    if (value === '' || value === 0) continue;
    post(postingOf(contents, { dimension, value }), position, quota);
  }
}

interface SealedRow extends PostedRow {
  id: number;
  created_at: number;
  hidden: number;
  quota: number;
}

function postingOf({ postings, latest }: Contents, { dimension, value }: Pick<Posting, 'dimension' | 'value'>): Posting {
  const last = latest[dimension];
  if (last?.value === value) return last;
  postings[dimension] ??= new Map<string | number, Posting>();
  let posting = postings[dimension].get(value);
  if (posting === undefined) {
    posting = { dimension, value, positions: { list: [], bits: undefined }, quota: 0 };
    postings[dimension].set(value, posting);
  }
  latest[dimension] = posting;
  return posting;
}

function post(posting: Posting, position: number, quota: number): void {
  notePosition(posting.positions, position);
  posting.quota += quota;
}
