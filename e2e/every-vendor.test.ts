import { channelTypes } from '@tollgate/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Console } from './support/console-client.ts';
import { type Gateway, startGateway } from './support/gateway.ts';
import { chatVendor } from './support/mock/vendors/chat/answer.ts';
import { vendorRoutes } from './support/mock/vendors/index.ts';
import { chatRoute, toldOf } from './support/mock/vendors/vendor.ts';
import { type MockUpstream, startMockUpstream } from './support/mock-upstream.ts';
import { postJson } from './support/post-json.ts';
import { explain } from './support/routing.ts';
import { eventually } from './support/wait.ts';

/** Spoken to in ways of their own, each through sockets: server/test/china-vendors.test.ts and global-vendors.test.ts. */
const elsewhere: ReadonlySet<number> = new Set([3, 11, 14, 15, 16, 18, 21, 23, 24, 33, 34, 37, 41]);
/** They work in the background alone: their own tests. */
const tasksOnly: ReadonlySet<number> = new Set([2, 5, 36]);
/** They only make vectors, or rank. */
const vectorsOnly: ReadonlySet<number> = new Set([38, 44, 1026]);
const key = 'vendor-key-1';

const served = channelTypes.filter(({ type }) => !tasksOnly.has(type) && !elsewhere.has(type));
const modelOf = (type: number) => (type === 44 ? 'm3e-base' : `model-${type}`);
let upstream: MockUpstream;
let gateway: Gateway;
let root: Console;
let token: string;

beforeAll(async () => {
  upstream = await startMockUpstream({ dialects: [...vendorRoutes, ['POST /text/chatcompletion_v2', chatRoute(chatVendor)]] });
  gateway = await startGateway();
  root = await gateway.root();
  const models = served.map(({ type }) => modelOf(type));
  await root.setOption('ModelRatio', Object.fromEntries(models.map((model) => [model, 1])));
  await root.setOption('CompletionRatio', Object.fromEntries(models.map((model) => [model, 1])));
  for (const { type, completeUrl, other } of served) {
    const base_url = completeUrl === true ? `${upstream.url}/own/chat/completions` : upstream.url;
    await root.addChannel({
      type,
      key,
      base_url,
      models: modelOf(type),
      other: other?.fallback ?? (other === undefined ? '' : 'other'),
    });
  }
  await eventually(async () => {
    const { candidates } = await explain(root, { model: models.at(-1), group: 'default' });
    expect(candidates.some(({ reason }) => reason !== 'unusable')).toBe(true);
  });
  token = (await root.addToken()).key;
});
afterAll(async () => {
  expect(await root.call('GET', '/api/ledger/proof')).toMatchObject({ ok: true });
  await gateway.stop();
  await upstream.close();
});

async function post(path: string, body: object) {
  upstream.reset();
  const answer = await postJson(gateway.url + path, token, body);
  const text = await answer.text();
  const [asked] = upstream.requests();
  const row = (await root.logs()).find(({ request_id }) => request_id === answer.headers.get('x-oneapi-request-id'));
  return { status: answer.status, text, asked, row };
}

const messages = [{ role: 'user', content: 'hi' }];

describe.each(served.filter(({ type }) => !vectorsOnly.has(type)))('type $type ($label)', ({ type }) => {
  const model = modelOf(type);

  test.each([false, true])(
    'is asked with its credential, answers, and is charged for what it told; streamed: %s',
    async (stream) => {
      const { status, text, asked, row } = await post('/v1/chat/completions', { model, messages, stream });
      expect([status, text]).toEqual([200, expect.stringContaining(stream ? '[DONE]' : '"finish_reason"')]);
      expect(asked?.headers.authorization).toBe(`Bearer ${key}`);
      const told = asked && toldOf(asked);
      // Some do not tell what a stream took: it is counted then.
      const isTold = !stream || (asked?.json.stream_options as { include_usage?: boolean } | undefined)?.include_usage === true;
      if (isTold) expect(row).toMatchObject({ prompt_tokens: told?.prompt, completion_tokens: told?.completion });
      expect(row?.completion_tokens).toBeGreaterThan(0);
      expect(row?.quota).toBe((row?.prompt_tokens ?? 0) + (row?.completion_tokens ?? 0));
      expect(JSON.parse(row?.other ?? '{}')).toMatchObject({ usage_source: isTold ? 'upstream' : 'counted' });
    },
  );

  test('a refusal keeps its status and its words, and costs nothing', async () => {
    const { status, text, row } = await post('/v1/chat/completions', {
      model,
      messages: [{ role: 'user', content: 'fail 400' }],
    });
    expect([status, row]).toEqual([400, undefined]);
    expect(JSON.parse(text)).toMatchObject({ error: { message: expect.any(String) } });
  });
});

test.each([...vectorsOnly])('type %i makes vectors', async (type) => {
  const { status, asked, row } = await post('/v1/embeddings', { model: modelOf(type), input: ['one', 'two'] });
  expect(status).toBe(200);
  expect(asked?.headers.authorization).toBe(`Bearer ${key}`);
  expect(row?.quota).toBeGreaterThan(0);
});
