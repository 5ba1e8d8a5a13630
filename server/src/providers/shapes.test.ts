import { expect, test } from 'vitest';
import { type Asking, answered, ask, sent, streamed, toolsAt } from '../../test/record-kit.ts';

const documents = ['a', { text: 'b' }];
const rank = (type: number, model: string, more: Partial<Asking> = {}, body: object = {}) =>
  ask({ type, protocol: 'rerank', body: { model, query: 'q', documents, ...body }, ...more });
const embed = (type: number, model: string, body: object = {}) =>
  ask({ type, protocol: 'embeddings', body: { model, input: ['a', 'b'], ...body } });
const account = { channel: { other: 'acc' } };

test('Cohere ranks one document unless more are asked for, and tells what it billed', async () => {
  const outgoing = await rank(34, 'rerank-v3.5');
  expect(sent(outgoing)).toEqual({ model: 'rerank-v3.5', query: 'q', documents: ['a', 'b'], top_n: 1, return_documents: true });
  expect(sent(await rank(34, 'm', {}, { top_n: 2, return_documents: false }))).toMatchObject({
    top_n: 2,
    return_documents: false,
  });
  const results = [{ index: 1, relevance_score: 0.9, document: { text: 'b' } }];
  // Searches are no tokens: the texts are counted.
  const billed = answered(outgoing, { id: 'r', results, meta: { billed_units: { search_units: 1 } } });
  expect(billed).toMatchObject({ json: { results }, usage: undefined });
  expect(answered(outgoing, { message: 'invalid api token' })).toMatchObject({
    kind: 'error',
    error: { message: 'invalid api token' },
  });
});

test.each(['-5', '1e999', '0.5', '"9"'])(
  'a prompt of %s tokens is none: it is counted here, and nobody is told that figure',
  async (tokens) => {
    const whole = JSON.stringify({ data: [{ index: 0, relevance_score: 0.9 }], usage: { total_tokens: 'N' } });
    const outgoing = await rank(1026, 'rerank-2.5');
    const reading = outgoing.answer.read(Buffer.from(whole.replace('"N"', tokens)));
    expect(reading).toMatchObject({ kind: 'answer', usage: undefined });
    expect('body' in reading && JSON.parse(String(reading.body))).toEqual({ results: [{ index: 0, relevance_score: 0.9 }] });
  },
);

test.each([
  [24, 'images', { model: 'imagen-4.0-generate-001', prompt: 'a cat', quality: 'high', style: 'vivid' }, ['quality', 'style']],
  [24, 'images', { model: 'imagen-4.0-generate-001', prompt: 'a cat', n: 2, size: '1024x1024', quality: 'auto' }, []],
  [35, 'embeddings', { model: 'embo-01', input: 'a', dimensions: 8, encoding_format: 'base64' }, ['dimensions']],
  [34, 'embeddings', { model: 'embed-v4.0', input: 'a', dimensions: 8, user: 'u' }, ['user']],
  [24, 'embeddings', { model: 'gemini-embedding-001', input: 'a', dimensions: 8, user: 'u' }, ['user']],
  [4, 'embeddings', { model: 'm', input: 'a', dimensions: 8, seed: 1, truncate: true, user: 'u' }, ['user']],
  [39, 'rerank', { model: 'm', query: 'q', documents: ['a'], top_n: 1, return_documents: true }, ['return_documents']],
])('what a shape of a vendor (%i) has no word for in %s is declared: %j', async (type, protocol, body, losses) => {
  expect((await ask({ type, protocol, body, ...account })).losses).toEqual(losses);
});

test('what the operator says himself is not lost', async () => {
  const body = { model: 'imagen-4.0-generate-001', prompt: 'a cat', quality: 'high' };
  const channel = { paramOverride: { quality: 'low' } };
  expect((await ask({ type: 24, protocol: 'images', body, channel })).losses).toEqual([]);
});

test.each([
  ['a picture at a time', 39, { model: '@cf/m', prompt: 'a cat', n: 2 }, 'at most 1'],
  ['a picture at a time', 24, { model: 'gemini-2.5-flash-image', prompt: 'a cat', n: 2 }, 'at most 1'],
  ['eight of them', 24, { model: 'imagen-4.0-generate-001', prompt: 'a cat', n: 9 }, 'at most 8'],
])('who makes %s (%i) is not asked for more, which would be charged for: %o', async (_, type, body, reason) => {
  const refused = ask({ type, protocol: 'images', body, ...account });
  await expect(refused).rejects.toMatchObject({
    status: 400,
    retryable: true,
    message: expect.stringContaining(reason) as string,
  });
  await ask({ type, protocol: 'images', body: { ...body, n: body.n - 1 }, ...account });
});

