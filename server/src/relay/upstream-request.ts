import { openaiChat, type RequestPeek } from '@tollgate/wire';
import type { Provider } from '../providers/index.ts';
import { overrideHeaders, type RouteChannel, upstreamModel } from '../routing/index.ts';
import { localFault } from './faults.ts';

/** A chat request as it came: the caller's bytes and what was read of them. */
export interface ChatBody {
  readonly bytes: Buffer;
  readonly peek: RequestPeek;
}

export interface Outgoing {
  readonly url: URL;
  readonly headers: Record<string, string>;
  readonly body: Buffer;
  /** The name sent upstream when it differs from the caller's. */
  readonly upstreamModel: string | undefined;
  /** We asked for usage on the caller's behalf: that frame must not reach the caller. */
  readonly swallowUsage: boolean;
}

/**
 * Builds the request to one channel from the caller's bytes (rulings 10: only named members change). `cap` lowers the
 * answer to what the hold covers. Throws RelayFault.
 */
export function buildOutgoing(
  { bytes, peek }: ChatBody,
  channel: RouteChannel,
  provider: Provider,
  cap: number | undefined,
): Outgoing {
  const name = upstreamModel(channel.modelMapping, peek.model);
  if (name === undefined) throw localFault('model_mapped_error', { reason: 'model_mapping_contains_cycle' });
  const prepared = prepare(channel, provider);
  const swallowUsage = peek.stream && !peek.wantsUsage && provider.streamUsage;
  return {
    url: prepared.urlFor(name),
    headers: peek.stream ? prepared.streamHeaders : prepared.headers,
    body: openaiChat.editRequest(bytes, peek, {
      model: name,
      includeUsage: swallowUsage,
      cap,
      capField: provider.capField?.(name),
      more: prepared.overrides,
    }),
    upstreamModel: name === peek.model ? undefined : name,
    swallowUsage,
  };
}

/** The parts of a channel's requests that no call changes. */
interface PreparedChannel {
  readonly headers: Record<string, string>;
  readonly streamHeaders: Record<string, string>;
  readonly overrides: ReadonlyMap<string, string>;
  urlFor(model: string): URL;
}

const preparedChannels = new WeakMap<RouteChannel, PreparedChannel>();
const urlsPerChannel = 1_000;

/** A snapshot's channels never change, so this is made once for each. */
function prepare(channel: RouteChannel, provider: Provider): PreparedChannel {
  const known = preparedChannels.get(channel);
  if (known !== undefined) return known;
  const urls = new Map<string, URL>();
  const fresh: PreparedChannel = {
    headers: upstreamHeaders(channel, provider, false),
    streamHeaders: upstreamHeaders(channel, provider, true),
    overrides: overrides(channel),
    urlFor(model) {
      const found = urls.get(model);
      if (found !== undefined) return found;
      if (urls.size >= urlsPerChannel) urls.clear();
      const url = upstreamUrl(channel, provider, model);
      urls.set(model, url);
      return url;
    },
  };
  preparedChannels.set(channel, fresh);
  return fresh;
}

/** `stream` cannot be overridden: the answer would come in another form than was promised (contract 4.10). */
function overrides(channel: RouteChannel): ReadonlyMap<string, string> {
  const entries = Object.entries(channel.paramOverride).filter(([key]) => key !== 'stream');
  return new Map(entries.map(([key, value]) => [key, JSON.stringify(value)]));
}

function upstreamUrl(channel: RouteChannel, provider: Provider, model: string): URL {
  const base = channel.baseUrl || provider.baseUrl;
  const path = provider.paths['openai-chat'] as string | undefined;
  if (path === undefined) throw localFault('channel_type_planned', { type: channel.type }, { retryable: true });
  const complete = provider.completeUrl === true;
  const address = complete ? base.replaceAll('{model}', encodeURIComponent(model)) : `${base.replace(/\/+$/, '')}${path}`;
  const url = URL.parse(address);
  if (url === null) throw localFault('do_request_failed', {}, { retryable: true });
  return url;
}

function upstreamHeaders(channel: RouteChannel, provider: Provider, isStream: boolean): Record<string, string> {
  const headers: Record<string, string> = {
    'content-type': 'application/json',
    accept: isStream ? 'text/event-stream' : 'application/json',
    'accept-encoding': 'identity',
    'user-agent': 'tollgate',
    ...provider.headers,
  };
  if (provider.keyHeader === undefined) headers.authorization = `Bearer ${channel.key}`;
  else headers[provider.keyHeader] = channel.key;
  if (provider.organizationHeader !== undefined && channel.organization !== '') {
    headers[provider.organizationHeader] = channel.organization;
  }
  return overrideHeaders(headers, channel.headerOverride, channel.key);
}
