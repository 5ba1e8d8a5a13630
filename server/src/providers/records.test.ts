import { describe, expect, test } from 'vitest';
import { type Asking, ask, sent } from '../../test/record-kit.ts';
import { chinaProviders } from './china.ts';
import { compatible } from './compatible.ts';
import { providers } from './registry.ts';

/** What every record must send, as the relay builds it: type, what is asked, and the whole address. */
const addresses: readonly (readonly [type: number, protocol: string, model: string, url: string])[] = [
  [1, 'openai-chat', 'gpt-4o', 'https://api.openai.com/v1/chat/completions'],
  [1, 'openai-responses', 'gpt-4o', 'https://api.openai.com/v1/responses'],
  [1, 'openai-completions', 'gpt-3.5-turbo-instruct', 'https://api.openai.com/v1/completions'],
  [1, 'embeddings', 'text-embedding-3-small', 'https://api.openai.com/v1/embeddings'],
  [1, 'moderations', 'omni-moderation-latest', 'https://api.openai.com/v1/moderations'],
  [1, 'images', 'gpt-image-2', 'https://api.openai.com/v1/images/generations'],
  [1, 'speech', 'tts-1', 'https://api.openai.com/v1/audio/speech'],
  [4, 'openai-chat', 'llama3.3:70b', 'http://localhost:11434/v1/chat/completions'],
  [4, 'embeddings', 'nomic-embed-text', 'http://localhost:11434/api/embed'],
  [6, 'openai-chat', 'm', 'https://api.openaimax.com/v1/chat/completions'],
  [7, 'openai-chat', 'm', 'https://api.ohmygpt.com/v1/chat/completions'],
  [9, 'openai-chat', 'm', 'https://api.caipacity.com/v1/chat/completions'],
  [10, 'openai-chat', 'm', 'https://api.aiproxy.io/v1/chat/completions'],
  [11, 'openai-chat', 'PaLM-2', 'https://generativelanguage.googleapis.com/v1beta2/models/chat-bison-001:generateMessage'],
  [12, 'openai-chat', 'm', 'https://api.api2gpt.com/v1/chat/completions'],
  [13, 'openai-chat', 'm', 'https://api.aigc2d.com/v1/chat/completions'],
  [14, 'anthropic-messages', 'claude-opus-5', 'https://api.anthropic.com/v1/messages'],
  [14, 'openai-chat', 'claude-opus-5', 'https://api.anthropic.com/v1/messages'],
  [20, 'openai-chat', 'openai/gpt-6-sol', 'https://openrouter.ai/api/v1/chat/completions'],
  [20, 'openai-responses', 'openai/gpt-6-sol', 'https://openrouter.ai/api/v1/responses'],
  [20, 'anthropic-messages', 'anthropic/claude-opus-5', 'https://openrouter.ai/api/v1/messages'],
  [27, 'openai-chat', 'sonar', 'https://api.perplexity.ai/chat/completions'],
  [31, 'openai-chat', 'yi-large', 'https://api.lingyiwanwu.com/v1/chat/completions'],
  [34, 'openai-chat', 'command-a-03-2025', 'https://api.cohere.ai/v2/chat'],
  [34, 'embeddings', 'embed-v4.0', 'https://api.cohere.ai/v2/embed'],
  [34, 'rerank', 'rerank-v3.5', 'https://api.cohere.ai/v1/rerank'],
  [38, 'embeddings', 'jina-embeddings-v4', 'https://api.jina.ai/v1/embeddings'],
  [38, 'rerank', 'jina-reranker-v3', 'https://api.jina.ai/v1/rerank'],
  [40, 'openai-chat', 'm', 'https://api.siliconflow.cn/v1/chat/completions'],
  [40, 'rerank', 'm', 'https://api.siliconflow.cn/v1/rerank'],
  [42, 'openai-chat', 'mistral-large-latest', 'https://api.mistral.ai/v1/chat/completions'],
  [42, 'embeddings', 'mistral-embed', 'https://api.mistral.ai/v1/embeddings'],
  [43, 'openai-chat', 'deepseek-chat', 'https://api.deepseek.com/v1/chat/completions'],
  [43, 'openai-completions', 'deepseek-chat', 'https://api.deepseek.com/beta/completions'],
  [43, 'anthropic-messages', 'deepseek-chat', 'https://api.deepseek.com/anthropic/v1/messages'],
  [48, 'openai-chat', 'grok-4.6', 'https://api.x.ai/v1/chat/completions'],
  [48, 'openai-responses', 'grok-4.6', 'https://api.x.ai/v1/responses'],
  [48, 'images', 'grok-imagine-image', 'https://api.x.ai/v1/images/generations'],
  [1001, 'openai-chat', 'm', 'https://api.groq.com/openai/v1/chat/completions'],
  [1002, 'openai-chat', 'm', 'https://api.together.xyz/v1/chat/completions'],
  [1003, 'openai-chat', 'm', 'https://api.fireworks.ai/inference/v1/chat/completions'],
  [1004, 'openai-chat', 'm', 'https://api.cerebras.ai/v1/chat/completions'],
  [1005, 'openai-chat', 'm', 'https://integrate.api.nvidia.com/v1/chat/completions'],
  [1006, 'openai-chat', 'm', 'https://models.github.ai/inference/chat/completions'],
  [1007, 'openai-chat', 'm', 'https://api.tokenfactory.nebius.com/v1/chat/completions'],
  [1008, 'openai-chat', 'm', 'https://api.novita.ai/openai/v1/chat/completions'],
  [1009, 'openai-chat', 'm', 'https://api.sambanova.ai/v1/chat/completions'],
  [1010, 'openai-chat', 'm', 'https://api.hyperbolic.xyz/v1/chat/completions'],
  [1011, 'openai-chat', 'm', 'https://api.deepinfra.com/v1/openai/chat/completions'],
  [1012, 'openai-chat', 'm', 'https://router.huggingface.co/v1/chat/completions'],
  [1013, 'openai-chat', 'm', 'http://localhost:1234/v1/chat/completions'],
  [1015, 'openai-chat', 'm', 'http://localhost:8080/v1/chat/completions'],
  [1016, 'openai-chat', 'm', 'https://api.ai21.com/studio/v1/chat/completions'],
  [1017, 'openai-chat', 'm', 'https://api.scaleway.ai/v1/chat/completions'],
  [1018, 'openai-chat', 'm', 'https://oai.endpoints.kepler.ai.cloud.ovh.net/v1/chat/completions'],
  [1019, 'openai-chat', 'm', 'https://ai-gateway.vercel.sh/v1/chat/completions'],
  [1020, 'openai-chat', 'm', 'https://api.inceptionlabs.ai/v1/chat/completions'],
  [1021, 'openai-chat', 'm', 'https://api.upstage.ai/v1/chat/completions'],
  [1022, 'openai-chat', 'm', 'https://api.featherless.ai/v1/chat/completions'],
  [1023, 'openai-chat', 'm', 'https://llm.chutes.ai/v1/chat/completions'],
  [1024, 'openai-chat', 'm', 'https://inference.baseten.co/v1/chat/completions'],
  [1025, 'openai-chat', 'm', 'https://api.friendli.ai/serverless/v1/chat/completions'],
  [1026, 'embeddings', 'voyage-4', 'https://api.voyageai.com/v1/embeddings'],
  [1026, 'rerank', 'rerank-2.5', 'https://api.voyageai.com/v1/rerank'],
];

