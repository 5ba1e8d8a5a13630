import { isObject } from './bodies.ts';
import type { ChannelFacts } from './call.ts';
import { credentialHeaders } from './credentials.ts';
import { below } from './places.ts';
import type { ModelList } from './provider.ts';
import { providerOf } from './registry.ts';
import type { SignTools } from './sign.ts';

/** A GET whose answer lists models. Header names are lower case. */
export interface ModelAsk {
  readonly url: URL;
  readonly headers: Record<string, string>;
}

const usual: ModelList = { path: '/v1/models' };
const empty: Buffer = Buffer.alloc(0);

/**
 * How a channel's upstream is asked for its models, credential included; `channel.baseUrl` is the address that paths
 * are appended to. Undefined when the channel has no address. Rejects with RangeError for a channel that is set up
 * wrongly, with SignFault for a key that cannot sign.
 */
export async function askForModels(type: number, channel: ChannelFacts, tools: SignTools): Promise<ModelAsk | undefined> {
  const provider = providerOf(type);
  const { path } = provider?.modelList ?? usual;
  const place = typeof path === 'string' ? path : path(channel);
  const base = channel.baseUrl || (provider?.baseUrl ?? '');
  const url = URL.parse(place.startsWith('/') ? below(base, place, provider?.fronted) : place);
  if (url === null) return undefined;
  const usualHeaders = { accept: 'application/json', 'accept-encoding': 'identity' };
  const headers = { ...usualHeaders, ...provider?.headers, ...credentialHeaders(provider, channel) };
  if (provider?.sign === undefined) return { url, headers };
  const call = { channel, model: '', stream: false, protocol: 'models' };
  const signed = await provider.sign({ ...call, url, method: 'GET', headers, body: empty }, tools);
  return { url: signed.url ?? url, headers: { ...headers, ...signed.headers } };
}

/** The names in a parsed list of models; undefined when it is no list of that upstream's. */
export function readModelNames(type: number, answer: unknown): string[] | undefined {
  const { list = 'data', id = 'id', strip = '' } = providerOf(type)?.modelList ?? usual;
  const entries = list === '' ? answer : isObject(answer) ? answer[list] : undefined;
  if (!Array.isArray(entries)) return undefined;
  const names = entries.filter(isObject).flatMap(({ [id]: name }) => (typeof name === 'string' && name !== '' ? [name] : []));
  return names.map((name) => (name.startsWith(strip) ? name.slice(strip.length) : name));
}
