import * as z from 'zod/mini';
import { filter, timeRange, timeZone } from './fields.ts';
import { data, defineRoute } from './route.ts';

/** One model in one hour; the form that GET /api/data/ has without a user name (contract 1.10). */
export interface ModelHour {
  model_name: string;
  count: number;
  quota: number;
  token_used: number;
  /** Unix seconds of the hour's begin. */
  created_at: number;
}

/** One user's use of one model in one hour. `id` only counts the rows of this answer. */
export interface UserModelHour extends ModelHour {
  id: number;
  user_id: number;
  username: string;
}

/** One user in one hour, or in one day (UTC) where the range is longer than a week. */
export interface UserHour {
  user_id: number;
  username: string;
  count: number;
  quota: number;
  token_used: number;
  created_at: number;
}

export const granularities = ['hour', 'day', 'week'] as const;
export type Granularity = (typeof granularities)[number];

/** Errors are not among the calls; `tokens` = prompt + completion. */
export interface UsageTotals {
  calls: number;
  errors: number;
  quota: number;
  tokens: number;
}

/** Milliseconds, at most 9.1 % beside the true ones; calls of the last seconds may be missing. */
export interface Durations {
  samples: number;
  p50: number;
  p90: number;
  p99: number;
}

export interface UsageQuality {
  /** Of whole answers. */
  latency: Durations;
  /** Of streams. */
  first_token: Durations;
  /** Share of the prompt tokens that came from a cache; 0 to 1, null without prompt tokens. */
  cached: number | null;
}

export interface DashboardModel extends UsageTotals, UsageQuality {
  /** "" = all the others together. */
  model_name: string;
  /** Beside `buckets`. */
  series: UsageTotals[];
}

export interface DashboardUser extends UsageTotals {
  /** 0 = all the others together. */
  user_id: number;
  username: string;
}

export interface DashboardToken extends UsageTotals {
  /** "" = all the others together, and what had none. */
  token_name: string;
}

export interface DashboardChannel extends UsageTotals {
  id: number;
  /** "" = deleted, or no channel was reached (id 0). */
  name: string;
  /** 1 on, 2 off by hand, 3 off by itself; 0 = deleted. */
  status: number;
  /** Breakers that keep calls away now, on the node that answers. */
  open_breakers: number;
}

/** Everything the page shows, of one state of the log. */
export interface Dashboard {
  /** Unix seconds, inclusive. */
  start: number;
  end: number;
  /** Begins of the points, at least 7; the first ones may lie before `start`, with nothing in them. */
  buckets: number[];
  totals: UsageTotals & UsageQuality & { prompt_tokens: number; cached_tokens: number; streams: number };
  /** Calls and tokens per minute of the range so far. */
  rpm: number;
  tpm: number;
  /** The dearest first; the rest is one row. */
  models: DashboardModel[];
  /** Administrators only, unless the filter names a user, model, channel or group; the dearest first. */
  users: DashboardUser[];
  /** Of one user, unless the range is longer than a month; the dearest first. */
  tokens: DashboardToken[];
  /** Administrators only. */
  channels: DashboardChannel[];
  /** About how many rows of the log are in none of these figures yet, as after an import of millions; 0 = all are. */
  unsummed: number;
  /** When it was read, and after how many seconds it is read again. */
  read_at: number;
  refresh_seconds: number;
}

const ownView = {
  ...timeRange,
  granularity: z._default(z.enum(granularities), 'hour'),
  time_zone: timeZone,
  token_name: filter,
  model_name: filter,
  group: filter,
};

const dataQuery = z.object({ ...timeRange, username: filter });
const ownDataQuery = z.object(timeRange);
const ownDashboardQuery = z.object(ownView);
export const dashboardQuery = z.object({
  ...ownView,
  username: filter,
  channel: z._default(z.coerce.number().check(z.int(), z.minimum(0)), 0),
});
export type DashboardQuery = z.infer<typeof dashboardQuery>;

export const dataRoutes = {
  all: defineRoute({
    method: 'GET',
    path: '/api/data',
    access: 'admin',
    query: dataQuery,
    data: data<ModelHour[] | UserModelHour[]>(),
  }),
  self: defineRoute({
    method: 'GET',
    path: '/api/data/self',
    access: 'user',
    query: ownDataQuery,
    data: data<UserModelHour[]>(),
  }),
  users: defineRoute({ method: 'GET', path: '/api/data/users', access: 'admin', query: ownDataQuery, data: data<UserHour[]>() }),
  dashboard: defineRoute({
    method: 'GET',
    path: '/api/data/dashboard',
    access: 'admin',
    query: dashboardQuery,
    data: data<Dashboard>(),
  }),
  ownDashboard: defineRoute({
    method: 'GET',
    path: '/api/data/self/dashboard',
    access: 'user',
    query: ownDashboardQuery,
    data: data<Dashboard>(),
  }),
} as const;
