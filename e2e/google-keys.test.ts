import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Console } from './support/console-client.ts';
import { type Gateway, startGateway } from './support/gateway.ts';
import { vendorRoutes } from './support/mock/vendors/index.ts';
import { type MockScript, type MockUpstream, startMockUpstream } from './support/mock-upstream.ts';
import { addServing, ask } from './support/routing.ts';

const maxModels = 4;
let upstream: MockUpstream;
let gateway: Gateway;
let root: Console;
let key: string;
let next = 0;

beforeAll(async () => {
  upstream = await startMockUpstream({ dialects: vendorRoutes });
  gateway = await startGateway();
  root = await gateway.root();
  await root.setOption('AutomaticDisableChannelEnabled', false);
  const names = Array.from({ length: maxModels }, (_, k) => `gemini-${k}`);
  await root.setOption('ModelRatio', Object.fromEntries(names.map((name) => [name, 1])));
  key = (await root.addToken()).key;
});
beforeEach(() => upstream.reset());
afterAll(async () => {
  await gateway.stop();
  await upstream.close();
});

/** A model of its own behind a channel of two keys, which are taken in turns. */
async function served(): Promise<string> {
  const model = `gemini-${next++}`;
  const setting = JSON.stringify({ multi_key: 'polling' });
  await addServing(root, { type: 24, base_url: upstream.url, models: model, key: 'key-dead\nkey-good', setting });
  return model;
}

const rpc = (code: number, status: string, details: object[]): MockScript => ({
  status: code,
  body: { error: { code, message: 'no', status, details } },
});
const deadKey = rpc(400, 'INVALID_ARGUMENT', [
  { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' },
]);
const wrongAsk = rpc(400, 'INVALID_ARGUMENT', [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'OTHER' }]);
const tooMany = (retryDelay: string) =>
  rpc(429, 'RESOURCE_EXHAUSTED', [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay }]);
const keysSeen = () => upstream.requests().map(({ headers }) => headers['x-goog-api-key']);

test('a dead key, told with status 400, makes way for another one of its channel; the caller sees nothing of it', async () => {
  const model = await served();
  upstream.script(({ headers }) => (headers['x-goog-api-key'] === 'key-dead' ? deadKey : undefined));
  expect(await ask(gateway, { model, key })).toMatchObject({ status: 200 });
  expect(keysSeen()).toEqual(['key-dead', 'key-good']);
});

test('a wrong request with the same status does not', async () => {
  const model = await served();
  upstream.script(() => wrongAsk);
  expect(await ask(gateway, { model, key })).toMatchObject({ status: 400 });
  expect(keysSeen()).toEqual(['key-dead']);
});

test('the time to wait that the body names is told as Retry-After is', async () => {
  const model = await served();
  upstream.script(() => tooMany('34.2s'));
  const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'hi' }] }),
  });
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '35']);
  expect(keysSeen()).toEqual(['key-dead', 'key-good']);
});

test('a body that names nonsense changes nothing', async () => {
  const model = await served();
  upstream.script(() => tooMany('-5 parsecs'));
  const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'hi' }] }),
  });
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '5']);
});
