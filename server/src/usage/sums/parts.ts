import { logType } from '@tollgate/contract';
import { type RawBuilder, sql } from 'kysely';
import type { UsageSumTable } from '../../storage/schema.ts';
import { type LogFilter, likePattern } from '../log/filter.ts';
import { isPattern } from '../log/pattern.ts';
import {
  type Cube,
  ceilTo,
  cubeFor,
  type Dimension,
  daySeconds,
  floorTo,
  hourSeconds,
  monthSeconds,
  noonSeconds,
} from './cubes.ts';

/** What is summed: "" and 0 = any; both ends of the range are inclusive, 0 = open. */
export type UsageFilter = Pick<
  LogFilter,
  'userId' | 'username' | 'tokenId' | 'tokenName' | 'model' | 'channel' | 'group' | 'start' | 'end'
>;

/** What rows of the log can be asked for too; the rest stands in the rollups only. */
export const sumColumns = ['calls', 'errors', 'quota', 'prompt_tokens', 'completion_tokens', 'streams'] as const;
export type SumColumn = keyof UsageSumTable;

/** The cheapest cube that can answer; undefined when only the log itself can. */
export function cubeOf(filter: UsageFilter, by: readonly Dimension[]): Cube | undefined {
  const needed = new Set<Dimension>(by);
  if (filter.tokenId !== 0) needed.add('token_id');
  if (filter.tokenName !== '') needed.add('token_name');
  if (filter.model !== '') needed.add('model_name');
  if (filter.channel !== 0) needed.add('channel_id');
  if (filter.group !== '') needed.add('group_name');
  return cubeFor(needed, filter.userId !== 0 || filter.username !== '');
}

export type Part = RawBuilder<unknown>;
interface Span {
  from: number;
  /** Exclusive. */
  to: number;
}

/** Points in time of a chart: an hour's number by its begin in unix seconds, as SQL over `start` and as code. */
export interface Buckets {
  readonly number: RawBuilder<number>;
  numberOf(start: number): number;
}

const endOfTime = floorTo(253_402_300_800, daySeconds);
/** The mark: rows up to it are in the sums. */
export const rolledTo = sql`(SELECT rolled_to FROM usage_rollup WHERE id = 1)`;

/** The cube that answers, and how far closed days and months are that it may have. */
export interface Source {
  readonly cube: Cube;
  /** Unix seconds. */
  readonly closedTo: number;
  /** Unix seconds. */
  readonly monthTo: number;
}

/** SELECTs whose rows, all together, are the usage that is asked for. `after`: of rows above the mark those above this id only. */
export function partsOf(
  filter: UsageFilter,
  source: Source | undefined,
  by: readonly Dimension[],
  { buckets, after = 0 }: { buckets?: Buckets | undefined; after?: number } = {},
): Part[] {
  const span: Span = { from: filter.start, to: filter.end === 0 ? endOfTime : filter.end + 1 };
  if (!source) return [logPart(filter, by, sql`created_at >= ${span.from} AND created_at < ${span.to}`, 1)];
  // The plus keeps planners from walking the whole range instead of the few rows above the mark.
  const from = sql`(SELECT CASE WHEN rolled_to > ${after} THEN rolled_to ELSE ${after} END FROM usage_rollup WHERE id = 1)`;
  const tail = sql`id > ${from} AND +created_at >= ${span.from} AND +created_at < ${span.to}`;
  const hours: Span = { from: ceilTo(span.from, hourSeconds), to: ceilTo(span.to, hourSeconds) };
  const rows = ({ from, to }: Span, sign: 1 | -1): Part[] =>
    from < to ? [logPart(filter, by, sql`+id <= ${rolledTo} AND created_at >= ${from} AND created_at < ${to}`, sign)] : [];
  const parts = [logPart(filter, by, tail, 1, sql`user_id`)];
  // Within one hour that began earlier there is nothing but rows.
  if (hours.from >= span.to) return [...parts, ...rows(span, 1)];
  parts.push(...rows({ from: span.from, to: hours.from }, 1), ...rows({ from: span.to, to: hours.to }, -1));
  return [...parts, ...sumParts(filter, source, [...by, ...sumColumns], hours, buckets)];
}

