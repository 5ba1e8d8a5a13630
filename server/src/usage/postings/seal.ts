import { logType } from '@tollgate/contract';
import type { Database } from '../../storage/database.ts';
import { createHorizon, type Horizon } from '../../storage/horizon.ts';
import { logSegmentOf, logSegmentRows } from '../../storage/log-segments.ts';
import { insertRows } from '../../storage/statements.ts';
import { allRows, type PostedRow, postedColumns, postingsOf, shownRows, type Wanted } from './dimensions.ts';
import { encodePositions, encodeQuotas } from './positions.ts';
import { timesOf } from './segment-times.ts';

/** Makes postings of full segments, beside the calls and not in their commits. */
export interface Sealer {
  /** Seals at most `limit` segments, newest first; returns how many. One caller at a time. */
  seal(limit: number): Promise<number>;
}

const rowsAtATime = 2_048;
/** 1: postings know what their rows charged. */
const version = 1;

export function createSealer({ db, horizon = createHorizon(db, 'log') }: { db: Database; horizon?: Horizon }): Sealer {
  return {
    async seal(limit) {
      const full = logSegmentOf((await horizon.settledId()) + 1) - 1;
      const open = await unsealed(db, full, limit);
      for (const segment of open) await sealSegment(db, segment);
      return open.length;
    },
  };
}

/** Segments up to `newest` whose postings are missing, do not hold any more or are of an older program, newest first. */
async function unsealed({ read }: Database, newest: number, limit: number): Promise<number[]> {
  const oldest = await read.selectFrom('log').select('id').orderBy('id').limit(1).executeTakeFirst();
  if (oldest === undefined) return [];
  const rows = await read
    .selectFrom('log_segment')
    .leftJoin('log_touch', 'log_touch.segment', 'log_segment.id')
    .select(['log_segment.id as id', 'log_segment.epoch as epoch', 'log_touch.epoch as touched', 'version'])
    .execute();
  const holds = rows.filter(({ epoch, touched }) => epoch === (touched ?? 0));
  const sealed = new Set(holds.filter((segment) => segment.version === version).map(({ id }) => id));
  const open: number[] = [];
  for (let id = newest; id >= logSegmentOf(oldest.id) && open.length < limit; id -= 1) if (!sealed.has(id)) open.push(id);
  return open;
}

interface Contents {
  times: (readonly [position: number, createdAt: number])[];
  hidden: number;
  quotas: number[];
  /** dimension -> value -> positions in ascending order. */
  postings: Map<number, Map<string, number[]>>;
  /** Of each dimension what the row before had: most rows go where it went. */
  latest: ({ value: string; positions: number[] } | undefined)[];
}

async function sealSegment(db: Database, segment: number): Promise<void> {
  // Read before the rows: whoever changes one afterwards leaves another number, and the postings do not hold.
  const touch = await db.read.selectFrom('log_touch').select('epoch').where('segment', '=', segment).executeTakeFirst();
  const contents = await readContents(db, segment);
  const values = {
    epoch: touch?.epoch ?? 0,
    version,
    row_count: contents.times.length,
    hidden_count: contents.hidden,
    ...timesOf(contents.times),
    quotas: encodeQuotas(contents.quotas),
  };
  const postings = [...contents.postings].flatMap(([dimension, byValue]) =>
    [...byValue].map(([value, positions]) => [
      segment,
      dimension,
      value,
      encodePositions(positions),
      positions.reduce((sum, position) => sum + (contents.quotas[position] ?? 0), 0),
    ]),
  );
  await db.transaction(async (tx) => {
    // First, since it makes two nodes take turns.
    await tx.query
      .insertInto('log_segment')
      .values({ id: segment, ...values })
      .onConflict((conflict) => conflict.column('id').doUpdateSet(values))
      .execute();
    await tx.query.deleteFrom('log_posting').where('segment', '=', segment).execute();
    await tx.perform(insertPostings(postings));
  });
}

function* insertPostings(rows: (number | string)[][]) {
  yield* insertRows('log_posting', ['segment', 'dimension', 'value', 'positions', 'quota'], rows);
}

async function readContents(db: Database, segment: number): Promise<Contents> {
  const contents: Contents = { times: [], hidden: 0, quotas: [], postings: new Map(), latest: [] };
  const base = segment * logSegmentRows;
  for (let after = base - 1; ; ) {
    const rows = await db.read
      .selectFrom('log')
      .select(['id', 'created_at', 'hidden', 'quota', ...postedColumns])
      .where('id', '>', after)
      .where('id', '<', base + logSegmentRows)
      .orderBy('id')
      .limit(rowsAtATime)
      .execute();
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
