import type { LogEntry } from '@tollgate/contract';
import type { Selectable } from 'kysely';
import type { Database } from '../../storage/database.ts';
import type { LogTable } from '../../storage/schema.ts';
import { conditionsOf, type LogFilter, type LogScope } from './filter.ts';

/** Rows by id, in the order of `ids`, as the reader may see them. The filter is asked again: a row may have changed. */
export async function readEntries(db: Database, scope: LogScope, filter: LogFilter, ids: readonly number[]): Promise<LogEntry[]> {
  if (ids.length === 0) return [];
  const rows = await db.read
    .selectFrom('log')
    .select(shownColumns)
    .where('id', 'in', ids)
    .where((build) => conditionsOf(build, filter))
    .execute();
  const names = scope.kind === 'all' ? await channelNames(db, rows) : new Map<number, string>();
  const byId = new Map(rows.map((row) => [row.id, scope.kind === 'all' ? toEntry(row, names) : toOwnEntry(row)]));
  return ids.flatMap((id) => byId.get(id) ?? []);
}

const shownColumns = [
  'id',
  'user_id',
  'created_at',
  'type',
  'content',
  'username',
  'token_name',
  'model_name',
  'quota',
  'prompt_tokens',
  'completion_tokens',
  'use_time',
  'is_stream',
  'channel_id',
  'token_id',
  'group_name',
  'other',
  'request_id',
  'ip',
] as const;
type LogRow = Pick<Selectable<LogTable>, (typeof shownColumns)[number]>;

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
    ip: row.ip,
  };
}

/** Channels and `other.admin_info` are the operator's business. */
function toOwnEntry(row: LogRow): LogEntry {
  return { ...toEntry({ ...row, channel_id: 0 }, new Map()), other: withoutAdminInfo(row.other) };
}

/** Beside `admin_info` what rows of other products say of the channel in places of their own. */
const hidden = ['admin_info', 'channel_id', 'channel_name', 'channel_type', 'reject_reason'];

function withoutAdminInfo(other: string): string {
  if (!hidden.some((key) => other.includes(key))) return other;
  try {
    const visible = Object.entries(JSON.parse(other) as object).filter(([key]) => !hidden.includes(key));
    return JSON.stringify(Object.fromEntries(visible));
  } catch {
    // Unreadable JSON could hide anything.
    return '';
  }
}
