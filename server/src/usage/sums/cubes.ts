/** What sums may be told apart and filtered by. */
export const dimensions = ['user_id', 'username', 'token_id', 'token_name', 'model_name', 'channel_id', 'group_name'] as const;
export type Dimension = (typeof dimensions)[number];

/** One way of summing the log: rows that agree in these columns become one, per hour and per day. */
export interface Cube {
  readonly id: number;
  readonly dimensions: readonly Dimension[];
  /** Its rows lie together by user, and are read for known users only. */
  readonly byOwner: boolean;
  /** Whether there are daily sums: row by row like the hourly ones, or made of those when a day is over. */
  readonly days: 'none' | 'summed' | 'closed';
  /** Whether there are sums of months, which are made of the daily ones. */
  readonly months: boolean;
  /** The cube that has its hours: itself, or one that tells more apart. */
  readonly hours: number;
  /** Its rows hold histograms of durations. */
  readonly durations: boolean;
}

/** The cube of users alone. */
export const byUser = 3;

/** From few rows to many: the first that knows what is asked for answers. The ids are stored. */
export const cubes: readonly Cube[] = [
  { id: 1, hours: 1, dimensions: ['model_name'], byOwner: false, days: 'summed', months: false, durations: true },
  { id: 5, hours: 5, dimensions: ['channel_id'], byOwner: false, days: 'summed', months: false, durations: false },
  {
    id: 2,
    hours: 2,
    dimensions: ['model_name', 'channel_id', 'group_name'],
    byOwner: false,
    days: 'summed',
    months: false,
    durations: true,
  },
  {
    id: byUser,
    hours: byUser,
    dimensions: ['user_id', 'username'],
    byOwner: false,
    days: 'summed',
    months: true,
    durations: false,
  },
  {
    ...{ id: 6, hours: 4, byOwner: true, days: 'closed', months: false, durations: true },
    dimensions: ['user_id', 'username', 'model_name', 'channel_id', 'group_name'],
  },
  { id: 4, hours: 4, dimensions, byOwner: true, days: 'none', months: false, durations: true },
];

/** What is done of all days before `to` (unix seconds; 0 = none yet), and of that day itself for the owners below `owner`. */
export interface DayMark {
  readonly to: number;
  readonly owner: number;
}

const isBelow = ({ to, owner }: DayMark, day: number, id: number): boolean => day < to || (day === to && id < owner);

/** How far days are closed, and which of the closed ones are in the sums of months, as it is stored. */
export interface Closed {
  closed_to: number;
  closed_owner: number;
  month_to: number;
  month_owner: number;
}

export const closedColumns = ['closed_to', 'closed_owner', 'month_to', 'month_owner'] as const;

/** Whether the day's sums of this owner are there: whatever changes the hours changes them too. */
export function isClosed({ closed_to: to, closed_owner: owner }: Closed, day: number, id: number): boolean {
  return isBelow({ to, owner }, day, id);
}

/** Whether the sums of months have this user's day: whatever changes it changes them too. */
export function isInMonth({ month_to: to, month_owner: owner }: Closed, day: number, id: number): boolean {
  return day >= monthSeconds && isBelow({ to, owner }, day, id);
}

/** The cheapest cube with these columns; undefined when only the log itself can tell. */
export function cubeFor(needed: ReadonlySet<Dimension>, isForUser: boolean): Cube | undefined {
  return cubes.find(
    (cube) => cube.byOwner === isForUser && [...needed].every((dimension) => cube.dimensions.includes(dimension)),
  );
}

export const hourSeconds = 3600;
export const daySeconds = 86_400;
/**
 * Of months that tile the days from 1970 on, alike in all zones: no range begins or ends with the calendar's alone. The first one has no
 * sums: on its first day stands what has no time.
 */
export const monthSeconds = 30 * daySeconds;
/** A day's noon stands for it: no zone is further than half a day from it. */
export const noonSeconds = daySeconds / 2;

export function floorTo(seconds: number, step: number): number {
  return Math.floor(seconds / step) * step;
}

export function ceilTo(seconds: number, step: number): number {
  return Math.ceil(seconds / step) * step;
}
