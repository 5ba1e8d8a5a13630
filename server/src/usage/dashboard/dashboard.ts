import type { Dashboard, DashboardQuery, ModelHour, UserHour, UserModelHour } from '@tollgate/contract';
import { createLoadingCache, type LoadingCache } from '../../platform/cache.ts';
import { type Clock, nowSeconds } from '../../platform/clock.ts';
import { PublicError } from '../../platform/errors.ts';
import type { Database } from '../../storage/database.ts';
import { anyRow, type LogScope, withOwner } from '../log/filter.ts';
import type { UsageFilter } from '../sums/parts.ts';
import { type Asked, askedOf, rawRange } from './asked.ts';
import { readDashboard } from './read.ts';
import { modelHours, type UserMonth, userHours, userModelHours, userMonths } from './rows.ts';

interface TimeRange {
  start_timestamp: number;
  end_timestamp: number;
}

/** Reads what the dashboard shows; answers are kept as long as the option DataExportInterval says. */
export interface Dashboards {
  /** Throws PublicError for a range that is too long or an unknown zone. */
  read(scope: LogScope, query: DashboardQuery): Promise<Dashboard>;
  byModel(query: TimeRange): Promise<ModelHour[]>;
  byUser(query: TimeRange): Promise<UserHour[]>;
  /** Of one user, by id or by name. */
  ofUser(user: { userId: number } | { username: string }, query: TimeRange): Promise<UserModelHour[]>;
  /** A user's whole usage, month by month, also of calls whose rows were cleaned up. */
  months(userId: number): AsyncGenerator<UserMonth[]>;
}

export interface DashboardDeps {
  db: Database;
  clock: Clock;
  /** Minutes. */
  options(): { DataExportInterval: number };
  /** Breakers of a channel that keep calls away now. */
  openBreakers(channelId: number): number;
}

/** Bounds of what is kept: pages are small; of lists, which may be long, so many rows together. A longer one is not kept. */
const maxPages = 100;
const maxListRows = 100_000;
const maxLoads = 8;

export function createDashboards(deps: DashboardDeps): Dashboards {
  const { db, clock, options } = deps;
  const refreshSeconds = () => options().DataExportInterval * 60;
  const keep = <Value>(
    max: number,
    weigh?: (value: Value) => number,
  ): ((key: unknown, load: () => Promise<Value>) => Promise<Value>) => {
    const loads = new Map<string, () => Promise<Value>>();
    const cache: LoadingCache<Value> = createLoadingCache<Value>({
      ...{ clock, max, maxLoads, weigh },
      load: (key) => loads.get(key)?.() ?? Promise.resolve(undefined),
      get ttlMs() {
        return refreshSeconds() * 1000;
      },
      overloaded: () => new PublicError('too_many_requests'),
    });
    return async (key, load) => {
      const text = JSON.stringify(key);
      loads.set(text, load);
      try {
        const value = await cache.get(text);
        if (value === undefined) throw new Error('A load gave nothing');
        return value;
      } finally {
        loads.delete(text);
      }
    };
  };
  const pages = keep<Dashboard>(maxPages);
  const lists = keep<ModelHour[] | UserHour[] | UserModelHour[]>(maxListRows, (rows) => rows.length + 1);
  const now = () => nowSeconds(clock);
  const kept = <Row>(name: string, filter: UsageFilter, load: (read: Database['read'], filter: UsageFilter) => Promise<Row[]>) =>
    lists([name, filter], () => load(db.read, filter) as Promise<never>) as Promise<Row[]>;

  return {
    read: async (scope, query) => {
      const named = askedOf(scope, query, now());
      const asked: Asked = { ...named, filter: await withOwner(db.read, named.filter) };
      return pages(asked, () => readDashboard({ ...deps, now: now(), refreshSeconds: refreshSeconds() }, asked));
    },
    byModel: async (query) => kept('model', { ...anyRow, ...rawRange(query, now()) }, modelHours),
    byUser: async (query) => kept('user', { ...anyRow, ...rawRange(query, now()) }, userHours),
    ofUser: async (user, query) =>
      kept('of', await withOwner(db.read, { ...anyRow, ...user, ...rawRange(query, now()) }), userModelHours),
    months: (userId) => userMonths(db.read, userId, now()),
  };
}
