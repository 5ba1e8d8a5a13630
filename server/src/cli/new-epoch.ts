import { commandLine, recordAudit } from '../audit/index.ts';
import { voidCredentials } from '../identity/index.ts';
import { dropWaiting } from '../notify/index.ts';
import { type Clock, nowSeconds, timeText } from '../platform/clock.ts';
import type { Database } from '../storage/database.ts';

/** What a restored database brought back and may not keep. */
export interface Voided {
  readonly sessions: number;
  readonly codes: number;
  readonly accessTokens: number;
  readonly messages: number;
}

/** An order that the books and the payment service may tell differently. */
export interface OrderInDoubt {
  readonly tradeNo: string;
  readonly userId: number;
  readonly provider: string;
  readonly moneyCents: number;
  readonly currency: string;
  readonly state: string;
  /** Unix seconds. */
  readonly createdAt: number;
}

/** Of one statement: engines take some ten thousand parameters. */
const namesAtATime = 1_000;

/**
 * Begins a new epoch after a restore: who was thrown out since the backup stays out, and what was waiting to be sent is not
 * sent again. In one transaction, with a row of the audit log. Throws DatabaseError.
 */
export function voidOldEpoch({ db, clock }: { db: Database; clock: Clock }): Promise<Voided> {
  return db.transaction(async (tx) => {
    const voided = { ...(await voidCredentials(tx)), messages: await dropWaiting(tx) };
    const event = { actor: commandLine, action: 'restore', target: 'database', detail: { ...voided } } as const;
    await tx.perform(recordAudit({ ...event, now: nowSeconds(clock) }));
    return voided;
  });
}

/** All orders, the newest first: those that nobody had paid, or with `since` all that were made or ended since then. Throws DatabaseError. */
export async function listOrders({ read }: Pick<Database, 'read'>, since?: number): Promise<OrderInDoubt[]> {
  const rows = await read
    .selectFrom('topup_order')
    .select(['trade_no', 'user_id', 'provider', 'money_cents', 'currency', 'state', 'created_at'])
    .where((row) =>
      since === undefined
        ? row('state', '=', 'pending')
        : row.or([row('created_at', '>=', since), row('completed_at', '>=', since)]),
    )
    .orderBy('id', 'desc')
    .execute();
  return rows.map(({ trade_no, user_id, money_cents, created_at, ...row }) => ({
    ...row,
    tradeNo: trade_no,
    userId: user_id,
    moneyCents: money_cents,
    createdAt: created_at,
  }));
}

/** Those of `orders` that this database does not know, or knows otherwise. Throws DatabaseError. */
export async function unknownOrders({ read }: Pick<Database, 'read'>, orders: readonly OrderInDoubt[]): Promise<OrderInDoubt[]> {
  const known = new Map<string, string>();
  for (let from = 0; from < orders.length; from += namesAtATime) {
    const names = orders.slice(from, from + namesAtATime).map(({ tradeNo }) => tradeNo);
    const rows = await read.selectFrom('topup_order').select(['trade_no', 'state']).where('trade_no', 'in', names).execute();
    for (const { trade_no, state } of rows) known.set(trade_no, state);
  }
  return orders.filter(({ tradeNo, state }) => known.get(tradeNo) !== state);
}

/** The newest thing that the audit log knows of, which knows of every order and payment; 0 = nothing. */
export async function lastMoment({ read }: Pick<Database, 'read'>): Promise<number> {
  const row = await read.selectFrom('audit').select('created_at').orderBy('seq', 'desc').limit(1).executeTakeFirst();
  return row?.created_at ?? 0;
}

export function voidedText({ sessions, codes, accessTokens, messages }: Voided): string {
  return `Void now: ${sessions} sessions, ${accessTokens} system tokens, ${codes} codes and links, ${messages} messages that were waiting.`;
}

export function ordersText(orders: readonly OrderInDoubt[], words: string): string {
  if (orders.length === 0) return '';
  const lines = orders.map(({ tradeNo, userId, provider, moneyCents, currency, state, createdAt }) => {
    return `  ${tradeNo}  user ${userId}  ${provider}  ${(moneyCents / 100).toFixed(2)} ${currency}  ${state}  ${timeText(createdAt)}`;
  });
  return `\n${words}\n${lines.join('\n')}`;
}
