import * as z from 'zod/mini';
import { filter, id, listPage, numberFilter, optionalFlag, rowId, searchPage, timestamp } from './fields.ts';
import { longestChannelName, maxChannelKeyword } from './roles.ts';
import { data, defineRoute } from './route.ts';

/** A channel as the console reads it (contract 4.1). The key never leaves the server. */
export interface Channel {
  id: number;
  type: number;
  key: '';
  /** "…" and the last four characters, "" without a key. */
  key_hint: string;
  openai_organization: string;
  test_model: string;
  status: number;
  name: string;
  weight: number;
  priority: number;
  created_time: number;
  /** Of the last test, also of one that failed; 0 = never. */
  test_time: number;
  /** Milliseconds that the last test took; 0 where it failed or there was none. */
  response_time: number;
  base_url: string;
  other: string;
  balance: number;
  balance_updated_time: number;
  models: string;
  group: string;
  used_quota: number;
  model_mapping: string;
  status_code_mapping: string;
  auto_ban: number;
  other_info: string;
  tag: string;
  setting: string;
  param_override: string;
  /** JSON object of request headers; `{api_key}` in a value stands for the key. */
  header_override: string;
}

export interface ModelEntry {
  id: string;
  object: 'model';
  created: number;
  owned_by: string;
  permission: unknown[];
  root: string;
  parent: null;
}

const maxType = 100_000;
const text = (max: number) => z.nullish(z.string().check(z.maxLength(max)));
/** Every field is optional: a PUT writes the keys that are present (contract 4.5). */
export const channelFields = {
  type: z.optional(z.number().check(z.int(), z.minimum(1), z.maximum(maxType))),
  key: text(1_000_000),
  openai_organization: text(255),
  test_model: text(255),
  status: z.optional(z.number().check(z.int(), z.minimum(1), z.maximum(3))),
  name: z.optional(z.string().check(z.trim(), z.minLength(1), z.maxLength(longestChannelName))),
  weight: z.nullish(z.number().check(z.int(), z.minimum(0), z.maximum(1_000_000))),
  priority: z.nullish(z.number().check(z.int(), z.minimum(-999), z.maximum(1_000_000))),
  base_url: text(2048),
  other: text(65_536),
  models: z.optional(z.string().check(z.maxLength(1_000_000))),
  group: z.optional(z.string().check(z.maxLength(4096))),
  model_mapping: text(65_536),
  status_code_mapping: text(65_536),
  auto_ban: z.nullish(z.number().check(z.int(), z.minimum(0), z.maximum(1))),
  tag: text(255),
  setting: text(65_536),
  param_override: text(65_536),
  header_override: text(65_536),
};
/** What stands in a channel need not be what may be written: it may come from elsewhere. */
const seenValue = z.nullish(z.union([z.string(), z.number()]));
const seenFields = {
  type: seenValue,
  name: seenValue,
  openai_organization: seenValue,
  test_model: seenValue,
  weight: seenValue,
  priority: seenValue,
  base_url: seenValue,
  other: seenValue,
  model_mapping: seenValue,
  status_code_mapping: seenValue,
  auto_ban: seenValue,
  tag: seenValue,
  setting: seenValue,
  param_override: seenValue,
  header_override: seenValue,
} satisfies Record<Exclude<keyof typeof channelFields, 'key' | 'status' | 'models' | 'group'>, typeof seenValue>;
export const channelBody = z.object({ ...channelFields, copy_from: z.optional(id) });
export const channelUpdate = z.object({
  id: rowId,
  ...channelFields,
  /** What becomes of the stored credentials of a channel with several: `append` keeps them before those in `key`. */
  key_mode: z.optional(z.enum(['replace', 'append'])),
  /** The lists that the editor was filled with: what differs from them is added and taken out, what others changed meanwhile stays. */
  seen_models: channelFields.models,
  seen_group: channelFields.group,
  /**
   * Of the other fields that are sent what they were filled with: of JSON objects the entries that differ are changed; where
   * others changed the same meanwhile, nothing is saved (`channel_moved`).
   */
  seen: z.optional(z.object(seenFields)),
});
export type ChannelInput = z.infer<typeof channelBody>;
export type ChannelUpdate = z.infer<typeof channelUpdate>;

/** What list and search share. */
const narrowing = { status: numberFilter(3), type: numberFilter(maxType), id_sort: optionalFlag, tag_mode: optionalFlag };
const listQuery = z.object({ ...listPage, ...narrowing });
const keyword = z._default(z.string().check(z.trim(), z.maxLength(maxChannelKeyword)), '');
const searchQuery = z.object({ keyword, group: filter, model: filter, ...searchPage, ...narrowing });

export const channelRoutes = {
  list: defineRoute({ method: 'GET', path: '/api/channel', access: 'admin', query: listQuery, data: data<Channel[]>() }),
  search: defineRoute({
    method: 'GET',
    path: '/api/channel/search',
    access: 'admin',
    query: searchQuery,
    data: data<Channel[]>(),
  }),
  models: defineRoute({ method: 'GET', path: '/api/channel/models', access: 'admin', data: data<ModelEntry[]>() }),
  enabledModels: defineRoute({ method: 'GET', path: '/api/channel/models_enabled', access: 'admin', data: data<string[]>() }),
  get: defineRoute({ method: 'GET', path: '/api/channel/:id', access: 'admin', data: data<Channel>() }),
  create: defineRoute({ method: 'POST', path: '/api/channel', access: 'admin', body: channelBody, data: data<undefined>() }),
  update: defineRoute({ method: 'PUT', path: '/api/channel', access: 'admin', body: channelUpdate, data: data<Channel>() }),
  remove: defineRoute({ method: 'DELETE', path: '/api/channel/:id', access: 'admin', data: data<undefined>() }),
  removeDisabled: defineRoute({ method: 'DELETE', path: '/api/channel/disabled', access: 'admin', data: data<number>() }),
  /**
   * Removes the credentials of a channel that are switched off, and keeps the others; answers how many. `until`: only those that
   * were so by then, as whoever removes them saw it; 0 = all.
   */
  removeOffKeys: defineRoute({
    method: 'DELETE',
    path: '/api/channel/:id/key/disabled',
    access: 'admin',
    query: z.object({ until: timestamp }),
    data: data<number>(),
  }),
  groups: defineRoute({ method: 'GET', path: '/api/group', access: 'admin', data: data<string[]>() }),
  /** Default model names per channel type, keyed by the type number as text. */
  modelsByType: defineRoute({ method: 'GET', path: '/api/models', access: 'user', data: data<Record<string, string[]>>() }),
} as const;
