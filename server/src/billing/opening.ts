import { type Kysely, type SqlBool, sql } from 'kysely';
import type { Work } from '../storage/database.ts';
import type { Schema } from '../storage/schema.ts';
import { moveUnlogged } from '../usage/index.ts';
import { accountBalance, availableOf, movementsOnly, openWallet, transfer } from './accounts.ts';
import { LedgerRefusal } from './errors.ts';

/** What a user brings from another product's books, or what changed there since; quota, may be below 0 for a change. */
export interface Opening {
  readonly userId: number;
  /** Of the balance's transfer; those beside it begin with it. */
  readonly ref: string;
  readonly balance: number;
  /** Spent there. */
  readonly used: number;
  readonly requests: number;
  /** Rewards that were not yet moved to the balance. */
  readonly affiliate: number;
  /** Unix seconds. */
  readonly now: number;
}

/**
 * Books it as one transfer each, once per ref; opens the wallet where there is none. What was taken away there but spent
 * here meanwhile cannot be taken twice: it is answered as `short`. Throws LedgerRefusal.
 */
export function* bookOpening(opening: Opening): Work<{ short: number }> {
  const { userId, ref, balance, used, requests, affiliate, now } = opening;
  yield* openWallet(userId);
  const available = yield* availableOf(userId);
  const rewards = affiliate < 0 ? yield* accountBalance(`user:${userId}:affiliate`) : 0;
  const moved = Math.max(balance, -available);
  const movedRewards = Math.max(affiliate, -rewards);
  const common = { userId, now };
  yield* move({ ...common, ref, account: `user:${userId}`, amount: moved });
  yield* move({ ...common, ref: `${ref}:affiliate`, account: `user:${userId}:affiliate`, amount: movedRewards });
  yield* move({ ...common, ref: `${ref}:used`, account: 'revenue', amount: used });
  if (used !== 0 || requests !== 0) yield* addFigures(userId, used, requests);
  yield* moveUnlogged(userId, used);
  return { short: moved - balance + (movedRewards - affiliate) };
}

interface Movement {
  readonly userId: number;
  readonly account: string;
  readonly amount: number;
  readonly ref: string;
  readonly now: number;
}

function* move({ userId, account, amount, ref, now }: Movement): Work<void> {
  if (amount === 0) return;
  const [from, to] = amount > 0 ? ['opening', account] : [account, 'opening'];
  yield* transfer({ from, to, amount: Math.abs(amount), kind: 'opening', ref, userId, actorId: 0, now, note: 'import' });
}

function* addFigures(userId: number, used: number, requests: number): Work<void> {
  yield {
    sql: 'UPDATE wallet SET used_quota = used_quota + ?, request_count = request_count + ?, version = version + 1 WHERE user_id = ?',
    parameters: [used, requests, userId],
  };
}

/** What a channel was used for elsewhere; a figure that nothing is computed from. */
export function* openChannelFigures(channelId: number, used: number): Work<void> {
  yield { sql: 'UPDATE channel SET used_quota = used_quota + ? WHERE id = ?', parameters: [used, channelId] };
}

/** What happened to a token elsewhere; `unlimited` only where that was changed. */
export interface TokenMove {
  readonly remain: number;
  readonly used: number;
  readonly unlimited: boolean | undefined;
}

/** Changes what a token may spend, and what it has spent, by what happened elsewhere; never below 0. */
export function* movedTokenQuota(tokenId: number, change: TokenMove): Work<void> {
  const sql = 'SELECT remain_quota, used_quota, held_quota, unlimited_quota FROM token WHERE id = ?';
  const { rows } = yield { sql, parameters: [tokenId], lock: 'wait' };
  const [row] = rows;
  if (!row) return;
  const remain = Math.max(0, Number(row.remain_quota) + change.remain);
  const used = Math.max(0, Number(row.used_quota) + change.used);
  const granted = remain + used + Number(row.held_quota);
  if (!Number.isSafeInteger(granted)) throw new LedgerRefusal('invalid', `The token's grant would be too large: ${granted}`);
  yield {
    sql: 'UPDATE token SET remain_quota = ?, used_quota = ?, granted_quota = ?, unlimited_quota = ? WHERE id = ?',
    parameters: [remain, used, granted, Number(change.unlimited ?? row.unlimited_quota), tokenId],
  };
}

/** Of many accounts, each of which may have as much as a number holds. */
export interface OpeningTotals {
  readonly balance: bigint;
  readonly used: bigint;
  readonly affiliate: bigint;
}

/** What was opened under refs that begin with `prefix`, read from the transfers. */
export async function openingTotals(read: Kysely<Schema>, prefix: string): Promise<OpeningTotals> {
  const totals = { balance: 0n, used: 0n, affiliate: 0n };
  const sums = (column: 'from_account' | 'to_account') =>
    read
      .selectFrom('transfer')
      .select([`${column} as account`, sql<string>`CAST(SUM(amount) AS text)`.as('total')])
      .where('kind', '=', 'opening')
      // Said once more for the index of movements that are no charges.
      .where(sql.raw<SqlBool>(movementsOnly))
      // Not between two texts: their order is that of the database's locale.
      .where(sql`substr(ref, 1, ${[...prefix].length})`, '=', prefix)
      .where(column, '<>', 'opening')
      .groupBy(column)
      .execute();
  for (const { account, total } of await sums('to_account')) totals[kindOf(account)] += BigInt(total);
  for (const { account, total } of await sums('from_account')) totals[kindOf(account)] -= BigInt(total);
  return totals;
}

function kindOf(account: string): keyof OpeningTotals {
  if (account === 'revenue') return 'used';
  return account.endsWith(':affiliate') ? 'affiliate' : 'balance';
}
