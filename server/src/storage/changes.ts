import type { Clock } from '../platform/clock.ts';
import type { Database, Work } from './database.ts';

/** One committed change that snapshots and caches must see. */
export interface Change {
  readonly seq: number;
  readonly kind: string;
  readonly key: string;
}

/** Records a change; perform it inside the transaction that makes the change. `now` in unix seconds. */
export function* notifyChange(kind: string, key: string, now: number): Work<void> {
  yield { sql: 'INSERT INTO change (kind, key, created_at) VALUES (?, ?, ?)', parameters: [kind, key, now] };
}

/** Reads the changes that were committed since the last look. */
export interface ChangeReader {
  /** New changes in order of `seq`. The first call only finds the present position and returns nothing. Throws DatabaseError. */
  changesSince(): Promise<Change[]>;
  /** The highest `seq` seen. */
  seq(): number;
}

/** Longer than any transaction lives: a lower `seq` cannot be committed after that. */
const overlapMs = 60_000;
/** How far back the first look remembers, so that slower writers of just then are not missed. */
const firstOverlap = 1000;
const pageSize = 1000;

/**
 * On PostgreSQL numbers are given before COMMIT, so a lower one may appear after a higher one. The reader therefore
 * looks again at everything that it first saw less than 60 s ago and returns only what is new.
 */
export function createChangeReader(deps: { db: Database; clock: Clock }): ChangeReader {
  /** seq -> when it was first seen; everything up to `base` is done with. */
  const seen = new Map<number, number>();
  let base: number | undefined;
  let highest = 0;

  const first = async (): Promise<number> => {
    const row = await deps.db.read
      .selectFrom('change')
      .select((select) => select.fn.max('seq').as('seq'))
      .executeTakeFirst();
    return Math.max(0, Number(row?.seq ?? 0) - firstOverlap);
  };
  const page = (after: number): Promise<Change[]> =>
    deps.db.read
      .selectFrom('change')
      .select(['seq', 'kind', 'key'])
      .where('seq', '>', after)
      .orderBy('seq')
      .limit(pageSize)
      .execute();
  const advance = (nowMs: number): void => {
    for (const [seq, seenMs] of seen) {
      if (nowMs - seenMs < overlapMs) break;
      seen.delete(seq);
      base = Math.max(base ?? 0, seq);
    }
    for (const seq of seen.keys()) if (seq <= (base ?? 0)) seen.delete(seq);
  };
  return {
    seq: () => highest,
    async changesSince() {
      const opening = base === undefined;
      const nowMs = deps.clock.monotonicMs();
      base ??= await first();
      const fresh: Change[] = [];
      for (let after = base; ; ) {
        const rows = await page(after);
        for (const row of rows) if (!seen.has(row.seq)) fresh.push(row);
        const last = rows.at(-1);
        if (!last || rows.length < pageSize) break;
        after = last.seq;
      }
      // Only now: after a failed page all of them are to be found again.
      for (const { seq } of fresh) {
        seen.set(seq, nowMs);
        highest = Math.max(highest, seq);
      }
      advance(nowMs);
      return opening ? [] : fresh;
    },
  };
}
