import { describe, expect, test } from 'vitest';
import { type Asking, answered, ask, sent } from '../../test/record-kit.ts';
import type { SignTools } from './sign.ts';

const messages = [{ role: 'user', content: 'hi' }];
const contents = [{ role: 'user', parts: [{ text: 'hi' }] }];
const base = 'https://generativelanguage.googleapis.com';
const tools: SignTools = { nowMs: 0, token: () => Promise.resolve('traded'), post: () => Promise.reject(new Error('unused')) };
const key = JSON.stringify({ project_id: 'p1', client_email: 'a@p1.example', private_key: 'x' });

describe('the API by key', () => {
  const call = (protocol: string, body: object, more: Partial<Asking> = {}) =>
    ask({ type: 24, protocol, body: { ...body }, ...more });

  test('a request in its own dialect goes as it came', async () => {
    const path = { model: 'gemini-2.5-pro', stream: true };
    const body = `{ "contents":[{"role":"user","parts":[{"text":"hi"}]}], "new_field": 1.0 }`;
    const options = { 'gemini.safety_settings': { default: 'OFF' } };
    const outgoing = await ask({ type: 24, protocol: 'gemini-generate', body, path, options });
    expect(outgoing.url.href).toBe(`${base}/v1beta/models/gemini-2.5-pro:streamGenerateContent?alt=sse`);
    expect(outgoing.headers['x-goog-api-key']).toBe('the-key');
    expect(outgoing.headers.authorization).toBeUndefined();
    expect(outgoing.body.toString()).toBe(body);
  });

  test('version and thresholds are the operator’s', async () => {
    const options = {
      'gemini.version_settings': { default: 'v1beta', 'gemini-1.0-pro': 'v1' },
      'gemini.safety_settings': { default: 'OFF', HARM_CATEGORY_CIVIC_INTEGRITY: 'BLOCK_NONE' },
    };
    const outgoing = await call('openai-chat', { model: 'gemini-1.0-pro', messages }, { options });
    expect(outgoing.url.href).toBe(`${base}/v1/models/gemini-1.0-pro:generateContent`);
    const { safetySettings, contents: said } = sent(outgoing) as { safetySettings: object[]; contents: unknown };
    expect(said).toEqual(contents);
    expect(safetySettings).toHaveLength(5);
    expect(safetySettings).toContainEqual({ category: 'HARM_CATEGORY_CIVIC_INTEGRITY', threshold: 'BLOCK_NONE' });
    expect(safetySettings).toContainEqual({ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'OFF' });
  });

  test('several texts are embedded in one call; base64 comes when it is asked for', async () => {
    const body = { model: 'gemini-embedding-001', input: ['a', 'b'], dimensions: 2, encoding_format: 'base64' };
    const outgoing = await call('embeddings', body);
    expect(outgoing.url.href).toBe(`${base}/v1beta/models/gemini-embedding-001:batchEmbedContents`);
    const request = (text: string) => ({
      model: 'models/gemini-embedding-001',
      content: { parts: [{ text }] },
      outputDimensionality: 2,
    });
    expect(sent(outgoing)).toEqual({ requests: [request('a'), request('b')] });
    const reading = answered(outgoing, { embeddings: [{ values: [0.5, -1] }, { values: [1, 2] }] });
    const { data } = 'json' in reading ? (reading.json as { data: { embedding: string }[] }) : { data: [] };
    const bytes = Buffer.from(data[0]?.embedding ?? '', 'base64');
    expect([bytes.readFloatLE(0), bytes.readFloatLE(4)]).toEqual([0.5, -1]);
    const plain = await call('embeddings', { model: 'gemini-embedding-001', input: 'a' });
    expect(answered(plain, { embeddings: [{ values: [0.5] }] })).toMatchObject({
      json: { data: [{ index: 0, embedding: [0.5] }] },
    });
  });

  const told = { taskType: 'RETRIEVAL_DOCUMENT', title: 'T', outputDimensionality: 2 };
  const content = (text: string) => ({ parts: [{ text }] });
  const path = { model: 'gemini-embedding-001' };

  test('what only its own callers say of their texts arrives, each with its text', async () => {
    const requests = [{ content: content('a'), ...told, outputDimensionality: 8 }, { content: content('b') }];
    // The model of the path is paid for, whatever the body names.
    const dearer = requests.map((each) => ({ model: 'models/dearer', ...each }));
    const many = await call('gemini-batch-embed', { requests: dearer }, { path });
    const model = 'models/gemini-embedding-001';
    expect(sent(many)).toEqual({ requests: requests.map((each) => ({ model, ...each })) });
    expect(many.losses).toEqual([]);
    const one = await call('gemini-embed', { content: content('a'), ...told, autoTruncate: true }, { path });
    expect(sent(one)).toEqual({ requests: [{ model, content: content('a'), ...told }] });
    expect(one.losses).toEqual(['auto_truncate']);
    expect(answered(one, { embeddings: [{ values: [0.5] }] })).toMatchObject({ json: { embedding: { values: [0.5] } } });
  });

  test('elsewhere it is declared as lost', async () => {
    const outgoing = await ask({ type: 1, protocol: 'gemini-embed', path, body: { content: content('a'), ...told } });
    expect(sent(outgoing)).toEqual({ model: path.model, input: 'a', dimensions: 2, encoding_format: 'float' });
    expect(outgoing.losses).toEqual(['task_type', 'title']);
  });

  test('who asks for speech is told how these models speak, and so they do', async () => {
    const speech = { model: 'gemini-2.5-flash-preview-tts', input: 'Hello', voice: 'alloy' };
    for (const type of [24, 41])
      await expect(ask({ type, protocol: 'speech', body: speech, channel: { key } })).rejects.toMatchObject({
        ...{ status: 400, code: 'invalid_audio_request', retryable: true },
        message: expect.stringContaining('ask POST /v1/chat/completions with "modalities": ["audio"]'),
      });
    const audio = { voice: 'Kore', format: 'pcm16' };
    const outgoing = await call('openai-chat', { model: speech.model, messages, modalities: ['audio'], audio });
    const speechConfig = { voiceConfig: { prebuiltVoiceConfig: { voiceName: 'Kore' } } };
    expect(sent(outgoing)).toEqual({ contents, generationConfig: { responseModalities: ['AUDIO'], speechConfig } });
    expect(outgoing.losses).toEqual([]);
    const sound = { inlineData: { mimeType: 'audio/L16;codec=pcm;rate=24000', data: 'AAAA' } };
    const usageMetadata = {
      ...{ promptTokenCount: 2, candidatesTokenCount: 25 },
      candidatesTokensDetails: [{ modality: 'AUDIO', tokenCount: 25 }],
    };
    const candidates = [{ content: { role: 'model', parts: [sound] }, finishReason: 'STOP' }];
    expect(answered(outgoing, { candidates, usageMetadata })).toMatchObject({
      json: { choices: [{ message: { audio: { data: 'AAAA' } } }] },
      usage: { prompt: 2, completion: 25, audioCompletion: 25 },
    });
  });

  test.each([undefined, '', 'auto', '1024x1024'])('a picture for which the size is %j is a square', async (size) => {
    const { parameters } = sent(await call('images', { model: 'imagen-4.0-generate-001', prompt: 'a cat', size }));
    expect(parameters).toMatchObject({ aspectRatio: '1:1' });
  });

  test('pictures are predicted, or drawn by a chat', async () => {
    const body = { model: 'imagen-4.0-generate-001', prompt: 'a cat', n: 2, size: '1024x1792' };
    const imagen = await call('images', body);
    expect(imagen.url.pathname).toBe('/v1beta/models/imagen-4.0-generate-001:predict');
    expect(sent(imagen)).toEqual({
      instances: [{ prompt: 'a cat' }],
      parameters: { sampleCount: 2, aspectRatio: '9:16', personGeneration: 'allow_adult' },
    });
    const predictions = [{ bytesBase64Encoded: 'QQ==' }, { bytesBase64Encoded: 'Qg==' }];
    expect(answered(imagen, { predictions })).toMatchObject({
      json: {
        data: [{ b64_json: 'QQ==' }, { b64_json: 'Qg==' }],
        usage: { input_tokens: 516, output_tokens: 0, total_tokens: 516 },
      },
      usage: { prompt: 516 },
    });
    const drawn = await call('images', { model: 'gemini-2.5-flash-image', prompt: 'a cat' });
    expect(drawn.url.pathname).toBe('/v1beta/models/gemini-2.5-flash-image:generateContent');
    const candidates = [{ content: { parts: [{ text: 'Here' }, { inlineData: { mimeType: 'image/png', data: 'QQ==' } }] } }];
    const candidatesTokensDetails = [{ modality: 'IMAGE', tokenCount: 1290 }];
    const usageMetadata = { promptTokenCount: 4, candidatesTokenCount: 1300, candidatesTokensDetails };
    expect(answered(drawn, { candidates, usageMetadata })).toMatchObject({
      json: {
        data: [{ b64_json: 'QQ==' }],
        // As the family spells them, which differs from chat.
        usage: {
          ...{ input_tokens: 4, output_tokens: 1300, total_tokens: 1304 },
          input_tokens_details: { text_tokens: 4, image_tokens: 0 },
          output_tokens_details: { text_tokens: 10, image_tokens: 1290 },
        },
      },
      usage: { prompt: 4, completion: 1300, imageCompletion: 1290 },
    });
  });

  test('an error in a shape of its own stays an error', async () => {
    const outgoing = await call('embeddings', { model: 'm', input: 'a' });
    expect(answered(outgoing, { error: { code: 400, message: 'no', status: 'INVALID_ARGUMENT' } })).toMatchObject({
      kind: 'error',
      error: { message: 'no' },
    });
  });
});

