import { describe, expect, test } from 'vitest';
import { countedRequest, countTokensAnswer, countTokensBody, decodeCountTokens, readCountTokens } from './count-tokens.ts';
import { batchEmbedSurface, embedSurface } from './embed-surfaces.ts';
import { decodeEmbedAnswer, decodeEmbedRequest, encodeEmbedAnswer, encodeEmbedRequest } from './embeddings.ts';
import { modelEntry, modelList } from './models.ts';

const content = (text: string) => ({ content: { parts: [{ text }] } });

describe('embeddings', () => {
  test('one text and many cross to the canonical body and back', () => {
    const one = decodeEmbedRequest({ ...content('a'), output_dimensionality: 8, taskType: 'RETRIEVAL_QUERY' }, 'one', 'm');
    expect(one).toEqual({
      ok: true,
      body: { model: 'm', input: 'a', dimensions: 8, encoding_format: 'float' },
      inputs: [{ text: 'a', taskType: 'RETRIEVAL_QUERY', outputDimensionality: 8 }],
      losses: ['task_type'],
    });
    const many = decodeEmbedRequest({ requests: [content('a'), content('b')] }, 'many', 'm');
    expect(many).toMatchObject({ ok: true, body: { model: 'm', input: ['a', 'b'] } });
    if (!many.ok) throw new Error(many.reason);
    expect(encodeEmbedRequest(many.body, 'm')).toMatchObject({
      ok: true,
      body: {
        requests: [
          { model: 'models/m', ...content('a') },
          { model: 'models/m', ...content('b') },
        ],
      },
    });
    expect(encodeEmbedRequest({ input: 'a', dimensions: 8 }, 'm')).toMatchObject({
      body: { requests: [{ model: 'models/m', ...content('a'), outputDimensionality: 8 }] },
    });
  });

  test('all texts are asked for, however many: how many it takes at once says the upstream', () => {
    const asked = encodeEmbedRequest({ input: Array.from({ length: 2049 }, () => 'a') }, 'm');
    expect(asked.ok && asked.body.requests).toHaveLength(2049);
  });

  test('what newer clients say in one member beside the content is read there', () => {
    const embed_content_config = { task_type: 'CLUSTERING', output_dimensionality: 8, auto_truncate: false };
    expect(decodeEmbedRequest({ ...content('a'), embed_content_config }, 'one', 'm')).toMatchObject({
      inputs: [{ text: 'a', taskType: 'CLUSTERING', outputDimensionality: 8, autoTruncate: false }],
      losses: ['task_type', 'auto_truncate'],
    });
  });

  test('what only this dialect says of its inputs is declared', () => {
    const parts = [{ text: 'a' }, { inlineData: { mimeType: 'image/png', data: 'aGk=' } }];
    const asked = { content: { parts }, embedContentConfig: { documentOcr: true, mimeType: null }, newMember: 1 };
    expect(decodeEmbedRequest(asked, 'one', 'm')).toMatchObject({
      body: { input: 'a' },
      losses: ['document_ocr', 'new_member', 'file'],
    });
  });

  test.each([
    [decodeEmbedRequest({}, 'one', 'm'), 'content is required'],
    [
      decodeEmbedRequest({ content: { parts: [{ inlineData: {} }] } }, 'one', 'm'),
      expect.stringMatching(/^content must hold text: pictures.* not embedded here/),
    ],
    [decodeEmbedRequest({ requests: [] }, 'many', 'm'), 'requests is required'],
    [encodeEmbedRequest({ input: [[1, 2]] }, 'm'), 'input must be text'],
    [encodeEmbedRequest({ input: [] }, 'm'), 'field input is required'],
  ])('refuses what cannot be said: %#', (result, reason) => {
    expect(result).toEqual({ ok: false, reason });
  });

  test('answers cross both ways, as lists and as base64', () => {
    const native = { embeddings: [{ values: [0.5, -1] }, { values: [2, 4] }], usageMetadata: { promptTokenCount: 3 } };
    for (const isBase64 of [false, true]) {
      const canonical = decodeEmbedAnswer(native, 'm', isBase64);
      expect(canonical).toMatchObject({ object: 'list', model: 'm', usage: { prompt_tokens: 3, total_tokens: 3 } });
      expect(encodeEmbedAnswer(canonical, 'many')).toEqual({
        ...native,
        usageMetadata: { promptTokenCount: 3, totalTokenCount: 3 },
      });
    }
    expect(encodeEmbedAnswer(decodeEmbedAnswer({ embedding: { values: [1] } }, 'm', false), 'one')).toEqual({
      embedding: { values: [1] },
    });
  });

  test('each of the two ways in wants what its requests are made of', () => {
    const many = Buffer.from(JSON.stringify({ requests: [content('a')] }));
    expect(batchEmbedSurface.peekRequest(many, { model: 'models/m' })).toMatchObject({ ok: true, peek: { model: 'm' } });
    expect(embedSurface.peekRequest(many, { model: 'm' })).toMatchObject({ reason: 'content is required' });
  });
});

describe('token counts', () => {
  test('contents alone and whole requests are read, answers are told and read', () => {
    const contents = [{ parts: [{ text: 'a' }] }];
    const wrapped = [{ generateContentRequest: { contents } }, { generate_content_request: { contents } }];
    for (const body of [{ contents }, ...wrapped]) {
      expect(decodeCountTokens(body, { model: 'm' })).toMatchObject({ ok: true, request: { model: 'm', messages: [{}] } });
    }
    for (const body of [...wrapped, { generate_content_request: { contents, model: 'models/dear' } }]) {
      expect(countedRequest(body)).toMatchObject({ contents });
      const asked = { generateContentRequest: { contents, model: 'models/m' } };
      expect(JSON.parse(String(countTokensBody(Buffer.from(JSON.stringify(body)), body, 'm')))).toEqual(asked);
    }
    const bare = Buffer.from(JSON.stringify({ contents }));
    expect(countTokensBody(bare, { contents }, 'm')).toBe(bare);
    expect(decodeCountTokens({}, { model: 'm' })).toEqual({ ok: false, reason: 'contents is required' });
    expect(readCountTokens(countTokensAnswer(12))).toBe(12);
    expect(readCountTokens({ totalTokens: -1 })).toBeUndefined();
  });
});

describe('lists of models', () => {
  test('are told', () => {
    const list = modelList(['a', 'b'], (name) => name === 'b');
    expect(list.models).toEqual([modelEntry('a'), modelEntry('b', true)]);
  });
});
