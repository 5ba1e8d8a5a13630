import type {
  Dashboard,
  DashboardChannel,
  DashboardModel,
  DashboardToken,
  DashboardUser,
  UsageQuality,
  UsageTotals,
} from '@tollgate/contract';
import type { Database } from '../../storage/database.ts';
import { isLongerThan } from '../log/filter.ts';
import { addAll, percentiles } from '../sums/histogram.ts';
import type { UsageFilter } from '../sums/parts.ts';
import { type ModelQuality, usageQuality } from '../sums/quality.ts';
import { dearestUsers, groupedSums, isRolledUp, nothing, type UsageSums, unsummedRows } from '../sums/sums.ts';
import type { Asked } from './asked.ts';
import { type Points, pointsOf } from './time.ts';

interface Parts {
  db: Database;
  now: number;
  refreshSeconds: number;
  openBreakers(channelId: number): number;
}

/** Rows of each list; what is beyond them becomes one more. */
const shownModels = 12;
const shownUsers = 10;
const shownTokens = 10;
/** Tokens are told apart by sums of hours alone, which a year has too many of. */
const longestDaysOfTokens = 31;
/** Many: those that only fail cost nothing and stand last. */
const shownChannels = 500;
/** Up to here a row for each model and point is less than a second question. */
const fewPoints = 120;

/** A handful of statements side by side, each of one state of the log; of many rows that are not summed yet the newest. Throws DatabaseError, and PublicError for an unknown zone. */
export async function readDashboard({ db, now, refreshSeconds, openBreakers }: Parts, asked: Asked): Promise<Dashboard> {
  const { filter, forAdmins } = asked;
  const { start, end } = filter;
  const points = pointsOf(asked.granularity, asked.timeZone, start, end);
  const isOfOne = filter.userId !== 0 || filter.username !== '';
  const showsUsers = forAdmins && !isOfOne && isRolledUp(filter, ['user_id', 'username']);
  const [rows, users, tokens, quality, channels, unsummed] = await Promise.all([
    seriesRows(db, filter, points),
    showsUsers ? usersOf(db, asked) : [],
    isOfOne && !isLongerThan(longestDaysOfTokens, start, end) ? tokensOf(db, asked) : [],
    usageQuality(db.read, filter),
    forAdmins ? channelsOf(db, asked, openBreakers) : [],
    unsummedRows(db.read),
  ]);
  const sums = rows.reduce<UsageSums>(added, nothing);
  const everything = mergeQuality(quality);
  const minutes = Math.max(1, (Math.min(end, now) - start) / 60);
  return {
    start,
    end,
    buckets: points.begins,
    totals: {
      ...totalsOf(sums),
      ...qualityOf(everything),
      prompt_tokens: sums.prompt_tokens,
      cached_tokens: everything.cached_tokens,
      streams: sums.streams,
    },
    rpm: sums.calls / minutes,
    tpm: (sums.prompt_tokens + sums.completion_tokens) / minutes,
    models: modelsOf(rows, quality, points),
    users,
    tokens,
    channels,
    unsummed,
    read_at: now,
    refresh_seconds: refreshSeconds,
  };
}

/**
 * By model and point; models that get no place of their own are one. Of many points they are one before they are rows: a
 * month of hours has forty thousand.
 */
async function seriesRows({ read }: Database, filter: UsageFilter, points: Points): Promise<ModelRow[]> {
  if (points.numbers.length > fewPoints) {
    const models = dearestModels(await groupedSums(read, filter, { by: ['model_name'], unsummed: 'newest' }));
    return groupedSums(read, filter, { by: ['model_name'], buckets: points, models, unsummed: 'newest' });
  }
  const rows = await groupedSums(read, filter, { by: ['model_name'], buckets: points, unsummed: 'newest' });
  const models = new Set(dearestModels(rows));
  return rows.map((row) => (models.has(String(row.model_name)) ? row : { ...row, model_name: '' }));
}

/** Names of those that are shown. */
function dearestModels(rows: readonly ModelRow[]): string[] {
  const models = [...Map.groupBy(rows, (row) => String(row.model_name))].map(([name, own]) => ({
    name,
    sums: own.reduce<UsageSums>(added, nothing),
  }));
  const shown = models.length > shownModels ? shownModels - 1 : shownModels;
  return models
    .sort(dearest)
    .slice(0, shown)
    .map(({ name }) => name);
}

function added(left: UsageSums, right: UsageSums): UsageSums {
  return {
    calls: left.calls + right.calls,
    errors: left.errors + right.errors,
    quota: left.quota + right.quota,
    prompt_tokens: left.prompt_tokens + right.prompt_tokens,
    completion_tokens: left.completion_tokens + right.completion_tokens,
    streams: left.streams + right.streams,
  };
}