describe('the cloud, by service account', () => {
  const call = (protocol: string, model: string, more: Partial<Asking> = {}) => {
    const body = protocol === 'anthropic-messages' ? { model, max_tokens: 10, messages } : { model, messages };
    return ask({ type: 41, protocol, body, tools, ...more, channel: { key, other: 'us-central1', ...more.channel } });
  };
  const place = (region: string, version = 'v1') =>
    `https://${region}-aiplatform.googleapis.com/${version}/projects/p1/locations/${region}`;

  test.each([
    ['gemini-2.5-pro', `${place('us-central1')}/publishers/google/models/gemini-2.5-pro:generateContent`],
    [
      'claude-3-5-sonnet-20241022',
      `${place('us-central1')}/publishers/anthropic/models/claude-3-5-sonnet-v2@20241022:rawPredict`,
    ],
    ['claude-sonnet-4-5-20250929', `${place('us-central1')}/publishers/anthropic/models/claude-sonnet-4-5@20250929:rawPredict`],
    ['claude-opus-4-8', `${place('us-central1')}/publishers/anthropic/models/claude-opus-4-8:rawPredict`],
    ['meta/llama-3.3-70b-instruct-maas', `${place('us-central1', 'v1beta1')}/endpoints/openapi/chat/completions`],
  ])('%s is asked where its publisher is', async (model, url) => {
    const outgoing = await call('openai-chat', model);
    expect(outgoing.url.href).toBe(url);
    expect(outgoing.headers.authorization).toBe('Bearer traded');
  });

  test('a turn without a role is the user’s, for this API refuses it; the rest goes as it came', async () => {
    const path = { model: 'gemini-2.5-pro', stream: false };
    const sentOf = async (contents: string) => {
      const body = `{ "contents":${contents}, "new_field": 1.0 }`;
      return (await call('gemini-generate', 'gemini-2.5-pro', { body, path })).body.toString();
    };
    const parts = '"parts":[{"text":"hi"}]';
    const whole = `[{"role":"user",${parts}}]`;
    expect(await sentOf(whole)).toBe(`{ "contents":${whole}, "new_field": 1.0 }`);
    expect(await sentOf(`[{${parts}},{"role":"model",${parts}}]`)).toBe(
      `{ "contents":[{${parts},"role":"user"},{"role":"model",${parts}}], "new_field": 1.0 }`,
    );
    expect(await sentOf(`{${parts}}`)).toBe(`{ "contents":[{${parts},"role":"user"}], "new_field": 1.0 }`);
  });

  test('Claude’s body has a version instead of a model, and streams', async () => {
    const more = {
      body: { model: 'claude-opus-5', max_tokens: 5, stream: true, messages },
      headers: { 'anthropic-beta': 'oauth-2025-04-20,context-1m-2025-08-07,advanced-tool-use-2025-11-20' },
    };
    const outgoing = await call('anthropic-messages', 'claude-opus-5', more);
    expect(outgoing.url.href).toMatch(/\/claude-opus-5:streamRawPredict\?alt=sse$/);
    expect(sent(outgoing)).toEqual({ max_tokens: 5, stream: true, messages, anthropic_version: 'vertex-2023-10-16' });
    expect(outgoing.headers['anthropic-beta']).toBe('context-1m-2025-08-07,tool-search-tool-2025-10-19');
  });

  test.each([
    [
      '{"default":"global","gemini-2.5-pro":"europe-west4"}',
      'gemini-2.5-pro',
      'https://europe-west4-aiplatform.googleapis.com/v1/projects/p1/locations/europe-west4',
    ],
    ['{"default":"global"}', 'gemini-2.5-pro', 'https://aiplatform.googleapis.com/v1/projects/p1/locations/global'],
    ['eu', 'gemini-2.5-pro', 'https://aiplatform.eu.rep.googleapis.com/v1/projects/p1/locations/eu'],
  ])('region %s', async (other, model, start) => {
    expect((await call('openai-chat', model, { channel: { other } })).url.href.startsWith(`${start}/publishers/`)).toBe(true);
  });

  test.each([{ other: '' }, { other: '{"x":"y"}' }, { other: 'a/../b' }, { key: 'sk-1' }])(
    '%j is a channel that is set up wrongly',
    async (channel) => {
      await expect(call('openai-chat', 'gemini-2.5-pro', { channel })).rejects.toThrow(/region is missing|no service account/);
    },
  );

  test('texts are embedded by prediction', async () => {
    const outgoing = await call('embeddings', '', { body: { model: 'text-embedding-005', input: ['a', 'b'] } });
    expect(outgoing.url.pathname).toMatch(/\/models\/text-embedding-005:predict$/);
    expect(sent(outgoing)).toEqual({ instances: [{ content: 'a' }, { content: 'b' }], parameters: {} });
    const predictions = [3, 4].map((token_count) => ({ embeddings: { values: [1], statistics: { token_count } } }));
    expect(answered(outgoing, { predictions })).toMatchObject({
      json: { data: [{ embedding: [1] }, { index: 1 }] },
      usage: { prompt: 7 },
    });
  });

  test('what Gemini’s callers say of their texts is told in the words of that; none is cut whose caller wants it whole', async () => {
    const each = (text: string, more: object) => ({ content: { parts: [{ text }] }, outputDimensionality: 2, ...more });
    const requests = [each('a', { taskType: 'CLUSTERING', autoTruncate: false }), each('b', { title: 'T', autoTruncate: true })];
    const path = { model: 'text-embedding-005' };
    const outgoing = await ask({
      ...{ type: 41, protocol: 'gemini-batch-embed', path, body: { requests }, tools },
      channel: { key, other: 'us-central1' },
    });
    expect(sent(outgoing)).toEqual({
      instances: [
        { content: 'a', task_type: 'CLUSTERING' },
        { content: 'b', title: 'T' },
      ],
      parameters: { outputDimensionality: 2, autoTruncate: false },
    });
    expect(outgoing.losses).toEqual([]);
  });

  test('models since the second of the name are refused by prediction and embed in batches', async () => {
    const model = 'gemini-embedding-2';
    const turn = (text: string) => ({ role: 'user', parts: [{ text }] });
    const outgoing = await call('embeddings', '', { body: { model, input: ['a', 'b'], dimensions: 2 } });
    expect(outgoing.url.href).toBe(`${place('us-central1', 'v1beta1')}/publishers/google/models/${model}:batchEmbedContents`);
    const embedContentConfig = { outputDimensionality: 2 };
    expect(sent(outgoing)).toEqual({ requests: ['a', 'b'].map((text) => ({ content: turn(text), embedContentConfig })) });
    const usageMetadata = { promptTokenCount: 7, totalTokenCount: 7 };
    expect(answered(outgoing, { embeddings: [{ values: [1] }, { values: [2] }], usageMetadata })).toMatchObject({
      json: { data: [{ embedding: [1] }, { index: 1, embedding: [2] }] },
      usage: { prompt: 7 },
    });
    const own = { content: { parts: [{ text: 'a' }] }, taskType: 'CLUSTERING', autoTruncate: false };
    const asked = await ask({
      ...{ type: 41, protocol: 'gemini-embed', path: { model }, body: own, tools },
      channel: { key, other: 'us-central1' },
    });
    expect(sent(asked)).toEqual({
      requests: [{ content: turn('a'), embedContentConfig: { taskType: 'CLUSTERING', autoTruncate: false } }],
    });
    expect(asked.losses).toEqual([]);
  });
});
