import type { Work } from '../../storage/database.ts';
import type { SumState } from './book.ts';
import { type Closed, closedColumns } from './cubes.ts';
import { foldRows, type UsageRow, usageColumns } from './fold.ts';
import { packSums, storeSums } from './store.ts';

/**
 * For whoever rewrites a row of the log, in the same transaction and before the rewriting: takes the old row out of the
 * sums and puts the new one in, unless the row is not in them yet. Durations stay as they were counted.
 * Waits for the job's transaction, which waits for nobody.
 */
export function* reviseSums(logId: number, fresh: UsageRow): Work<void> {
  const state = yield {
    sql: `SELECT rolled_to, ${closedColumns.join(', ')} FROM usage_rollup WHERE id = 1`,
    parameters: [],
    lock: 'wait',
  };
  const known = state.rows[0] as unknown as Pick<SumState, 'rolled_to' | keyof Closed> | undefined;
  yield { sql: 'UPDATE usage_rollup SET revision = revision + 1 WHERE id = 1', parameters: [] };
  if (known === undefined || logId === 0 || logId > known.rolled_to) return;
  const { rows } = yield { sql: `SELECT ${usageColumns.join(', ')} FROM log WHERE id = ?`, parameters: [logId] };
  const [old] = rows as unknown as UsageRow[];
  if (!old) return;
  yield* storeSums(packSums(foldRows([fresh], 1, known, foldRows([old], -1, known)), 'keep'));
}
