import { expect, test } from 'vitest';
import { ask } from '../../test/record-kit.ts';

const charged = { prompt: 7, completion: 0, cached: 0, cacheWrite: 0, reasoning: 0, anomaly: false };
const vectors = { embeddings: [{ values: [1, 2] }] };

/** What the caller of Gemini's embeddings gets, where the upstream answers `body`. */
async function told(protocol: string, asked: object, body: object): Promise<unknown> {
  const path = { model: 'gemini-embedding-001' };
  const outgoing = await ask({ type: 24, protocol, path, body: { ...asked } });
  const reading = outgoing.answer.read(Buffer.from(JSON.stringify(body)));
  if (reading.kind !== 'answer') throw new Error(reading.kind);
  return JSON.parse(String(reading.withUsage?.(charged) ?? reading.body));
}

test('vectors without figures are told with what is charged for them, each caller in its own words', async () => {
  const input = { model: 'gemini-embedding-001', input: 'hi' };
  expect(await told('embeddings', input, vectors)).toMatchObject({ usage: { prompt_tokens: 7, total_tokens: 7 } });
  expect(await told('embeddings', input, { ...vectors, usageMetadata: { promptTokenCount: 3 } })).toMatchObject({
    usage: { prompt_tokens: 3, total_tokens: 3 },
  });
  const one = { content: { parts: [{ text: 'hi' }] } };
  expect(await told('gemini-embed', one, vectors)).toEqual({
    embedding: { values: [1, 2] },
    usageMetadata: { promptTokenCount: 7, totalTokenCount: 7 },
  });
});
