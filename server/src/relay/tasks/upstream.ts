import { PublicError } from '../../platform/errors.ts';
import type { UpstreamClient, UpstreamRequest } from '../../platform/http/client.ts';
import { below, credentialHeaders, type Provider, providerOf, type TaskApi } from '../../providers/index.ts';
import { overrideHeaders, type RouteChannel } from '../../routing/index.ts';
import type { Task } from '../../tasks/index.ts';
import { type ExchangeLimits, exchange, type WholeAnswer } from '../exchange.ts';
import { localFault } from '../faults.ts';
import type { RelayParts } from '../parts.ts';
import { baseOf } from '../prepare-channel.ts';

/** A channel that takes tasks, with the credential that a task is known under. */
export interface TaskUpstream {
  readonly channel: RouteChannel;
  readonly provider: Provider;
  readonly api: TaskApi;
}

/** Undefined: channels of this type do no work of that kind. */
export function taskUpstream(channel: RouteChannel, platform: TaskApi['platform']): TaskUpstream | undefined {
  const provider = providerOf(channel.type);
  if (provider?.tasks === undefined || provider.tasks.platform !== platform) return undefined;
  return { channel, provider, api: provider.tasks };
}

/** The channel with the credential of that name, or its usual one when that is gone. */
export function withKeyOf(channel: RouteChannel, keyId: string): RouteChannel {
  const key = channel.keys.find(({ id }) => id === keyId);
  return key === undefined || key.secret === channel.key ? channel : { ...channel, key: key.secret };
}

/** The account that has a task, also where its channel takes no new ones: what is paid for can be fetched. Rejects with RelayFault. */
export async function upstreamOf({ anyChannel }: Pick<RelayParts, 'anyChannel'>, task: Task): Promise<TaskUpstream> {
  const channel = await anyChannel(task.channelId).catch((error: unknown) => {
    if (error instanceof PublicError) return undefined;
    throw error;
  });
  const upstream = channel && taskUpstream(withKeyOf(channel, task.keyId), task.platform);
  if (upstream === undefined) throw localFault('task_channel_disabled');
  return upstream;
}

export interface Outgoing {
  readonly method: UpstreamRequest['method'];
  /** Below the channel's address. */
  readonly path: string;
  readonly body?: Buffer | undefined;
  readonly contentType?: string | undefined;
  readonly accept?: string;
}

/** The request that the client sends; undefined when the channel has no usable address. */
export function upstreamRequest({ channel, provider }: TaskUpstream, outgoing: Outgoing) {
  const url = URL.parse(below(baseOf(channel, provider), outgoing.path, provider.fronted));
  if (url === null) return undefined;
  const headers: Record<string, string> = {
    accept: outgoing.accept ?? 'application/json',
    'accept-encoding': 'identity',
    'user-agent': 'tollgate',
    ...(outgoing.body === undefined ? {} : { 'content-type': outgoing.contentType ?? 'application/json' }),
    ...provider.headers,
    ...credentialHeaders(provider, channel),
  };
  return {
    url,
    method: outgoing.method,
    headers: overrideHeaders(headers, channel.headerOverride, channel.key),
    body: outgoing.body,
    pool: String(channel.id),
    proxy: channel.setting.proxy,
    connectTimeoutMs: channel.setting.connectTimeoutMs,
  } satisfies Omit<UpstreamRequest, 'firstByteTimeoutMs' | 'idleTimeoutMs'>;
}

/** Rejects with UpstreamFault; undefined when the channel has no usable address. */
export function askUpstream(
  client: Pick<UpstreamClient, 'send'>,
  upstream: TaskUpstream,
  outgoing: Outgoing,
  limits: ExchangeLimits,
): Promise<WholeAnswer> | undefined {
  const request = upstreamRequest(upstream, outgoing);
  return request === undefined ? undefined : exchange(client, request, limits);
}
