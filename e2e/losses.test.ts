import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Console } from './support/console-client.ts';
import { type Gateway, startGateway } from './support/gateway.ts';
import { jsonAnswer } from './support/mock/dialect.ts';
import { type MockUpstream, startMockUpstream } from './support/mock-upstream.ts';
import { postJson } from './support/post-json.ts';

type Json = Record<string, unknown>;

const message = {
  ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'm', stop_reason: 'end_turn', stop_sequence: null },
  ...{ content: [{ type: 'text', text: 'yes' }], usage: { input_tokens: 30, output_tokens: 9 } },
};
let upstream: MockUpstream;
let gateway: Gateway;
let root: Console;
let key: string;

beforeAll(async () => {
  upstream = await startMockUpstream({ dialects: [['POST /messages', () => jsonAnswer(200, message)]] });
  gateway = await startGateway();
  root = await gateway.root();
  key = (await root.addToken()).key;
  await root.setOption('SelfUseModeEnabled', true);
});
afterAll(async () => {
  await gateway.stop();
  await upstream.close();
});
beforeEach(() => upstream.reset());

let models = 0;
/** A model of its own for each test, so that only the test's channels serve it. */
const newModel = () => {
  models += 1;
  return `model-${models}`;
};
const addChannel = (model: string, more: Json = {}) => root.addChannel({ base_url: upstream.url, models: model, ...more });
const chat = (body: Json, own = key) =>
  postJson(`${gateway.url}/v1/chat/completions`, own, { messages: [{ role: 'user', content: 'hi' }], ...body });
const errorOf = async (answer: Response) => [answer.status, ((await answer.json()) as { error: Json }).error] as const;

test('a strict caller is served by the channel that can say all, or refused', async () => {
  const strict = (await root.addToken({ name: 'strict', strict_conversion: true })).key;
  const both = newModel();
  await addChannel(both, { type: 14, priority: 9 });
  await addChannel(both, { priority: 1 });
  expect((await chat({ model: both, seed: 7 }, strict)).status).toBe(200);
  expect(upstream.requests().map(({ path }) => path)).toEqual(['/v1/chat/completions']);
  const lossy = await chat({ model: both, seed: 7 });
  expect([lossy.status, lossy.headers.get('x-tollgate-losses')]).toEqual([200, 'seed']);
  const only = newModel();
  await addChannel(only, { type: 14 });
  expect(await errorOf(await chat({ model: only, seed: 7 }, strict))).toMatchObject([
    ...[400, { code: 'conversion_refused', message: expect.stringContaining('seed') as string }],
  ]);
  expect((await chat({ model: only }, strict)).status).toBe(200);
});

test.each([
  ['a name that no header can hold', { 温度: 1, 'line\nbreak': 2 }, '%E6%B8%A9%E5%BA%A6,line%0Abreak'],
  [
    'more names than are told',
    Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`${at}`.padStart(90, 'x'), at])),
    undefined,
  ],
])('what a caller says in %s is lost by name, and nothing else is', async (_, said, told) => {
  const model = newModel();
  await addChannel(model, { type: 14 });
  for (const stream of [false, true]) {
    const answer = await chat({ model, stream, ...said });
    expect(answer.status).toBe(200);
    const losses = answer.headers.get('x-tollgate-losses') ?? '';
    expect(losses.length).toBeLessThan(8_000);
    if (told !== undefined) expect(losses).toBe(told);
    await answer.text();
  }
  expect(gateway.process.exitCode).toBeNull();
});

test('what was lost on the way to a channel that failed is not told of the one that answered', async () => {
  const model = newModel();
  await addChannel(model, { type: 14, priority: 2 });
  await addChannel(model, { priority: 1 });
  // A good head whose body is an error.
  upstream.script([{ body: { type: 'error', error: { type: 'overloaded_error', message: 'busy' } } }]);
  const answer = await chat({ model, seed: 7 });
  expect([answer.status, answer.headers.get('x-tollgate-losses')]).toEqual([200, null]);
  expect(upstream.requests().map(({ path }) => path)).toEqual(['/v1/messages', '/v1/chat/completions']);
});
