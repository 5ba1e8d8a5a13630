import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Schema } from '../../storage/schema.ts';
import { anyRow } from '../log/filter.ts';
import { sourceOf } from './closed.ts';
import { cubeFor, type Dimension } from './cubes.ts';
import { type Buckets, cubeOf, type Part, partsOf, rolledTo, sumColumns, type UsageFilter } from './parts.ts';

export interface UsageSums {
  /** Consumption rows; errors are not among them. */
  calls: number;
  errors: number;
  quota: number;
  prompt_tokens: number;
  completion_tokens: number;
  streams: number;
}

export const nothing: UsageSums = { calls: 0, errors: 0, quota: 0, prompt_tokens: 0, completion_tokens: 0, streams: 0 };

export type UsageGroup<By extends Dimension> = UsageSums & Pick<Record<Dimension, string | number>, By> & { bucket: number };

export interface Grouping<By extends Dimension> {
  by: readonly By[];
  /** Without them `bucket` is 0 for all. */
  buckets?: Buckets;
  /** Models that stand for themselves; the others are one group whose name is "". Without it all do. */
  models?: readonly string[];
  /** All unless said. */
  unsummed?: Unsummed;
}

/** Whether the rollups know what the filter tells apart; otherwise sums read the log itself, row by row. */
export function isRolledUp(filter: UsageFilter, by: readonly Dimension[] = []): boolean {
  return cubeOf(filter, by) !== undefined;
}

/**
 * Exact sums at any moment, hidden rows included: whole days and hours from the rollups, the rest from the log, in one
 * statement and therefore of one state. Any partition of a range sums to the whole. What cleanup removed from the log
 * counts at the begin of its hour. Throws DatabaseError.
 */
export async function usageSums(read: Kysely<Schema>, filter: UsageFilter, unsummed: Unsummed = 'all'): Promise<UsageSums> {
  const [group] = await groupedSums(read, filter, { by: [], unsummed });
  if (group === undefined) return nothing;
  const { bucket: _all, ...sums } = group;
  return sums;
}

/** The same per group; groups without a call and an error are left out. */
export async function groupedSums<By extends Dimension>(
  read: Kysely<Schema>,
  filter: UsageFilter,
  grouping: Grouping<By>,
): Promise<UsageGroup<By>[]> {
  const { rows } = await (await groupedSelect(read, filter, grouping)).execute(read);
  return rows;
}

/** The same of one user as a SELECT, for a statement that reads something else of the same moment beside it. Throws DatabaseError. */
export const sumsOfUser = <By extends Dimension>(
  read: Kysely<Schema>,
  range: Pick<UsageFilter, 'userId' | 'start' | 'end'>,
  by: readonly By[],
): Promise<RawBuilder<UsageGroup<By>>> => groupedSelect(read, { ...anyRow, ...range }, { by });

async function groupedSelect<By extends Dimension>(
  read: Kysely<Schema>,
  filter: UsageFilter,
  { by, buckets, models, unsummed }: Grouping<By>,
): Promise<RawBuilder<UsageGroup<By>>> {
  const names = sql.join([sql`bucket`, ...by.map((dimension) => sql.ref(dimension))]);
  const sums = sql.join(sumColumns.map((column) => sql`SUM(${sql.ref(column)}) AS ${sql.ref(column)}`));
  const group = (dimension: Dimension) =>
    dimension === 'model_name' && models !== undefined
      ? sql`CASE WHEN model_name IN (${sql.join(['', ...models])}) THEN model_name ELSE '' END AS model_name`
      : sql.ref(dimension);
  const values = sql.join([sql`${buckets?.number ?? sql`0`} AS bucket`, ...by.map(group), sums]);
  const places = sql.join([0, ...by].map((_, index) => sql.lit(index + 1)));
  // Each part is summed by itself, so that what is put together is small.
  const parts = (await partsFor(read, filter, by, { buckets, unsummed })).map(
    (part) => sql`SELECT ${values} FROM (${part}) AS part GROUP BY ${places}`,
  );
  return sql<UsageGroup<By>>`
    SELECT ${names}, ${sums} FROM (${sql.join(parts, sql` UNION ALL `)}) AS whole
    GROUP BY ${names} HAVING SUM(calls) <> 0 OR SUM(errors) <> 0 OR SUM(quota) <> 0`;
}