test.each([
  [17, 'text-embedding-v4'],
  [24, 'gemini-embedding-001'],
  [33, 'cohere.embed-v4'],
  [34, 'embed-v4.0'],
  [35, 'embo-01'],
])('type %i is not asked for vectors of token ids or pictures, which it has no words for', async (type, model) => {
  const keyed = type === 33 ? { channel: { key: 'id|secret|us-east-1' } } : {};
  const asking = (input: unknown) => ask({ type, protocol: 'embeddings', body: { model, input }, ...keyed });
  for (const input of [[1, 2], [[1, 2]], ['a', [1]]]) {
    await expect(asking(input)).rejects.toMatchObject({ status: 400, retryable: true });
  }
  const picture = asking(['a', { image: 'https://x.example/a.png' }]);
  await expect(picture).rejects.toMatchObject({ status: 400, message: expect.stringMatching(/no pictures .* in words/) });
  await asking(['a']);
});

test('pictures of a vendor that does not say when it made them were made now', async () => {
  const outgoing = await ask({ type: 35, protocol: 'images', body: { model: 'image-01', prompt: 'a cat' } });
  const answer = answered(outgoing, { data: { image_base64: ['AA=='] } });
  expect(answer).toMatchObject({ json: { created: 1, data: [{ b64_json: 'AA==' }] } });
});

test.each([
  [17, 'wan2.2-t2i-plus', { output: { results: [{ url: 'u' }, { code: 'DataInspectionFailed', message: 'no' }] } }],
  [17, 'qwen-image-plus', { output: { choices: [{ message: { content: [{ image: 'u' }, { text: 'no' }] } }] } }],
  [24, 'imagen-4.0-generate-001', { predictions: [{ bytesBase64Encoded: 'AA==' }, { raiFilteredReason: 'no' }] }],
  [24, 'gemini-2.5-flash-image', { candidates: [{ content: { parts: [{ text: 'no' }, { inlineData: { data: 'AA==' } }] } }] }],
  [26, 'cogview-4', { created: 1, data: [{ url: 'u' }], content_filter: [{ role: 'assistant', level: 1 }] }],
  [35, 'image-01', { data: { image_urls: ['u'] }, metadata: { success_count: 1, failed_count: 1 } }],
  [39, '@cf/m', { result: { image: 'AA==' } }],
  [45, 'doubao-seedream-4-5', { data: [{ url: 'u', size: '2K' }, { error: { code: 'c', message: 'no' } }] }],
  [48, 'grok-2-image', { data: [{ url: 'u', revised_prompt: 'p' }] }],
])('type %i, %s: pictures that were not made are not counted', async (type, model, answer) => {
  const outgoing = await ask({ type, protocol: 'images', body: { model, prompt: 'a cat' }, ...account });
  expect(answered(outgoing, answer)).toMatchObject({ kind: 'answer', pictures: 1 });
});

test.each([
  [15, 'embeddings', 'Embedding-V1'],
  [17, 'embeddings', 'text-embedding-v1'],
  [17, 'rerank', 'gte-rerank'],
  [35, 'embeddings', 'embo-01'],
  [39, 'transcriptions', 'whisper'],
  [1026, 'rerank', 'rerank-2.5'],
])('type %i, %s: what holds nothing that was asked for is no answer of nothing', async (type, protocol, model) => {
  const form = new FormData();
  form.set('model', model);
  form.set('file', new File([new Uint8Array([1])], 'a.mp3', { type: 'audio/mpeg' }));
  const asked = protocol === 'transcriptions' ? { form } : { body: { model, input: 'a', query: 'q', documents } };
  const tools = { ...toolsAt(0), token: async () => 't' };
  const outgoing = await ask({ type, protocol, ...asked, channel: { other: 'acc', key: 'id|secret' }, tools });
  for (const answer of [{}, { data: null, output: {}, result: null, vectors: null }, { request_id: 'r', message: 'busy' }])
    expect(answered(outgoing, answer), JSON.stringify(answer)).toMatchObject({ kind: 'error' });
});

