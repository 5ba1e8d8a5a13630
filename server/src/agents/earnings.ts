import type { AgentEarningsQuery, EarningsDay } from '@tollgate/contract';
import type { Kysely } from 'kysely';
import { PublicError } from '../platform/errors.ts';
import type { Schema } from '../storage/schema.ts';
import { daysIn, type LocalDays, zoneStretches } from '../usage/index.ts';

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

/** One row per day of the reader, also where nothing happened. `agent_id` 0 = everybody. Throws PublicError `agent_range_too_long`, or for an unknown zone. */
export async function earningsByDay(read: Kysely<Schema>, query: AgentEarningsQuery, now: number): Promise<EarningsDay[]> {
  const { agent_id: agentId } = query;
  const end = query.end_timestamp === 0 ? now : query.end_timestamp;
  const start = query.start_timestamp === 0 ? end - (usualDays - 1) * daySeconds : query.start_timestamp;
  if (end - start > maxDays * daySeconds) throw new PublicError('agent_range_too_long', { days: maxDays });
  const { dayOf, begin, day: dayColumn } = daysIn(clocksOf(query, start, end), 'created_at');
  const [first, last] = [dayOf(start), dayOf(end)];
  if (last - first >= maxDays) throw new PublicError('agent_range_too_long', { days: maxDays });
  const days = new Map<number, EarningsDay>();
  for (let day = first; day <= last; day += 1) {
    days.set(day, { time: begin(day), earned: 0, matured: 0, reversed: 0, withdrawn: 0, orders: 0, customers: 0 });
  }
  const window = { from: begin(first), to: begin(last + 1), dayColumn };
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
  dayColumn: LocalDays['day'];
}

/** A day more on both sides: its midnight may lie there. */
function clocksOf({ time_zone: timeZone, offset }: AgentEarningsQuery, start: number, end: number) {
  if (timeZone === '') return [{ from: 0, offset: offset * 60 }];
  return zoneStretches(timeZone, start - daySeconds, end + daySeconds);
}

async function movements(read: Kysely<Schema>, agentId: number, { from, to, dayColumn }: Window) {
  let rows = read.selectFrom('transfer').where('unit', '=', 'cent').where('created_at', '>=', from).where('created_at', '<', to);
  if (agentId !== 0) rows = rows.where('user_id', '=', agentId);
  return rows
    .select([
      dayColumn.as('day'),
      'kind',
      (sum) => sum.fn.sum<number | string>('amount').as('total'),
      (count) => count.fn.countAll<number | string>().as('count'),
    ])
    .groupBy([dayColumn, 'kind'])
    .execute();
}

async function addCustomers(
  read: Kysely<Schema>,
  agentId: number,
  { from, to, dayColumn }: Window,
  days: ReadonlyMap<number, EarningsDay>,
): Promise<void> {
  const rows = await read
    .selectFrom('users')
    .where('inviter_id', '=', agentId)
    .where('created_at', '>=', from)
    .where('created_at', '<', to)
    .select([dayColumn.as('day'), (count) => count.fn.countAll<number | string>().as('count')])
    .groupBy(dayColumn)
    .execute();
  for (const { day, count } of rows) {
    const row = days.get(Number(day));
    if (row !== undefined) row.customers += Number(count);
  }
}
