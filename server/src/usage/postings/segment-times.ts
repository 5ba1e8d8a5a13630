import type { LogFilter } from '../log/filter.ts';

/** When the rows of a segment were written: nearly all between two times, a few whenever. Unix seconds. */
export interface SegmentTimes {
  readonly first_at: number;
  readonly last_at: number;
  /** JSON: [position, created_at]. */
  readonly outliers: string;
}

/** Fewer than these at either end may be left out of the range. */
const maxOutliers = 128;
/** Rows of one moment are written a little out of order anyway. */
const slackSeconds = 60;

type Timed = readonly [position: number, createdAt: number];

/**
 * Finds the range that most rows lie in: a charge that waited for the database must not stretch it by hours. The two lists
 * speak of the same rows in the same order.
 */
export function timesOf(positions: Uint16Array, times: Float64Array): SegmentTimes {
  const sorted = times.toSorted();
  const edge = Math.min(maxOutliers, Math.floor(sorted.length / 4));
  const low = (sorted[edge] ?? 0) - slackSeconds;
  const high = (sorted[sorted.length - 1 - edge] ?? 0) + slackSeconds;
  const isInside = (at: number) => at >= low && at <= high;
  const outliers: Timed[] = [];
  times.forEach((at, index) => {
    if (!isInside(at)) outliers.push([positions[index] ?? 0, at]);
  });
  return {
    first_at: sorted.find(isInside) ?? 0,
    last_at: sorted.findLast(isInside) ?? 0,
    outliers: outliers.length === 0 ? '' : JSON.stringify(outliers),
  };
}

/**
 * What a range of time means for a segment. `in`: all of its rows but `drop`. `out`: none of its rows but `keep`.
 * `edge`: its rows have to be looked at.
 */
export type TimeVerdict =
  | { readonly kind: 'in'; readonly drop: readonly number[] }
  | { readonly kind: 'out'; readonly keep: readonly number[] }
  | { readonly kind: 'edge' };

export function judgeTime(
  { first_at, last_at, outliers }: SegmentTimes,
  { start, end }: Pick<LogFilter, 'start' | 'end'>,
): TimeVerdict {
  const lies = (at: number) => at >= start && (end === 0 || at <= end);
  const all: Timed[] = outliers === '' ? [] : (JSON.parse(outliers) as Timed[]);
  const positions = (wanted: boolean) => all.filter(([, at]) => lies(at) === wanted).map(([position]) => position);
  if (lies(first_at) && lies(last_at)) return { kind: 'in', drop: positions(false) };
  if (last_at < start || (end !== 0 && first_at > end)) return { kind: 'out', keep: positions(true) };
  return { kind: 'edge' };
}
