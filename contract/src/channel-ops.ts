import * as z from 'zod/mini';
import { type Channel, channelFields } from './channel.ts';
import { filter, flag, rowId } from './fields.ts';
import { data, defineRoute } from './route.ts';

/** One line of a background run: a channel and what came of it. */
export interface ChannelJobResult {
  id: number;
  name: string;
  success: boolean;
  message: string;
  /** Seconds, in a test. */
  time?: number;
  /** In a balance refresh. */
  balance?: number;
}

/** A background run over all channels; `results` holds the last 1,000. */
export interface ChannelJob {
  running: boolean;
  done: number;
  total: number;
  /** Of those that are done. */
  failed: number;
  /** The last 1,000. */
  results: ChannelJobResult[];
}

export interface ChannelJobs {
  test: ChannelJob;
  balance: ChannelJob;
}

/** A channel's models against its upstream's list. `gone` are stored here and no longer offered there. */
export interface ModelDiff {
  new: string[];
  existing: string[];
  gone: string[];
}

const maxIds = 10_000;
const ids = z.array(rowId).check(z.minLength(1), z.maxLength(maxIds));
const tag = z.string().check(z.trim(), z.maxLength(255));
const csv = z.nullish(z.string().check(z.maxLength(1_000_000)));

const batchBody = z.object({ ids });
/** `tag` null or "" clears it. */
const batchTagBody = z.object({ ids, tag: z.nullish(tag) });
const tagBody = z.object({ tag });
/** Absent and empty mean unchanged; but `new_tag` "" dissolves the tag. */
export const tagUpdate = z.object({
  tag,
  new_tag: z.nullish(tag),
  models: csv,
  groups: csv,
  model_mapping: z.nullish(z.string().check(z.maxLength(65_536))),
  priority: z.nullish(z.number().check(z.int(), z.minimum(-999), z.maximum(1_000_000))),
  weight: z.nullish(z.number().check(z.int(), z.minimum(0), z.maximum(1_000_000))),
});
export type TagUpdate = z.infer<typeof tagUpdate>;

/** A channel that is being typed, as far as its model list depends on it. */
const unsavedBody = z.object({
  base_url: z.nullish(z.string().check(z.maxLength(2048))),
  type: z.number().check(z.int(), z.positive()),
  key: z.string().check(z.maxLength(1_000_000)),
  openai_organization: channelFields.openai_organization,
  other: channelFields.other,
  setting: channelFields.setting,
  header_override: channelFields.header_override,
});
export type UnsavedChannel = z.infer<typeof unsavedBody>;

const names = z._default(z.array(z.string().check(z.minLength(1), z.maxLength(1024))).check(z.maxLength(10_000)), []);
const diffBody = z.object({ add: names, remove: names });
export type ModelChoice = z.infer<typeof diffBody>;

const copyQuery = z.object({
  suffix: z._default(z.string().check(z.maxLength(64)), '_复制'),
  reset_balance: z._default(flag, true),
});
export type CopyQuery = z.infer<typeof copyQuery>;

const base = '/api/channel';

/** What is done with channels beside writing them (contract 1.12, 4.6, 4.8, 4.11 to 4.14; rulings 25, 32). */
export const channelOpsRoutes = {
  /** Seconds; on failure too, beside `success` and `message`. `time` stands at the top level as well. */
  test: defineRoute({
    method: 'GET',
    path: `${base}/test/:id`,
    access: 'admin',
    query: z.object({
      model: filter,
      /** Of several credentials this one, from 0, also one that is switched off. */
      key_index: z.optional(z.coerce.number().check(z.int(), z.minimum(0), z.maximum(100_000))),
    }),
    data: data<{ time: number }>(),
  }),
  testAll: defineRoute({ method: 'GET', path: `${base}/test`, access: 'admin', data: data<undefined>() }),
  jobs: defineRoute({ method: 'GET', path: `${base}/jobs`, access: 'admin', data: data<ChannelJobs>() }),
  /** `balance` stands at the top level as well. */
  updateBalance: defineRoute({
    method: 'GET',
    path: `${base}/update_balance/:id`,
    access: 'admin',
    data: data<{ balance: number }>(),
  }),
  updateBalances: defineRoute({ method: 'GET', path: `${base}/update_balance`, access: 'admin', data: data<undefined>() }),
  fetchModels: defineRoute({ method: 'GET', path: `${base}/fetch_models/:id`, access: 'admin', data: data<string[]>() }),
  fetchUnsaved: defineRoute({
    method: 'POST',
    path: `${base}/fetch_models`,
    access: 'admin',
    body: unsavedBody,
    data: data<string[]>(),
  }),
  diffModels: defineRoute({ method: 'GET', path: `${base}/models_diff/:id`, access: 'admin', data: data<ModelDiff>() }),
  /** Adds and removes model names of the channel in one step. */
  applyModels: defineRoute({
    method: 'POST',
    path: `${base}/models_diff/:id`,
    access: 'admin',
    body: diffBody,
    data: data<Channel>(),
  }),
  testUpstream: defineRoute({
    method: 'GET',
    path: `${base}/test_upstream/:id`,
    access: 'admin',
    data: data<{ client_types: string[] }>(),
  }),
  copy: defineRoute({
    method: 'POST',
    path: `${base}/copy/:id`,
    access: 'admin',
    query: copyQuery,
    data: data<{ id: number }>(),
  }),
  removeBatch: defineRoute({ method: 'POST', path: `${base}/batch`, access: 'admin', body: batchBody, data: data<number>() }),
  tagBatch: defineRoute({
    method: 'POST',
    path: `${base}/batch/tag`,
    access: 'admin',
    body: batchTagBody,
    data: data<number>(),
  }),
  editTag: defineRoute({ method: 'PUT', path: `${base}/tag`, access: 'admin', body: tagUpdate, data: data<undefined>() }),
  enableTag: defineRoute({
    method: 'POST',
    path: `${base}/tag/enabled`,
    access: 'admin',
    body: tagBody,
    data: data<undefined>(),
  }),
  disableTag: defineRoute({
    method: 'POST',
    path: `${base}/tag/disabled`,
    access: 'admin',
    body: tagBody,
    data: data<undefined>(),
  }),
  /** The longest `models` of the tag's channels. */
  tagModels: defineRoute({
    method: 'GET',
    path: `${base}/tag/models`,
    access: 'admin',
    query: z.object({ tag: filter }),
    data: data<string>(),
  }),
  fix: defineRoute({ method: 'POST', path: `${base}/fix`, access: 'admin', data: data<number>() }),
} as const;
