import { channelStatus } from '@tollgate/contract';
import { createPriceBook, type DefaultPrice, type PriceBook } from '../billing/index.ts';
import type { Options } from '../settings/index.ts';
import type { Database } from '../storage/database.ts';
import type { ChannelTable } from '../storage/schema.ts';
import { type Tiers, tiersOf } from './select.ts';

/** A channel as the relay uses it: parsed once, immutable. */
export interface RouteChannel {
  readonly id: number;
  readonly name: string;
  readonly type: number;
  readonly priority: number;
  readonly weight: number;
  /** "" = the provider's own address. */
  readonly baseUrl: string;
  readonly key: string;
  readonly organization: string;
  readonly modelMapping: ReadonlyMap<string, string>;
  readonly statusMapping: ReadonlyMap<number, number>;
  readonly paramOverride: Readonly<Record<string, unknown>>;
}

/** The state of channels, prices and options at one moment. Every request keeps the one it started with. */
export interface Snapshot {
  readonly version: number;
  readonly options: Options;
  readonly prices: PriceBook;
  /** Channels that serve a model in a group, best tier first; empty when there is none. */
  tiers(group: string, model: string): Tiers<RouteChannel>;
  /** An enabled channel. */
  channel(id: number): RouteChannel | undefined;
  /** Models with a channel in the group, sorted. */
  models(group: string): readonly string[];
}

export interface SnapshotSource {
  readonly version: number;
  readonly options: Options;
  readonly channels: readonly ChannelRow[];
  /** Opens the stored credential; throws when it cannot, which leaves that channel out. */
  readonly openKey: (row: ChannelRow) => string;
  readonly defaultPrice: (model: string) => DefaultPrice;
}
export type ChannelRow = Omit<ChannelTable, 'id' | 'used_quota'> & { id: number };

/** Compiles rows into a snapshot. Rows whose key or JSON cannot be read are left out, never half used. */
export function compileSnapshot(source: SnapshotSource): Snapshot {
  const channels = new Map<number, RouteChannel>();
  const index = new Map<string, Map<string, RouteChannel[]>>();
  for (const row of source.channels) {
    if (row.status !== channelStatus.enabled) continue;
    const channel = routeChannel(row, source.openKey);
    if (channel === undefined) continue;
    channels.set(channel.id, channel);
    for (const group of list(row.group_names)) {
      const models = getOrAdd(index, group, () => new Map<string, RouteChannel[]>());
      for (const model of list(row.models)) getOrAdd(models, model, () => []).push(channel);
    }
  }
  const tiers = new Map(
    [...index].map(([group, models]) => [group, new Map([...models].map(([model, members]) => [model, tiersOf(members)]))]),
  );
  const names = new Map([...index].map(([group, models]) => [group, [...models.keys()].sort()]));
  return {
    version: source.version,
    options: source.options,
    prices: createPriceBook(priceTables(source.options), source.defaultPrice, source.version),
    tiers: (group, model) => tiers.get(group)?.get(model) ?? [],
    channel: (id) => channels.get(id),
    models: (group) => names.get(group) ?? [],
  };
}

/** Reads the rows a snapshot is compiled from. */
export function readChannels(db: Database): Promise<ChannelRow[]> {
  return db.read.selectFrom('channel').selectAll().where('status', '=', channelStatus.enabled).execute();
}

/** Follows a channel's model map to the upstream's name (contract 4.10); undefined when it runs in a circle. */
export function upstreamModel(mapping: ReadonlyMap<string, string>, model: string): string | undefined {
  const seen = new Set([model]);
  let name = model;
  for (let next = mapping.get(name); next !== undefined && next !== name; next = mapping.get(name)) {
    if (seen.has(next)) return undefined;
    seen.add(next);
    name = next;
  }
  return name;
}

function routeChannel(row: ChannelRow, openKey: (row: ChannelRow) => string): RouteChannel | undefined {
  try {
    return {
      id: row.id,
      name: row.name,
      type: row.type,
      priority: row.priority,
      weight: row.weight,
      baseUrl: row.base_url,
      key: openKey(row),
      organization: row.openai_organization,
      modelMapping: new Map(Object.entries(jsonObject(row.model_mapping)).map(([from, to]) => [from, String(to)])),
      statusMapping: new Map(Object.entries(jsonObject(row.status_code_mapping)).map(([from, to]) => [Number(from), Number(to)])),
      paramOverride: jsonObject(row.param_override),
    };
  } catch {
    return undefined;
  }
}

function priceTables(options: Options) {
  return {
    modelPrice: options.ModelPrice,
    modelRatio: options.ModelRatio,
    completionRatio: options.CompletionRatio,
    cacheRatio: options.CacheRatio,
    groupRatio: options.GroupRatio,
    groupGroupRatio: options.GroupGroupRatio,
    quotaPerUnit: options.QuotaPerUnit,
    selfUseMode: options.SelfUseModeEnabled,
  };
}

function jsonObject(text: string): Record<string, unknown> {
  return text.trim() === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
}

function list(text: string): string[] {
  return [...new Set(text.split(',').map((entry) => entry.trim()))].filter((entry) => entry !== '');
}

function getOrAdd<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const found = map.get(key);
  if (found !== undefined) return found;
  const made = make();
  map.set(key, made);
  return made;
}
