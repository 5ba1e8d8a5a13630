import { type Kysely, type SqlBool, sql } from 'kysely';
import type { Schema } from '../storage/schema.ts';
import { movementsOnly } from './accounts.ts';

/** Pending invite earnings of users: derived from the transfers, kept nowhere else. Who has none may be absent. */
export async function affiliateBalances(read: Kysely<Schema>, userIds: readonly number[]): Promise<ReadonlyMap<number, number>> {
  const balances = new Map<number, number>();
  if (userIds.length === 0) return balances;
  const accounts = new Map(userIds.map((id) => [`user:${id}:affiliate`, id]));
  const rows = await read
    .selectFrom('transfer')
    .select(['from_account', 'to_account', (sum) => sum.fn.sum<number | string>('amount').as('total')])
    .where('user_id', 'in', [...userIds])
    .where(sql.raw<SqlBool>(movementsOnly))
    .where((where) =>
      where.or([where('to_account', 'in', [...accounts.keys()]), where('from_account', 'in', [...accounts.keys()])]),
    )
    .groupBy(['from_account', 'to_account'])
    .execute();
  const add = (account: string, amount: number): void => {
    const id = accounts.get(account);
    if (id !== undefined) balances.set(id, (balances.get(id) ?? 0) + amount);
  };
  for (const { from_account: from, to_account: to, total } of rows) {
    add(to, Number(total));
    add(from, -Number(total));
  }
  return balances;
}
