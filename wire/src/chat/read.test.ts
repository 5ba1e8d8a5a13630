import { expect, test } from 'vitest';
import { openaiChat } from '../openai-chat/dialect.ts';
import { decodeStreamed } from './read.ts';

const chunk = (delta: object, finish: string | null = null) =>
  `data: ${JSON.stringify({ id: 'c', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
const hello = chunk({ role: 'assistant', content: 'hel' }) + chunk({ content: 'lo' });
const read = (text: string) => decodeStreamed(openaiChat, Buffer.from(text));

test('a collected stream is the answer that it folds to', () => {
  for (const end of ['data: [DONE]\n\n', 'data: [DONE]\n\ndata: {"error":{"message":"late"}}\n\n'])
    expect(read(hello + chunk({}, 'stop') + end)).toMatchObject({
      kind: 'answer',
      response: { answers: [{ parts: [{ kind: 'text', text: 'hello' }], finish: { reason: 'stop' } }] },
    });
});

test('a collected stream that was cut is no answer', () => {
  expect(read(hello)).toEqual({ kind: 'invalid', reason: 'not-json' });
  for (const silence of ['', '\r\n', ': ping\n\n: ping\n\n']) expect(read(silence)).toEqual({ kind: 'invalid', reason: 'empty' });
});

test('an error is one, as an event and as the whole body', () => {
  const error = { kind: 'error', error: { message: 'no' } };
  expect(read(`${hello}data: {"error":{"message":"no"}}\n\n`)).toMatchObject(error);
  expect(read('{"error":{"message":"no"}}')).toMatchObject(error);
});
