import type { Transaction } from '../../storage/database.ts';
import { insertRows } from '../../storage/statements.ts';

/** What is known of consumption rows once they are gone, for one user. */
interface Compacted {
  row_count: number;
  quota: number;
  shortfall: number;
  prompt_tokens: number;
  completion_tokens: number;
  last_at: number;
}

interface Charged extends Omit<Compacted, 'row_count' | 'last_at'> {
  user_id: number;
  created_at: number;
}

const counted = ['row_count', 'quota', 'shortfall', 'prompt_tokens', 'completion_tokens'] as const;
export const compactionColumns = ['user_id', ...counted, 'last_at'] as const;

/** Adds what is inserted to what is known already. */
export const addToCompaction = `ON CONFLICT (user_id) DO UPDATE SET
  ${counted.map((column) => `${column} = log_compaction.${column} + excluded.${column}`).join(', ')},
  last_at = CASE WHEN excluded.last_at > log_compaction.last_at THEN excluded.last_at ELSE log_compaction.last_at END`;

/** For whoever deletes consumption rows, in the same transaction: keeps their totals per user. */
export async function compact(tx: Transaction, rows: readonly Charged[]): Promise<void> {
  // In order, so that two nodes that clean up wait for each other and not in a circle.
  const totals = [...totalsOf(rows)].sort(([left], [right]) => left - right);
  const values = totals.map(([userId, sum]) => [userId, ...counted.map((column) => sum[column]), sum.last_at]);
  await tx.perform(insertTotals(values));
}

function* insertTotals(values: readonly number[][]) {
  yield* insertRows('log_compaction', compactionColumns, values, addToCompaction);
}

function totalsOf(rows: readonly Charged[]): Map<number, Compacted> {
  const totals = new Map<number, Compacted>();
  for (const { user_id, created_at, quota, shortfall, prompt_tokens, completion_tokens } of rows) {
    const sum = totals.get(user_id);
    totals.set(user_id, {
      row_count: (sum?.row_count ?? 0) + 1,
      quota: (sum?.quota ?? 0) + quota,
      shortfall: (sum?.shortfall ?? 0) + shortfall,
      prompt_tokens: (sum?.prompt_tokens ?? 0) + prompt_tokens,
      completion_tokens: (sum?.completion_tokens ?? 0) + completion_tokens,
      last_at: Math.max(sum?.last_at ?? 0, created_at),
    });
  }
  return totals;
}
