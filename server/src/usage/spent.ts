import { logType } from '@tollgate/contract';
import { type Kysely, sql } from 'kysely';
import type { Schema } from '../storage/schema.ts';

/** Whose spending: a user's, or that of one of their tokens. */
export interface Spender {
  readonly userId: number;
  /** Undefined = all of the user's. */
  readonly tokenId: number | undefined;
}

/** What was charged since `since` (unix seconds) in rows after `afterId`; quota. */
export async function spentSince(read: Kysely<Schema>, spender: Spender, since: number, afterId: number): Promise<number> {
  const row = await charged(read, spender)
    .select(sql<number>`coalesce(sum(quota), 0)`.as('total'))
    .where('id', '>', afterId)
    .where('created_at', '>=', since)
    .executeTakeFirstOrThrow();
  return Number(row.total);
}

/** A row before which nothing is younger than `before` (unix seconds): where later sums may start. */
export async function lastRowBefore(read: Kysely<Schema>, spender: Spender, before: number): Promise<number> {
  const row = await charged(read, spender)
    .select(sql<number>`coalesce(max(id), 0)`.as('id'))
    .where('created_at', '<', before)
    .executeTakeFirstOrThrow();
  return Number(row.id);
}

function charged(read: Kysely<Schema>, { userId, tokenId }: Spender) {
  const rows = read.selectFrom('log').where('user_id', '=', userId).where('type', '=', logType.consume);
  return tokenId === undefined ? rows : rows.where('token_id', '=', tokenId);
}
