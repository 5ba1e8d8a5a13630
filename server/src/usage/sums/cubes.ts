/** What sums may be told apart and filtered by. */
export const dimensions = ['user_id', 'username', 'token_id', 'token_name', 'model_name', 'channel_id', 'group_name'] as const;
export type Dimension = (typeof dimensions)[number];

/** One way of summing the log: rows that agree in these columns become one, per hour and (if `daily`) per day. */
export interface Cube {
  readonly id: number;
  readonly dimensions: readonly Dimension[];
  /** Its rows lie together by user, and are read for known users only. */
  readonly byOwner: boolean;
  readonly daily: boolean;
  /** Its rows hold histograms of durations. */
  readonly durations: boolean;
}

/** From few rows to many: the first that knows what is asked for answers. The ids are stored. */
export const cubes: readonly Cube[] = [
  { id: 1, dimensions: ['model_name'], byOwner: false, daily: true, durations: true },
  { id: 5, dimensions: ['channel_id'], byOwner: false, daily: true, durations: false },
  { id: 2, dimensions: ['model_name', 'channel_id', 'group_name'], byOwner: false, daily: true, durations: true },
  { id: 3, dimensions: ['user_id', 'username'], byOwner: false, daily: true, durations: false },
  { id: 4, dimensions, byOwner: true, daily: false, durations: true },
];

/** The cheapest cube with these columns; undefined when only the log itself can tell. */
export function cubeFor(needed: ReadonlySet<Dimension>, isForUser: boolean): Cube | undefined {
  return cubes.find(
    (cube) => cube.byOwner === isForUser && [...needed].every((dimension) => cube.dimensions.includes(dimension)),
  );
}

export const hourSeconds = 3600;
export const daySeconds = 86_400;

export function floorTo(seconds: number, step: number): number {
  return Math.floor(seconds / step) * step;
}

export function ceilTo(seconds: number, step: number): number {
  return Math.ceil(seconds / step) * step;
}
