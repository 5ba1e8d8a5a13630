import type { JsonObject } from '@tollgate/wire';
import { below, credentialHeaders, type Place, type Provider, type UpstreamCallFacts } from '../providers/index.ts';
import { overrideHeaders, type RouteChannel } from '../routing/index.ts';
import { localFault } from './faults.ts';

/** The parts of a channel's requests that no call changes. */
interface PreparedChannel {
  readonly headers: Readonly<Record<string, string>>;
  readonly streamHeaders: Readonly<Record<string, string>>;
  /** param_override: key -> raw JSON. */
  readonly overrides: ReadonlyMap<string, string>;
  /** By protocol and model. */
  readonly urls: Map<string, Map<string, URL>>;
}

const preparedChannels = new WeakMap<RouteChannel, PreparedChannel>();
const urlsPerProtocol = 1_000;

/** A snapshot's channels never change, so this is made once for each. */
export function prepareChannel(channel: RouteChannel, provider: Provider): PreparedChannel {
  const known = preparedChannels.get(channel);
  if (known !== undefined) return known;
  const fresh: PreparedChannel = {
    headers: fixedHeaders(channel, provider, 'application/json'),
    streamHeaders: fixedHeaders(channel, provider, 'text/event-stream'),
    overrides: overrides(channel),
    urls: new Map(),
  };
  preparedChannels.set(channel, fresh);
  return fresh;
}

/** Where a call goes. Throws RelayFault. */
export function upstreamUrl(channel: RouteChannel, provider: Provider, call: UpstreamCallFacts): URL {
  const place = provider.paths[call.protocol];
  if (place === undefined) throw localFault('channel_type_planned', { type: channel.type }, { retryable: true });
  if (typeof place === 'function') return urlAt(channel, provider, place, call);
  const { urls } = prepareChannel(channel, provider);
  const known = urls.get(call.protocol) ?? new Map<string, URL>();
  const found = known.get(call.model);
  if (found !== undefined) return found;
  if (known.size >= urlsPerProtocol) known.clear();
  const url = urlAt(channel, provider, place, call);
  urls.set(call.protocol, known.set(call.model, url));
  return url;
}

/** What a channel's addresses begin with, without a slash at the end. */
export function baseOf({ baseUrl }: RouteChannel, provider: Provider): string {
  return (baseUrl || provider.baseUrl).replace(/\/+$/, '');
}

/** The address of a place of the provider. Throws RelayFault. */
export function urlAt(channel: RouteChannel, provider: Provider, place: Place, call: UpstreamCallFacts): URL {
  const base = baseOf(channel, provider);
  const path = typeof place === 'string' ? place : placed(place, call);
  const isWhole = /^[a-z]+:\/\//.test(path);
  const template = provider.completeUrl === true ? base : isWhole ? path : below(base, path, provider.fronted);
  const url = URL.parse(template.replaceAll('{model}', encodeURIComponent(call.model)));
  if (url === null) throw localFault('do_request_failed', {}, { retryable: true });
  return url;
}

function placed(place: Exclude<Place, string>, call: UpstreamCallFacts): string {
  try {
    return place(call);
  } catch (error) {
    if (error instanceof RangeError) throw localFault('channel_misconfigured', { reason: error.message }, { retryable: true });
    throw error;
  }
}

/** `stream` cannot be overridden: the answer would come in another form than was promised (contract 4.10). */
export function overriddenFields({ paramOverride }: RouteChannel): JsonObject {
  const { stream: _, ...fields } = paramOverride;
  return fields;
}

function overrides(channel: RouteChannel): ReadonlyMap<string, string> {
  return new Map(Object.entries(overriddenFields(channel)).map(([key, value]) => [key, JSON.stringify(value)]));
}

function fixedHeaders(channel: RouteChannel, provider: Provider, accept: string): Record<string, string> {
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    accept,
    'accept-encoding': 'identity',
    'user-agent': 'tollgate',
    ...provider.headers,
    ...credentialHeaders(provider, channel),
  };
  return overrideHeaders(headers, channel.headerOverride, channel.key);
}

/** Headers of one call: the fixed ones, and those that the call decides. */
export function headersOf(channel: RouteChannel, provider: Provider, call: UpstreamCallFacts): Record<string, string> {
  const prepared = prepareChannel(channel, provider);
  const fixed = call.stream ? prepared.streamHeaders : prepared.headers;
  const more = provider.headersOf?.(call);
  return more === undefined ? fixed : overrideHeaders({ ...fixed, ...more }, channel.headerOverride, channel.key);
}
