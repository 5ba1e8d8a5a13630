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
  /** The cube that has its hours: itself, or one that tells more apart. */
  readonly hours: number;
  /** Its rows hold histograms of durations. */
  readonly durations: boolean;
}

/** The cube of users alone. */
export const byUser = 3;

/** From few rows to many: the first that knows what is asked for answers. The ids are stored. */
export const cubes: readonly Cube[] = [
  { id: 1, hours: 1, dimensions: ['model_name'], byOwner: false, days: 'summed', durations: true },
  { id: 5, hours: 5, dimensions: ['channel_id'], byOwner: false, days: 'summed', durations: false },
  { id: 2, hours: 2, dimensions: ['model_name', 'channel_id', 'group_name'], byOwner: false, days: 'summed', durations: true },
  { id: byUser, hours: byUser, dimensions: ['user_id', 'username'], byOwner: false, days: 'summed', durations: false },
  {
    ...{ id: 6, hours: 4, byOwner: true, days: 'closed', durations: true },
    dimensions: ['user_id', 'username', 'model_name', 'channel_id', 'group_name'],
  },
  { id: 4, hours: 4, dimensions, byOwner: true, days: 'none', durations: true },
];

/** How far the sums of closed days are: all days before `closed_to`, and of that day itself the owners below `closed_owner`. */
export interface Closed {
  /** Unix seconds; 0 = none yet. */
  closed_to: number;
  closed_owner: number;
}

/** Whether the day's sums of this owner are there: whatever changes the hours changes them too. */
export function isClosed({ closed_to, closed_owner }: Closed, day: number, owner: number): boolean {
  return day < closed_to || (day === closed_to && owner < closed_owner);
}

/** The cheapest cube with these columns; undefined when only the log itself can tell. */
export function cubeFor(needed: ReadonlySet<Dimension>, isForUser: boolean): Cube | undefined {
  return cubes.find(
    (cube) => cube.byOwner === isForUser && [...needed].every((dimension) => cube.dimensions.includes(dimension)),
  );
}

export const hourSeconds = 3600;
export const daySeconds = 86_400;
/** A day's noon stands for it: no zone is further than half a day from it. */
export const noonSeconds = daySeconds / 2;

export function floorTo(seconds: number, step: number): number {
  return Math.floor(seconds / step) * step;
}

export function ceilTo(seconds: number, step: number): number {
  return Math.ceil(seconds / step) * step;
}
