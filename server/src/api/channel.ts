import { type channelRoutes, channelTypes, type ModelEntry } from '@tollgate/contract';
import type { Channels } from '../routing/index.ts';
import type { Options } from '../settings/index.ts';
import { actorOf, type Handlers } from './types.ts';

export interface ChannelApiDeps {
  channels: Channels;
  options(): Options;
  /** Default model names by channel type. */
  modelsByType: Readonly<Record<string, readonly string[]>>;
}

/** What the model lists of this API family have always said. */
const modelCreated = 1_626_777_600;

export function channelHandlers({ channels, options, modelsByType }: ChannelApiDeps): Handlers<typeof channelRoutes> {
  const models = modelEntries(modelsByType);
  const byType = Object.fromEntries(Object.entries(modelsByType).map(([type, names]) => [type, [...names]]));
  return {
    list: ({ query }) => channels.list(query),
    search: ({ query }) => channels.search(query),
    models: () => models,
    enabledModels: () => channels.enabledModels(),
    get: ({ id }) => channels.get(id),
    async create(call) {
      await channels.create(call.body, actorOf(call));
    },
    update: (call) => channels.update(call.body, actorOf(call)),
    async remove(call) {
      await channels.remove(call.id, actorOf(call));
    },
    removeDisabled: (call) => channels.removeDisabled(actorOf(call)),
    removeOffKeys: (call) => channels.removeOffKeys(call.id, call.query.until, actorOf(call)),
    groups: () => [...options().GroupRatio.keys()],
    modelsByType: () => byType,
  };
}

/** One entry per model name, owned by the first type that lists it. */
function modelEntries(modelsByType: ChannelApiDeps['modelsByType']): ModelEntry[] {
  const owners = new Map<string, string>();
  for (const { type, label } of channelTypes) {
    for (const model of modelsByType[type] ?? []) if (!owners.has(model)) owners.set(model, label);
  }
  return [...owners].map(([id, owner]) => ({
    id,
    object: 'model',
    created: modelCreated,
    owned_by: owner,
    permission: [],
    root: id,
    parent: null,
  }));
}