/**
 * Months where they are whole and nothing is told apart by time, days before and after them, hours before and after those. Told apart by bucket, a day's sums go to the bucket of its noon;
 * its hours that belong to another one (to the next or last day of a zone) are then put there and taken away from the day's.
 */
export function sumParts(
  filter: UsageFilter,
  { cube, closedTo, monthTo }: Source,
  columns: readonly SumColumn[],
  hours: Span,
  buckets?: Buckets,
): Part[] {
  const last = { none: 0, summed: hours.to, closed: Math.min(hours.to, closedTo) }[cube.days];
  const days: Span = { from: ceilTo(hours.from, daySeconds), to: floorTo(last, daySeconds) };
  const strays = days.from >= days.to ? undefined : straysOf(days, buckets);
  if (strays === undefined) return [sumPart('usage_hour', filter, cube, columns, hours)];
  const parts = [
    sumPart('usage_hour', filter, cube, columns, { from: hours.from, to: days.from }),
    ...dayParts(filter, cube, columns, days, cube.months && buckets === undefined ? monthTo : 0),
    sumPart('usage_hour', filter, cube, columns, { from: days.to, to: hours.to }),
  ];
  return buckets === undefined || strays.length === 0 ? parts : [...parts, strayPart(filter, cube, columns, buckets, strays)];
}

function dayParts(filter: UsageFilter, cube: Cube, columns: readonly SumColumn[], days: Span, monthTo: number): Part[] {
  const months: Span = {
    from: ceilTo(Math.max(monthSeconds, days.from), monthSeconds),
    to: floorTo(Math.min(monthTo, days.to), monthSeconds),
  };
  if (months.from >= months.to) return [sumPart('usage_day', filter, cube, columns, days)];
  return [
    sumPart('usage_day', filter, cube, columns, { from: days.from, to: months.from }),
    sumPart('usage_month', filter, cube, columns, months),
    sumPart('usage_day', filter, cube, columns, { from: months.to, to: days.to }),
  ];
}

/** Beyond it there is no chart. */
const mostBucketed = 1_000 * daySeconds;
const noonOf = sql`start - start % ${sql.lit(daySeconds)} + ${sql.lit(noonSeconds)}`;

/** Begins of those hours that are not in the bucket of their day's noon; undefined for too many. */
function straysOf({ from, to }: Span, buckets: Buckets | undefined): number[] | undefined {
  if (buckets === undefined) return [];
  if (to - from > mostBucketed) return undefined;
  const strays: number[] = [];
  for (let start = from; start < to; start += hourSeconds) {
    if (buckets.numberOf(start) !== buckets.numberOf(floorTo(start, daySeconds) + noonSeconds)) strays.push(start);
  }
  return strays.length * hourSeconds > (to - from) / 2 ? undefined : strays;
}

/** Both sides of what moves: to where the hours belong, and away from their day's noon. */
function strayPart(
  filter: UsageFilter,
  cube: Cube,
  columns: readonly SumColumn[],
  { number }: Buckets,
  strays: readonly number[],
): Part {
  const isSum = (column: SumColumn) => (sumColumns as readonly string[]).includes(column);
  const each = (sum: (column: Part) => Part) =>
    columns.map((column) => (isSum(column) ? sql`${sum(sql.ref(column))} AS ${sql.ref(column)}` : sql.ref(column)));
  const groups = columns.filter((column) => !isSum(column)).map((column) => sql.ref(column));
  const side = (start: Part, sums: Part[]) => sql`SELECT ${sql.join([sql`${start} AS start`, ...sums])} FROM stray`;
  // A list, which both engines look up along the key one after the other.
  const isStray = sql`start IN (${sql.join(strays.map((start) => sql.lit(start)))})`;
  const where = sql.join([...keyConditions(filter, cube, cube.hours), isStray, ...conditionsOf(filter)], sql` AND `);
  return sql`SELECT * FROM (
    WITH stray AS (
      SELECT ${sql.join([sql`MIN(start) AS start`, ...each((column) => sql`SUM(${column})`)])} FROM usage_hour WHERE ${where}
      GROUP BY ${sql.join([sql`start / ${sql.lit(daySeconds)}`, number, ...groups])}
    )
    ${side(
      sql`start`,
      each((column) => column),
    )} UNION ALL ${side(
      noonOf,
      each((column) => sql`-${column}`),
    )}
  ) AS strays`;
}

