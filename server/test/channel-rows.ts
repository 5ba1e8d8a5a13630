import type { Crypto } from '../src/platform/crypto.ts';
import { keyColumns } from '../src/routing/channel-key.ts';
import type { ChannelRow } from '../src/routing/snapshot.ts';
import { definitions, type Options } from '../src/settings/definitions.ts';
import type { Database } from '../src/storage/database.ts';

export const defaultOptions = Object.fromEntries(
  Object.entries(definitions).map(([key, kind]) => [key, kind.fallback]),
) as Options;

/** An enabled channel of model `m` in the group `default`, as it is stored. */
export function channelRow(id: number, more: Partial<ChannelRow> = {}): ChannelRow {
  return {
    ...{ id, type: 1, name: `channel ${id}`, status: 1, key_sealed: 'k', key_hmac: `hmac${id}`, weight: id % 50 },
    ...{ priority: 0, openai_organization: '', other: '', base_url: '', models: 'm', group_names: 'default', auto_ban: 1 },
    ...{ model_mapping: '', status_code_mapping: '', setting: '', param_override: '', header_override: '', tag: '' },
    ...more,
  };
}

/** Stores rows as they are. */
export async function storeChannels(db: Database, rows: readonly ChannelRow[]): Promise<void> {
  const perStatement = 500;
  for (let start = 0; start < rows.length; start += perStatement) {
    const chunk = rows.slice(start, start + perStatement).map((row) => ({ ...row, created_at: 1 }));
    await db.transaction(({ query }) =>
      query
        .insertInto('channel')
        .values(chunk as never)
        .execute(),
    );
  }
}

/** A sealed credential for each, 20 different lists of 50 models, some with settings and mappings. */
export function manyChannels(count: number, crypto: Crypto): ChannelRow[] {
  const lists = Array.from({ length: 20 }, (_, list) =>
    Array.from({ length: 50 }, (_, model) => (model < 10 ? `common-model-${model}` : `model-${list}-${model}`)).join(','),
  );
  return Array.from({ length: count }, (_, index) => {
    const id = index + 1;
    return channelRow(id, {
      models: lists[index % lists.length] ?? '',
      priority: index % 3,
      setting: index % 4 === 0 ? '{"hedge_ms":500}' : '',
      model_mapping: index % 5 === 0 ? '{"common-model-1":"another-name"}' : '',
      ...keyColumns(crypto, { id, type: 1, base_url: '' }, `sk-planted-upstream-credential-number-${id}`),
    });
  });
}