test('JSON that no vendor writes is no answer', async () => {
  const nested = `{"results":${'['.repeat(20_000)}${']'.repeat(20_000)}}`;
  const odd: [Asking, string][] = [
    [{ type: 34, protocol: 'rerank', body: { model: 'm', query: 'q', documents: ['a'] } }, nested],
    [
      { type: 17, protocol: 'images', body: { model: 'wan2.2-t2i-plus', prompt: 'a cat' } },
      '{"output":{"task_status":"PENDING","task_id":"\\ud800"}}',
    ],
    [
      { type: 24, protocol: 'embeddings', body: { model: 'm', input: 'a', encoding_format: 'base64' } },
      '{"embeddings":[{"values":[{"toString":0,"valueOf":0}]}]}',
    ],
  ];
  for (const [asking, answer] of odd) {
    expect((await ask(asking)).answer.read(Buffer.from(answer))).toEqual({ kind: 'invalid', reason: 'not-json' });
  }
});

test('Cohere embeds texts', async () => {
  const outgoing = await embed(34, 'embed-v4.0', { dimensions: 256 });
  expect(sent(outgoing)).toEqual({
    model: 'embed-v4.0',
    texts: ['a', 'b'],
    input_type: 'search_document',
    embedding_types: ['float'],
    output_dimension: 256,
  });
  const answer = { embeddings: { float: [[1], [2]] }, meta: { billed_units: { input_tokens: 4 } } };
  expect(answered(outgoing, answer)).toMatchObject({
    json: { data: [{ embedding: [1] }, { embedding: [2] }] },
    usage: { prompt: 4 },
  });
});

test('Cohere chats in version 2', async () => {
  const outgoing = await ask({
    type: 34,
    body: { model: 'command-a-03-2025', top_p: 0.5, messages: [{ role: 'user', content: 'hi' }] },
  });
  expect(sent(outgoing)).toEqual({
    model: 'command-a-03-2025',
    messages: [{ role: 'user', content: 'hi' }],
    stream: false,
    p: 0.5,
  });
});

test('Ollama embeds in its own shape, sampling fields as options', async () => {
  const outgoing = await embed(4, 'nomic-embed-text', { temperature: 0, encoding_format: 'float', dimensions: 64 });
  expect(sent(outgoing)).toEqual({ model: 'nomic-embed-text', input: ['a', 'b'], dimensions: 64, options: { temperature: 0 } });
  expect(answered(outgoing, { model: 'nomic-embed-text', embeddings: [[1], [2]], prompt_eval_count: 5 })).toMatchObject({
    json: { object: 'list', model: 'nomic-embed-text', data: [{ index: 0 }, { index: 1 }] },
    usage: { prompt: 5 },
  });
  expect(answered(outgoing, { error: 'model not found' })).toMatchObject({
    kind: 'error',
    error: { message: 'model not found' },
  });
});

test('Cloudflare needs an account, which stands in every address', async () => {
  const run = 'https://api.cloudflare.com/client/v4/accounts/acc/ai';
  const body = { model: '@cf/meta/llama-3.1-8b-instruct', messages: [{ role: 'user', content: 'hi' }] };
  expect((await ask({ type: 39, body, ...account })).url.href).toBe(`${run}/v1/chat/completions`);
  const vectors = await ask({ type: 39, protocol: 'embeddings', body: { model: 'm', input: 'a' }, ...account });
  expect(vectors.url.href).toBe(`${run}/v1/embeddings`);
  await expect(ask({ type: 39, body })).rejects.toThrow('the account id is missing');
  const ranked = await rank(39, '@cf/baai/bge-reranker-base', account, { top_n: 1 });
  expect(ranked.url.href).toBe(`${run}/run/@cf/baai/bge-reranker-base`);
  expect(sent(ranked)).toEqual({ query: 'q', contexts: [{ text: 'a' }, { text: 'b' }], top_k: 1 });
  expect(answered(ranked, { success: true, result: { response: [{ id: 1, score: 0.5 }] } })).toMatchObject({
    json: { results: [{ index: 1, relevance_score: 0.5 }] },
  });
});

test.each([
  [39, 'flux', { prompt: 'a cat' }],
  [17, 'wan2.2-t2i-plus', { input: { prompt: 'a cat' }, parameters: { n: 1 } }],
  [24, 'gemini-2.5-flash-image', { generationConfig: { responseModalities: ['TEXT', 'IMAGE'] } }],
])('a size that the model is to choose is none for type %i', async (type, model, body) => {
  const said = sent(await ask({ type, protocol: 'images', body: { model, prompt: 'a cat', size: 'auto' }, ...account }));
  expect(said).toMatchObject(body);
  expect(JSON.stringify(said)).not.toMatch(/null|auto|size|imageConfig/);
});

