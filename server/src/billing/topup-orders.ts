import type { OrderState, PageOf, TopupOrder } from '@tollgate/contract';
import type { Kysely } from 'kysely';
import { type Actor, recordAudit } from '../audit/index.ts';
import { type CsvColumn, csvOf, csvTime } from '../platform/csv.ts';
import { PublicError } from '../platform/errors.ts';
import { randomAlphanumerics } from '../platform/ids.ts';
import type { Database, Transaction } from '../storage/database.ts';
import { lockName } from '../storage/name-lock.ts';
import { countRows, pageOf } from '../storage/page.ts';
import type { Schema } from '../storage/schema.ts';
import { moneyText, type Offer } from './topup-money.ts';
import type { Payer } from './wallet-deps.ts';

export interface NewOrder extends Offer {
  provider: string;
  method: string;
  amount: number;
  currency: string;
  /** Unix seconds. */
  now: number;
}

const lifeSeconds = 86_400;
const busySeconds = 1_800;
const maxBusy = 5;
const expireBatch = 500;
/** When an order's service is asked about it, seconds after it was made: most are paid by then, all were left or paid, it expired. */
const askAfter = [300, 1_800, lifeSeconds + 300];

/** The next time to ask about an order; 0 = not any more. */
export function nextAsk(createdAt: number, now: number): number {
  return askAfter.map((seconds) => createdAt + seconds).find((at) => at > now) ?? 0;
}

/** Stores an order with what it will bring, which nothing changes later. Throws PublicError `topup_many_pending`. */
export async function createOrder(db: Database, user: Payer, order: NewOrder): Promise<string> {
  const { now, cents, ...columns } = order;
  const tradeNo = `USR${user.id}NO${randomAlphanumerics(6)}${now}`;
  const actor: Actor = { id: user.id, username: user.username, ip: user.ip };
  await db.transaction(async (tx) => {
    // One after the other, so that orders at once do not all find the same room.
    await lockName(db, tx, `orders:${user.id}`);
    if ((await countBusy(tx, user.id, now)) >= maxBusy) throw new PublicError('topup_many_pending');
    const row = { ...columns, user_id: user.id, trade_no: tradeNo, money_cents: cents, state: 'pending' };
    await tx.query
      .insertInto('topup_order')
      .values({ ...row, created_at: now, expires_at: now + lifeSeconds, ask_at: nextAsk(now, now) })
      .execute();
    const detail = { quota: order.quota, money: moneyText(cents), provider: order.provider };
    await tx.perform(recordAudit({ actor, action: 'payment.order', target: `order:${tradeNo}`, detail, now }));
  });
  return tradeNo;
}

function countBusy(tx: Transaction, userId: number, now: number): Promise<number> {
  const pending = tx.query.selectFrom('topup_order').where('user_id', '=', userId).where('state', '=', 'pending');
  return countRows(pending.where('created_at', '>', now - busySeconds));
}

/** Closes an order that nobody paid; one that was paid stays so. */
export async function closeOrder(tx: Transaction, tradeNo: string, state: 'expired' | 'failed'): Promise<void> {
  const order = tx.query.updateTable('topup_order').where('trade_no', '=', tradeNo);
  await order.set({ state, ask_at: 0 }).where('state', '=', 'pending').execute();
  // Expired by its time before its service said so.
  await order.set({ ask_at: 0 }).where('state', '=', 'expired').execute();
}

