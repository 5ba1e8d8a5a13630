import type { Channel, ModelChoice, ModelDiff, UnsavedChannel } from '@tollgate/contract';
import type { Actor } from '../audit/index.ts';
import type { ChangeSignal } from '../platform/change-signal.ts';
import { type Clock, nowSeconds } from '../platform/clock.ts';
import { PublicError } from '../platform/errors.ts';
import type { SystemClient } from '../platform/http/system-client.ts';
import { splitList } from '../platform/split-list.ts';
import { type HeaderOverride, overrideHeaders, readHeaderOverride } from './channel-headers.ts';
import { keyLines, readColumns } from './channel-input.ts';
import { refuseMask } from './channel-proxy.ts';
import { proxyIn } from './channel-setting.ts';
import {
  apiRoot,
  askUpstream,
  type ChannelTarget,
  type ProviderFacts,
  pageTitle,
  readTarget,
  redactSecrets,
  type TargetDeps,
  upstreamMessage,
} from './channel-target.ts';
import { lockChannel, updateChannelIn } from './channel-writes.ts';
import type { Channels } from './channels.ts';
import { upstreamModel } from './snapshot.ts';

export interface FetchDeps extends TargetDeps {
  http: SystemClient;
  clock: Clock;
  changes: ChangeSignal;
  channels: Pick<Channels, 'get'>;
  providerOf(type: number): ProviderFacts | undefined;
  modelAsks: ModelAsks;
}

interface Ask {
  readonly url: URL;
  readonly headers: Record<string, string>;
}

/** How upstreams are asked for their models, by channel type. */
export interface ModelAsks {
  /** The request with its credential; undefined without an address. Rejects with an error whose message may be shown. */
  ask(
    type: number,
    channel: Readonly<{
      id: number;
      baseUrl: string;
      key: string;
      organization: string;
      other: string;
      proxy?: string | undefined;
    }>,
  ): Promise<Ask | undefined>;
  /** Undefined when the answer is no list. */
  names(type: number, answer: unknown): string[] | undefined;
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
    return readModels(deps, placeOf(row, channel));
  };
  return {
    stored,
    unsaved: (input) => readUnsaved(deps, input),
    async diff(id) {
      const { row, channel } = await readTarget(deps, id);
      const offered = await readModels(deps, placeOf(row, channel));
      return compare(splitList(row.models), offered, channel.modelMapping);
    },
    async apply(id, { add, remove }, actor) {
      const now = nowSeconds(deps.clock);
      await deps.db.transaction(async (tx) => {
        const { models } = await lockChannel(tx, id);
        const dropped = new Set(remove);
        const next = [...splitList(models).filter((model) => !dropped.has(model)), ...add];
        const input = { id, models: [...new Set(next)].join(',') };
        await updateChannelIn(tx, input, { crypto: deps.crypto, actor, now });
      });
      deps.changes.notify();
      return deps.channels.get(id);
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
  id: number;
  type: number;
  base_url: string;
  key: string;
  organization: string;
  other: string;
  headers?: HeaderOverride;
  proxy?: string | undefined;
}

function placeOf({ base_url }: ChannelTarget['row'], channel: ChannelTarget['channel']): Place {
  const { id, type, key, organization, other, headerOverride, setting } = channel;
  return { id, type, base_url, key, organization, other, headers: headerOverride, proxy: setting.proxy };
}

async function readModels(deps: FetchDeps, place: Place): Promise<string[]> {
  const { type, key, headers = {}, proxy } = place;
  const ask = await askOf(deps, place);
  const request = { url: ask.url, headers: overrideHeaders(ask.headers, headers, key), timeoutMs, maxBytes, proxy };
  const answer = await askUpstream(deps.http, request, [key]);
  if (answer.status !== 200) {
    const detail = `status code ${answer.status}: ${redactSecrets(upstreamMessage(answer.text), [key])}`;
    throw new PublicError('channel_upstream_failed', { detail });
  }
  const names = deps.modelAsks.names(type, parsed(answer.text, key));
  if (names === undefined) throw new PublicError('channel_fetch_unreadable', { detail: 'data is not a list' });
  return [...new Set(names)].slice(0, maxModels);
}

async function askOf(deps: FetchDeps, { type, base_url: address, ...place }: Place): Promise<Ask> {
  const channel = { ...place, baseUrl: apiRoot(address, deps.providerOf(type)) };
  let ask: Ask | undefined;
  try {
    ask = await deps.modelAsks.ask(type, channel);
  } catch (error) {
    const detail = error instanceof Error ? redactSecrets(error.message, [place.key]) : '';
    throw new PublicError('channel_upstream_failed', { detail });
  }
  if (ask === undefined) throw new PublicError('channel_balance_unknown');
  return ask;
}

function parsed(text: string, key: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const page = pageTitle(text);
    const detail = page === undefined ? 'not JSON' : `a web page, not JSON: ${redactSecrets(page, [key])}`;
    throw new PublicError('channel_fetch_unreadable', { detail });
  }
}

/** Contract 1.12: 400 for what cannot be asked, 500 for what the upstream did not answer. */
async function readUnsaved(deps: FetchDeps, input: UnsavedChannel): Promise<string[]> {
  const place = unsavedPlace(input);
  refuseMask(input.setting ?? '');
  if (place.key === '') throw new PublicError('channel_fetch_invalid');
  try {
    return await readModels(deps, place);
  } catch (error) {
    if (!(error instanceof PublicError) || error.code === 'channel_address_private') throw error;
    if (error.code === 'channel_balance_unknown') throw new PublicError('channel_fetch_invalid');
    const detail = String(error.values.detail || 'Failed to fetch models');
    const isUnreadable = error.code === 'channel_fetch_unreadable';
    throw new PublicError(isUnreadable ? 'channel_fetch_failed' : 'channel_fetch_transport', { detail });
  }
}

function unsavedPlace({ key: keys, ...input }: UnsavedChannel): Place {
  const { type } = input;
  try {
    const columns = readColumns(input);
    const {
      base_url = '',
      openai_organization: organization = '',
      other = '',
      setting = '',
      header_override: headers = '',
    } = columns;
    return {
      ...{ id: 0, type, base_url, organization, other },
      key: keyLines(type, keys)[0] ?? '',
      proxy: proxyIn(setting),
      headers: headers === '' ? {} : readHeaderOverride(JSON.parse(headers)),
    };
  } catch (error) {
    if (error instanceof PublicError) throw new PublicError('channel_fetch_invalid');
    throw error;
  }
}
