import { sql } from 'kysely';
import type { Clock } from '../platform/clock.ts';
import { type Change, changeKinds } from './changes.ts';
import type { Database } from './database.ts';
import { serverLife } from './postgres/life.ts';

/** Reads the changes that were committed since the last look. */
export interface ChangeReader {
  /**
   * New changes in order of `seq`. The first call only finds the present position and returns nothing. After a restart of
   * PostgreSQL everything may have changed. Throws DatabaseError.
   */
  changesSince(): Promise<Change[]>;
  /** The highest `seq` seen. */
  seq(): number;
}

/** No transaction that tells of changes lives longer. */
export const longestChangeMs = 120_000;
/** After that a lower `seq` cannot be committed. */
const overlapMs = longestChangeMs + 30_000;
/** How far back the first look remembers, so that slower writers of just then are not missed. */
const firstOverlap = 1000;
const pageSize = 1000;

/**
 * On PostgreSQL numbers are given before COMMIT, so a lower one may appear after a higher one. The reader therefore
 * looks again at everything that it first saw less than 150 s ago and returns only what is new. A standby that took over may
 * lack what was seen already, and give its numbers to other changes.
 */
export function createChangeReader(deps: { db: Database; clock: Clock }): ChangeReader {
  /** seq -> when it was first seen; everything up to `base` is done with. */
  const seen = new Map<number, number>();
  let base: number | undefined;
  let highest = 0;
  let life = '';

  const readLife = async (): Promise<string> => {
    if (deps.db.engine === 'sqlite') return '';
    const { rows } = await sql<{ life: string }>`SELECT ${sql.raw(serverLife)} AS life`.execute(deps.db.read);
    return rows[0]?.life ?? '';
  };

  const first = async (): Promise<number> => {
    const row = await deps.db.read
      .selectFrom('change')
      .select((select) => select.fn.max('seq').as('seq'))
      .executeTakeFirst();
    return Math.max(0, Number(row?.seq ?? 0) - firstOverlap);
  };
  const page = async (after: number): Promise<readonly Change[]> => {
    const rows = deps.db.read.selectFrom('change').select(['seq', 'kind', 'key']).where('seq', '>', after);
    // A newer version beside this one may write of kinds that nobody here knows.
    return (await rows.orderBy('seq').limit(pageSize).execute()) as readonly Change[];
  };
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
      const present = await readLife();
      const isAnew = !opening && present !== life;
      if (opening || isAnew) {
        base = await first();
        seen.clear();
      }
      const fresh: Change[] = [];
      for (let after = base ?? 0; ; ) {
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
      life = present;
      if (isAnew) return changeKinds.map((kind) => ({ seq: highest, kind, key: '*' }));
      return opening ? [] : fresh;
    },
  };
}
