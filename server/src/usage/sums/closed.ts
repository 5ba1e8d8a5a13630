import { sql } from 'kysely';
import type { Database } from '../../storage/database.ts';
import { byUser, type Closed, type Cube, cubes, daySeconds } from './cubes.ts';
import { emptyGrowth, keyColumns, type Measure, measures, nothing, type SumRow } from './fold.ts';
import { addText } from './histogram.ts';
import type { Source } from './parts.ts';
import { packSums } from './store.ts';

/** What a statement over this cube may rest on: days that are closed stay so. Throws DatabaseError. */
export async function sourceOf(read: Database['read'], cube: Cube | undefined): Promise<Source | undefined> {
  if (cube?.days !== 'closed') return cube && { cube, closedTo: 0 };
  const state = await read.selectFrom('usage_rollup').select('closed_to').where('id', '=', 1).executeTakeFirst();
  return { cube, closedTo: state?.closed_to ?? 0 };
}

/** Rows still come in for a while after midnight: of calls that took long, and of settlements that were late. */
const restSeconds = daySeconds;
const closing = cubes.filter(({ days }) => days === 'closed');

type HourRow = Record<(typeof keyColumns)[number], string | number> &
  Record<Measure, number> &
  Record<'latency' | 'first_token', string>;

/**
 * What the next owners' hours of the first day that is over and not closed sum to, and how far the days are closed with
 * them; undefined when there is none. Throws DatabaseError.
 */
export async function closeNext({ read }: Database, from: Closed, owners: number, now: number) {
  const day = await nextDay(read, from.closed_to);
  if (day === undefined || day + daySeconds + restSeconds > now) return undefined;
  const first = day === from.closed_to ? from.closed_owner : 0;
  const { rows: next } = await sql<{ owner: number }>`
    SELECT DISTINCT user_id AS owner FROM usage_day
    WHERE cube = ${byUser} AND owner = 0 AND start = ${day} AND user_id >= ${first}
    ORDER BY user_id LIMIT ${owners}`.execute(read);
  const growth = emptyGrowth();
  for (const cube of closing) {
    for (const hour of await hoursOf(read, cube, day, next)) addHour(growth.usage_day, cube, day, hour);
  }
  const [last] = next.length < owners ? [] : next.slice(-1);
  const isOver = last === undefined;
  return {
    sums: packSums(growth),
    closed: { closed_to: isOver ? day + daySeconds : day, closed_owner: isOver ? 0 : last.owner + 1 },
  };
}

/** The first one from here on on which somebody called; that of 1970 has rows whose time nobody knew. */
async function nextDay(read: Database['read'], from: number): Promise<number | undefined> {
  const days = read.selectFrom('usage_day').select('start').where('cube', '=', byUser).where('owner', '=', 0);
  return (await days.where('start', '>=', from).orderBy('start').limit(1).executeTakeFirst())?.start;
}

/** Looked up along the key for one owner after the other: hours of a day are few among all of an owner. */
async function hoursOf(
  read: Database['read'],
  { hours }: Cube,
  day: number,
  owners: readonly { owner: number }[],
): Promise<HourRow[]> {
  if (owners.length === 0) return [];
  const { rows } = await sql<HourRow>`
    SELECT * FROM usage_hour WHERE cube = ${hours} AND owner IN (${sql.join(owners.map(({ owner }) => sql.lit(owner)))})
      AND start >= ${day} AND start < ${day + daySeconds}`.execute(read);
  return rows;
}

function addHour(into: Map<string, SumRow>, { id, dimensions }: Cube, day: number, hour: HourRow): void {
  const has = (column: string) => (dimensions as readonly string[]).includes(column);
  const own = { ...hour, cube: id, start: day };
  const key = keyColumns.map((column) =>
    column === 'cube' || column === 'owner' || column === 'start' || has(column) ? own[column] : emptyOf(own[column]),
  );
  const name = key.join('\n');
  const row = into.get(name) ?? { key, sums: { ...nothing }, latency: new Map(), firstToken: new Map(), whole: true };
  into.set(name, row);
  for (const measure of measures) row.sums[measure] += hour[measure];
  addText(row.latency, hour.latency);
  addText(row.firstToken, hour.first_token);
}

const emptyOf = (value: string | number): string | number => (typeof value === 'string' ? '' : 0);
