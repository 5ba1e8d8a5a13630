import type { JsonObject } from '@tollgate/wire';
import { isObject } from './bodies.ts';
import type { UpstreamCallFacts } from './call.ts';
import { chinaModels } from './china-models.ts';
import type { Provider } from './provider.ts';
import { xunfeiKey, xunfeiSigner } from './sign/xunfei-hmac.ts';

const host = 'wss://spark-api.xf-yun.com';

/** Where a model is and what it is called there; `noSystem`: it knows no instructions. */
interface Seat {
  readonly path: string;
  readonly domain: string;
  readonly noSystem?: true;
}

const versions: ReadonlyMap<string, Seat> = new Map<string, Seat>([
  ['v1.1', { path: '/v1.1/chat', domain: 'lite', noSystem: true }],
  ['v2.1', { path: '/v2.1/chat', domain: 'generalv2', noSystem: true }],
  ['v3.1', { path: '/v3.1/chat', domain: 'generalv3', noSystem: true }],
  ['v3.5', { path: '/v3.5/chat', domain: 'generalv3.5' }],
  ['v4.0', { path: '/v4.0/chat', domain: '4.0Ultra' }],
  ['x1', { path: '/v1/x1', domain: 'spark-x' }],
  ['x1.5', { path: '/v1/x1', domain: 'spark-x' }],
  ['x2', { path: '/x2', domain: 'spark-x' }],
]);
const domains: ReadonlyMap<string, Seat> = new Map<string, Seat>([
  ['pro-128k', { path: '/chat/pro-128k', domain: 'pro-128k' }],
  ['max-32k', { path: '/chat/max-32k', domain: 'max-32k' }],
  ['spark-x', { path: '/x2', domain: 'spark-x' }],
  ['general', { path: '/v1.1/chat', domain: 'lite', noSystem: true }],
  ...[...versions.values()].map((seat): [string, Seat] => [seat.domain.toLowerCase(), seat]),
]);

/** The caller's version, else the model's own, else the channel's, else the first (contract 6.10). */
function versionOf({ model, channel, query }: UpstreamCallFacts): string {
  return query?.get('api-version') || /^spark(?:desk)?-(.+)$/i.exec(model)?.[1] || channel.other || 'v1.1';
}

function seatOf(call: UpstreamCallFacts): Seat | undefined {
  const named = call.query?.get('api-version') ? undefined : domains.get(call.model.toLowerCase());
  if (named !== undefined) return named;
  const version = versionOf(call).toLowerCase();
  return versions.get(version) ?? domains.get(version);
}

/** Channels have addresses of HTTP, also those that are reached over a socket. */
function place(call: UpstreamCallFacts): string {
  const seat = seatOf(call);
  if (seat === undefined) throw new RangeError(`unknown version: ${versionOf(call).slice(0, 40)}`);
  return (call.channel.baseUrl || host).replace(/^http/, 'ws').replace(/\/+$/, '') + seat.path;
}

/** Adds who asks and which model is meant; old models hear instructions as a turn they have agreed to. */
function adapt(body: JsonObject, call: UpstreamCallFacts): JsonObject {
  const { domain, noSystem } = seatOf(call) ?? {};
  const chat = inner(body.parameter, 'chat');
  const adapted: JsonObject = {
    ...body,
    header: { ...(isObject(body.header) ? body.header : {}), app_id: xunfeiKey(call.channel.key)?.appId ?? '' },
    parameter: { ...(isObject(body.parameter) ? body.parameter : {}), chat: { domain, ...chat } },
  };
  if (noSystem !== true) return adapted;
  const payload = isObject(body.payload) ? body.payload : {};
  const message = inner(payload, 'message');
  const text = Array.isArray(message.text) ? message.text.flatMap(agreed) : [];
  return { ...adapted, payload: { ...payload, message: { ...message, text } } };
}

function agreed(turn: unknown): unknown[] {
  if (!isObject(turn) || turn.role !== 'system') return [turn];
  return [
    { ...turn, role: 'user' },
    { role: 'assistant', content: 'Okay' },
  ];
}

function inner(value: unknown, name: string): JsonObject {
  const member = isObject(value) ? value[name] : undefined;
  return isObject(member) ? member : {};
}

/** Spark over a WebSocket. */
export const xunfei: Provider = {
  type: 18,
  name: 'xunfei',
  baseUrl: host,
  paths: { 'spark-chat': place },
  streamUsage: false,
  transport: 'websocket',
  streamsOnly: true,
  sign: xunfeiSigner,
  adapt,
  models: chinaModels[18],
};
