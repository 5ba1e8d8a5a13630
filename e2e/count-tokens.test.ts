import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Console } from './support/console-client.ts';
import { type Gateway, startGateway } from './support/gateway.ts';
import { vendorCount } from './support/mock/vendors/counting.ts';
import { vendorRoutes } from './support/mock/vendors/index.ts';
import { type MockUpstream, startMockUpstream } from './support/mock-upstream.ts';
import { addServing } from './support/routing.ts';

let upstream: MockUpstream;
let gateway: Gateway;
let root: Console;
let key: string;

beforeAll(async () => {
  upstream = await startMockUpstream({ dialects: vendorRoutes });
  gateway = await startGateway();
  root = await gateway.root();
  const mapped = (model: string) => JSON.stringify({ [model]: `real-${model}` });
  const base = { base_url: upstream.url, key: 'upstream-key-9' };
  await addServing(root, { ...base, type: 14, models: 'claude-a', model_mapping: mapped('claude-a') });
  await addServing(root, { ...base, type: 24, models: 'gemini-a', model_mapping: mapped('gemini-a') });
  await addServing(root, { ...base, type: 1, models: 'gpt-a' });
  key = (await root.addToken()).key;
});
beforeEach(() => upstream.reset());
afterAll(async () => {
  expect(await root.logs()).toEqual([]);
  await gateway.stop();
  await upstream.close();
});

async function count(path: string, body: object) {
  const answer = await fetch(gateway.url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'anthropic-version': '2023-06-01' },
    body: JSON.stringify(body),
  });
  return { by: answer.headers.get('x-tollgate-counted'), body: (await answer.json()) as Record<string, number> };
}

const words = 'one two three';
const claude = (more: object = {}) =>
  count('/v1/messages/count_tokens', { model: 'claude-a', messages: [{ role: 'user', content: words }], ...more });
const gemini = (body: object) => count('/v1beta/models/gemini-a:countTokens', body);
const contents = [{ role: 'user', parts: [{ text: words }] }];

test('an upstream of the caller’s dialect counts, by its own name of the model; what only an answer needs stays here', async () => {
  expect(await claude({ max_tokens: 5, stream: true })).toEqual({ by: 'upstream', body: { input_tokens: vendorCount } });
  const [asked] = upstream.requests();
  expect(asked).toMatchObject({ path: '/v1/messages/count_tokens', headers: { 'x-api-key': 'upstream-key-9' } });
  expect(asked?.json).toEqual({ model: 'real-claude-a', messages: [{ role: 'user', content: words }] });
});

test('the same in the other dialect, plain and with the request that it wraps', async () => {
  for (const body of [{ contents }, { generateContentRequest: { model: 'models/gemini-a', contents } }])
    expect(await gemini(body)).toMatchObject({ by: 'upstream', body: { totalTokens: vendorCount } });
  const [plain, wrapped] = upstream.requests();
  expect(plain).toMatchObject({ path: '/v1beta/models/real-gemini-a:countTokens', json: { contents } });
  expect(wrapped?.json).toEqual({ generateContentRequest: { model: 'models/real-gemini-a', contents } });
});

const input = (body: object) => count('/v1/responses/input_tokens', { model: 'gpt-a', ...body });

test('the same of Responses, also of what goes on from an answer that the upstream keeps', async () => {
  const upstreams = { by: 'upstream', body: { object: 'response.input_tokens', input_tokens: vendorCount } };
  const asked = { input: words, store: false, stream: true, max_output_tokens: 9, temperature: 0 };
  expect(await input(asked)).toEqual(upstreams);
  expect(await input({ previous_response_id: 'resp_1', input: words })).toEqual(upstreams);
  const [plain, continued] = upstream.requests();
  expect(plain).toMatchObject({ path: '/v1/responses/input_tokens', headers: { authorization: 'Bearer upstream-key-9' } });
  expect(plain?.json).toEqual({ model: 'gpt-a', input: words });
  expect(continued?.json).toEqual({ model: 'gpt-a', input: words, previous_response_id: 'resp_1' });
});

test('what an upstream keeps is counted by nobody else: the caller hears that', async () => {
  upstream.script(() => ({ status: 404 }));
  expect((await input({ input: words })).by).toBe('tokenizer');
  for (const kept of [{ previous_response_id: 'resp_1' }, { conversation: 'conv_1' }]) {
    const { by, body } = await input({ input: words, ...kept });
    expect({ by, code: (body.error as unknown as { code: string }).code }).toEqual({ by: null, code: 'state_not_kept' });
  }
});

test.each([
  ['refuses', { status: 500 }],
  ['is rate limited', { status: 429 }],
  ['breaks off', { fault: 'reset' as const }],
  ['answers something else', { body: 'hello' }],
])('where the upstream %s the gateway counts, and the channel keeps its health', async (_, script) => {
  upstream.script(() => script);
  const told = await claude();
  expect(told.by).toBe('tokenizer');
  expect(told.body.input_tokens).toBeLessThan(40);
  expect(upstream.requests()).toHaveLength(1);
  upstream.reset();
  expect((await claude()).by).toBe('upstream');
});

test('for a model of another dialect, or that nobody serves, the gateway counts and asks nobody', async () => {
  for (const model of ['gpt-a', 'nobody-has-it']) expect((await claude({ model })).by).toBe('tokenizer');
  expect(upstream.requests()).toEqual([]);
});
