import { type Channel, fields, mostTagged } from '@tollgate/contract';
import { type Expression, type ExpressionBuilder, type SqlBool, sql } from 'kysely';
import type { Crypto } from '../platform/crypto.ts';
import type { Database } from '../storage/database.ts';
import { contains } from '../storage/like.ts';
import { type ListPage, rowsOf } from '../storage/page.ts';
import type { Schema } from '../storage/schema.ts';
import { selectChannels, toChannel } from './channel-view.ts';

export interface ListQuery extends ListPage {
  /** 0 = any, as of `type`. */
  status: number;
  type: number;
  id_sort: boolean;
  tag_mode: boolean;
}

export interface SearchQuery extends ListQuery {
  keyword: string;
  group: string;
  model: string;
}

/** One page of channels, or in tag mode the channels of one page of tags, at most `mostTagged` (contract 4.11). */
export const listChannels = ({ read }: Database, query: ListQuery): Promise<Channel[]> =>
  pageOf(read, query, (build) => narrows(build, query));

/** The same of those that match, among long texts of all: where long reading is done. `keyword` meets a credential by equality only. */
export const searchChannels = (
  { analyse: read }: Pick<Database, 'analyse'>,
  crypto: Crypto,
  query: SearchQuery,
): Promise<Channel[]> => pageOf(read, query, (build) => [...narrows(build, query), ...matches(build, crypto, query)]);

/** Up to so many groups each model is one look into the index; where it is more, all rows are read. */
const mostLooked = 50;

/** Models that some enabled channel serves, sorted; `groups` narrows to those. */
export async function enabledModels({ analyse: read }: Pick<Database, 'analyse'>, groups?: readonly string[]): Promise<string[]> {
  if (groups?.length === 0) return [];
  const models = read.selectFrom('ability').select('model').distinct().where('enabled', '=', 1).orderBy('model');
  if (groups === undefined) return (await models.execute()).map((row) => row.model);
  if (groups.length > mostLooked) return (await models.where('group_name', 'in', [...groups]).execute()).map((row) => row.model);
  const { rows } = await modelsByLooks(groups).execute(read);
  return rows.map((row) => row.model);
}

/** From each model of a group to the next one: what thousands of channels serve alike is met once. */
function modelsByLooks(groups: readonly string[]) {
  const next = (group: string, above: string) =>
    sql.raw(`(
    SELECT model FROM ability WHERE group_name = ${group}${above} AND enabled = 1 ORDER BY model LIMIT 1
  )`);
  const asked = sql.join(groups.map((group) => sql`(CAST(${group} AS text))`));
  return sql<{ model: string }>`
    WITH RECURSIVE asked(name) AS (VALUES ${asked}), served(name, found) AS (
      SELECT name, ${next('asked.name', '')} FROM asked
      UNION ALL
      SELECT name, ${next('served.name', ' AND model > served.found')} FROM served WHERE found IS NOT NULL
    )
    SELECT DISTINCT found AS model FROM served WHERE found IS NOT NULL ORDER BY model`;
}

type Read = Database['read'];

async function pageOf(read: Read, query: ListQuery, conditions: (build: Build) => Condition[]): Promise<Channel[]> {
  const { page_size: size, id_sort: byId } = query;
  const { limit, offset } = rowsOf(query);
  const wanted = (build: Build) => build.and(conditions(build));
  if (!query.tag_mode) {
    const rows = await ordered(selectChannels(read).where(wanted), byId).limit(limit).offset(offset).execute();
    return rows.map(toChannel);
  }
  const tagged = read.selectFrom('channel').select('tag').distinct().where('tag', '<>', '').where(wanted);
  const tags = await tagged.orderBy('tag').limit(limit).offset(offset).execute();
  const shown = await ofTags(read, tags.slice(0, size), byId, mostTagged);
  // Beside tags that were cut off, the next page's would pass for one of this page.
  return shown.length < mostTagged ? [...shown, ...(await ofTags(read, tags.slice(size), byId, 1))] : shown;
}

function ordered(rows: ReturnType<typeof selectChannels>, byId: boolean) {
  return (byId ? rows : rows.orderBy('priority', 'desc')).orderBy('id', 'desc');
}

async function ofTags(read: Read, tags: readonly { tag: string }[], byId: boolean, limit: number): Promise<Channel[]> {
  if (tags.length === 0) return [];
  const tagged = selectChannels(read).where(
    'tag',
    'in',
    tags.map(({ tag }) => tag),
  );
  return (await ordered(tagged, byId).limit(limit).execute()).map(toChannel);
}

type Build = ExpressionBuilder<Schema, 'channel'>;
type Condition = Expression<SqlBool>;

function narrows(build: Build, { status, type }: ListQuery): Condition[] {
  return [...(status > 0 ? [build('status', '=', status)] : []), ...(type > 0 ? [build('type', '=', type)] : [])];
}

function matches(build: Build, crypto: Crypto, { keyword, group, model }: SearchQuery): Condition[] {
  const conditions: Condition[] = [];
  if (keyword !== '') {
    // Whole HMACs in a list: still equality with one of the credentials.
    const either: Condition[] = [contains('key_hmac', crypto.hmac('channel-key', keyword))];
    // What is longer can only be a credential.
    if (keyword.length <= fields.maxKeyword) either.push(contains('name', keyword));
    if (/^\d{1,15}$/.test(keyword)) either.push(build('id', '=', Number(keyword)));
    conditions.push(build.or(either));
  }
  if (model !== '') conditions.push(contains('models', model));
  if (group !== '' && group !== 'null') conditions.push(inList(build, group));
  return conditions;
}

function inList(build: Build, group: string): Condition {
  // Not LIKE, which takes capitals for small letters in one of the engines: groups differ by them.
  const list = sql<string>`',' || group_names || ','`;
  return build(list, '<>', sql<string>`replace(${list}, ${`,${group},`}, '')`);
}
