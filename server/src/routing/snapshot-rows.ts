import { channelStatus } from '@tollgate/contract';
import type { Database } from '../storage/database.ts';
import { type ChannelRow, servingColumns } from './snapshot.ts';

/** Which channels are meant: all, or those with these ids. */
export type Scope = 'all' | readonly number[];

/** Rows of one read: few enough that taking them over does not hold up requests. */
const pageSize = 250;

/** The enabled channels of the scope, page by page. Throws DatabaseError. */
export async function* readChannelPages(db: Database, scope: Scope): AsyncGenerator<readonly ChannelRow[]> {
  const ids = scope === 'all' ? await enabledIds(db) : scope;
  for (let start = 0; start < ids.length; start += pageSize) {
    const page = ids.slice(start, start + pageSize);
    const enabled = db.read.selectFrom('channel').select(servingColumns).where('status', '=', channelStatus.enabled);
    // A range for all of them: a page by LIMIT makes engines without statistics sort the whole table each time.
    const rows =
      scope === 'all'
        ? enabled.where('id', '>=', Math.min(...page)).where('id', '<=', Math.max(...page))
        : enabled.where('id', 'in', page);
    yield await rows.execute();
  }
}

async function enabledIds(db: Database): Promise<number[]> {
  const rows = await db.read
    .selectFrom('channel')
    .select('id')
    .where('status', '=', channelStatus.enabled)
    .orderBy('id')
    .execute();
  return rows.map(({ id }) => id);
}

/** All of them at once, for tools. Throws DatabaseError. */
export async function readChannels(db: Database): Promise<ChannelRow[]> {
  const rows: ChannelRow[] = [];
  for await (const page of readChannelPages(db, 'all')) rows.push(...page);
  return rows;
}

/** Credentials that are switched off alone, as `channel id:hmac`. Throws DatabaseError. */
export async function readDisabledKeys(db: Database, scope: Scope = 'all'): Promise<ReadonlySet<string>> {
  const all = db.read.selectFrom('channel_key').select(['channel_id', 'key_hmac']);
  const rows = await (scope === 'all' ? all : all.where('channel_id', 'in', scope)).execute();
  return new Set(rows.map((row) => `${row.channel_id}:${row.key_hmac}`));
}
