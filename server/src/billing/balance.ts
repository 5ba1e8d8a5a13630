import { type Kysely, sql } from 'kysely';
import type { Schema } from '../storage/schema.ts';

/** What an account has, what is set aside for calls that run, and what it has spent; quota. */
export interface Balance {
  readonly remain: number;
  readonly held: number;
  readonly used: number;
}

const nothing: Balance = { remain: 0, held: 0, used: 0 };

/** The balance of a token, or of a user's wallet. An account that does not exist has nothing. */
export async function balanceOf(
  read: Kysely<Schema>,
  account: { readonly tokenId: number } | { readonly userId: number },
): Promise<Balance> {
  const row =
    'tokenId' in account
      ? await read
          .selectFrom('token')
          .select(['remain_quota as remain', 'held_quota as held', 'used_quota as used'])
          .where('id', '=', account.tokenId)
          .executeTakeFirst()
      : await read
          .selectFrom('wallet')
          .select(['available as remain', 'held as held', 'used_quota as used'])
          .where('user_id', '=', account.userId)
          .executeTakeFirst();
  return row === undefined ? nothing : { remain: Number(row.remain), held: Number(row.held), used: Number(row.used) };
}

/** What is held for tasks that are under way, of a user or of one of their tokens; quota. */
export async function taskHoldsOf(
  read: Kysely<Schema>,
  { userId, tokenId }: { readonly userId: number; readonly tokenId: number | undefined },
): Promise<number> {
  const { held } = await read
    .selectFrom('hold')
    .select(({ fn }) => fn.sum<string | number | null>('amount').as('held'))
    // A value of its own would hide from the database that its index of these holds alone serves.
    .where('keeper', '=', sql.lit('task'))
    .where('user_id', '=', userId)
    .$if(tokenId !== undefined, (query) => query.where('token_id', '=', tokenId ?? 0))
    .executeTakeFirstOrThrow();
  return Number(held ?? 0);
}
