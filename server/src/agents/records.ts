import type {
  AgentDividend,
  AgentDividendQuery,
  AgentWithdrawal,
  AgentWithdrawalQuery,
  DividendStatus,
  PageOf,
  PayoutMethod,
  WithdrawalStatus,
} from '@tollgate/contract';
import { type Kysely, sql } from 'kysely';
import { nanoToNumber } from '../billing/index.ts';
import { type CsvColumn, csvOf, csvTime } from '../platform/csv.ts';
import { PublicError } from '../platform/errors.ts';
import { masked } from '../platform/masked.ts';
import { pageOf } from '../storage/page.ts';
import type { Schema } from '../storage/schema.ts';

type Filter<Query> = Omit<Query, 'p' | 'page_size' | 'order'>;
export type DividendFilter = Filter<AgentDividendQuery>;
export type WithdrawalFilter = Filter<AgentWithdrawalQuery>;

/** Who reads: an agent sees the own rows, without names of customers and of administrators. */
export type Reader = 'agent' | 'admin';

export function pageOfDividends(read: Kysely<Schema>, reader: Reader, query: AgentDividendQuery): Promise<PageOf<AgentDividend>> {
  // Of a range in its own order, so that it is read from its end and not looked for from the newest id down.
  const isRange = query.start_timestamp !== 0 || query.end_timestamp !== 0;
  return pageOf(read, dividendsOf(read, query), query, (page) =>
    readDividends(isRange ? page.orderBy('agent_dividend.created_at', 'desc') : page, reader),
  );
}

export function dividendsCsv(read: Kysely<Schema>, reader: Reader, filter: DividendFilter): AsyncGenerator<string> {
  const columns = reader === 'admin' ? [...dividendColumns, ...dividendOwnerColumns] : dividendColumns;
  return csvOf(columns, ({ before, limit }) =>
    readDividends(dividendsOf(read, filter).where('agent_dividend.id', '<', before).limit(limit), reader),
  );
}

const dividendColumns: readonly CsvColumn<AgentDividend>[] = [
  ['id', (row) => row.id],
  ['time', (row) => csvTime(row.created_at)],
  ['customer_id', (row) => row.user_id],
  ['customer', (row) => row.username],
  ['topup_cents', (row) => row.topup_money],
  ['rate', (row) => row.rate],
  ['amount_cents', (row) => row.amount],
  ['reversed_cents', (row) => row.reversed],
  ['status', (row) => row.status],
  ['matures', (row) => csvTime(row.mature_at)],
  ['settled', (row) => csvTime(row.settled_at)],
];
const dividendOwnerColumns: readonly CsvColumn<AgentDividend>[] = [
  ['agent_id', (row) => row.agent_id],
  ['agent', (row) => row.agent],
  ['trade_no', (row) => row.trade_no],
];

function dividendsOf(read: Kysely<Schema>, filter: DividendFilter) {
  let rows = read
    .selectFrom('agent_dividend')
    .leftJoin('users as customer', 'customer.id', 'agent_dividend.user_id')
    .leftJoin('users as owner', 'owner.id', 'agent_dividend.agent_id');
  if (filter.agent_id !== 0) rows = rows.where('agent_dividend.agent_id', '=', filter.agent_id);
  // The sign keeps the database from the index of what matures: by that all of one status would be put in order for a page.
  if (filter.status !== undefined) rows = rows.where(sql<number>`+${sql.ref('agent_dividend.status')}`, '=', filter.status);
  if (filter.start_timestamp !== 0) rows = rows.where('agent_dividend.created_at', '>=', filter.start_timestamp);
  if (filter.end_timestamp !== 0) rows = rows.where('agent_dividend.created_at', '<=', filter.end_timestamp);
  return rows;
}

async function readDividends(rows: ReturnType<typeof dividendsOf>, reader: Reader): Promise<AgentDividend[]> {
  const found = await rows
    .selectAll('agent_dividend')
    .select(['customer.username as customer_name', 'owner.username as agent_name'])
    .orderBy('agent_dividend.id', 'desc')
    .execute();
  const isAdmin = reader === 'admin';
  return found.map((row) => ({
    id: row.id,
    agent_id: row.agent_id,
    agent: isAdmin ? (row.agent_name ?? '') : '',
    user_id: row.user_id,
    username: isAdmin ? (row.customer_name ?? '') : masked(row.customer_name ?? ''),
    topup_id: row.topup_id,
    trade_no: isAdmin ? row.trade_no : '',
    topup_money: row.topup_money,
    rate: nanoToNumber(row.rate_nano),
    amount: row.amount,
    reversed: row.reversed,
    status: row.status as DividendStatus,
    mature_at: row.mature_at,
    settled_at: row.settled_at,
    created_at: row.created_at,
  }));
}

