import type { AgentEntry, AgentQuery, AgentSelf, AgentStatus, AgentSummary, PageOf } from '@tollgate/contract';
import { agentStatus } from '@tollgate/contract';
import { type Kysely, type Selectable, sql } from 'kysely';
import {
  agentCurrency,
  defaultRate,
  moneyOfAgents,
  moneyOfAllAgents,
  nanoToNumber,
  nothingEarned,
  openWithdrawals,
} from '../billing/index.ts';
import { type CsvColumn, csvOf, csvTime } from '../platform/csv.ts';
import { PublicError } from '../platform/errors.ts';
import type { Options } from '../settings/index.ts';
import { contains } from '../storage/like.ts';
import { countRows, pageOf } from '../storage/page.ts';
import type { AgentTable, Schema } from '../storage/schema.ts';
import { countCustomersSince, reachOfAgents } from './customers.ts';

type Row = Selectable<AgentTable>;
type Filter = Pick<AgentQuery, 'keyword' | 'status'>;

/** The own agency as its owner sees it; null = never applied. */
export async function readOwn(
  read: Kysely<Schema>,
  userId: number,
  { code, today, options }: { code: string; today: number; options: Options },
): Promise<AgentSelf | null> {
  const row = await read.selectFrom('agent').selectAll().where('user_id', '=', userId).executeTakeFirst();
  if (row === undefined) return null;
  const money = (await moneyOfAgents(read, [userId])).get(userId) ?? nothingEarned();
  const reach = (await reachOfAgents(read, [userId])).get(userId);
  const open = await countRows(openWithdrawalsIn(read).where('agent_id', '=', userId));
  return {
    ...factsOf(row, options),
    ...money,
    customers: reach?.customers ?? 0,
    today_customers: await countCustomersSince(read, userId, today),
    topup_total: reach?.paid ?? 0,
    invite_link: `${options.ServerAddress}/register?aff=${code}`,
    terms: {
      currency: agentCurrency,
      min_withdraw: options.AgentMinWithdraw,
      fee_rate: options.AgentFeeRate,
      mature_days: options.AgentMatureDays,
      max_open: options.AgentMaxPending,
      open,
    },
  };
}

function openWithdrawalsIn(read: Kysely<Schema>) {
  return read.selectFrom('agent_withdrawal').where('status', 'in', openWithdrawals);
}

function factsOf(row: Row, options: Options) {
  const { rate_nano: rateNano, reviewer_id: _reviewer, status, ...facts } = row;
  return {
    ...facts,
    status: status as AgentStatus,
    commission_rate: rateNano === null ? null : nanoToNumber(rateNano),
    rate: nanoToNumber(rateNano ?? defaultRate(options)),
  };
}

/** Everybody's: whose number the keyword is, then newest first. */
export async function pageOfAgents(
  read: Kysely<Schema>,
  { p, page_size, ...filter }: AgentQuery,
  options: Options,
): Promise<PageOf<AgentEntry>> {
  const first = sql`CASE WHEN agent.user_id = ${numberIn(filter.keyword)} THEN 0 ELSE 1 END`;
  return pageOf(read, agentsOf(read, filter), { p, page_size }, (page) => {
    const newest = page.orderBy(first).orderBy('agent.created_at', 'desc').orderBy('agent.user_id', 'desc');
    return readAgents(read, newest, options);
  });
}

/** Throws PublicError `agent_not_found`. */
export async function agentById(read: Kysely<Schema>, userId: number, options: Options): Promise<AgentEntry> {
  const rows = agentsOf(read, { keyword: '', status: undefined }).where('agent.user_id', '=', userId);
  const [found] = await readAgents(read, rows, options);
  if (found === undefined) throw new PublicError('agent_not_found');
  return found;
}

export function agentsCsv(read: Kysely<Schema>, filter: Filter, options: Options): AsyncGenerator<string> {
  return csvOf<AgentEntry & { id: number }>(columns, async ({ before, limit }) => {
    const rows = agentsOf(read, filter).where('agent.user_id', '<', before).orderBy('agent.user_id', 'desc').limit(limit);
    const found = await readAgents(read, rows, options);
    return found.map((row) => ({ ...row, id: row.user_id }));
  });
}

const columns: readonly CsvColumn<AgentEntry>[] = [
  ['user_id', (row) => row.user_id],
  ['username', (row) => row.username],
  ['status', (row) => row.status],
  ['level', (row) => row.level],
  ['rate', (row) => row.rate],
  ['contact_name', (row) => row.contact_name],
  ['contact_phone', (row) => row.contact_phone],
  ['contact_email', (row) => row.contact_email],
  ['customers', (row) => row.customers],
  ['topup_cents', (row) => row.topup_total],
  ['earned_cents', (row) => row.total_earned],
  ['pending_cents', (row) => row.pending],
  ['balance_cents', (row) => row.balance],
  ['withdrawing_cents', (row) => row.withdrawing],
  ['withdrawn_cents', (row) => row.total_withdrawn],
  ['reversed_cents', (row) => row.total_reversed],
  ['applied', (row) => csvTime(row.created_at)],
];

function agentsOf(read: Kysely<Schema>, { keyword, status }: Filter) {
  let rows = read
    .selectFrom('agent')
    .innerJoin('users', 'users.id', 'agent.user_id')
    .leftJoin('users as reviewer', 'reviewer.id', 'agent.reviewer_id');
  if (status !== undefined) rows = rows.where('agent.status', '=', status);
  if (keyword === '') return rows;
  const texts = [
    'users.username',
    'users.display_name',
    'agent.contact_name',
    'agent.contact_phone',
    'agent.contact_email',
  ] as const;
  return rows.where(({ eb, or }) =>
    or([...texts.map((text) => contains(text, keyword)), eb('agent.user_id', '=', numberIn(keyword))]),
  );
}

/** The user whose number it is; 0 = it is none. */
function numberIn(keyword: string): number {
  return /^\d{1,15}$/.test(keyword) ? Number(keyword) : 0;
}

async function readAgents(read: Kysely<Schema>, rows: ReturnType<typeof agentsOf>, options: Options): Promise<AgentEntry[]> {
  const found = await rows
    .selectAll('agent')
    .select(['users.username', 'users.display_name', 'reviewer.username as reviewer_name'])
    .execute();
  const ids = found.map((row) => row.user_id);
  const money = await moneyOfAgents(read, ids);
  const reach = await reachOfAgents(read, ids);
  return found.map(({ username, display_name, reviewer_name: reviewer, ...row }) => ({
    ...factsOf(row, options),
    ...(money.get(row.user_id) ?? nothingEarned()),
    username,
    display_name,
    customers: reach.get(row.user_id)?.customers ?? 0,
    topup_total: reach.get(row.user_id)?.paid ?? 0,
    reviewer_id: row.reviewer_id,
    reviewer: reviewer ?? '',
  }));
}

export async function summarize(read: Kysely<Schema>): Promise<AgentSummary> {
  const byStatus = await read
    .selectFrom('agent')
    .select(['status', (count) => count.fn.countAll<number | string>().as('total')])
    .groupBy('status')
    .execute();
  const countOf = (status: number) => Number(byStatus.find((row) => row.status === status)?.total ?? 0);
  return {
    ...(await moneyOfAllAgents(read)),
    active: countOf(agentStatus.active),
    applied: countOf(agentStatus.applied),
    open_withdrawals: await countRows(openWithdrawalsIn(read)),
  };
}