/** Which rows that are in no sum yet are read beside the sums: all, or of more than `mostUnsummed` the newest (decision 0187). */
export type Unsummed = 'all' | 'newest';

/** A fraction of a second of one statement, and more than calls leave behind in minutes. */
export const mostUnsummed = 100_000;

/** Above this id are the newest rows that are in no sum; 0 = above the mark. */
async function newestFrom(read: Kysely<Schema>): Promise<number> {
  const { rows } = await sql<{ id: number }>`SELECT id FROM log WHERE id > ${rolledTo} ORDER BY id DESC LIMIT 1`.execute(read);
  return Math.max(0, (rows[0]?.id ?? 0) - mostUnsummed);
}

/** About how many rows are in no sum and not among the newest that are read beside them. Throws DatabaseError. */
export async function unsummedRows(read: Kysely<Schema>): Promise<number> {
  const state = await read.selectFrom('usage_rollup').select('rolled_to').where('id', '=', 1).executeTakeFirst();
  return Math.max(0, (await newestFrom(read)) - (state?.rolled_to ?? 0));
}

async function partsFor(
  read: Kysely<Schema>,
  filter: UsageFilter,
  by: readonly Dimension[],
  { buckets, unsummed }: Pick<Grouping<Dimension>, 'buckets' | 'unsummed'>,
): Promise<Part[]> {
  const source = await sourceOf(read, cubeOf(filter, by));
  return partsOf(filter, source, by, { buckets, after: unsummed === 'newest' ? await newestFrom(read) : 0 });
}

/** When the user first used something from then on, by the hour, summed or not; undefined: not any more. Throws DatabaseError. */
export async function nextUse(read: Kysely<Schema>, userId: number, from: number): Promise<number | undefined> {
  const cube = cubeFor(new Set(['user_id']), true)?.hours ?? 0;
  // The plus keeps planners from walking the index by time instead of the user's few rows above the mark.
  const { rows } = await sql<{ start: number | null }>`
    SELECT MIN(start) AS start FROM (
      SELECT MIN(start) AS start FROM usage_hour WHERE cube = ${cube} AND owner = ${userId} AND start >= ${from}
      UNION ALL SELECT MIN(+created_at) FROM log WHERE user_id = ${userId} AND +created_at >= ${from} AND id > ${rolledTo}
    ) AS uses`.execute(read);
  return rows[0]?.start ?? undefined;
}

export interface RankedUser extends UsageSums {
  /** From 1. */
  place: number;
  user_id: number;
  username: string;
}

/**
 * The users with the most quota in order, and behind them all others as one; of rows that are not summed yet the newest.
 * Ranked by the database: of a hundred thousand users as many rows would come to the thread that serves calls. Throws DatabaseError.
 */
export async function dearestUsers(read: Kysely<Schema>, filter: UsageFilter, shown: number): Promise<RankedUser[]> {
  const by = ['user_id', 'username'] as const;
  const sums = sql.join(sumColumns.map((column) => sql`SUM(${sql.ref(column)}) AS ${sql.ref(column)}`));
  // Who was renamed within the range is one user; those without an id are told apart by name.
  const values = sql`user_id, CASE WHEN user_id = 0 THEN username ELSE '' END AS person, MAX(username) AS username, ${sums}`;
  const parts = (await partsFor(read, filter, by, { unsummed: 'newest' })).map(
    (part) => sql`SELECT ${values} FROM (${part}) AS part GROUP BY 1, 2`,
  );
  const last = sql.lit(shown + 1);
  const { rows } = await sql<RankedUser>`
    WITH known AS (
      SELECT user_id, MAX(username) AS username, ${sums} FROM (${sql.join(parts, sql` UNION ALL `)}) AS whole
      GROUP BY user_id, person HAVING SUM(calls) <> 0 OR SUM(errors) <> 0 OR SUM(quota) <> 0
    ), ranked AS (
      SELECT known.*, ROW_NUMBER() OVER (ORDER BY quota DESC, calls DESC, user_id, username) AS number FROM known
    )
    SELECT CASE WHEN number < ${last} THEN number ELSE ${last} END AS place,
      MIN(user_id) AS user_id, MIN(username) AS username, ${sums}
    FROM ranked GROUP BY 1 ORDER BY 1`.execute(read);
  return rows;
}
