import { autoGroup } from '@tollgate/contract';
import { geminiGenerate, type JsonObject } from '@tollgate/wire';
import { priceName } from '../billing/index.ts';
import type { KeyRecord } from '../identity/index.ts';
import { ownerOf } from '../providers/index.ts';
import type { Snapshot } from '../routing/index.ts';
import { autoGroupsOf } from '../settings/index.ts';
import type { Caller } from './caller.ts';
import type { ModelList } from './endpoints.ts';
import { localFault } from './faults.ts';

const created = 1_626_777_600;

/** How a list of models and one of them look in a dialect. */
interface ModelShape {
  list(names: readonly string[], query: URLSearchParams | undefined): JsonObject;
  entry(name: string): JsonObject;
}

const shapes: Readonly<Record<ModelList, ModelShape>> = {
  plain: {
    list: (names) => ({ success: true, object: 'list', data: names.map(modelEntry) }),
    entry: modelEntry,
  },
  'gemini-generate': {
    list: (names) => geminiGenerate.modelList(names, embeds),
    entry: (name) => geminiGenerate.modelEntry(name, embeds(name)),
  },
  'anthropic-messages': { list: pageOfModels, entry: shownModel },
};

interface ModelsAsked {
  readonly list: ModelList;
  /** One model instead of all. */
  readonly wanted: string | undefined;
  readonly query: URLSearchParams | undefined;
}

/** What this key may call (contract 5.6), in the caller's dialect. Throws RelayFault. */
export function answerModels(snapshot: Snapshot, key: KeyRecord, caller: Caller, { list, wanted, query }: ModelsAsked): void {
  const names = usableModels(snapshot, key);
  const shape = shapes[list];
  const isOffered = (model: string) => names.includes(model) || names.includes(priceName(model));
  if (wanted !== undefined && !isOffered(wanted))
    throw localFault('model_not_found', { model: wanted }, { type: 'invalid_request_error', param: 'model' });
  caller.answer(200, JSON.stringify(wanted === undefined ? shape.list(names, query) : shape.entry(wanted)));
}

/** Names that only embed; everything else can hold a conversation. */
export function embeds(model: string): boolean {
  return /embedding/i.test(model) || model.includes('embed') || model.includes('bge-') || model.startsWith('m3e');
}

/** All of them, or what was asked for. Clients exist that ask on after the last one until nothing comes, whatever `has_more` says. */
function pageOfModels(all: readonly string[], query: URLSearchParams | undefined): JsonObject {
  const after = query?.get('after_id') ?? undefined;
  const before = query?.get('before_id') ?? undefined;
  const start = after === undefined ? 0 : all.indexOf(after) + 1 || all.length;
  const rest = all.slice(start, before === undefined ? all.length : Math.max(0, all.indexOf(before)));
  const limit = Math.max(1, Math.floor(Number(query?.get('limit'))) || all.length);
  const names = before === undefined ? rest.slice(0, limit) : rest.slice(-limit);
  const ends = { first_id: names[0] ?? null, last_id: names.at(-1) ?? null };
  return { data: names.map(shownModel), has_more: rest.length > names.length, ...ends };
}

function shownModel(id: string): JsonObject {
  return { type: 'model', id, display_name: id, created_at: new Date(created * 1000).toISOString() };
}

function usableModels(snapshot: Snapshot, key: KeyRecord): readonly string[] {
  if (key.modelLimits !== undefined) return [...key.modelLimits];
  const groups = key.group === autoGroup ? autoGroupsOf(snapshot.options, key.user.group) : [key.group || key.user.group];
  return [...new Set(groups.flatMap((group) => snapshot.models(group)))].sort();
}

/** One model as OpenAI's list shows it. */
function modelEntry(id: string) {
  const permission = {
    id: `modelperm-${id}`,
    object: 'model_permission',
    created,
    allow_create_engine: true,
    allow_sampling: true,
    allow_logprobs: true,
    allow_search_indices: false,
    allow_view: true,
    allow_fine_tuning: false,
    organization: '*',
    group: null,
    is_blocking: false,
  };
  return { id, object: 'model', created, owned_by: ownerOf(id), permission: [permission], root: id, parent: null };
}
