import type { PriceBook } from '../billing/index.ts';
import type { Options } from '../settings/index.ts';
import type { ChannelTable } from '../storage/schema.ts';
import { type HeaderOverride, readHeaderOverride } from './channel-headers.ts';
import { originOf } from './channel-key.ts';
import { type ChannelSetting, readChannelSetting } from './channel-setting.ts';
import { type RouteKey, splitKeys } from './multi-key.ts';
import type { Urn } from './select.ts';
import { onlyStatuses } from './status-mapping.ts';

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
  /** The operator's word for several channels; "" = none. */
  readonly tag: string;
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
  /** All enabled channels with the tag of the backup pool that serve the model, whatever their group; undefined = there are none. */
  backup(model: string): Route | undefined;
  /** An enabled channel. */
  channel(id: number): RouteChannel | undefined;
  channelIds(): Iterable<number>;
  /** Models with a channel in the group, sorted. */
  models(group: string): readonly string[];
}

/** The columns of a channel that serves calls: what does not matter to them is not read. */
export const servingColumns = [
  ...([
    'id',
    'status',
    'type',
    'key_sealed',
    'key_hmac',
    'name',
    'weight',
    'priority',
    'base_url',
    'openai_organization',
  ] as const),
  ...(['models', 'group_names', 'model_mapping', 'status_code_mapping', 'auto_ban', 'setting', 'param_override'] as const),
  ...(['header_override', 'other', 'tag'] as const),
];
export type ChannelRow = Pick<ChannelTable, Exclude<(typeof servingColumns)[number], 'id'>> & { readonly id: number };

/** What opens the rows' credentials. */
export interface KeySource {
  /** Throws when it cannot, which leaves that channel out. */
  readonly openKey: (row: ChannelRow) => string;
  /** Credentials that are switched off alone, as `channel id:hmac`. */
  readonly disabledKeys?: ReadonlySet<string>;
}

/** The channel with another of its credentials. */
export function withKey(channel: RouteChannel, key: RouteKey): RouteChannel {
  return channel.key === key.secret ? channel : { ...channel, key: key.secret };
}

/** Follows a channel's model map to the upstream's name (contract 4.10); "" stands for no name. Undefined when it runs in a circle. */
export function upstreamModel(mapping: ReadonlyMap<string, string>, model: string): string | undefined {
  const seen = new Set([model]);
  let name = model;
  for (let next = mapping.get(name); next !== undefined && next !== '' && next !== name; next = mapping.get(name)) {
    if (seen.has(next)) return undefined;
    seen.add(next);
    name = next;
  }
  return name;
}

/** One row as the relay uses it, whatever its status; undefined when its key or JSON cannot be read. */
export function routeChannel(row: ChannelRow, { openKey, disabledKeys }: KeySource): RouteChannel | undefined {
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
      modelMapping: jsonMap(jsonObject(row.model_mapping), String, String),
      statusMapping: jsonMap(onlyStatuses(jsonObject(row.status_code_mapping)), Number, Number),
      paramOverride: jsonObject(row.param_override),
      headerOverride: row.header_override === '' ? none : readHeaderOverride(jsonObject(row.header_override)),
      setting,
      autoBan: row.auto_ban === 1,
      tag: row.tag,
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

const none: Readonly<Record<string, never>> = Object.freeze({});

function jsonObject(text: string): Readonly<Record<string, unknown>> {
  return text.trim() === '' ? none : (JSON.parse(text) as Record<string, unknown>);
}

const emptyMap: ReadonlyMap<never, never> = new Map<never, never>();

function jsonMap<K, V>(
  object: Readonly<Record<string, unknown>>,
  key: (from: string) => K,
  value: (to: unknown) => V,
): ReadonlyMap<K, V> {
  const entries = Object.entries(object);
  // Most channels have none, and there are thousands of channels.
  if (entries.length === 0) return emptyMap as ReadonlyMap<never, V> as ReadonlyMap<K, V>;
  return new Map(entries.map(([from, to]) => [key(from), value(to)]));
}