function sumPart(
  table: 'usage_hour' | 'usage_day' | 'usage_month',
  filter: UsageFilter,
  cube: Cube,
  names: readonly SumColumn[],
  span: Span,
): Part {
  const columns = [sql`${table === 'usage_day' ? noonOf : sql`start`} AS start`, ...names.map((column) => sql.ref(column))];
  const key = keyConditions(filter, cube, table === 'usage_hour' ? cube.hours : cube.id);
  const conditions = [...key, sql`start >= ${span.from} AND start < ${span.to}`, ...conditionsOf(filter)];
  return sql`SELECT ${sql.join(columns)} FROM ${sql.table(table)} WHERE ${sql.join(conditions, sql` AND `)}`;
}

const keyConditions = (filter: UsageFilter, cube: Cube, id: number): Part[] => [sql`cube = ${id}`, ownerCondition(filter, cube)];

/** Users of a name: those whom the sums know by it. */
function ownerCondition(filter: Pick<UsageFilter, 'userId' | 'username'>, cube: Cube): Part {
  if (!cube.byOwner) return sql`owner = 0`;
  if (filter.userId !== 0) return sql`owner = ${filter.userId}`;
  return sql`owner IN (SELECT user_id FROM usage_owner WHERE username = ${filter.username})`;
}

/** Begins of rows' hours; of the hour that the range begins in, its own. */
function hourOf({ start }: UsageFilter): Part {
  const hour = sql`created_at - created_at % ${sql.lit(hourSeconds)}`;
  return start % hourSeconds === 0 ? hour : sql`CASE WHEN ${hour} < ${start} THEN ${start} ELSE ${hour} END`;
}

/** By time, never through all rows of a busy user, unless `user` is the plain column. */
function logPart(filter: UsageFilter, by: readonly Dimension[], where: Part, sign: 1 | -1, user = sql`+user_id`): Part {
  const charge = sql`CASE WHEN type = ${sql.lit(logType.consume)} THEN ${sql.lit(sign)} ELSE 0 END`;
  const error = sql`CASE WHEN type = ${sql.lit(logType.error)} THEN ${sql.lit(sign)} ELSE 0 END`;
  const of = (column: 'quota' | 'prompt_tokens' | 'completion_tokens' | 'is_stream') => sql`${charge} * ${sql.ref(column)}`;
  const columns = [
    sql`${hourOf(filter)} AS start`,
    ...by.map((dimension) => sql.ref(dimension)),
    sql`${charge} AS calls`,
    sql`${error} AS errors`,
    sql`${of('quota')} AS quota`,
    sql`${of('prompt_tokens')} AS prompt_tokens`,
    sql`${of('completion_tokens')} AS completion_tokens`,
    sql`${of('is_stream')} AS streams`,
  ];
  const kinds = sql`type IN (${sql.lit(logType.consume)}, ${sql.lit(logType.error)})`;
  const owner = filter.userId === 0 ? [] : [sql`${user} = ${filter.userId}`];
  return sql`SELECT ${sql.join(columns)} FROM log WHERE ${sql.join([where, kinds, ...owner, ...conditionsOf(filter)], sql` AND `)}`;
}

/** All but user, which is the order of the sums, and range. */
function conditionsOf(filter: UsageFilter): Part[] {
  const conditions: Part[] = [];
  if (filter.username !== '') conditions.push(sql`username = ${filter.username}`);
  if (filter.tokenId !== 0) conditions.push(sql`token_id = ${filter.tokenId}`);
  if (filter.tokenName !== '') conditions.push(sql`token_name = ${filter.tokenName}`);
  if (filter.channel !== 0) conditions.push(sql`channel_id = ${filter.channel}`);
  if (filter.group !== '') conditions.push(sql`group_name = ${filter.group}`);
  if (filter.model === '') return conditions;
  const model = isPattern(filter.model)
    ? sql`lower(model_name) LIKE ${likePattern(filter.model)}`
    : sql`model_name = ${filter.model}`;
  return [...conditions, model];
}
