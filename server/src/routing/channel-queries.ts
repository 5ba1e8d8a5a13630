import type { Channel } from '@tollgate/contract';
import { type ExpressionBuilder, type ExpressionWrapper, type SqlBool, sql } from 'kysely';
import type { Crypto } from '../platform/crypto.ts';
import type { Database } from '../storage/database.ts';
import type { Schema } from '../storage/schema.ts';
import { selectChannels, toChannel } from './channel-view.ts';

export interface ListQuery {
  /** Counts from 0. */
  p: number;
  page_size: number;
  id_sort: boolean;
  tag_mode: boolean;
}

export interface SearchQuery {
  keyword: string;
  group: string;
  model: string;
  id_sort: boolean;
  tag_mode: boolean;
}

const searchLimit = 100;
/** Channels of the tags on one page. */
const tagLimit = 5000;

/** One page of channels, or in tag mode all channels of one page of tags (contract 4.11). */
export async function listChannels({ read }: Database, query: ListQuery): Promise<Channel[]> {
  const offset = query.p * query.page_size;
  if (!query.tag_mode) {
    const rows = await ordered(selectChannels(read), query.id_sort).limit(query.page_size).offset(offset).execute();
    return rows.map(toChannel);
  }
  const tags = await read
    .selectFrom('channel')
    .select('tag')
    .distinct()
    .where('tag', '<>', '')
    .orderBy('tag')
    .limit(query.page_size)
    .offset(offset)
    .execute();
  return ofTags(read, tags, query.id_sort);
}

/** At most 100 matches; in tag mode all channels of their tags. `keyword` meets a credential by equality only. */
export async function searchChannels({ read }: Database, crypto: Crypto, query: SearchQuery): Promise<Channel[]> {
  const found = selectChannels(read).where((build) => build.and(matches(build, crypto, query)));
  const rows = await ordered(found, query.id_sort).limit(searchLimit).execute();
  if (!query.tag_mode) return rows.map(toChannel);
  const tags = [...new Set(rows.map((row) => row.tag))].filter((tag) => tag !== '').map((tag) => ({ tag }));
  return ofTags(read, tags, query.id_sort);
}

/** Models that some enabled channel serves, sorted; `groups` narrows to those. */
export async function enabledModels({ read }: Pick<Database, 'read'>, groups?: readonly string[]): Promise<string[]> {
  if (groups?.length === 0) return [];
  const models = read.selectFrom('ability').select('model').distinct().where('enabled', '=', 1).orderBy('model');
  const rows = await (groups === undefined ? models : models.where('group_name', 'in', [...groups])).execute();
  return rows.map((row) => row.model);
}

type Read = Database['read'];

function ordered(rows: ReturnType<typeof selectChannels>, byId: boolean) {
  return (byId ? rows : rows.orderBy('priority', 'desc')).orderBy('id', 'desc');
}

async function ofTags(read: Read, tags: readonly { tag: string }[], byId: boolean): Promise<Channel[]> {
  if (tags.length === 0) return [];
  const tagged = selectChannels(read).where(
    'tag',
    'in',
    tags.map(({ tag }) => tag),
  );
  return (await ordered(tagged, byId).limit(tagLimit).execute()).map(toChannel);
}

type Build = ExpressionBuilder<Schema, 'channel'>;
type Condition = ExpressionWrapper<Schema, 'channel', SqlBool>;

function matches(build: Build, crypto: Crypto, { keyword, group, model }: SearchQuery): Condition[] {
  const conditions: Condition[] = [];
  if (keyword !== '') {
    // Whole HMACs in a list: still equality with one of the credentials.
    const either = [contains(build, 'name', keyword), contains(build, 'key_hmac', crypto.hmac('channel-key', keyword))];
    if (/^\d{1,15}$/.test(keyword)) either.push(build('id', '=', Number(keyword)));
    conditions.push(build.or(either));
  }
  if (model !== '') conditions.push(contains(build, 'models', model));
  if (group !== '' && group !== 'null') conditions.push(inList(build, group));
  return conditions;
}

function contains(build: Build, column: 'name' | 'models' | 'key_hmac', text: string): Condition {
  return build(sql`lower(${sql.ref(column)})`, 'like', pattern(`%${escaped(text.toLowerCase())}%`)) as Condition;
}

function inList(build: Build, group: string): Condition {
  return build(sql`',' || group_names || ','`, 'like', pattern(`%,${escaped(group)},%`)) as Condition;
}

function pattern(text: string) {
  return sql`${text} escape '\\'`;
}

function escaped(text: string): string {
  return text.replaceAll(/[\\%_]/g, '\\$&');
}
