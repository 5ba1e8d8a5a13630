import { expect, test } from 'vitest';
import { toolsAt } from '../../test/record-kit.ts';
import { expectedAuthorization } from '../../test/sigv4-check.ts';
import { askForModels, readModelNames } from './model-list.ts';
import type { SignTools } from './sign.ts';

const channel = { id: 1, baseUrl: '', key: 'the-key', organization: '', other: '' };
const tools = toolsAt(Date.UTC(2026, 10, 20));
const bearer = { authorization: 'Bearer the-key' };

test.each<[type: number, url: string, headers: object, answer: unknown, names: string[]]>([
  [1, 'https://api.openai.com/v1/models', bearer, { data: [{ id: 'gpt-5' }] }, ['gpt-5']],
  [4, 'http://localhost:11434/v1/models', bearer, { data: [{ id: 'llama' }] }, ['llama']],
  [
    11,
    'https://generativelanguage.googleapis.com/v1beta2/models',
    { 'x-goog-api-key': 'the-key' },
    { models: [{ name: 'models/chat-bison-001' }] },
    ['chat-bison-001'],
  ],
  [14, 'https://api.anthropic.com/v1/models?limit=1000', { 'x-api-key': 'the-key' }, { data: [{ id: 'claude' }] }, ['claude']],
  [24, 'https://generativelanguage.googleapis.com/v1beta/openai/models', {}, { data: [{ id: 'models/gemini' }] }, ['gemini']],
  [27, 'https://api.perplexity.ai/models', bearer, { data: [] }, []],
  [34, 'https://api.cohere.ai/v1/models?page_size=1000', bearer, { models: [{ name: 'command' }] }, ['command']],
  [43, 'https://api.deepseek.com/v1/models', bearer, { data: [{ id: 'a' }, { id: '' }, {}, null] }, ['a']],
  [1002, 'https://api.together.xyz/v1/models', bearer, [{ id: 'a' }], ['a']],
  [1006, 'https://models.github.ai/catalog/models', bearer, [{ id: 'a/b' }], ['a/b']],
  [1011, 'https://api.deepinfra.com/v1/openai/models', bearer, { data: [{ id: 'a' }] }, ['a']],
  [9999, 'https://own.example/v1/models', bearer, { data: [{ id: 'a' }] }, ['a']],
])('type %i lists its models at %s', async (type, url, headers, answer, names) => {
  const baseUrl = type === 9999 ? 'https://own.example' : '';
  const asked = await askForModels(type, { ...channel, baseUrl }, tools);
  expect(asked?.url.href).toBe(url);
  expect(asked?.headers).toMatchObject(headers);
  expect(readModelNames(type, answer)).toEqual(names);
});

test('behind Cloudflare’s gateway the list lies where its calls go', async () => {
  const baseUrl = 'https://gateway.ai.cloudflare.com/v1/acc/gw/openai';
  expect((await askForModels(1, { ...channel, baseUrl }, tools))?.url.href).toBe(`${baseUrl}/models`);
});

test('the list is that of the organization that calls are made for', async () => {
  const asked = async (type: number) => (await askForModels(type, { ...channel, organization: 'org-1' }, tools))?.headers;
  expect(await asked(1)).toMatchObject({ ...bearer, 'openai-organization': 'org-1' });
  expect(await asked(14)).not.toHaveProperty('openai-organization');
});

test('lists that need an account, a version, a signature or a token', async () => {
  const cloudflare = await askForModels(39, { ...channel, other: 'acc' }, tools);
  expect(cloudflare?.url.pathname).toBe('/client/v4/accounts/acc/ai/models/search');
  expect(readModelNames(39, { result: [{ id: 'x', name: '@cf/a/b' }] })).toEqual(['@cf/a/b']);
  const azure = await askForModels(3, { ...channel, baseUrl: 'https://n.openai.azure.com' }, tools);
  expect(azure?.url.href).toBe('https://n.openai.azure.com/openai/models?api-version=2024-10-21');
  expect(azure?.headers).toMatchObject({ 'api-key': 'the-key' });
});

test('a signed list carries the signature of a GET', async () => {
  const asked = await askForModels(33, { ...channel, key: 'id|secret|eu-west-1' }, tools);
  if (asked === undefined) throw new Error('no address');
  expect(asked.url.href).toBe('https://bedrock.eu-west-1.amazonaws.com/foundation-models');
  const headers = { ...asked.headers, host: asked.url.host };
  const expected = expectedAuthorization({ method: 'GET', url: asked.url, headers, body: Buffer.alloc(0) }, 'secret');
  expect(asked.headers.authorization).toBe(expected);
  expect(readModelNames(33, { modelSummaries: [{ modelId: 'amazon.nova-pro-v1:0' }] })).toEqual(['amazon.nova-pro-v1:0']);
});

test('a list by service account carries the traded token', async () => {
  const trading: SignTools = { ...tools, token: () => Promise.resolve('traded') };
  const key = JSON.stringify({ project_id: 'p', client_email: 'e', private_key: 'k' });
  const asked = await askForModels(41, { ...channel, key, other: 'europe-west4' }, trading);
  expect(asked?.url.href).toBe('https://europe-west4-aiplatform.googleapis.com/v1beta1/publishers/google/models?pageSize=1000');
  expect(asked?.headers.authorization).toBe('Bearer traded');
  expect(readModelNames(41, { publisherModels: [{ name: 'publishers/google/models/gemini-2.5-pro' }] })).toEqual([
    'gemini-2.5-pro',
  ]);
});

test('what is no list, and a channel without an address, are told apart from an empty list', async () => {
  expect(readModelNames(1, { error: 'x' })).toBeUndefined();
  expect(readModelNames(1, null)).toBeUndefined();
  expect(readModelNames(1002, { data: [] })).toBeUndefined();
  expect(await askForModels(47, channel, tools)).toBeUndefined();
});
