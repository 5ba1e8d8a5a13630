import { logType } from '@tollgate/contract/roles.ts';
import type { Work } from '../../storage/database.ts';
import { logSegmentRows } from '../../storage/log-segments.ts';
import { allRows, type PostedRow, postedColumns, postingsOf, shownRows, type Wanted } from './dimensions.ts';
import { encodePositions, encodeQuotas } from './positions.ts';
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

interface Contents {
  times: (readonly [position: number, createdAt: number])[];
  hidden: number;
  quotas: number[];
  /** dimension -> value -> positions in ascending order. */
  postings: Map<number, Map<string, number[]>>;
  /** Of each dimension what the row before had: most rows go where it went. */
  latest: ({ value: string; positions: number[] } | undefined)[];
}

/** Reads the rows of a segment and says which of them have what, in one place: the rows themselves go nowhere. */
export function* postSegment(segment: number): Work<SegmentPostings> {
  // Read before the rows: whoever changes one afterwards leaves another number, and the postings do not hold.
  const touched = yield { sql: 'SELECT epoch FROM log_touch WHERE segment = ?', parameters: [segment] };
  const contents = yield* readContents(segment);
  const quotaAt = (position: number) => contents.quotas[position] ?? 0;
  const postings = [...contents.postings].flatMap(([dimension, byValue]) =>
    [...byValue].map(([value, positions]) => {
      const quota = positions.reduce((sum, position) => sum + quotaAt(position), 0);
      return [segment, dimension, value, encodePositions(positions), quota];
    }),
  );
  return {
    contents: {
      epoch: Number(touched.rows[0]?.epoch ?? 0),
      row_count: contents.times.length,
      hidden_count: contents.hidden,
      ...timesOf(contents.times),
      quotas: encodeQuotas(contents.quotas),
    },
    postings,
  };
}

const rowsSql = `SELECT id, created_at, hidden, quota, ${postedColumns.join(', ')} FROM log WHERE id > ? AND id < ? ORDER BY id LIMIT ?`;

function* readContents(segment: number): Work<Contents> {
  const contents: Contents = { times: [], hidden: 0, quotas: [], postings: new Map(), latest: [] };
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
  contents.times.push([position, row.created_at]);
  if (row.type === logType.consume) contents.quotas[position] = row.quota;
  post(contents, allRows, position);
  if (row.hidden === 0) post(contents, shownRows, position);
  else contents.hidden += 1;
  for (const [dimension, value] of postingsOf(row)) post(contents, { dimension, value }, position);
}

interface SealedRow extends PostedRow {
  id: number;
  created_at: number;
  hidden: number;
  quota: number;
}

function post({ postings, latest }: Contents, { dimension, value }: Pick<Wanted, 'dimension' | 'value'>, position: number): void {
  const known = latest[dimension];
  if (known?.value === value) {
    known.positions.push(position);
    return;
  }
  const byValue = postings.get(dimension) ?? new Map<string, number[]>();
  if (byValue.size === 0) postings.set(dimension, byValue);
  const positions = byValue.get(value) ?? [];
  if (positions.length === 0) byValue.set(value, positions);
  positions.push(position);
  latest[dimension] = { value, positions };
}
