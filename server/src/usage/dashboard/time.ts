import type { Granularity } from '@tollgate/contract';
import { type RawBuilder, sql } from 'kysely';
import { PublicError } from '../../platform/errors.ts';
import { daySeconds, floorTo, hourSeconds } from '../sums/cubes.ts';
import type { Buckets } from '../sums/parts.ts';

/** Local time = UTC + `offset` from this moment on; both in seconds. */
export interface ZoneStretch {
  from: number;
  offset: number;
}

/** How points are numbered, and when each begins. */
export interface Points extends Buckets {
  /** Numbers in order, without gaps. */
  numbers: number[];
  /** Unix seconds of their begins. */
  begins: number[];
}

const leastPoints = 7;
const daysPerWeek = 7;
/** 1 January 1970 was a Thursday; weeks begin on Mondays. */
const epochWeekday = 3;

/**
 * Hours as they are in UTC, days and weeks as they are in the zone, also over its clock changes. An hour belongs to the
 * day that it begins in. Throws PublicError for an unknown zone.
 */
export function pointsOf(granularity: Granularity, timeZone: string, start: number, end: number): Points {
  if (granularity === 'hour') {
    const numberOf = (seconds: number) => Math.floor(seconds / hourSeconds);
    const numbers = numbered(start, end, numberOf, leastPoints);
    return {
      number: sql<number>`start / ${sql.lit(hourSeconds)}`,
      numberOf,
      numbers,
      // Where the range begins within an hour the first one does.
      begins: numbers.map((number) => (number === numberOf(start) ? start : number * hourSeconds)),
    };
  }
  const days = granularity === 'week' ? daysPerWeek : 1;
  const lead = granularity === 'week' ? epochWeekday : 0;
  const local = daysIn(zoneStretches(timeZone, start - leastPoints * days * daySeconds, end), 'start');
  const numberOf = (seconds: number) => Math.floor((local.dayOf(seconds) + lead) / days);
  const numbers = numbered(start, end, numberOf, leastPoints);
  return {
    number: granularity === 'week' ? sql<number>`(${local.day} + ${sql.lit(lead)}) / ${sql.lit(days)}` : local.day,
    numberOf,
    numbers,
    begins: numbers.map((number) => local.begin(number * days - lead)),
  };
}

/** Days where clocks show this, numbered from 1970. */
export interface LocalDays {
  dayOf(seconds: number): number;
  /** Unix seconds. */
  begin(day: number): number;
  /** The same of a column of unix seconds. */
  day: RawBuilder<number>;
}

export function daysIn(stretches: readonly ZoneStretch[], column: string): LocalDays {
  return {
    dayOf: (seconds) => Math.floor((seconds + offsetAt(stretches, seconds)) / daySeconds),
    begin: (day) => localMidnight(stretches, day),
    // Numbers of our own, not the caller's: text keeps the engines' integer division.
    day: sql<number>`((${sql.ref(column)} + ${offsetSql(stretches, column)}) / ${sql.lit(daySeconds)})`,
  };
}

function numbered(start: number, end: number, numberOf: (seconds: number) => number, least: number): number[] {
  const last = numberOf(end);
  const first = Math.min(numberOf(start), last - least + 1);
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

function offsetAt(stretches: readonly ZoneStretch[], seconds: number): number {
  return (stretches.findLast(({ from }) => from <= seconds) ?? stretches[0])?.offset ?? 0;
}

/**
 * The offset before midnight and the one after it can differ: the later guess counts. Where clocks jump over midnight the day
 * begins with the stretch that follows.
 */
function localMidnight(stretches: readonly ZoneStretch[], day: number): number {
  const guess = day * daySeconds - offsetAt(stretches, day * daySeconds);
  const begin = day * daySeconds - offsetAt(stretches, guess);
  if (Math.floor((begin + offsetAt(stretches, begin)) / daySeconds) >= day) return begin;
  return stretches.find(({ from }) => from > begin)?.from ?? begin;
}

function offsetSql(stretches: readonly ZoneStretch[], column: string): RawBuilder<number> {
  const [first, ...later] = stretches;
  if (later.length === 0) return sql`${sql.lit(first?.offset ?? 0)}`;
  const cases = later
    .toReversed()
    .map(({ from, offset }) => sql`WHEN ${sql.ref(column)} >= ${sql.lit(from)} THEN ${sql.lit(offset)}`);
  return sql`CASE ${sql.join(cases, sql` `)} ELSE ${sql.lit(first?.offset ?? 0)} END`;
}

/** When the clocks of a zone are changed between two moments, to the hour. Throws PublicError for an unknown zone. */
export function zoneStretches(timeZone: string, start: number, end: number): ZoneStretch[] {
  const offset = offsetReader(timeZone);
  const stretches: ZoneStretch[] = [{ from: floorTo(start, hourSeconds), offset: offset(start) }];
  let known = stretches[0]?.offset;
  for (let day = floorTo(start, hourSeconds); day <= end; day += daySeconds) {
    const next = day + daySeconds;
    if (offset(next) === known) continue;
    let hour = day;
    while (hour < next && offset(hour) === known) hour += hourSeconds;
    known = offset(next);
    stretches.push({ from: hour, offset: known });
  }
  return stretches;
}

/** Whether clocks of a zone, which may be half an hour off those of UTC, show a whole hour then. Throws PublicError for an unknown zone. */
export function isHourIn(timeZone: string, seconds: number): boolean {
  return (seconds + offsetReader(timeZone)(seconds)) % hourSeconds === 0;
}

function offsetReader(timeZone: string): (seconds: number) => number {
  let format: Intl.DateTimeFormat;
  try {
    format = new Intl.DateTimeFormat('en-US', { timeZone, timeZoneName: 'longOffset' });
  } catch {
    throw new PublicError('parameter_error');
  }
  return (seconds) => {
    const name = format.formatToParts(seconds * 1000).find(({ type }) => type === 'timeZoneName')?.value ?? '';
    const [, sign = '+', hours = '0', minutes = '0'] = /GMT([+-])(\d{2}):(\d{2})/.exec(name) ?? [];
    return (sign === '-' ? -1 : 1) * (Number(hours) * hourSeconds + Number(minutes) * 60);
  };
}
