import { expect, test } from 'vitest';
import { readyChannel, tradingTools } from '../../test/record-kit.ts';
import { providers } from '../providers/registry.ts';
import { channelTestCall } from './channel-probe.ts';

const parts = { signTools: tradingTools, option: () => undefined };
test.each(
  providers
    .filter(({ tasksOnly }) => tasksOnly !== true)
    .map(({ type, name, models }) => ({ type, name, model: models[0] ?? 'm' })),
)('type $type ($name) can be tested', async ({ type, model }) => {
  const { request } = await channelTestCall(parts, readyChannel(type), model);
  expect(new URL(String(request.url)).protocol).toMatch(/^(https?|wss):$/);
  expect(request.body?.length).toBeGreaterThan(2);
});

test.each([
  [38, 'jina-reranker-v3', 'https://api.jina.ai/v1/rerank'],
  [38, 'jina-clip-v2', 'https://api.jina.ai/v1/embeddings'],
  [1, 'text-embedding-3-small', 'https://api.openai.com/v1/embeddings'],
  [1, 'gpt-4o', 'https://api.openai.com/v1/chat/completions'],
])('type %i is tested with %s at %s', async (type, model, url) => {
  const { request } = await channelTestCall(parts, readyChannel(type), model);
  expect(String(request.url)).toBe(url);
});

test.each([2, 5, 36])('type %i says why it cannot be tested', async (type) => {
  await expect(channelTestCall(parts, readyChannel(type), 'm')).rejects.toMatchObject({
    values: { detail: expect.stringMatching(/channel test is not supported/) },
  });
});

test('a test hears what the vendor says in words of its own of a dead key and of an empty account', async () => {
  const read = async (type: number, status: number, body: object) => {
    const call = await channelTestCall(parts, readyChannel(type), 'm');
    return call.read({ status, text: JSON.stringify(body) });
  };
  const dead = { code: 'Client specified an invalid argument', error: 'Incorrect API key provided: xx***yz.' };
  expect(await read(48, 400, dead)).toMatchObject({ kind: 'error', status: 400, code: 'invalid_api_key' });
  const spent = { error: { code: '1113', message: 'in debt' } };
  expect(await read(26, 429, spent)).toMatchObject({ kind: 'error', type: 'insufficient_quota', message: 'in debt' });
  expect(await read(1, 429, spent)).toMatchObject({ kind: 'error', type: 'upstream_error', code: '1113' });
});
