import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { json as jsonOf } from 'node:stream/consumers';
import type Anthropic from '@anthropic-ai/sdk';
import type OpenAI from 'openai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { anthropicOf, openaiOf } from './conformance/clients.ts';
import type { Console } from './support/console-client.ts';
import { type Gateway, startGateway } from './support/gateway.ts';
import { type MockUpstream, startMockUpstream } from './support/mock-upstream.ts';

const model = 'gpt-4o-mini';
let upstream: MockUpstream;
let gateway: Gateway;
let root: Console;
let key: string;

beforeAll(async () => {
  upstream = await startMockUpstream();
  gateway = await startGateway();
  root = await gateway.root();
  await root.addChannel({ base_url: upstream.url, models: `${model},text-embedding-3-small` });
  key = (await root.addToken({ name: 'limited', unlimited_quota: false, remain_quota: 500_000 })).key;
});
afterAll(async () => {
  await gateway.stop();
  await upstream.close();
});

type Json = Record<string, unknown>;
const bearer = () => ({ authorization: `Bearer ${key}` });
const call = (path: string, body?: object, headers: Record<string, string> = bearer()) =>
  fetch(gateway.url + path, {
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    headers: { ...headers, 'content-type': 'application/json' },
  });
const json = async (path: string, body?: object, headers?: Record<string, string>) =>
  (await (await call(path, body, headers)).json()) as Json;

