import { sql } from 'kysely';
import type { Database } from '../../storage/database.ts';
import { byUser, type Closed, type Cube, cubes, type DayMark, daySeconds, floorTo, monthSeconds } from './cubes.ts';
import { emptyGrowth, keyColumns, type Measure, measures, nothing, type SumRow } from './fold.ts';
import { addText } from './histogram.ts';
import type { Source } from './parts.ts';
import { type PackedSums, packSums } from './store.ts';

/** What a statement over this cube may rest on: days that are closed stay so, and months too. Throws DatabaseError. */
export async function sourceOf(read: Database['read'], cube: Cube | undefined): Promise<Source | undefined> {
  if (cube?.days !== 'closed' && !cube?.months) return cube && { cube, closedTo: 0, monthTo: 0 };
  const state = await read.selectFrom('usage_rollup').select(['closed_to', 'month_to']).where('id', '=', 1).executeTakeFirst();
  return { cube, closedTo: state?.closed_to ?? 0, monthTo: state?.month_to ?? 0 };
}

/** Rows still come in for a while after midnight: of calls that took long, and of settlements that were late. */
const restSeconds = daySeconds;
const closing = cubes.filter(({ days }) => days === 'closed');
const monthly = cubes.filter(({ months }) => months);

type StoredRow = Record<(typeof keyColumns)[number], string | number> &
  Record<Measure, number> &
  Record<'latency' | 'first_token', string>;

/** What a step of closing days, or of adding days to months, comes to. */
export interface ClosedStep {
  sums: PackedSums[];
  closed: Closed;
}

/**
 * What the next owners' hours of the first day that is over and not closed sum to, and how far the days are closed with
 * them; undefined when there is none. Throws DatabaseError.
 */
export async function closeNext({ read }: Database, from: Closed, owners: number, now: number): Promise<ClosedStep | undefined> {
  const mark = { to: from.closed_to, owner: from.closed_owner };
  const next = await nextOwners(read, mark, now - daySeconds - restSeconds, owners);
  if (next === undefined) return undefined;
  const growth = emptyGrowth();
  for (const cube of closing) {
    for (const hour of await hoursOf(read, cube, next)) addRow(growth.usage_day, cube, next.day, hour);
  }
  const { to: closed_to, owner: closed_owner } = next.reached;
  const { month_to, month_owner } = from;
  return { sums: packSums(growth), closed: { closed_to, closed_owner, month_to, month_owner } };
}

/**
 * What the next owners' sums of the first closed day that is in no month add to it, and how far days are there with them;
 * undefined when all are. Throws DatabaseError.
 */
export async function addNextToMonth({ read }: Database, from: Closed, owners: number): Promise<ClosedStep | undefined> {
  const { closed_to, closed_owner } = from;
  const mark = from.month_to < monthSeconds ? { to: monthSeconds, owner: 0 } : { to: from.month_to, owner: from.month_owner };
  const next = await nextOwners(read, mark, closed_to - daySeconds, owners);
  if (next === undefined) return undefined;
  const growth = emptyGrowth();
  const start = floorTo(next.day, monthSeconds);
  for (const cube of monthly) {
    for (const day of await daysOf(read, cube, next)) addRow(growth.usage_month, cube, start, day);
  }
  const { to: month_to, owner: month_owner } = next.reached;
  return { sums: packSums(growth), closed: { closed_to, closed_owner, month_to, month_owner } };
}

interface NextOwners {
  readonly day: number;
  readonly owners: readonly number[];
  /** The mark once they are done. */
  readonly reached: DayMark;
}

/** The owners at the mark, of the first day on which somebody called; undefined when that day is later than `latest`. */
async function nextOwners(
  read: Database['read'],
  { to, owner }: DayMark,
  latest: number,
  count: number,
): Promise<NextOwners | undefined> {
  const day = await nextDay(read, to);
  if (day === undefined || day > latest) return undefined;
  const { rows } = await sql<{ owner: number }>`
    SELECT DISTINCT user_id AS owner FROM usage_day
    WHERE cube = ${byUser} AND owner = 0 AND start = ${day} AND user_id >= ${day === to ? owner : 0}
    ORDER BY user_id LIMIT ${count}`.execute(read);
  const owners = rows.map((row) => row.owner);
  const last = owners.length < count ? undefined : owners.at(-1);
  return { day, owners, reached: last === undefined ? { to: day + daySeconds, owner: 0 } : { to: day, owner: last + 1 } };
}

/** The first one from here on on which somebody called; that of 1970 has rows whose time nobody knew. */
async function nextDay(read: Database['read'], from: number): Promise<number | undefined> {
  const days = read.selectFrom('usage_day').select('start').where('cube', '=', byUser).where('owner', '=', 0);
  return (await days.where('start', '>=', from).orderBy('start').limit(1).executeTakeFirst())?.start;
}

/** Looked up along the key for one owner after the other: hours of a day are few among all of an owner. */
async function hoursOf(read: Database['read'], { hours }: Cube, { day, owners }: NextOwners): Promise<StoredRow[]> {
  if (owners.length === 0) return [];
  const { rows } = await sql<StoredRow>`
    SELECT * FROM usage_hour WHERE cube = ${hours} AND owner IN (${sql.join(owners.map((owner) => sql.lit(owner)))})
      AND start >= ${day} AND start < ${day + daySeconds}`.execute(read);
  return rows;
}

/** Of a cube in the order of days: they lie side by side. */
async function daysOf(read: Database['read'], { id }: Cube, { day, owners }: NextOwners): Promise<StoredRow[]> {
  const { rows } = await sql<StoredRow>`
    SELECT * FROM usage_day WHERE cube = ${id} AND owner = 0 AND start = ${day}
      AND user_id >= ${owners[0] ?? 0} AND user_id <= ${owners.at(-1) ?? -1}`.execute(read);
  return rows;
}

function addRow(into: Map<string, SumRow>, { id, dimensions }: Cube, start: number, stored: StoredRow): void {
  const has = (column: string) => (dimensions as readonly string[]).includes(column);
  const own = { ...stored, cube: id, start };
  const key = keyColumns.map((column) =>
    column === 'cube' || column === 'owner' || column === 'start' || has(column) ? own[column] : emptyOf(own[column]),
  );
  const name = key.join('\n');
  const row = into.get(name) ?? { key, sums: { ...nothing }, latency: new Map(), firstToken: new Map(), whole: true };
  into.set(name, row);
  for (const measure of measures) row.sums[measure] += stored[measure];
  addText(row.latency, stored.latency);
  addText(row.firstToken, stored.first_token);
}

const emptyOf = (value: string | number): string | number => (typeof value === 'string' ? '' : 0);