export function pageOfWithdrawals(
  read: Kysely<Schema>,
  reader: Reader,
  query: AgentWithdrawalQuery,
): Promise<PageOf<AgentWithdrawal>> {
  return pageOf(read, withdrawalsOf(read, query), query, (page) => readWithdrawals(page, reader, query.order));
}

/** Throws PublicError `withdrawal_not_found`. */
export async function withdrawalById(read: Kysely<Schema>, reader: Reader, id: number): Promise<AgentWithdrawal> {
  const rows = withdrawalsOf(read, { agent_id: 0, status: undefined, start_timestamp: 0, end_timestamp: 0 });
  const [found] = await readWithdrawals(rows.where('agent_withdrawal.id', '=', id), reader);
  if (found === undefined) throw new PublicError('withdrawal_not_found');
  return found;
}

export function withdrawalsCsv(read: Kysely<Schema>, reader: Reader, filter: WithdrawalFilter): AsyncGenerator<string> {
  const columns = reader === 'admin' ? [...withdrawalColumns, ...withdrawalOwnerColumns] : withdrawalColumns;
  return csvOf(columns, ({ before, limit }) =>
    readWithdrawals(withdrawalsOf(read, filter).where('agent_withdrawal.id', '<', before).limit(limit), reader),
  );
}

const withdrawalColumns: readonly CsvColumn<AgentWithdrawal>[] = [
  ['id', (row) => row.id],
  ['time', (row) => csvTime(row.created_at)],
  ['amount_cents', (row) => row.amount],
  ['fee_cents', (row) => row.fee],
  ['net_cents', (row) => row.net],
  ['method', (row) => row.method],
  ['payee_name', (row) => row.payee_name],
  ['payee_account', (row) => row.payee_account],
  ['bank_name', (row) => row.bank_name],
  ['quota', (row) => row.quota],
  ['status', (row) => row.status],
  ['reference', (row) => row.reference],
  ['reject_reason', (row) => row.reject_reason],
  ['remark', (row) => row.remark],
  ['finished', (row) => csvTime(row.finished_at)],
];
const withdrawalOwnerColumns: readonly CsvColumn<AgentWithdrawal>[] = [
  ['agent_id', (row) => row.agent_id],
  ['agent', (row) => row.agent],
  ['reviewer', (row) => row.reviewer],
];

function withdrawalsOf(read: Kysely<Schema>, filter: WithdrawalFilter) {
  let rows = read
    .selectFrom('agent_withdrawal')
    .leftJoin('users as owner', 'owner.id', 'agent_withdrawal.agent_id')
    .leftJoin('users as reviewer', 'reviewer.id', 'agent_withdrawal.reviewer_id');
  if (filter.agent_id !== 0) rows = rows.where('agent_withdrawal.agent_id', '=', filter.agent_id);
  if (filter.status !== undefined) rows = rows.where('agent_withdrawal.status', '=', filter.status);
  if (filter.start_timestamp !== 0) rows = rows.where('agent_withdrawal.created_at', '>=', filter.start_timestamp);
  if (filter.end_timestamp !== 0) rows = rows.where('agent_withdrawal.created_at', '<=', filter.end_timestamp);
  return rows;
}

async function readWithdrawals(
  rows: ReturnType<typeof withdrawalsOf>,
  reader: Reader,
  order: AgentWithdrawalQuery['order'] = 'newest',
): Promise<AgentWithdrawal[]> {
  const found = await rows
    .selectAll('agent_withdrawal')
    .select(['owner.username as agent_name', 'reviewer.username as reviewer_name'])
    .orderBy('agent_withdrawal.id', order === 'oldest' ? 'asc' : 'desc')
    .execute();
  const isAdmin = reader === 'admin';
  return found.map(({ agent_name: agent, reviewer_name: reviewer, reviewer_id: reviewerId, ...row }) => ({
    ...row,
    net: row.amount - row.fee,
    agent: isAdmin ? (agent ?? '') : '',
    method: row.method as PayoutMethod,
    status: row.status as WithdrawalStatus,
    reviewer_id: isAdmin ? reviewerId : 0,
    reviewer: isAdmin ? (reviewer ?? '') : '',
  }));
}
