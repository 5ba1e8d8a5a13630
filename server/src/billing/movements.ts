import type { Kysely } from 'kysely';
import { batchesOf } from '../platform/batches.ts';
import type { Schema } from '../storage/schema.ts';

/** What a user's accounts got and gave, as the ledger has it. */
export interface Movement {
  readonly id: number;
  readonly time: number;
  readonly kind: string;
  readonly from: string;
  readonly to: string;
  readonly amount: number;
  /** `quota` or `cent`. */
  readonly unit: string;
}

/** All movements of a user but the charges of calls, newest first. Not their notes: orders of other people stand there. */
export const movementsOf = (read: Kysely<Schema>, userId: number): AsyncGenerator<readonly Movement[]> =>
  batchesOf(({ before, limit }) =>
    read
      .selectFrom('transfer')
      .select(['id', 'created_at as time', 'kind', 'from_account as from', 'to_account as to', 'amount', 'unit'])
      .where('user_id', '=', userId)
      .where('id', '<', before)
      // As the index of these has it.
      .where('kind', 'not in', ['charge', 'correction'])
      .orderBy('id', 'desc')
      .limit(limit)
      .execute(),
  );