function totalsOf({ calls, errors, quota, prompt_tokens, completion_tokens }: UsageSums): UsageTotals {
  return { calls, errors, quota, tokens: prompt_tokens + completion_tokens };
}

interface ModelRow extends UsageSums {
  bucket: number;
  model_name: string | number;
}

/** The dearest first, the others together (`''`) last. */
function modelsOf(rows: readonly ModelRow[], quality: readonly ModelQuality[], points: Points): DashboardModel[] {
  const byName = Map.groupBy(rows, (row) => String(row.model_name));
  const names = new Set(byName.keys());
  const models = [...byName]
    .map(([name, own]) => ({ name, rows: own, sums: own.reduce<UsageSums>(added, nothing) }))
    .sort((left, right) => Number(left.name === '') - Number(right.name === '') || dearest(left, right));
  return models.map(({ name, rows: own, sums }) => ({
    model_name: name,
    ...totalsOf(sums),
    ...qualityOf(mergeQuality(quality.filter((group) => (name === '' ? !names.has(group.name) : group.name === name)))),
    series: seriesOf(own, points),
  }));
}

function seriesOf(rows: readonly ModelRow[], { numbers }: Points): UsageTotals[] {
  const byPoint = new Map<number, UsageSums>();
  for (const row of rows) byPoint.set(row.bucket, added(byPoint.get(row.bucket) ?? nothing, row));
  return numbers.map((number) => totalsOf(byPoint.get(number) ?? nothing));
}

interface Ranked {
  sums: UsageSums;
}

const dearest = (left: Ranked, right: Ranked): number => dearestSums(left.sums, right.sums);

function dearestSums(left: UsageSums, right: UsageSums): number {
  return right.quota - left.quota || right.calls - left.calls;
}

async function usersOf(db: Database, { filter }: Asked): Promise<DashboardUser[]> {
  const users = await dearestUsers(db.read, filter, shownUsers);
  const ids = users.map(({ user_id }) => user_id);
  const present =
    ids.length === 0 ? [] : await db.read.selectFrom('users').select(['id', 'username']).where('id', 'in', ids).execute();
  const nameOf = new Map(present.map(({ id, username }) => [id, username]));
  return users.map(({ place, user_id, username, ...sums }) =>
    place > shownUsers
      ? { user_id: 0, username: '', ...totalsOf(sums) }
      : { user_id, username: nameOf.get(user_id) ?? username, ...totalsOf(sums) },
  );
}

async function tokensOf({ read }: Database, { filter }: Asked): Promise<DashboardToken[]> {
  const tokens = (await groupedSums(read, filter, { by: ['token_name'], unsummed: 'newest' })).sort(dearestSums);
  const named = tokens.filter(({ token_name: name }) => name !== '');
  const shown = named.slice(0, named.length > shownTokens ? shownTokens - 1 : shownTokens);
  const others = tokens.filter((row) => !shown.includes(row));
  return [
    ...shown.map(({ token_name: name, ...sums }) => ({ token_name: String(name), ...totalsOf(sums) })),
    ...(others.length > 0 ? [{ token_name: '', ...totalsOf(others.reduce<UsageSums>(added, nothing)) }] : []),
  ];
}

async function channelsOf(db: Database, { filter }: Asked, openBreakers: Parts['openBreakers']): Promise<DashboardChannel[]> {
  const rows = await groupedSums(db.read, filter, { by: ['channel_id'], unsummed: 'newest' });
  const shown = rows
    .map((row) => ({ id: Number(row.channel_id), sums: row as UsageSums }))
    .sort(dearest)
    .slice(0, shownChannels);
  const ids = shown.map(({ id }) => id);
  const known =
    ids.length === 0 ? [] : await db.read.selectFrom('channel').select(['id', 'name', 'status']).where('id', 'in', ids).execute();
  const byId = new Map(known.map((channel) => [channel.id, channel]));
  return shown.map(({ id, sums }) => ({
    id,
    name: byId.get(id)?.name ?? '',
    status: byId.get(id)?.status ?? 0,
    open_breakers: openBreakers(id),
    ...totalsOf(sums),
  }));
}

type Quality = Omit<ModelQuality, 'name'>;

function mergeQuality(groups: readonly Quality[]): Quality {
  const merged: Quality = { latency: new Map(), firstToken: new Map(), cached_tokens: 0, prompt_tokens: 0 };
  for (const group of groups) {
    addAll(merged.latency, group.latency);
    addAll(merged.firstToken, group.firstToken);
    merged.cached_tokens += group.cached_tokens;
    merged.prompt_tokens += group.prompt_tokens;
  }
  return merged;
}

function qualityOf({ latency, firstToken, cached_tokens, prompt_tokens }: Quality): UsageQuality {
  return {
    latency: percentiles(latency),
    first_token: percentiles(firstToken),
    cached: prompt_tokens === 0 ? null : Math.min(1, cached_tokens / prompt_tokens),
  };
}
