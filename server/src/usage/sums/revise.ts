import type { Work } from '../../storage/database.ts';
import type { SumState } from './book.ts';
import { foldRows, type UsageRow, usageColumns } from './fold.ts';
import { packSums, storeSums } from './store.ts';

/**
 * For whoever rewrites a row of the log, in the same transaction and before the rewriting: takes the old row out of the
 * sums and puts the new one in, unless the row is not in them yet. Durations stay as they were counted.
 * Waits for the job's transaction, which waits for nobody.
 */
export function* reviseSums(logId: number, fresh: UsageRow): Work<void> {
  const state = yield {
    sql: 'SELECT rolled_to, closed_to, closed_owner FROM usage_rollup WHERE id = 1',
    parameters: [],
    lock: 'wait',
  };
  const { rolled_to = 0, closed_to = 0, closed_owner = 0 } = (state.rows[0] ?? {}) as Partial<SumState>;
  yield { sql: 'UPDATE usage_rollup SET revision = revision + 1 WHERE id = 1', parameters: [] };
  if (logId === 0 || logId > rolled_to) return;
  const { rows } = yield { sql: `SELECT ${usageColumns.join(', ')} FROM log WHERE id = ?`, parameters: [logId] };
  const [old] = rows as unknown as UsageRow[];
  if (!old) return;
  const closed = { closed_to, closed_owner };
  yield* storeSums(packSums(foldRows([fresh], 1, closed, foldRows([old], -1, closed)), 'keep'));
}
