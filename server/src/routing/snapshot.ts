import { channelStatus } from '@tollgate/contract';
import { createPriceBook, type DefaultPrice, type PriceBook } from '../billing/index.ts';
import type { Options } from '../settings/index.ts';
import type { Database } from '../storage/database.ts';
import type { ChannelTable } from '../storage/schema.ts';
import { type HeaderOverride, readHeaderOverride } from './channel-headers.ts';
import { splitList } from './channel-input.ts';
import { originOf } from './channel-key.ts';
import { type ChannelSetting, type RouteKey, readChannelSetting, splitKeys } from './multi-key.ts';
import { type Tiers, tiersOf, type Urn, urnOf } from './select.ts';

/** A channel as the relay uses it: parsed once, immutable. */
export interface RouteChannel {
  readonly id: number;
  readonly name: string;
  readonly type: number;
  readonly priority: number;
  readonly weight: number;
  /** "" = the provider's own address. */
  readonly baseUrl: string;
  /** The credential to send; `withKey` makes the record for another one. */
  readonly key: string;
  readonly keys: readonly RouteKey[];
  readonly organization: string;
  /** The type's special field: a version, an id, a region (contract 4.3). */
  readonly other: string;
  readonly modelMapping: ReadonlyMap<string, string>;
  readonly statusMapping: ReadonlyMap<number, number>;
  readonly paramOverride: Readonly<Record<string, unknown>>;
  readonly headerOverride: HeaderOverride;
  readonly setting: ChannelSetting;
  /** May be switched off automatically. */
  readonly autoBan: boolean;
}

/** All channels that serve one model in one group. */
export interface Route {
  readonly group: string;
  readonly model: string;
  /** By descending priority. */
  readonly tiers: readonly Urn<RouteChannel>[];
  readonly size: number;
}

/** The state of channels, prices and options at one moment. Every request keeps the one it started with. */
export interface Snapshot {
  readonly version: number;
  readonly options: Options;
  readonly prices: PriceBook;
  /** Undefined when no enabled channel serves the model in the group. */
  route(group: string, model: string): Route | undefined;
  /** The same as plain lists, best tier first; empty when there is none. */
  tiers(group: string, model: string): Tiers<RouteChannel>;
  /** An enabled channel. */
  channel(id: number): RouteChannel | undefined;
  channelIds(): Iterable<number>;
  /** Models with a channel in the group, sorted. */
  models(group: string): readonly string[];
}

export interface SnapshotSource {
  readonly version: number;
  readonly options: Options;
  readonly channels: readonly ChannelRow[];
  /** Credentials that are switched off alone, as `channel id:hmac`. */
  readonly disabledKeys?: ReadonlySet<string>;
  /** Opens the stored credential; throws when it cannot, which leaves that channel out. */
  readonly openKey: (row: ChannelRow) => string;
  readonly defaultPrice: (model: string) => DefaultPrice;
  /** What the compilation before made of its rows; brought up to date. */
  readonly cache?: ChannelCache;
}
export type ChannelCache = Map<number, { readonly row: ChannelRow; readonly channel: RouteChannel }>;
export type ChannelRow = Omit<ChannelTable, 'id' | 'used_quota'> & { id: number };

const sliceMs = 4;

/**
 * Compiles rows into a snapshot, in slices between which requests are served. Rows whose key or JSON cannot be read are
 * left out, never half used.
 */
export async function compileSnapshot(source: SnapshotSource): Promise<Snapshot> {
  const channels = new Map<number, RouteChannel>();
  const index = new Map<string, Map<string, RouteChannel[]>>();
  const listOf = memoised(splitList);
  let sliceEndMs = performance.now() + sliceMs;
  for (const row of source.channels) {
    if (performance.now() > sliceEndMs) {
      await new Promise(setImmediate);
      sliceEndMs = performance.now() + sliceMs;
    }
    const channel = row.status === channelStatus.enabled ? cachedChannel(row, source) : undefined;
    if (channel === undefined) continue;
    channels.set(channel.id, channel);
    for (const group of listOf(row.group_names)) {
      const byModel = getOrAdd(index, group, newIndex);
      for (const model of listOf(row.models)) {
        const members = byModel.get(model);
        if (members === undefined) byModel.set(model, [channel]);
        else members.push(channel);
      }
    }
  }
  for (const id of source.cache?.keys() ?? []) if (!channels.has(id)) source.cache?.delete(id);
  return snapshotOver(source, channels, index);
}

const newIndex = () => new Map<string, RouteChannel[]>();

/** Opening a key and reading JSON is most of the work: rows that are as they were are taken over. */
function cachedChannel(row: ChannelRow, source: SnapshotSource): RouteChannel | undefined {
  const known = source.cache?.get(row.id);
  const severalKeys = row.key_hmac.includes(',');
  if (known !== undefined && !severalKeys && isSame(known.row, row)) return known.channel;
  const channel = routeChannel(row, source);
  if (channel === undefined) source.cache?.delete(row.id);
  else source.cache?.set(row.id, { row, channel });
  return channel;
}

