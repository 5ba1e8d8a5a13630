import type { LogQuery } from '@tollgate/contract';
import { type Expression, type ExpressionBuilder, type Kysely, type SqlBool, sql } from 'kysely';
import { PublicError } from '../../platform/errors.ts';
import { holds } from '../../storage/like.ts';
import type { Schema } from '../../storage/schema.ts';
import { daySeconds, hourSeconds } from '../sums/cubes.ts';
import { isPattern } from './pattern.ts';

/** Who reads: everybody's rows, or one user's own without what only administrators may see. */
export type LogScope = { kind: 'all' } | { kind: 'own'; userId: number };

/** What rows are wanted; "" and 0 = any. Written out once, so that pages, counts, exports and sums mean the same. */
export interface LogFilter {
  readonly userId: number;
  readonly username: string;
  readonly tokenId: number;
  readonly tokenName: string;
  /** `%` is a wildcard. */
  readonly model: string;
  readonly channel: number;
  readonly group: string;
  readonly type: number;
  readonly requestId: string;
  /** An upstream's own id of an attempt. */
  readonly upstreamId: string;
  /** Where calls came from. */
  readonly ip: string;
  /** Unix seconds, both inclusive; 0 = open. */
  readonly start: number;
  readonly end: number;
}

type FilterFields = Omit<LogQuery, 'p' | 'page_size' | 'before'>;

const maxDays = 366;
export const anyRow: LogFilter = {
  ...{ userId: 0, username: '', tokenId: 0, tokenName: '', model: '', channel: 0, group: '', type: 0 },
  ...{ requestId: '', upstreamId: '', ip: '', start: 0, end: 0 },
};

/** Asks for what nothing points at (decision 0145). */
export const isUnposted = ({ upstreamId, ip }: LogFilter): boolean => upstreamId !== '' || ip !== '';

/** A dashboard's range grows to whole hours, an hour longer on both sides than what was asked for, and its links lead to the log. */
export function isLongerThan(days: number, start: number, end: number): boolean {
  return end - start > days * daySeconds + 2 * hourSeconds;
}

/** Filters that an owner may not use are not read for them. Throws PublicError for a range above a year. */
export function filterOf(scope: LogScope, query: FilterFields): LogFilter {
  const { start_timestamp: start, end_timestamp: end } = query;
  if (start > 0 && end > 0 && isLongerThan(maxDays, start, end)) throw new PublicError('log_range_too_long', { days: maxDays });
  return {
    ...anyRow,
    ...(scope.kind === 'own'
      ? { userId: scope.userId }
      : { username: query.username, channel: query.channel, upstreamId: query.upstream_request_id }),
    tokenName: query.token_name,
    model: query.model_name,
    group: query.group,
    type: query.type,
    requestId: query.request_id,
    ip: query.ip,
    start,
    end,
  };
}

/**
 * A user's name means the user, with the rows of before that name was theirs. One that another user had too, or that nobody
 * has now, means the rows that carry it.
 */
export async function withOwner<Filter extends Pick<LogFilter, 'userId' | 'username'>>(
  read: Kysely<Schema>,
  filter: Filter,
): Promise<Filter> {
  const { userId, username } = filter;
  if (userId !== 0 || username === '') return filter;
  const user = await read.selectFrom('users').select('id').where('username', '=', username).executeTakeFirst();
  if (user === undefined) return filter;
  const owners = read.selectFrom('usage_owner').select('user_id').where('username', '=', username);
  const other = await owners.where('user_id', '<>', user.id).limit(1).executeTakeFirst();
  return other === undefined ? { ...filter, userId: user.id, username: '' } : filter;
}

type Build = ExpressionBuilder<Schema, 'log'>;
type Condition = Expression<SqlBool>;

/** The filter as SQL. Hidden rows are left out unless `hidden` says that the books are meant. */
export function conditionsOf(build: Build, filter: LogFilter, { hidden = false } = {}): Condition {
  const conditions: Condition[] = [];
  if (!hidden) conditions.push(build('hidden', '=', 0));
  if (filter.userId !== 0) conditions.push(build('user_id', '=', filter.userId));
  if (filter.username !== '') conditions.push(build('username', '=', filter.username));
  if (filter.tokenId !== 0) conditions.push(build('token_id', '=', filter.tokenId));
  if (filter.tokenName !== '') conditions.push(build('token_name', '=', filter.tokenName));
  if (filter.model !== '') conditions.push(modelCondition(build, filter.model));
  if (filter.channel !== 0) conditions.push(build('channel_id', '=', filter.channel));
  if (filter.group !== '') conditions.push(build('group_name', '=', filter.group));
  if (filter.type !== 0) conditions.push(build('type', '=', filter.type));
  if (filter.requestId !== '') conditions.push(build('request_id', '=', filter.requestId), build('request_id', '<>', ''));
  if (filter.start > 0) conditions.push(build('created_at', '>=', filter.start));
  if (filter.end > 0) conditions.push(build('created_at', '<=', filter.end));
  // In the record of an attempt it follows the error, which is a text too (`attemptText`).
  if (filter.ip !== '') conditions.push(build('ip', '=', filter.ip));
  if (filter.upstreamId !== '') conditions.push(holds('other', `",${JSON.stringify(filter.upstreamId)}`));
  return build.and(conditions);
}

function modelCondition(build: Build, pattern: string): Condition {
  if (!isPattern(pattern)) return build('model_name', '=', pattern);
  return build(sql`lower(model_name)`, 'like', likePattern(pattern)) as Condition;
}

/** `%` is the caller's wildcard, everything else means itself; to be compared with the name in `lower`. */
export function likePattern(pattern: string) {
  const escaped = pattern.replaceAll(/[\\_]/g, '\\$&');
  return sql<string>`lower(${escaped}) escape '\\'`;
}
