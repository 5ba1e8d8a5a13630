import { type LogEntry, type LogQuery, type LogStat, logType, type PageOf } from '@tollgate/contract';
import { type ExpressionBuilder, type ExpressionWrapper, type Selectable, type SqlBool, sql } from 'kysely';
import { type Clock, nowSeconds } from '../platform/clock.ts';
import { PublicError } from '../platform/errors.ts';
import type { Database } from '../storage/database.ts';
import type { LogTable, Schema } from '../storage/schema.ts';

/** Who reads: everybody's rows, or one user's own without what only administrators may see. */
export type LogScope = { kind: 'all' } | { kind: 'own'; userId: number };

export interface Logs {
  page(scope: LogScope, query: LogQuery): Promise<PageOf<LogEntry>>;
  /** Consumption only; rpm and tpm look at the last 60 seconds whatever the range is. */
  stat(scope: LogScope, query: LogQuery): Promise<LogStat>;
}

/** Totals are counted up to here; nobody pages further. */
const countLimit = 100_000;
const maxRangeSeconds = 366 * 86_400;
const rateWindowSeconds = 60;

export function createLogs({ db, clock }: { db: Database; clock: Clock }): Logs {
  return {
    page: (scope, query) => readPage(db, scope, query),
    stat: (scope, query) => readStat(db, scope, query, nowSeconds(clock)),
  };
}

type Build = ExpressionBuilder<Schema, 'log'>;
type Condition = ExpressionWrapper<Schema, 'log', SqlBool>;

async function readPage(db: Database, scope: LogScope, query: LogQuery): Promise<PageOf<LogEntry>> {
  const matching = (build: Build) =>
    build.and([
      ...filters(build, scope, query),
      ...range(build, query),
      ...(query.type === 0 ? [] : [build('type', '=', query.type)]),
    ]);
  const rows = await db.read
    .selectFrom('log')
    .selectAll()
    .where(matching)
    .orderBy('id', 'desc')
    .limit(query.page_size)
    .offset((query.p - 1) * query.page_size)
    .execute();
  const counted = await db.read
    .selectFrom(db.read.selectFrom('log').select('id').where(matching).limit(countLimit).as('matching'))
    .select((count) => count.fn.countAll<number | string>().as('total'))
    .executeTakeFirst();
  const names = scope.kind === 'all' ? await channelNames(db, rows) : new Map<number, string>();
  const items = rows.map((row) => (scope.kind === 'all' ? toEntry(row, names) : toOwnEntry(row)));
  return { items, page: query.p, page_size: query.page_size, total: Number(counted?.total ?? 0) };
}

async function readStat(db: Database, scope: LogScope, query: LogQuery, now: number): Promise<LogStat> {
  const consumed = (build: Build) => [...filters(build, scope, query), build('type', '=', logType.consume)];
  const sum = await db.read
    .selectFrom('log')
    .select((total) => total.fn.sum<number | string | null>('quota').as('quota'))
    .where((build) => build.and([...consumed(build), ...range(build, query)]))
    .executeTakeFirst();
  const rate = await db.read
    .selectFrom('log')
    .select((count) => [
      count.fn.countAll<number | string>().as('rpm'),
      count.fn.sum<number | string | null>(sql`prompt_tokens + completion_tokens`).as('tpm'),
    ])
    .where((build) => build.and([...consumed(build), build('created_at', '>=', now - rateWindowSeconds)]))
    .executeTakeFirst();
  return { quota: Number(sum?.quota ?? 0), rpm: Number(rate?.rpm ?? 0), tpm: Number(rate?.tpm ?? 0) };
}

/** The filters of contract 1.10 but type and range; those that an owner may not use are not read for them. */
function filters(build: Build, scope: LogScope, query: LogQuery): Condition[] {
  const conditions: Condition[] = [];
  if (scope.kind === 'own') conditions.push(build('user_id', '=', scope.userId));
  else {
    if (query.username !== '') conditions.push(build('username', '=', query.username));
    if (query.channel !== 0) conditions.push(build('channel_id', '=', query.channel));
  }
  if (query.token_name !== '') conditions.push(build('token_name', '=', query.token_name));
  if (query.group !== '') conditions.push(build('group_name', '=', query.group));
  if (query.model_name !== '') conditions.push(modelCondition(build, query.model_name));
  return conditions;
}

/** `%` is the caller's wildcard, everything else means itself. */
function modelCondition(build: Build, pattern: string): Condition {
  if (!pattern.includes('%')) return build('model_name', '=', pattern);
  const escaped = pattern.replaceAll(/[\\_]/g, '\\$&').toLowerCase();
  return build(sql`lower(model_name)`, 'like', sql`${escaped} escape '\\'`) as Condition;
}

function range(build: Build, { start_timestamp: start, end_timestamp: end }: LogQuery): Condition[] {
  if (start > 0 && end > 0 && end - start > maxRangeSeconds) throw new PublicError('parameter_error');
  return [...(start > 0 ? [build('created_at', '>=', start)] : []), ...(end > 0 ? [build('created_at', '<=', end)] : [])];
}

type LogRow = Selectable<LogTable>;

async function channelNames(db: Database, rows: readonly LogRow[]): Promise<ReadonlyMap<number, string>> {
  const ids = [...new Set(rows.map((row) => row.channel_id))].filter((id) => id > 0);
  if (ids.length === 0) return new Map();
  const channels = await db.read.selectFrom('channel').select(['id', 'name']).where('id', 'in', ids).execute();
  return new Map(channels.map((channel) => [channel.id, channel.name]));
}

function toEntry(row: LogRow, names: ReadonlyMap<number, string>): LogEntry {
  return {
    id: row.id,
    user_id: row.user_id,
    created_at: row.created_at,
    type: row.type,
    content: row.content,
    username: row.username,
    token_name: row.token_name,
    model_name: row.model_name,
    quota: row.quota,
    prompt_tokens: row.prompt_tokens,
    completion_tokens: row.completion_tokens,
    use_time: row.use_time,
    is_stream: row.is_stream === 1,
    channel: row.channel_id,
    channel_name: names.get(row.channel_id) ?? '',
    token_id: row.token_id,
    group: row.group_name,
    other: row.other,
    request_id: row.request_id,
  };
}

/** Channels and `other.admin_info` are the operator's business. */
function toOwnEntry(row: LogRow): LogEntry {
  return { ...toEntry({ ...row, channel_id: 0 }, new Map()), other: withoutAdminInfo(row.other) };
}

function withoutAdminInfo(other: string): string {
  if (!other.includes('admin_info')) return other;
  try {
    const { admin_info: _hidden, ...visible } = JSON.parse(other) as Record<string, unknown>;
    return JSON.stringify(visible);
  } catch {
    // Unreadable JSON could hide anything.
    return '';
  }
}
