import { channelTypes } from '@tollgate/contract';
import { expect, test } from 'vitest';
import { plainChannel } from '../../test/record-kit.ts';
import { providers } from '../providers/registry.ts';
import type { RouteChannel } from '../routing/index.ts';
import { channelTestCall } from './channel-probe.ts';

const signTools = {
  nowMs: Date.UTC(2026, 10, 20),
  token: () => Promise.resolve('traded'),
  post: () => Promise.reject(new Error('unused')),
};
const parts = { signTools, option: () => undefined };
const account = JSON.stringify({ project_id: 'p', client_email: 'e', private_key: 'k' });
/** What some types cannot do without. */
const special: Readonly<Record<number, Partial<RouteChannel>>> = {
  15: { key: 'id|secret' },
  16: { key: 'id.secret' },
  18: { key: 'app|secret|key' },
  23: { key: '1|id|secret' },
  33: { key: 'id|secret|us-east-1' },
  39: { other: 'acc' },
  41: { key: account, other: 'us-central1' },
};

function channelOf(type: number): RouteChannel {
  const needsAddress = channelTypes.find((known) => known.type === type)?.needsAddress === true;
  return { ...plainChannel(type), ...(needsAddress ? { baseUrl: 'https://own.example' } : {}), ...special[type] };
}

test.each(
  providers.filter(({ planned }) => planned !== true).map(({ type, name, models }) => ({ type, name, model: models[0] ?? 'm' })),
)('type $type ($name) can be tested', async ({ type, model }) => {
  const { request } = await channelTestCall(parts, channelOf(type), model);
  expect(new URL(String(request.url)).protocol).toMatch(/^(https?|wss):$/);
  expect(request.body?.length).toBeGreaterThan(2);
});

test.each([
  [38, 'jina-reranker-v3', 'https://api.jina.ai/v1/rerank'],
  [38, 'jina-clip-v2', 'https://api.jina.ai/v1/embeddings'],
  [1, 'text-embedding-3-small', 'https://api.openai.com/v1/embeddings'],
  [1, 'gpt-4o', 'https://api.openai.com/v1/chat/completions'],
])('type %i is tested with %s at %s', async (type, model, url) => {
  const { request } = await channelTestCall(parts, channelOf(type), model);
  expect(String(request.url)).toBe(url);
});

test.each([2, 5, 36])('type %i says why it cannot be tested', async (type) => {
  await expect(channelTestCall(parts, channelOf(type), 'm')).rejects.toMatchObject({
    values: { detail: expect.stringMatching(/channel test is not supported/) },
  });
});