/** Types whose channels have addresses of their own, or keys that must be real: tested by name below or in a file of their own. */
const elsewhere = [3, 8, 24, 33, 39, 41, 47, 1014];

const bodies: Readonly<Record<string, object>> = {
  embeddings: { input: 'hi' },
  moderations: { input: 'hi' },
  rerank: { query: 'hi', documents: ['a'] },
  images: { prompt: 'a cat' },
  speech: { input: 'hi', voice: 'alloy' },
  'openai-responses': { input: 'hi' },
  'openai-completions': { prompt: 'hi' },
  'anthropic-messages': { max_tokens: 10, messages: [{ role: 'user', content: 'hi' }] },
};
const chat = { messages: [{ role: 'user', content: 'hi' }] };

function calling(type: number, protocol: string, model: string, more: Partial<Asking> = {}): Asking {
  return { type, protocol, body: { model, ...(bodies[protocol] ?? chat) }, ...more };
}

test.each(addresses)('type %i is asked for %s of %s where its vendor has it', async (type, protocol, model, url) => {
  const { url: asked, headers } = await ask(calling(type, protocol, model));
  expect(asked.href).toBe(url);
  const { keyHeader = 'authorization' } = providers.find((provider) => provider.type === type) ?? {};
  expect(headers[keyHeader]).toBe(keyHeader === 'authorization' ? 'Bearer the-key' : 'the-key');
  expect(headers['content-type']).toBe('application/json');
});