/** Marks orders whose time is over; they may still be paid, late. Answers how many. */
export async function expireOrders(tx: Transaction, now: number): Promise<number> {
  const over = tx.query
    .selectFrom('topup_order')
    .select('id')
    .where('state', '=', 'pending')
    .where('expires_at', '<=', now)
    .orderBy('id')
    .limit(expireBatch);
  const { numUpdatedRows } = await tx.query
    .updateTable('topup_order')
    .set({ state: 'expired' })
    .where('id', 'in', over)
    .where('state', '=', 'pending')
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

export interface OrderFilter {
  /** Undefined = everybody's. */
  userId?: number;
  username?: string;
  trade_no?: string;
  status?: string;
  /** Of their creation, both included; 0 = open. */
  start_timestamp?: number;
  end_timestamp?: number;
}

/** Newest first. Names stand only in the list of everybody's. */
export function pageOfOrders(
  read: Kysely<Schema>,
  filter: OrderFilter & { p: number; page_size: number },
): Promise<PageOf<TopupOrder>> {
  const isRange = Boolean(filter.start_timestamp || filter.end_timestamp);
  return pageOf(read, ordersOf(read, filter), filter, (page) => {
    // In the order of the index that narrows them, which is that of the ids, so that it is read from its end: not looked for from
    // the newest id down, and not all put in order for one page.
    if (isRange) return readOrders(page.orderBy('topup_order.created_at', 'desc'), filter);
    return readOrders(filter.status ? page.orderBy('topup_order.expires_at', 'desc') : page, filter);
  });
}

/** One of everybody's. Throws PublicError `order_not_found`. */
export async function orderById(read: Kysely<Schema>, id: number): Promise<TopupOrder> {
  const [order] = await readOrders(ordersOf(read, {}).where('topup_order.id', '=', id), {});
  if (order === undefined) throw new PublicError('order_not_found');
  return order;
}

/** The same, all rows. */
export function ordersCsv(read: Kysely<Schema>, filter: OrderFilter): AsyncGenerator<string> {
  const columns = filter.userId === undefined ? [...orderColumns, ...ownerColumns] : orderColumns;
  return csvOf(columns, ({ before, limit }) =>
    readOrders(ordersOf(read, filter).where('topup_order.id', '<', before).limit(limit), filter),
  );
}

const orderColumns: readonly CsvColumn<TopupOrder>[] = [
  ['id', (row) => row.id],
  ['time', (row) => csvTime(row.create_time)],
  ['trade_no', (row) => row.trade_no],
  ['provider', (row) => row.provider],
  ['method', (row) => row.payment_method],
  ['quota', (row) => row.quota],
  ['money', (row) => row.money],
  ['currency', (row) => row.currency],
  ['refunded', (row) => row.refunded],
  ['status', (row) => row.status],
  ['completed', (row) => csvTime(row.complete_time)],
];
const ownerColumns: readonly CsvColumn<TopupOrder>[] = [
  ['user_id', (row) => row.user_id],
  ['username', (row) => row.username],
];

function ordersOf(read: Kysely<Schema>, filter: OrderFilter) {
  const {
    userId,
    username = '',
    trade_no: tradeNo = '',
    status = '',
    start_timestamp: start = 0,
    end_timestamp: end = 0,
  } = filter;
  let rows = read.selectFrom('topup_order').leftJoin('users', 'users.id', 'topup_order.user_id');
  if (userId !== undefined) rows = rows.where('topup_order.user_id', '=', userId);
  if (username !== '') rows = rows.where('users.username', '=', username);
  if (tradeNo !== '') rows = rows.where('topup_order.trade_no', '=', tradeNo);
  if (status !== '') rows = rows.where('topup_order.state', '=', status);
  if (start !== 0) rows = rows.where('topup_order.created_at', '>=', start);
  if (end !== 0) rows = rows.where('topup_order.created_at', '<=', end);
  return rows;
}

async function readOrders(rows: ReturnType<typeof ordersOf>, { userId }: OrderFilter): Promise<TopupOrder[]> {
  const found = await rows.selectAll('topup_order').select('users.username').orderBy('topup_order.id', 'desc').execute();
  return found.map((row) => ({
    id: row.id,
    user_id: row.user_id,
    username: userId === undefined ? (row.username ?? '') : '',
    provider: row.provider,
    payment_method: row.method,
    trade_no: row.trade_no,
    amount: row.amount,
    quota: row.quota,
    money: moneyText(row.money_cents),
    refunded: moneyText(row.refunded_cents),
    currency: row.currency,
    status: row.state as OrderState,
    create_time: row.created_at,
    expire_time: row.expires_at,
    complete_time: row.completed_at,
  }));
}