describe('the key is found where each SDK puts it', () => {
  test.each([
    ['authorization', () => call('/v1/models', undefined, { authorization: `Bearer ${key}` })],
    ['without the word Bearer', () => call('/v1/models', undefined, { authorization: key })],
    ['x-api-key', () => call('/v1/models', undefined, { 'x-api-key': key })],
    ['x-goog-api-key', () => call('/v1beta/models', undefined, { 'x-goog-api-key': key })],
    ['the query', () => call(`/v1beta/models?key=${key}`, undefined, {})],
    ['mj-api-secret', () => call('/v1/models', undefined, { authorization: 'midjourney-proxy', 'mj-api-secret': key })],
  ])('%s', async (_, ask) => {
    expect((await ask()).status).toBe(200);
  });

  test('of several the one of the caller’s dialect counts, then the bearer: a proxy may have put its own into the other places', async () => {
    const [foreign, body] = [
      { 'x-api-key': 'proxy-1', 'x-goog-api-key': 'proxy-2' },
      { model, messages: [], contents: [] },
    ];
    const statusOf = async (path: string, more: Record<string, string>, sent?: object) =>
      (await call(path, sent, { ...foreign, ...more })).status;
    expect(await statusOf('/v1/models', bearer())).toBe(200);
    expect(await statusOf('/v1/messages', bearer(), body)).toBe(401);
    expect(await statusOf('/v1beta/models', bearer())).toBe(401);
    expect(await statusOf('/v1beta/models', { authorization: 'Bearer proxy-3', 'x-goog-api-key': key })).toBe(200);
    expect(await statusOf('/v1/models', { 'anthropic-version': '2023-06-01', 'x-api-key': key })).toBe(200);
    const empty = await call('/v1/models', undefined, { authorization: 'Bearer ' });
    expect(await empty.json()).toMatchObject({ error: { message: expect.stringContaining('未提供令牌') } });
  });

  test('a token with nothing left is told so and ends; a number that no channel has is none, a disabled one is', async () => {
    const body = { model, messages: [{ role: 'user', content: 'hi' }] };
    const told = async (secret: string) => {
      const answer = await call('/v1/chat/completions', body, { authorization: `Bearer ${secret}` });
      const { error } = (await answer.json()) as { error: { message: string } };
      return [answer.status, error.message.replace(/ \(request id.*/, '')];
    };
    const empty = (await root.addToken({ name: 'empty', unlimited_quota: false, remain_quota: 0 })).key;
    const shown = `sk-${empty.replace('sk-', '').slice(0, 3)}***${empty.slice(-3)}`;
    const spent = `[${shown}] 该令牌额度已用尽 !token.UnlimitedQuota && token.RemainQuota = 0`;
    expect(await told(empty)).toEqual([401, spent]);
    await expect.poll(() => told(empty)).toEqual([401, `该令牌额度已用尽 TokenStatusExhausted[${shown}]`]);
    const { id } = await root.addChannel({ base_url: upstream.url, models: 'other', status: 2 });
    expect(await told(`${key}-99999`)).toEqual([400, '无效的渠道 Id']);
    expect(await told(`${key}-${id}`)).toEqual([403, '该渠道已被禁用']);
  });

  test('and a wrong one is refused in the caller’s dialect', async () => {
    const wrong = await call('/v1/messages', {}, { 'x-api-key': 'sk-wrong' });
    expect([wrong.status, await wrong.json()]).toMatchObject([401, { type: 'error', error: { message: /无效的令牌/ } }]);
    const google = await call(`/v1beta/models/${model}:generateContent`, {}, { 'x-goog-api-key': 'sk-wrong' });
    expect([google.status, await google.json()]).toMatchObject([401, { error: { code: 401, status: 'UNAUTHENTICATED' } }]);
  });
});

test('a socket where calls are asked by POST is refused as agents understand it: they go on by POST at once', async () => {
  const upgrade = { connection: 'upgrade', upgrade: 'websocket', 'sec-websocket-version': '13', 'sec-websocket-key': 'a2V5' };
  const asked = async (path: string) => {
    const [answer] = (await once(get(gateway.url + path, { headers: { ...bearer(), ...upgrade } }), 'response')) as [
      IncomingMessage,
    ];
    return [answer.statusCode, ((await jsonOf(answer)) as { error: Json }).error.code];
  };
  expect(await asked('/v1/chat/completions')).toEqual([426, 'socket_not_offered']);
  expect(await asked('/v1/nowhere')).toEqual([404, '']);
  expect((await call('/v1/responses')).status).toBe(404);
});

describe('lists of models', () => {
  test('each dialect has its own', async () => {
    const names = [model, 'text-embedding-3-small'];
    expect(((await json('/v1/models')).data as Json[]).map(({ id }) => id)).toEqual(names);
    const versioned = { 'x-api-key': key, 'anthropic-version': '2023-06-01' };
    expect(await json('/v1/models', undefined, versioned)).toMatchObject({
      data: names.map((id) => ({ type: 'model', id })),
      has_more: false,
      first_id: names[0],
      last_id: names[1],
    });
    // The vendor's pages: a client that asked on after the last one got the whole list again, without an end.
    const page = async (query: string) => {
      const { data, has_more } = await json(`/v1/models?${query}`, undefined, versioned);
      return [(data as Json[]).map(({ id }) => id), has_more];
    };
    expect(await page('limit=1')).toEqual([[names[0]], true]);
    expect(await page(`limit=1&after_id=${names[0]}`)).toEqual([[names[1]], false]);
    expect(await page(`after_id=${names[1]}`)).toEqual([[], false]);
    expect(await page('after_id=gone')).toEqual([[], false]);
    expect(await page(`limit=5&before_id=${names[1]}`)).toEqual([[names[0]], false]);
    expect(await page(`before_id=${names[0]}`)).toEqual([[], false]);
    const { models } = (await json('/v1beta/models')) as { models: Json[] };
    expect(models.map(({ name, supportedGenerationMethods }) => [name, supportedGenerationMethods])).toEqual([
      [`models/${model}`, ['generateContent', 'streamGenerateContent', 'countTokens']],
      ['models/text-embedding-3-small', ['embedContent', 'batchEmbedContents']],
    ]);
  });

  test('a list is looked at without its body, as monitors do, and nothing is begun so', async () => {
    const look = (path: string, headers = { authorization: `Bearer ${key}` }) =>
      fetch(gateway.url + path, { method: 'HEAD', headers });
    const list = await look('/v1/models');
    expect([list.status, await list.text()]).toEqual([200, '']);
    const told = await fetch(`${gateway.url}/v1/models`, { headers: { authorization: `Bearer ${key}` } });
    expect(list.headers.get('content-length')).toBe(told.headers.get('content-length'));
    expect((await look('/v1/models', { authorization: 'Bearer sk-wrong' })).status).toBe(401);
    for (const path of ['/v1/realtime?model=x', '/v1/chat/completions', '/v1/videos/x/content'])
      expect([path, (await look(path)).status]).toEqual([path, 404]);
  });

  test('one model is shown, a foreign one is not there', async () => {
    expect(await json(`/v1/models/${model}`)).toMatchObject({ id: model, object: 'model' });
    expect(await json(`/v1beta/models/${model}`)).toMatchObject({ name: `models/${model}` });
    const missing = await call('/v1/models/nobody');
    const absent = { type: 'invalid_request_error', param: 'model', code: 'model_not_found' };
    expect([missing.status, await missing.json()]).toMatchObject([404, { error: absent }]);
    const nowhere = await call('/v1/nowhere');
    expect([nowhere.status, await nowhere.json()]).toMatchObject([
      404,
      { error: { type: 'invalid_request_error', param: '', code: '' } },
    ]);
  });
});

describe('the id of a log row is where the SDK of the dialect reads it', () => {
  const asked = { model, messages: [{ role: 'user' as const, content: 'hi' }] };
  const failureOf = (call: Promise<unknown>) => call.then(() => undefined).catch((error: unknown) => error);
  const rowIds = async () => (await root.logs()).map(({ request_id }) => request_id);

  test('OpenAI', async () => {
    const { chat, models } = openaiOf({ gateway, key });
    const whole = await chat.completions.create(asked);
    const { data: stream, request_id: ofStream } = await chat.completions.create({ ...asked, stream: true }).withResponse();
    for await (const { object } of stream) expect(object).toBe('chat.completion.chunk');
    expect(await rowIds()).toEqual(expect.arrayContaining([whole._request_id, ofStream]));
    const failure = (await failureOf(models.retrieve('nobody'))) as InstanceType<typeof OpenAI.APIError>;
    expect(failure.requestID).toMatch(/^\d{23}\w{8}$/);
    expect(failure.message).toContain(failure.requestID);
  });

  test('Anthropic', async () => {
    const { messages, models } = anthropicOf({ gateway, key });
    const whole = await messages.create({ ...asked, max_tokens: 9 });
    const stream = messages.stream({ ...asked, max_tokens: 9 });
    await stream.finalMessage();
    expect(await rowIds()).toEqual(expect.arrayContaining([whole._request_id, stream.request_id]));
    const refused = (await failureOf(messages.create({ ...asked, model: 'nobody', max_tokens: 9 }))) as Failed;
    const missing = (await failureOf(models.retrieve('nobody'))) as Failed;
    for (const { requestID, message } of [refused, missing]) {
      expect(requestID).toMatch(/^\d{23}\w{8}$/);
      expect(message).toContain(requestID);
    }
    expect(missing.error).toMatchObject({ type: 'error', request_id: missing.requestID });
  });
});

type Failed = InstanceType<typeof Anthropic.APIError>;

test('tokens are counted in both dialects without a charge and without asking an upstream', async () => {
  const before = { quota: (await root.self()).quota, asked: upstream.requests().length };
  const text = 'The quick brown fox jumps over the lazy dog.';
  const one = await call('/v1/messages/count_tokens', { model, messages: [{ role: 'user', content: text }] });
  expect(one.headers.get('x-tollgate-counted')).toBe('tokenizer');
  // Ten tokens of text, one of the role, three of the message, three of the reply (contract 6.8).
  expect(await one.json()).toEqual({ input_tokens: 17 });
  const contents = [{ role: 'user', parts: [{ text }] }];
  expect(await json(`/v1beta/models/${model}:countTokens`, { contents })).toMatchObject({ totalTokens: 17 });
  const bad = await call('/v1/messages/count_tokens', { model });
  expect([bad.status, await bad.json()]).toMatchObject([400, { type: 'error' }]);
  expect({ quota: (await root.self()).quota, asked: upstream.requests().length }).toEqual(before);
});

test('older clients see their balance', async () => {
  for (const prefix of ['', '/v1']) {
    const subscription = await json(`${prefix}/dashboard/billing/subscription`);
    expect(subscription).toMatchObject({
      object: 'billing_subscription',
      has_payment_method: true,
      hard_limit_usd: 1,
      access_until: 0,
    });
    expect(await json(`${prefix}/dashboard/billing/usage`)).toMatchObject({ object: 'list', total_usage: expect.any(Number) });
  }
  expect((await call('/dashboard/billing/usage', undefined, {})).status).toBe(401);
});

test('a key sees its own balance, usage, costs and limits, and nothing of others', async () => {
  const today = () => new Date().toISOString().slice(0, 10);
  const before = today();
  const chat = await call('/v1/chat/completions', { model, messages: [{ role: 'user', content: 'hi' }] });
  const requestId = chat.headers.get('x-oneapi-request-id') ?? '';
  const cost = await json(`/v1/cost/${requestId}`);
  expect(cost).toMatchObject({ object: 'cost', request_id: requestId, model, quota: expect.any(Number), is_stream: false });
  // At midnight it may have been called on the one day or on the other.
  const days = [before, today()];
  const usage = (await json('/v1/usage')) as { data: { day: string; model: string; quota: number; requests: number }[] };
  const rows = usage.data.filter((one) => one.model === model && days.includes(one.day));
  expect(rows).toContainEqual(expect.objectContaining({ requests: expect.any(Number) }));
  const balance = (await json('/v1/balance')) as { token: { remain: number; used: number; held: number } };
  expect(balance.token.remain + balance.token.used + balance.token.held).toBe(500_000);
  const spent = usage.data.reduce((sum, one) => sum + one.quota, 0);
  expect(spent).toBe(balance.token.used);
  expect(await json('/v1/credits')).toEqual({ data: { total_credits: 1, total_usage: spent / 500_000 } });
  expect(await json('/v1/limits')).toEqual({ object: 'list', data: [] });
  const other = await root.addToken({ name: 'other', rpm: 5, quota_day: 1_000_000 });
  const asOther = { authorization: `Bearer ${other.key}` };
  expect((await call(`/v1/cost/${requestId}`, undefined, asOther)).status).toBe(404);
  expect(await json('/v1/limits', undefined, asOther)).toMatchObject({
    data: [
      { of: 'token', limit: 'rpm', allowed: 5, used: 0, remaining: 5 },
      { of: 'token', limit: 'quota_day', allowed: 1_000_000, used: 0 },
    ],
  });
  expect(await json('/v1/usage', undefined, asOther)).toMatchObject({ data: [] });
  expect((await call('/v1/usage?start=tomorrowish')).status).toBe(400);
});

test('a key opens nothing from where it may not be used, lists and accounts neither', async () => {
  const { key: away } = await root.addToken({ name: 'away', allow_ips: '203.0.113.0/24' });
  const headers = { authorization: `Bearer ${away}` };
  const paths = [
    '/v1/models',
    `/v1/models/${model}`,
    '/v1beta/models',
    '/v1/balance',
    '/v1/credits',
    '/v1/usage',
    '/v1/cost/x',
    '/v1/limits',
  ];
  for (const path of [...paths, '/dashboard/billing/usage', '/v1/dashboard/billing/subscription'])
    expect([path, (await call(path, undefined, headers)).status]).toEqual([path, 403]);
  expect((await call('/v1/chat/completions', { model, messages: [] }, headers)).status).toBe(403);
});

describe('gemini', () => {
  const contents = [{ role: 'user', parts: [{ text: 'hi' }] }];

  test('a stream without alt=sse is one JSON array', async () => {
    const answer = await call(`/v1beta/models/${model}:streamGenerateContent`, { contents });
    expect(answer.headers.get('content-type')).toBe('application/json');
    const events = (await answer.json()) as { candidates: { content: { parts: { text: string }[] } }[] }[];
    expect(events.map(({ candidates }) => candidates[0]?.content.parts[0]?.text).join('')).toMatch(/^Hello/);
    expect(events.at(-1)).toMatchObject({ usageMetadata: { totalTokenCount: expect.any(Number) } });
  });

  test('a failing array tells its error as its last element', async () => {
    upstream.script([{ errorAfterChunks: 2 }]);
    const answer = await call(`/v1beta/models/${model}:streamGenerateContent`, { contents });
    const events = (await answer.json()) as Json[];
    expect(events.length).toBeGreaterThan(1);
    expect(events.at(-1)).toMatchObject({ error: { code: expect.any(Number), message: expect.any(String) } });
  });

  test('texts become vectors through an upstream of another dialect, and are paid for', async () => {
    const before = (await root.self()).quota;
    const named = 'text-embedding-3-small';
    const one = await json(`/v1beta/models/${named}:embedContent`, { content: { parts: [{ text: 'hi' }] } });
    expect(one).toMatchObject({ embedding: { values: [0.1, 0.2] } });
    const many = await json(`/v1beta/models/${named}:batchEmbedContents`, {
      requests: [{ content: { parts: [{ text: 'hi' }] } }],
    });
    expect(many).toMatchObject({ embeddings: [{ values: [0.1, 0.2] }] });
    expect(await json(`/v1/engines/${named}/embeddings`, { input: 'hi' })).toMatchObject({ data: [{ embedding: [0.1, 0.2] }] });
    expect((await root.self()).quota).toBeLessThan(before);
  });
});

test.each([
  'POST /v1/files',
  'GET /v1/fine-tunes',
  'DELETE /v1/models/x',
  'POST /v1/edits',
  'GET /v1/responses/resp_1',
  'DELETE /v1/responses/resp_1',
  'POST /v1/responses/resp_1/cancel',
  'GET /v1/responses/resp_1/input_items',
  'GET /v1/conversations/conv_1',
  'POST /v1/realtime/client_secrets',
])('%s is known and not offered', async (route) => {
  const [method = '', path = ''] = route.split(' ');
  const answer = await fetch(gateway.url + path, { method, headers: bearer() });
  expect([answer.status, await answer.json()]).toMatchObject([501, { error: { code: 'api_not_implemented' } }]);
});

test.each([
  ['/v1/messages/batches', { 'anthropic-version': '2026-10-21' }, { type: 'error', error: { type: 'invalid_request_error' } }],
  ['/v1/files', { 'anthropic-version': '2026-10-21' }, { type: 'error', error: {} }],
  ['/v1/cachedContents', { 'x-goog-api-key': 'k' }, { error: { code: 404, status: 'NOT_FOUND' } }],
  ['/v1/batches', {}, { error: { type: 'invalid_request_error', code: '' } }],
])(
  'what is not served at %s is told in the dialect of the SDK that asks, %j',
  async (path, headers: Record<string, string>, told) => {
    expect(await json(path, undefined, { ...bearer(), ...headers })).toMatchObject(told);
  },
);
