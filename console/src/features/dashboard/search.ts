import type { Granularity } from '@tollgate/contract';
import { intParam, latestSeconds, type RawSearch, textParam } from '../../lib/search.ts';

// Not the contract's list: its schemas would come along into every page.
export const granularities = ['hour', 'day', 'week'] as const satisfies readonly Granularity[];
export const metrics = ['quota', 'calls', 'tokens'] as const;
export type Metric = (typeof metrics)[number];

export interface DashboardSearch {
  /** Unix seconds; absent = the usual range of the granularity. */
  from?: number;
  to?: number;
  /** Absent = the site's standard. */
  by?: Granularity;
  model?: string;
  group?: string;
  /** For users about themselves. */
  token?: string;
  /** For administrators. */
  user?: string;
  channel?: number;
  /** What the bars show; absent = quota. */
  metric?: Metric;
  /** The points as a table. */
  view?: 'table';
}

const oneOf = <T extends string>(value: unknown, choices: readonly T[]): T | undefined =>
  choices.find((choice) => choice === value);

export function readDashboardSearch(raw: RawSearch): DashboardSearch {
  return {
    from: intParam(raw.from, 0, latestSeconds),
    to: intParam(raw.to, 0, latestSeconds),
    by: oneOf(raw.by, granularities),
    model: textParam(raw.model, 255),
    group: textParam(raw.group, 255),
    token: textParam(raw.token, 255),
    user: textParam(raw.user, 255),
    channel: intParam(raw.channel, 1, Number.MAX_SAFE_INTEGER),
    metric: oneOf(raw.metric, ['calls', 'tokens'] as const),
    view: raw.view === 'table' ? 'table' : undefined,
  };
}