test('every record that is spoken stands in a table', () => {
  const tested = new Set([...addresses.map(([type]) => type), ...elsewhere, ...chinaProviders.map(({ type }) => type)]);
  const china = (type: number) => [19, 22, 25, 35, 45, 46].includes(type) || type >= 1100;
  const missing = providers.filter(({ type, tasksOnly }) => tasksOnly !== true && !tested.has(type) && !china(type));
  expect(missing.map(({ type, name }) => `${type} ${name}`)).toEqual([]);
});

test('a vendor of the OpenAI API takes one record and no other change', async () => {
  const made = compatible(9001, { name: 'made-up', root: '/api/v2', speaks: ['openai-chat', 'embeddings'] });
  const provider = { ...made, baseUrl: 'https://made-up.example' };
  const body = '{ "messages":[{"role":"user","content":"hi"}],"model":"m", "unknown" : 1.0 }';
  const native = await ask({ type: 9001, provider, body });
  expect(native.url.href).toBe('https://made-up.example/api/v2/chat/completions');
  expect(native.headers.authorization).toBe('Bearer the-key');
  expect(native.body.toString()).toBe(body);
  const vectors = await ask({ type: 9001, provider, protocol: 'embeddings', body: { model: 'e', input: 'x' } });
  expect(vectors.url.href).toBe('https://made-up.example/api/v2/embeddings');
  const crossed = await ask({ ...calling(9001, 'anthropic-messages', 'm'), provider });
  expect(crossed.url.href).toBe('https://made-up.example/api/v2/chat/completions');
  expect(sent(crossed)).toMatchObject({ model: 'm', messages: [{ role: 'user', content: 'hi' }] });
});

