import type { DashboardQuery, Granularity } from '@tollgate/contract';
import { PublicError } from '../../platform/errors.ts';
import { anyRow, isLongerThan, type LogScope } from '../log/filter.ts';
import { ceilTo, daySeconds, floorTo, hourSeconds } from '../sums/cubes.ts';
import type { UsageFilter } from '../sums/parts.ts';
import { isHourIn } from './time.ts';

/** A question for a dashboard, complete: the same question is the same text. */
export interface Asked {
  filter: UsageFilter;
  granularity: Granularity;
  timeZone: string;
  /** Also users and channels. */
  forAdmins: boolean;
}

/** Default ranges of contract 8.6. */
const defaultSeconds: Record<Granularity, number> = { hour: daySeconds, day: 7 * daySeconds, week: 30 * daySeconds };
const monthSeconds = 2_592_000;
const longestDays: Record<Granularity, number> = { hour: 30, day: 366, week: 366 };

/**
 * The range grows to whole hours, so that everybody who looks within an hour asks the same. It is whole where an hour of the
 * zone begins, too: of days in India nothing of the day before is seen. Throws PublicError.
 */
export function askedOf(scope: LogScope, query: DashboardQuery, now: number): Asked {
  const { granularity, time_zone: timeZone } = query;
  const whole = (seconds: number, grow: typeof ceilTo) => (isHourIn(timeZone, seconds) ? seconds : grow(seconds, hourSeconds));
  const end = query.end_timestamp ? whole(query.end_timestamp + 1, ceilTo) - 1 : ceilTo(now + hourSeconds + 1, hourSeconds) - 1;
  const start = query.start_timestamp
    ? whole(query.start_timestamp, floorTo)
    : floorTo(end + 1 - defaultSeconds[granularity], hourSeconds);
  const days = longestDays[granularity];
  if (start > end) throw new PublicError('parameter_error');
  if (isLongerThan(days, start, end)) throw new PublicError('log_range_too_long', { days });
  const own = scope.kind === 'own';
  const filter: UsageFilter = {
    ...anyRow,
    ...(own ? { userId: scope.userId } : { username: query.username, channel: query.channel }),
    tokenName: query.token_name,
    model: query.model_name,
    group: query.group,
    start,
    end,
  };
  // Token names of everybody are in no rollup.
  if (!own && filter.tokenName !== '' && filter.username === '') throw new PublicError('parameter_error');
  return { filter: picked(filter), granularity, timeZone, forAdmins: !own };
}

function picked({ userId, username, tokenId, tokenName, model, channel, group, start, end }: UsageFilter): UsageFilter {
  return { userId, username, tokenId, tokenName, model, channel, group, start, end };
}

/**
 * Range of the lists of contract 1.10, a month at most before it grows to whole hours: clients send the second at which they
 * ask, and rows are of hours. Throws PublicError.
 */
export function rawRange(query: { start_timestamp: number; end_timestamp: number }, now: number) {
  const end = query.end_timestamp || ceilTo(now + hourSeconds, hourSeconds);
  const start = query.start_timestamp || end - monthSeconds;
  if (end - start > monthSeconds) throw new PublicError('data_range_too_long');
  return { start: floorTo(start, hourSeconds), end: ceilTo(end + 1, hourSeconds) - 1 };
}
