import type { ModelHour, UserHour, UserModelHour } from '@tollgate/contract';
import { type Kysely, sql } from 'kysely';
import type { Schema } from '../../storage/schema.ts';
import { anyRow } from '../log/filter.ts';
import { daySeconds, floorTo, hourSeconds } from '../sums/cubes.ts';
import type { Buckets, UsageFilter } from '../sums/parts.ts';
import { groupedSums, nextUse, type UsageSums } from '../sums/sums.ts';

const hourly = bucketsOf(hourSeconds);
const weekSeconds = 7 * daySeconds;

function counted({ calls, quota, prompt_tokens, completion_tokens }: UsageSums, created_at: number) {
  return { count: calls, quota, token_used: prompt_tokens + completion_tokens, created_at };
}

/** Everybody's usage by model and hour. */
export async function modelHours(read: Kysely<Schema>, filter: UsageFilter): Promise<ModelHour[]> {
  const rows = await groupedSums(read, filter, { by: ['model_name'], buckets: hourly, unsummed: 'newest' });
  return inOrder(rows.filter(isCharge).map((row) => ({ model_name: String(row.model_name), ...counted(row, row.bucket) })));
}

/** Usage of the filter's user by model and hour. */
export async function userModelHours(read: Kysely<Schema>, filter: UsageFilter): Promise<UserModelHour[]> {
  const rows = await groupedSums(read, filter, {
    by: ['user_id', 'username', 'model_name'],
    buckets: hourly,
    unsummed: 'newest',
  });
  const sorted = inOrder(rows.filter(isCharge).map((row) => ({ row, created_at: row.bucket })));
  return sorted.map(({ row }, index) => ({
    id: index + 1,
    user_id: Number(row.user_id),
    username: String(row.username),
    model_name: String(row.model_name),
    ...counted(row, row.bucket),
  }));
}

/**
 * Everybody's usage by user and hour; by day where the range is longer than a week, beside what it grew by to whole hours. A
 * month of a large site has hundreds of thousands of rows: they are read day by day, and calls go on between.
 */
export async function userHours(read: Kysely<Schema>, filter: UsageFilter): Promise<UserHour[]> {
  const step = filter.end - filter.start > weekSeconds + 2 * hourSeconds ? daySeconds : hourSeconds;
  const hours: UserHour[] = [];
  for (let start = filter.start, next = start; start <= filter.end; start = next) {
    next = floorTo(start, daySeconds) + daySeconds;
    const day = { ...filter, start, end: Math.min(filter.end, next - 1) };
    const rows = await groupedSums(read, day, { by: ['user_id', 'username'], buckets: bucketsOf(step), unsummed: 'newest' });
    const sorted = inOrder(rows.filter(isCharge).map((row) => ({ row, created_at: row.bucket })));
    for (const { row } of sorted)
      hours.push({ user_id: Number(row.user_id), username: String(row.username), ...counted(row, row.bucket) });
  }
  return hours;
}

/** One token's charges by day (its begin, UTC) and model, exact, also of rows that were cleaned up. */
export async function tokenDays(
  read: Kysely<Schema>,
  token: { userId: number; tokenId: number; start: number; end: number },
): Promise<(UsageSums & { day: number; model: string })[]> {
  const rows = await groupedSums(read, { ...anyRow, ...token }, { by: ['model_name'], buckets: bucketsOf(daySeconds) });
  return rows
    .filter(isCharge)
    .map(({ bucket, model_name, ...sums }) => ({ day: bucket, model: String(model_name), ...sums }))
    .sort((left, right) => left.day - right.day || (left.model < right.model ? -1 : 1));
}

export interface UserMonth extends UsageSums {
  /** `2026-11`, of UTC. */
  month: string;
  model: string;
  token: string;
}

/** One user's usage by month, model and token; what is not summed yet is among it. */
export async function* userMonths(read: Kysely<Schema>, userId: number, now: number): AsyncGenerator<UserMonth[]> {
  const filter = { ...anyRow, userId };
  for (let at = await nextUse(read, userId, 0); at !== undefined && at <= now; ) {
    const day = new Date(at * 1000);
    const [start, end] = [0, 1].map((more) => Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + more) / 1000) as [
      number,
      number,
    ];
    const rows = await groupedSums(read, { ...filter, start, end: end - 1 }, { by: ['model_name', 'token_name'] });
    const month = day.toISOString().slice(0, 7);
    yield rows.map(({ bucket: _all, model_name, token_name, ...sums }) => ({
      ...{ month, model: String(model_name), token: String(token_name) },
      ...sums,
    }));
    at = await nextUse(read, userId, end);
  }
}

/** Told apart by begin, in UTC. */
function bucketsOf(step: number): Buckets {
  return { number: sql<number>`start - start % ${sql.lit(step)}`, numberOf: (start) => floorTo(start, step) };
}

function isCharge({ calls, quota }: UsageSums): boolean {
  return calls !== 0 || quota !== 0;
}

function inOrder<Row extends { created_at: number }>(rows: Row[]): Row[] {
  return rows.sort((left, right) => left.created_at - right.created_at);
}
