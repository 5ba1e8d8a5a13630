import { expect, test } from 'vitest';
import { decisionSurface } from './decisions.ts';

const read = (answer: unknown) =>
  decisionSurface.readResponse(Buffer.from(typeof answer === 'string' ? answer : JSON.stringify(answer)));
const answers = [{ type: 'predicate', name: null, probability: 0.5 }];

test('answers to questions tell what they took', () => {
  const usage = { input_tokens: 9, input_tokens_details: { cached_tokens: 4, cache_write_tokens: 0 }, output_tokens: 2 };
  expect(read({ model: 'm', answers, usage })).toMatchObject({ kind: 'answer', usage: { prompt: 9, cached: 4, completion: 2 } });
  expect(read({ model: 'm', answers })).toMatchObject({ kind: 'answer', usage: undefined });
});

test('what holds no answers is none', () => {
  expect(read({ error: { message: 'no' } })).toMatchObject({ kind: 'error', error: { message: 'no' } });
  expect(read({ model: 'm' }).kind).toBe('error');
  expect(['', 'no'].map((text) => read(text))).toMatchObject([{ reason: 'empty' }, { reason: 'not-json' }]);
});

test('questions are never streamed, and have no cap', () => {
  const body = Buffer.from('{"model":"a","input":"hi","questions":[],"stream":true,"max_output_tokens":5}');
  const result = decisionSurface.peekRequest(body);
  expect(result).toMatchObject({ ok: true, peek: { model: 'a', stream: false, cap: undefined } });
  if (result.ok) expect(decisionSurface.editRequest(body, result.peek, { model: 'b' }).toString()).toContain('"model":"b"');
});
