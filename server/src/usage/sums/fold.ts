import { logType } from '@tollgate/contract/roles.ts';
import type { Selectable } from 'kysely';
import type { LogTable } from '../../storage/schema.ts';
import { type Closed, type Cube, cubes, daySeconds, floorTo, hourSeconds, isClosed, isInMonth, monthSeconds } from './cubes.ts';
import { addAll, addDuration, type Histogram } from './histogram.ts';

export const usageColumns = [
  'created_at',
  'type',
  'user_id',
  'username',
  'token_id',
  'token_name',
  'model_name',
  'channel_id',
  'group_name',
  'quota',
  'prompt_tokens',
  'completion_tokens',
  'use_time',
  'is_stream',
  'other',
] as const;

/** What a log row has that sums are made of. */
export type UsageRow = Pick<Selectable<LogTable>, (typeof usageColumns)[number]>;

/** The columns that name a row of a sum table, in the order of its key. */
export const keyColumns = [
  'cube',
  'owner',
  'start',
  'user_id',
  'username',
  'token_id',
  'token_name',
  'model_name',
  'channel_id',
  'group_name',
] as const;
export const measures = ['calls', 'errors', 'quota', 'prompt_tokens', 'completion_tokens', 'cached_tokens', 'streams'] as const;
export type Measure = (typeof measures)[number];

export interface SumRow {
  key: (string | number)[];
  sums: Record<Measure, number>;
  latency: Histogram;
  firstToken: Histogram;
  /** The histograms are all that is known, not only what is new. */
  whole?: true;
}

/** By table and key: what the rows add to the sums. */
export interface Growth {
  usage_hour: Map<string, SumRow>;
  usage_day: Map<string, SumRow>;
  usage_month: Map<string, SumRow>;
}

/**
 * Sums rows of the log; `sign` -1 takes them away. Rows that are neither a charge nor an error count nowhere. Sums of closed
 * days are made of hours, and those of months of days, so that a row counts there only where that was done already.
 */
export function foldRows(rows: readonly UsageRow[], sign: 1 | -1, closed: Closed, growth = emptyGrowth()): Growth {
  for (const alike of groupRows(rows)) {
    for (const cube of cubes) {
      if (cube.hours === cube.id) add(growth.usage_hour, cube, alike.hour, alike, sign);
      const day = floorTo(alike.hour, daySeconds);
      if (hasDay(cube, day, alike.row, closed)) add(growth.usage_day, cube, day, alike, sign);
      if (cube.months && isInMonth(closed, day, alike.row.user_id))
        add(growth.usage_month, cube, floorTo(day, monthSeconds), alike, sign);
    }
  }
  return growth;
}

function hasDay({ days }: Cube, day: number, { user_id }: UsageRow, closed: Closed): boolean {
  return days === 'summed' || (days === 'closed' && isClosed(closed, day, user_id));
}

/** Rows that agree in all dimensions and their hour: whatever the cube, they end in the same sums. */
interface Alike {
  row: UsageRow;
  hour: number;
  sums: Record<Measure, number>;
  latency: Histogram;
  firstToken: Histogram;
}

/** Busy callers have many rows: they are summed once, and not once for every cube. */
function groupRows(rows: readonly UsageRow[]): Iterable<Alike> {
  const groups = new Map<string, Alike>();
  let last: Alike | undefined;
  for (const row of rows) {
    if (row.type !== logType.consume && row.type !== logType.error) continue;
    const hour = floorTo(row.created_at, hourSeconds);
    const alike = last !== undefined && last.hour === hour && isAlike(last.row, row) ? last : groupOf(groups, row, hour);
    last = alike;
    measure(row, alike);
  }
  return groups.values();
}

function isAlike(left: UsageRow, right: UsageRow): boolean {
  return (
    left.user_id === right.user_id &&
    left.token_id === right.token_id &&
    left.model_name === right.model_name &&
    left.channel_id === right.channel_id &&
    left.group_name === right.group_name &&
    left.username === right.username &&
    left.token_name === right.token_name
  );
}

function groupOf(groups: Map<string, Alike>, row: UsageRow, hour: number): Alike {
  const { user_id, username, token_id, token_name, model_name, channel_id, group_name } = row;
  const name = `${hour}\n${user_id}\n${username}\n${token_id}\n${token_name}\n${model_name}\n${channel_id}\n${group_name}`;
  const known = groups.get(name);
  if (known !== undefined) return known;
  const fresh = { row, hour, sums: { ...nothing }, latency: new Map(), firstToken: new Map() };
  groups.set(name, fresh);
  return fresh;
}

