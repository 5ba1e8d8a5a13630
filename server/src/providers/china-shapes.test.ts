import type { JsonObject } from '@tollgate/wire';
import { describe, expect, test } from 'vitest';
import type { Family, UpstreamCallFacts } from './call.ts';
import type { FamilyShape } from './provider.ts';
import { providerOf } from './registry.ts';

function shapeOf(type: number, family: Family): FamilyShape {
  const shape = providerOf(type)?.shapes?.[family];
  if (shape === undefined) throw new Error(`type ${type} has no shape for ${family}`);
  return shape;
}

const call = (protocol: Family, model: string): UpstreamCallFacts => ({
  channel: { id: 1, baseUrl: '', key: 'k', organization: '', other: '' },
  model,
  stream: false,
  protocol,
});

/** One number as the little-endian float that clients expect in base64. */
const packed = (...numbers: number[]) => Buffer.from(Float32Array.from(numbers).buffer).toString('base64');
const vectors = (model: string, ...embeddings: unknown[]) => ({
  object: 'list',
  data: embeddings.map((embedding, index) => ({ object: 'embedding', index, embedding })),
  model,
});
const usage = (tokens: number) => ({ usage: { prompt_tokens: tokens, completion_tokens: 0, total_tokens: tokens } });

describe.each<{
  type: number;
  model: string;
  sent: JsonObject;
  answer: JsonObject;
  refusal: JsonObject;
}>([
  {
    type: 15,
    model: 'Embedding-V1',
    sent: { input: ['a', 'b'], user_id: 'u' },
    answer: {
      data: [
        { embedding: [1, 2], index: 0 },
        { embedding: [3, 4], index: 1 },
      ],
      usage: { total_tokens: 7 },
    },
    refusal: { error_code: 336_003, error_msg: 'too long' },
  },
  {
    type: 17,
    model: 'text-embedding-v4',
    sent: { model: 'text-embedding-v4', input: { texts: ['a', 'b'] }, parameters: { dimension: 64 } },
    answer: {
      output: {
        embeddings: [
          { text_index: 1, embedding: [3, 4] },
          { text_index: 0, embedding: [1, 2] },
        ],
      },
      usage: { total_tokens: 7 },
      request_id: 'r',
    },
    refusal: { code: 'InvalidParameter', message: 'too long', request_id: 'r' },
  },
  {
    type: 35,
    model: 'embo-01',
    sent: { model: 'embo-01', texts: ['a', 'b'], type: 'db' },
    answer: {
      vectors: [
        [1, 2],
        [3, 4],
      ],
      total_tokens: 7,
      base_resp: { status_code: 0, status_msg: '' },
    },
    refusal: { vectors: null, base_resp: { status_code: 2013, status_msg: 'too long' } },
  },
])('embeddings of type $type', ({ type, model, sent, answer, refusal }) => {
  const shape = shapeOf(type, 'embeddings');
  const asked = { model, input: ['a', 'b'], dimensions: 64, user: 'u' };

  test('are asked for in the vendor’s shape, also for a single text', () => {
    expect(shape.encode(asked, call('embeddings', model))).toEqual(sent);
    const single = shape.encode({ ...asked, input: 'a' }, call('embeddings', model));
    expect(JSON.stringify(single)).toContain('["a"]');
  });

  test('come back in the canonical one, in order, with their usage', () => {
    expect(shape.decode(answer, call('embeddings', model), asked)).toEqual({ ...vectors(model, [1, 2], [3, 4]), ...usage(7) });
    const inBase64 = { ...asked, encoding_format: 'base64' };
    expect(shape.decode(answer, call('embeddings', model), inBase64)).toMatchObject(vectors(model, packed(1, 2), packed(3, 4)));
  });

  test('an error is an error', () => {
    expect(shape.decode(refusal, call('embeddings', model), asked)).toMatchObject({ error: { message: 'too long' } });
  });
});