test('what is made in a vendor’s own shape is not asked for as a stream, which would be one of its own', async () => {
  for (const model of ['qwen-image-plus', 'wan2.2-t2i-plus']) {
    const { headers } = await ask({ type: 17, protocol: 'images', body: { model, prompt: 'a cat', stream: true } });
    expect(headers).toMatchObject({ accept: 'application/json' });
    expect(headers).not.toHaveProperty('x-dashscope-sse');
  }
});

test('an operator’s values go into a form as forms say them, and nothing removes a field', async () => {
  const form = new FormData();
  for (const [name, value] of Object.entries({ model: 'whisper-1', prompt: 'x', temperature: '1' })) form.set(name, value);
  form.set('file', new File([new Uint8Array([1])], 'a.mp3', { type: 'audio/mpeg' }));
  const paramOverride = { prompt: null, temperature: 0, chunking_strategy: { type: 'server_vad' } };
  const { body, headers } = await ask({ type: 1, protocol: 'transcriptions', form, channel: { paramOverride } });
  const sentForm = await new Response(new Uint8Array(body), {
    headers: { 'content-type': `${headers['content-type']}` },
  }).formData();
  const texts = [...sentForm].filter(([, value]) => typeof value === 'string');
  expect(Object.fromEntries(texts)).toEqual({
    ...{ model: 'whisper-1', temperature: '0' },
    chunking_strategy: '{"type":"server_vad"}',
  });
});

test('Cloudflare hears bare bytes, and draws', async () => {
  const form = new FormData();
  for (const [name, value] of Object.entries({ model: '@cf/openai/whisper', language: 'de', response_format: 'json' }))
    form.set(name, value);
  form.set('file', new File([new Uint8Array([1, 2, 3])], 'a.mp3', { type: 'audio/mpeg' }));
  const heard = await ask({ type: 39, protocol: 'transcriptions', form, ...account });
  expect(heard.body).toEqual(Buffer.from([1, 2, 3]));
  expect(heard.losses).toEqual(['language']);
  expect(heard.url.pathname).toMatch(/\/ai\/run\/@cf\/openai\/whisper$/);
  expect(answered(heard, { result: { text: 'hello' }, success: true })).toMatchObject({
    kind: 'answer',
    json: { text: 'hello' },
  });
  const drawn = await ask({
    type: 39,
    protocol: 'images',
    body: { model: 'flux', prompt: 'a cat', size: '512x256' },
    ...account,
  });
  expect(sent(drawn)).toEqual({ prompt: 'a cat', width: 512, height: 256 });
  expect(answered(drawn, { result: { image: 'QQ==' } })).toMatchObject({ json: { data: [{ b64_json: 'QQ==' }] } });
  expect(answered(drawn, { success: false, errors: [{ code: 7000, message: 'No route' }] })).toMatchObject({
    kind: 'error',
    error: { message: 'No route' },
  });
});

test.each([
  [1026, 'voyage-4'],
  [42, 'codestral-embed'],
])('type %i calls the number of dimensions otherwise and refuses what it does not know', async (type, model) => {
  const asked = { dimensions: 512, user: 'u', encoding_format: 'float' };
  expect(sent(await embed(type, model, asked))).toEqual({ model, input: ['a', 'b'], output_dimension: 512 });
  const own = { output_dimension: 256, encoding_format: 'base64' };
  expect(sent(await embed(type, model, own))).toEqual({ model, input: ['a', 'b'], ...own });
});

test('Voyage ranks with other words', async () => {
  const outgoing = await rank(1026, 'rerank-2.5', {}, { top_n: 2 });
  expect(sent(outgoing)).toEqual({ model: 'rerank-2.5', query: 'q', documents: ['a', 'b'], top_k: 2 });
  const data = [{ index: 0, relevance_score: 0.7, document: 'a' }];
  expect(answered(outgoing, { object: 'list', data, usage: { total_tokens: 9 } })).toMatchObject({
    json: { results: [{ index: 0, relevance_score: 0.7, document: { text: 'a' } }] },
    usage: { prompt: 9 },
  });
});

test('PaLM answers whole, also when a stream is asked for', async () => {
  const outgoing = await ask({ type: 11, body: { model: 'PaLM-2', stream: true, messages: [{ role: 'user', content: 'hi' }] } });
  expect(sent(outgoing)).toEqual({ prompt: { messages: [{ author: '0', content: 'hi' }] } });
  expect(outgoing.headers['x-goog-api-key']).toBe('the-key');
  const answer = `{\n  "candidates": [\n    { "author": "1", "content": "Hello" }\n  ]\n}\n`;
  const { text, report } = streamed(outgoing, Buffer.from(answer));
  expect(text).toContain('"content":"Hello"');
  expect(report.complete).toBe(true);
});
