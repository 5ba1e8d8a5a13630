import type { Kysely } from 'kysely';
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