/** Columns that a compiled channel shows. */
const compiledColumns = [
  ...(['type', 'key_sealed', 'key_hmac', 'name', 'weight', 'priority', 'base_url', 'openai_organization', 'other'] as const),
  ...(['model_mapping', 'status_code_mapping', 'auto_ban', 'setting', 'param_override', 'header_override', 'other'] as const),
];

function isSame(before: ChannelRow, after: ChannelRow): boolean {
  return compiledColumns.every((column) => before[column] === after[column]);
}

type Index = ReadonlyMap<string, ReadonlyMap<string, readonly RouteChannel[]>>;

function snapshotOver(source: SnapshotSource, channels: ReadonlyMap<number, RouteChannel>, index: Index): Snapshot {
  const routes = new Map<string, Map<string, Route>>();
  const names = new Map<string, readonly string[]>();
  // Sorted when first asked for: most pairs of a large installation are not used between two changes.
  const route = (group: string, model: string): Route | undefined => {
    const known = routes.get(group)?.get(model);
    if (known !== undefined) return known;
    const members = index.get(group)?.get(model);
    if (members === undefined) return undefined;
    const made = { group, model, tiers: tiersOf(members).map(urnOf), size: members.length };
    getOrAdd(routes, group, () => new Map<string, Route>()).set(model, made);
    return made;
  };
  return {
    version: source.version,
    options: source.options,
    prices: createPriceBook(priceTables(source.options), source.defaultPrice, source.version),
    route,
    tiers: (group, model) => route(group, model)?.tiers.map(({ members }) => members) ?? [],
    channel: (id) => channels.get(id),
    channelIds: () => channels.keys(),
    models: (group) => getOrAdd(names, group, () => [...(index.get(group)?.keys() ?? [])].sort()),
  };
}

/** Reads the rows a snapshot is compiled from. */
export function readChannels(db: Database): Promise<ChannelRow[]> {
  return db.read.selectFrom('channel').selectAll().where('status', '=', channelStatus.enabled).execute();
}

/** Credentials that are switched off alone, as `channel id:hmac`. */
export async function readDisabledKeys(db: Database): Promise<ReadonlySet<string>> {
  const rows = await db.read.selectFrom('channel_key').select(['channel_id', 'key_hmac']).execute();
  return new Set(rows.map((row) => `${row.channel_id}:${row.key_hmac}`));
}

/** The channel with another of its credentials. */
export function withKey(channel: RouteChannel, key: RouteKey): RouteChannel {
  return channel.key === key.secret ? channel : { ...channel, key: key.secret };
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

/** One row as the relay uses it, whatever its status; undefined when its key or JSON cannot be read. */
export function routeChannel(
  row: ChannelRow,
  { openKey, disabledKeys }: Pick<SnapshotSource, 'openKey' | 'disabledKeys'>,
): RouteChannel | undefined {
  try {
    const setting = readChannelSetting(jsonObject(row.setting));
    const keys = routeKeys(row, splitKeys(openKey(row), setting.multiKey), disabledKeys);
    const usable = keys.find((key) => !key.disabled);
    if (usable === undefined) return undefined;
    return {
      id: row.id,
      name: row.name,
      type: row.type,
      priority: row.priority,
      weight: row.weight,
      baseUrl: row.base_url,
      key: usable.secret,
      keys,
      organization: row.openai_organization,
      other: row.other,
      modelMapping: new Map(Object.entries(jsonObject(row.model_mapping)).map(([from, to]) => [from, String(to)])),
      statusMapping: new Map(Object.entries(jsonObject(row.status_code_mapping)).map(([from, to]) => [Number(from), Number(to)])),
      paramOverride: jsonObject(row.param_override),
      headerOverride: readHeaderOverride(jsonObject(row.header_override)),
      setting,
      autoBan: row.auto_ban === 1,
    };
  } catch {
    return undefined;
  }
}

function routeKeys(row: ChannelRow, secrets: readonly string[], disabledKeys?: ReadonlySet<string>): RouteKey[] {
  const hmacs = row.key_hmac.split(',');
  const origin = originOf(row);
  return secrets.map((secret, index) => {
    const hmac = hmacs[index] ?? '';
    const disabled = disabledKeys?.has(`${row.id}:${hmac}`) === true;
    return { id: `${hmac.slice(0, 16)}@${origin}`, index, secret, disabled };
  });
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

const none: Readonly<Record<string, never>> = Object.freeze({});

function jsonObject(text: string): Readonly<Record<string, unknown>> {
  return text.trim() === '' ? none : (JSON.parse(text) as Record<string, unknown>);
}

/** Many channels have the same lists. */
function memoised<V>(read: (text: string) => V): (text: string) => V {
  const known = new Map<string, V>();
  return (text) => getOrAdd(known, text, () => read(text));
}

function getOrAdd<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const found = map.get(key);
  if (found !== undefined) return found;
  const made = make();
  map.set(key, made);
  return made;
}
