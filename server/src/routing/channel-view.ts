import type { Channel } from '@tollgate/contract';
import { type Selectable, sql } from 'kysely';
import { PublicError } from '../platform/errors.ts';
import type { Database } from '../storage/database.ts';
import type { ChannelTable } from '../storage/schema.ts';
import { readableSetting } from './channel-proxy.ts';

export type StoredChannel = Selectable<ChannelTable>;

/** A channel's whole row. Throws PublicError `channel_not_found`. */
export async function readStored(read: Database['read'], id: number): Promise<StoredChannel> {
  const row = await read.selectFrom('channel').selectAll().where('id', '=', id).executeTakeFirst();
  if (row === undefined) throw new PublicError('channel_not_found');
  return row;
}

/** Every column but the credential, its fingerprint and what was used: what may be read for an answer. */
const viewColumns = [
  'id',
  'type',
  'key_hint',
  'openai_organization',
  'test_model',
  'status',
  'name',
  'weight',
  'priority',
  'created_at',
  'test_time',
  'response_time_ms',
  'base_url',
  'other',
  'balance',
  'balance_updated_at',
  'models',
  'group_names',
  'model_mapping',
  'status_code_mapping',
  'auto_ban',
  'other_info',
  'tag',
  'setting',
  'param_override',
  'header_override',
] as const satisfies readonly (keyof ChannelTable)[];

/** Channels as `toChannel` takes them; what was charged a moment ago counts, added up or not. */
export function selectChannels(read: Database['read']) {
  const fresh = read
    .selectFrom('channel_charge')
    .select(['channel_id', ({ fn }) => fn.sum<number>('quota').as('charged')])
    .groupBy('channel_id')
    .as('fresh');
  return read
    .selectFrom('channel')
    .leftJoin(fresh, 'fresh.channel_id', 'channel.id')
    .select(viewColumns)
    .select(sql<number>`used_quota + COALESCE(charged, 0)`.as('used_quota'));
}

/** A channel as administrators read it (contract 4.1): neither its credential nor its proxy's leaves. */
export function toChannel(row: Pick<StoredChannel, (typeof viewColumns)[number] | 'used_quota'>): Channel {
  return {
    id: row.id,
    type: row.type,
    key: '',
    key_hint: row.key_hint,
    openai_organization: row.openai_organization,
    test_model: row.test_model,
    status: row.status,
    name: row.name,
    weight: row.weight,
    priority: row.priority,
    created_time: row.created_at,
    test_time: row.test_time,
    response_time: row.response_time_ms,
    base_url: row.base_url,
    other: row.other,
    balance: row.balance,
    balance_updated_time: row.balance_updated_at,
    models: row.models,
    group: row.group_names,
    used_quota: row.used_quota,
    model_mapping: row.model_mapping,
    status_code_mapping: row.status_code_mapping,
    auto_ban: row.auto_ban,
    other_info: row.other_info,
    tag: row.tag,
    setting: readableSetting(row.setting),
    param_override: row.param_override,
    header_override: row.header_override,
  };
}
