import type { Kysely } from 'kysely';
import type { Schema } from '../../storage/schema.ts';
import { anyRow } from '../log/filter.ts';
import { usageSums } from './sums.ts';

/** Whose spending: a user's, or that of one of their tokens. */
export interface Spender {
  readonly userId: number;
  /** Undefined = all of the user's. */
  readonly tokenId: number | undefined;
}

/**
 * What was charged since the full hour `since` and before the full hour `until` (unix seconds); quota. From the sums and the rows
 * that are not in them yet, so that deleting rows of the log changes nothing. Throws DatabaseError.
 */
export async function spentSince(
  read: Kysely<Schema>,
  { userId, tokenId = 0 }: Spender,
  since: number,
  until?: number,
): Promise<number> {
  if (until !== undefined && until <= since) return 0;
  const end = until === undefined ? 0 : until - 1;
  const { quota } = await usageSums(read, { ...anyRow, userId, tokenId, start: since, end });
  return quota;
}
