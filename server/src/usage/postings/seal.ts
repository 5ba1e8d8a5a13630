import type { Database } from '../../storage/database.ts';
import { createHorizon, type Horizon } from '../../storage/horizon.ts';
import { logSegmentOf } from '../../storage/log-segments.ts';
import { insertRows } from '../../storage/statements.ts';
import { postingColumns, postSegmentWork, type SegmentPostings } from './post-segment.ts';

/** Makes postings of full segments, beside the calls and not in their commits. */
export interface Sealer {
  /** Seals at most `limit` segments, newest first; returns how many. One caller at a time. */
  seal(limit: number): Promise<number>;
}

/** 1: postings know what their rows charged. */
const version = 1;

export function createSealer({ db, horizon = createHorizon(db) }: { db: Database; horizon?: Horizon }): Sealer {
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

async function sealSegment(db: Database, segment: number): Promise<void> {
  const { contents, postings } = await db.examine<SegmentPostings>(postSegmentWork, segment);
  const values = { ...contents, version };
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

function* insertPostings(rows: SegmentPostings['postings']) {
  yield* insertRows('log_posting', postingColumns, rows);
}
