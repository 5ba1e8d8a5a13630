import type { AgentEarningsQuery, EarningsDay } from '@tollgate/contract';
import { type Kysely, sql } from 'kysely';
import { PublicError } from '../platform/errors.ts';
import type { Schema } from '../storage/schema.ts';

const daySeconds = 86_400;
const usualDays = 30;
const maxDays = 400;

/** Which figure a movement counts in. */
const figures: Readonly<Record<string, 'earned' | 'matured' | 'reversed' | 'withdrawn'>> = {
  dividend: 'earned',
  maturing: 'matured',
  reversal: 'reversed',
  payout: 'withdrawn',
  conversion: 'withdrawn',
};

/** One row per day of the reader, also where nothing happened. `agent_id` 0 = everybody. Throws PublicError `agent_range_too_long`. */
export async function earningsByDay(read: Kysely<Schema>, query: AgentEarningsQuery, now: number): Promise<EarningsDay[]> {
  const { agent_id: agentId } = query;
  const shift = query.offset * 60;
  const end = query.end_timestamp === 0 ? now : query.end_timestamp;
  const start = query.start_timestamp === 0 ? end - (usualDays - 1) * daySeconds : query.start_timestamp;
  const dayOf = (time: number) => Math.floor((time + shift) / daySeconds);
  const [first, last] = [dayOf(start), dayOf(end)];
  if (last - first >= maxDays) throw new PublicError('agent_range_too_long', { days: maxDays });
  const days = new Map<number, EarningsDay>();
  for (let day = first; day <= last; day += 1) {
    const time = day * daySeconds - shift;
    days.set(day, { time, earned: 0, matured: 0, reversed: 0, withdrawn: 0, orders: 0, customers: 0 });
  }
  const window = { from: first * daySeconds - shift, to: (last + 1) * daySeconds - shift, shift };
  for (const { day, kind, total, count } of await movements(read, agentId, window)) {
    const row = days.get(Number(day));
    const figure = figures[kind];
    if (row === undefined || figure === undefined) continue;
    row[figure] += Number(total);
    if (figure === 'earned') row.orders += Number(count);
  }
  if (agentId !== 0) await addCustomers(read, agentId, window, days);
  return [...days.values()];
}

interface Window {
  from: number;
  to: number;
  /** Seconds that the reader's clock is ahead of UTC. */
  shift: number;
}

/** Numbers of our own, not the caller's: text keeps the engines' integer division. */
const dayColumn = (shift: number) => sql<number | string>`(created_at + ${sql.lit(shift)}) / ${sql.lit(daySeconds)}`;

async function movements(read: Kysely<Schema>, agentId: number, { from, to, shift }: Window) {
  let rows = read.selectFrom('transfer').where('unit', '=', 'cent').where('created_at', '>=', from).where('created_at', '<', to);
  if (agentId !== 0) rows = rows.where('user_id', '=', agentId);
  return rows
    .select([
      dayColumn(shift).as('day'),
      'kind',
      (sum) => sum.fn.sum<number | string>('amount').as('total'),
      (count) => count.fn.countAll<number | string>().as('count'),
    ])
    .groupBy([dayColumn(shift), 'kind'])
    .execute();
}

async function addCustomers(
  read: Kysely<Schema>,
  agentId: number,
  { from, to, shift }: Window,
  days: ReadonlyMap<number, EarningsDay>,
): Promise<void> {
  const rows = await read
    .selectFrom('users')
    .where('inviter_id', '=', agentId)
    .where('created_at', '>=', from)
    .where('created_at', '<', to)
    .select([dayColumn(shift).as('day'), (count) => count.fn.countAll<number | string>().as('count')])
    .groupBy(dayColumn(shift))
    .execute();
  for (const { day, count } of rows) {
    const row = days.get(Number(day));
    if (row !== undefined) row.customers += Number(count);
  }
}
