import type { Channel, ModelChoice, ModelDiff, UnsavedChannel } from '@tollgate/contract';
import type { Actor } from '../audit/index.ts';
import { PublicError } from '../platform/errors.ts';
import type { SystemClient } from '../platform/http/system-client.ts';
import type { HeaderOverride } from './channel-headers.ts';
import { keyLines, readColumns, splitList } from './channel-input.ts';
import {
  apiRoot,
  askUpstream,
  keyHeaders,
  type ProviderFacts,
  readTarget,
  redactSecrets,
  type TargetDeps,
  upstreamMessage,
} from './channel-target.ts';
import type { Channels } from './channels.ts';
import { upstreamModel } from './snapshot.ts';

export interface FetchDeps extends TargetDeps {
  http: SystemClient;
  channels: Channels;
  providerOf(type: number): ProviderFacts | undefined;
}

/** What upstreams say they serve (contract 4.13). */
export interface ModelLists {
  stored(id: number): Promise<string[]>;
  unsaved(input: UnsavedChannel): Promise<string[]>;
  /** A stored name counts by what it is mapped to. */
  diff(id: number): Promise<ModelDiff>;
  apply(id: number, choice: ModelChoice, actor: Actor): Promise<Channel>;
}

const timeoutMs = 20_000;
const maxBytes = 8 * 1024 * 1024;
const maxModels = 10_000;

export function createModelLists(deps: FetchDeps): ModelLists {
  const stored = async (id: number) => {
    const { row, channel } = await readTarget(deps, id);
    return readModels(deps, { ...row, key: channel.key, headers: channel.headerOverride });
  };
  return {
    stored,
    unsaved: (input) => readUnsaved(deps, input),
    async diff(id) {
      const { row, channel } = await readTarget(deps, id);
      const offered = await readModels(deps, { ...row, key: channel.key, headers: channel.headerOverride });
      return compare(splitList(row.models), offered, channel.modelMapping);
    },
    async apply(id, { add, remove }, actor) {
      const { models } = await deps.channels.get(id);
      const dropped = new Set(remove);
      const next = [...splitList(models).filter((model) => !dropped.has(model)), ...add];
      return deps.channels.update({ id, models: [...new Set(next)].join(',') }, actor);
    },
  };
}

function compare(own: readonly string[], offered: readonly string[], mapping: ReadonlyMap<string, string>): ModelDiff {
  const there = new Set(offered);
  const sent = (model: string) => upstreamModel(mapping, model) ?? model;
  const covered = new Set(own.map(sent));
  return {
    new: offered.filter((model) => !covered.has(model)),
    existing: own.filter((model) => there.has(sent(model))),
    gone: own.filter((model) => !there.has(sent(model))),
  };
}

interface Place {
  type: number;
  base_url: string;
  key: string;
  headers?: HeaderOverride;
}

async function readModels(deps: FetchDeps, { type, base_url: address, key, headers }: Place): Promise<string[]> {
  const facts = deps.providerOf(type);
  const base = apiRoot(address, facts);
  if (base === '') throw new PublicError('channel_balance_unknown');
  const { path, strip = '' } = facts?.modelList ?? { path: '/v1/models' };
  const request = { url: base + path, headers: keyHeaders(facts, key, headers), timeoutMs, maxBytes };
  const answer = await askUpstream(deps.http, request, [key]);
  if (answer.status !== 200) {
    const detail = `status code ${answer.status}: ${redactSecrets(upstreamMessage(answer.text), [key])}`;
    throw new PublicError('channel_upstream_failed', { detail });
  }
  return namesIn(answer.text).map((name) => (name.startsWith(strip) ? name.slice(strip.length) : name));
}

function namesIn(text: string): string[] {
  let body: { data?: unknown } | null;
  try {
    body = JSON.parse(text) as { data?: unknown } | null;
  } catch {
    throw new PublicError('channel_fetch_unreadable', { detail: 'not JSON' });
  }
  if (!Array.isArray(body?.data)) throw new PublicError('channel_fetch_unreadable', { detail: 'data is not a list' });
  const names = (body.data as unknown[]).map((entry) => (entry as { id?: unknown } | null)?.id);
  return [...new Set(names.filter((name): name is string => typeof name === 'string' && name !== ''))].slice(0, maxModels);
}

/** Contract 1.12: 400 for what cannot be asked, 500 for what the upstream did not answer. */
async function readUnsaved(deps: FetchDeps, { base_url: address, type, key: keys }: UnsavedChannel): Promise<string[]> {
  const place = { type, base_url: address ?? '', key: '' };
  try {
    place.base_url = readColumns({ type, base_url: place.base_url }).base_url ?? '';
    place.key = keyLines(type, keys)[0] ?? '';
  } catch (error) {
    if (error instanceof PublicError) throw new PublicError('channel_fetch_invalid');
    throw error;
  }
  if (place.key === '' || apiRoot(place.base_url, deps.providerOf(type)) === '') throw new PublicError('channel_fetch_invalid');
  try {
    return await readModels(deps, place);
  } catch (error) {
    if (!(error instanceof PublicError)) throw error;
    const detail = String(error.values.detail ?? '');
    if (detail === '' || detail.startsWith('status code')) throw new PublicError('channel_fetch_failed');
    throw new PublicError('channel_fetch_transport', { detail });
  }
}