export function emptyGrowth(): Growth {
  return { usage_hour: new Map(), usage_day: new Map(), usage_month: new Map() };
}

function nameOf({ id, dimensions }: Cube, start: number, row: UsageRow): string {
  let name = `${id}\n${start}`;
  for (const dimension of dimensions) name += `\n${row[dimension]}`;
  return name;
}

function keyOf(cube: Cube, start: number, row: UsageRow): (string | number)[] {
  const has = (dimension: (typeof cube.dimensions)[number]) => cube.dimensions.includes(dimension);
  return [
    cube.id,
    cube.byOwner ? row.user_id : 0,
    start,
    has('user_id') ? row.user_id : 0,
    has('username') ? row.username : '',
    has('token_id') ? row.token_id : 0,
    has('token_name') ? row.token_name : '',
    has('model_name') ? row.model_name : '',
    has('channel_id') ? row.channel_id : 0,
    has('group_name') ? row.group_name : '',
  ];
}

/** More than any call has. Rows of elsewhere may say so, and a sum that is not exact would be refused, with every step after it. */
const largestCount = 1_000_000_000_000;

function measure(row: UsageRow, { sums, latency, firstToken }: Alike): void {
  if (row.type === logType.error) {
    sums.errors += 1;
    return;
  }
  const other = readOther(row.other);
  sums.calls += 1;
  sums.quota += row.quota;
  sums.prompt_tokens += row.prompt_tokens;
  sums.completion_tokens += row.completion_tokens;
  if (other.cache_tokens > 0 && other.cache_tokens <= largestCount) sums.cached_tokens += Math.round(other.cache_tokens);
  addDuration(latency, other.duration_ms > 0 ? other.duration_ms : row.use_time * 1000);
  if (row.is_stream !== 1) return;
  sums.streams += 1;
  addDuration(firstToken, other.frt);
}

export const nothing: Readonly<Record<Measure, number>> = {
  calls: 0,
  errors: 0,
  quota: 0,
  prompt_tokens: 0,
  completion_tokens: 0,
  cached_tokens: 0,
  streams: 0,
};

/** Of cubes that have none, and of all their rows: nothing is ever put into it. */
const noDurations: Histogram = new Map();

function add(
  into: Map<string, SumRow>,
  cube: Cube,
  start: number,
  { row, sums, latency, firstToken }: Alike,
  sign: 1 | -1,
): void {
  const name = nameOf(cube, start, row);
  let known = into.get(name);
  if (known === undefined) {
    const durations = (): Histogram => (cube.durations ? new Map() : noDurations);
    known = { key: keyOf(cube, start, row), sums: { ...nothing }, latency: durations(), firstToken: durations() };
    into.set(name, known);
  }
  for (const measure of measures) known.sums[measure] += sign * sums[measure];
  if (sign === -1 || !cube.durations) return;
  addAll(known.latency, latency);
  addAll(known.firstToken, firstToken);
}

type Timed = Record<'cache_tokens' | 'frt' | 'duration_ms', number>;

/** How the relay writes them: together, before anything nested and behind no text that could look like them. */
const plainOther = /^\{[^{}[\]\\]*"cache_tokens":(\d+),"frt":(-?\d+),"duration_ms":(\d+),"usage_source":/;

/** The numbers that a row has in its JSON only; 0 where it has none. */
function readOther(other: string): Timed {
  const plain = plainOther.exec(other);
  return plain === null
    ? parseOther(other)
    : { cache_tokens: Number(plain[1]), frt: Number(plain[2]), duration_ms: Number(plain[3]) };
}

function parseOther(other: string): Timed {
  let read: Record<string, unknown> = {};
  try {
    read = other === '' ? {} : (JSON.parse(other) as Record<string, unknown>);
  } catch {
    // Rows of older programs may hold anything.
  }
  const number = (name: string) => (typeof read?.[name] === 'number' && Number.isFinite(read[name]) ? Number(read[name]) : 0);
  return { cache_tokens: number('cache_tokens'), frt: number('frt'), duration_ms: number('duration_ms') };
}