test('rerank of DashScope', () => {
  const shape = shapeOf(17, 'rerank');
  const asked = { model: 'gte-rerank-v2', query: 'q', documents: ['a', { text: 'b' }], top_n: 1, return_documents: true };
  expect(shape.encode(asked, call('rerank', 'gte-rerank-v2'))).toEqual({
    model: 'gte-rerank-v2',
    input: { query: 'q', documents: ['a', 'b'] },
    parameters: { top_n: 1, return_documents: true },
  });
  const results = [{ index: 1, relevance_score: 0.9, document: { text: 'b' } }];
  expect(shape.decode({ output: { results }, usage: { total_tokens: 5 } }, call('rerank', 'm'), asked)).toEqual({
    results,
    ...usage(5),
  });
});

describe('images of DashScope', () => {
  const shape = shapeOf(17, 'images');
  const asked = { model: 'wan2.2-t2i-plus', prompt: 'a cat', n: 2, size: '1024x768' };
  const made = (answer: JsonObject) => shape.decode(answer, call('images', asked.model), asked);

  test('are made in the background: asked about until they are there', () => {
    expect(shape.encode(asked, call('images', asked.model))).toEqual({
      model: asked.model,
      input: { prompt: 'a cat' },
      parameters: { n: 2, size: '1024*768' },
    });
    const { n: _, ...one } = asked;
    expect(shape.encode(one, call('images', asked.model))).toMatchObject({ parameters: { n: 1 } });
    const base = 'https://dashscope.aliyuncs.com';
    const next = { url: `${base}/api/v1/tasks/t-1`, afterMs: 3_000 };
    expect(shape.poll?.({ output: { task_status: 'PENDING', task_id: 't-1' } }, base)).toEqual(next);
    expect(shape.poll?.({ output: { task_status: 'RUNNING', task_id: 't-1' } }, base)).toEqual(next);
    for (const status of ['SUCCEEDED', 'FAILED', 'CANCELED', 'UNKNOWN'])
      expect(shape.poll?.({ output: { task_status: status, task_id: 't-1' } }, base)).toBeUndefined();
    const results = [
      { url: 'https://x/1.png', actual_prompt: 'a small cat' },
      { code: 'DataInspectionFailed', message: 'no' },
    ];
    expect(made({ output: { task_status: 'SUCCEEDED', task_id: 't-1', results } })).toEqual({
      created: 0,
      data: [{ url: 'https://x/1.png', revised_prompt: 'a small cat' }],
    });
  });

  test('of the newer models come at once, in the shape of a conversation', () => {
    const model = 'qwen-image-plus';
    expect(shape.encode({ ...asked, model }, call('images', model))).toMatchObject({
      input: { messages: [{ role: 'user', content: [{ text: 'a cat' }] }] },
    });
    const answer = { output: { choices: [{ message: { content: [{ image: 'https://x/2.png' }] } }] }, usage: { image_count: 1 } };
    expect(shape.poll?.(answer, 'https://x')).toBeUndefined();
    expect(made(answer)).toEqual({ created: 0, data: [{ url: 'https://x/2.png' }] });
  });

  test('that failed are an error, whoever says so', () => {
    const failed = { code: 'InternalError', message: 'no' };
    for (const answer of [failed, { output: { task_status: 'FAILED', ...failed } }, { output: { results: [failed] } }])
      expect(made(answer)).toMatchObject({ error: { message: 'no', code: 'InternalError' } });
  });
});

test('images of MiniMax: sizes are ratios, and both forms come back', () => {
  const shape = shapeOf(35, 'images');
  const asked = { model: 'image-01', prompt: 'a cat', size: '1792x1024', n: 1, response_format: 'b64_json' };
  expect(shape.encode(asked, call('images', 'image-01'))).toEqual({
    model: 'image-01',
    prompt: 'a cat',
    n: 1,
    aspect_ratio: '16:9',
    response_format: 'base64',
  });
  const decode = (answer: JsonObject) => shape.decode(answer, call('images', 'image-01'), asked);
  expect(decode({ data: { image_base64: ['AA=='] } })).toEqual({ created: 0, data: [{ b64_json: 'AA==' }] });
  expect(decode({ data: { image_urls: ['https://x/1'] } })).toEqual({ created: 0, data: [{ url: 'https://x/1' }] });
  expect(decode({ base_resp: { status_code: 1026, status_msg: 'no' } })).toMatchObject({ error: { message: 'no' } });
});