describe('deployments', () => {
  const baseUrl = 'https://name.openai.azure.com';
  const deployed = (protocol: string, model: string, other = '', more: Partial<Asking> = {}) =>
    ask({ ...calling(3, protocol, model, more), channel: { baseUrl, other, ...more.channel } });

  test.each([
    [
      'openai-chat',
      'gpt-3.5-turbo',
      '',
      `${baseUrl}/openai/deployments/gpt-35-turbo/chat/completions?api-version=2024-12-01-preview`,
    ],
    ['openai-chat', 'gpt-4o', '2024-06-01', `${baseUrl}/openai/deployments/gpt-4o/chat/completions?api-version=2024-06-01`],
    [
      'openai-chat',
      'gpt-4.1',
      '2025-04-01-preview',
      `${baseUrl}/openai/deployments/gpt-4.1/chat/completions?api-version=2025-04-01-preview`,
    ],
    [
      'embeddings',
      'text-embedding-3-small',
      '',
      `${baseUrl}/openai/deployments/text-embedding-3-small/embeddings?api-version=2024-12-01-preview`,
    ],
    ['images', 'dall-e-3', '', `${baseUrl}/openai/deployments/dall-e-3/images/generations?api-version=2024-12-01-preview`],
    ['speech', 'tts-1', '', `${baseUrl}/openai/deployments/tts-1/audio/speech?api-version=2024-12-01-preview`],
    ['openai-responses', 'gpt-5', '', `${baseUrl}/openai/v1/responses`],
  ])('%s of %s, version "%s"', async (protocol, model, other, url) => {
    const outgoing = await deployed(protocol, model, other);
    expect(outgoing.url.href).toBe(url);
    expect(outgoing.headers['api-key']).toBe('the-key');
    expect(outgoing.headers.authorization).toBeUndefined();
  });

  test('the caller’s api-version wins, and new resources keep the dots', async () => {
    const asked = await deployed('openai-chat', 'gpt-4o', '2024-06-01', { query: 'api-version=2025-01-01' });
    expect(asked.url.search).toBe('?api-version=2025-01-01');
    const kept = await deployed('openai-chat', 'gpt-4.1', '', { channel: { baseUrl: 'https://name.services.ai.azure.com' } });
    expect(kept.url.pathname).toBe('/openai/deployments/gpt-4.1/chat/completions');
  });

  test('an effort in the name is no part of the deployment', async () => {
    const outgoing = await deployed('openai-chat', 'o3-mini-high');
    expect(outgoing.url.pathname).toBe('/openai/deployments/o3-mini/chat/completions');
    expect(sent(outgoing)).toMatchObject({ model: 'o3-mini', reasoning_effort: 'high' });
  });

  test('responses name the deployment in the body', async () => {
    expect(sent(await deployed('openai-responses', 'gpt-4.1'))).toMatchObject({ model: 'gpt-41' });
    expect(sent(await deployed('openai-responses', 'gpt-4.1', '2025-04-01-preview'))).toMatchObject({ model: 'gpt-4.1' });
  });
});

describe('an address of Cloudflare’s gateway stands for the vendor’s host and root', () => {
  const at = 'https://gateway.ai.cloudflare.com/v1/acc/gw';
  test.each([
    [1, 'openai-chat', `${at}/openai`, '/chat/completions'],
    [1, 'embeddings', `${at}/openai/`, '/embeddings'],
    [1, 'openai-chat', 'https://own.example', '/v1/chat/completions'],
    [3, 'openai-chat', `${at}/azure-openai/res`, '/m/chat/completions?api-version=2024-12-01-preview'],
    [14, 'anthropic-messages', `${at}/anthropic`, '/v1/messages'],
  ])('type %i, %s at %s', async (type, protocol, baseUrl, rest) => {
    const { url } = await ask({ ...calling(type, protocol, 'm'), channel: { baseUrl } });
    expect(url.href).toBe(baseUrl.replace(/\/$/, '') + rest);
  });
});

test('a complete address is the whole address, whatever is asked for', async () => {
  const channel = { baseUrl: 'https://own.example/x/{model}/go?v=1' };
  for (const protocol of ['openai-chat', 'embeddings', 'images']) {
    expect((await ask({ ...calling(8, protocol, 'a/b'), channel })).url.href).toBe('https://own.example/x/a%2Fb/go?v=1');
  }
});

test.each([47, 1014])('type %i is asked at the operator’s address', async (type) => {
  const channel = { baseUrl: 'http://10.0.0.5:9997/' };
  expect((await ask({ ...calling(type, 'rerank', 'r'), channel })).url.href).toBe('http://10.0.0.5:9997/v1/rerank');
});

test('who sends is told where the vendor ranks that', async () => {
  const named = await ask({ ...calling(20, 'openai-chat', 'm'), options: { ServerAddress: 'https://gate.example' } });
  expect(named.headers).toMatchObject({ 'http-referer': 'https://gate.example', 'x-title': 'Tollgate' });
  const unnamed = await ask(calling(20, 'openai-chat', 'm'));
  expect(unnamed.headers['http-referer']).toBeUndefined();
  const organised = await ask({ ...calling(1, 'openai-chat', 'm'), channel: { organization: 'org-1' } });
  expect(organised.headers['openai-organization']).toBe('org-1');
});
