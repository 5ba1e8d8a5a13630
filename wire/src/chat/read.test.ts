import { expect, test } from 'vitest';
import { cpuMs } from '../../test/cpu-ms.ts';
import { anthropicMessages } from '../anthropic-messages/dialect.ts';
import { geminiGenerate } from '../gemini-generate/dialect.ts';
import { openaiChat } from '../openai-chat/dialect.ts';
import { openaiResponses } from '../openai-responses/dialect.ts';
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

test.each(['data: 1\n\n', ':\n\n', '\n', 'data: {"choices":[]}\n\n'])(
  'a body of nothing but small events is not read to its end: %j',
  (frame) => {
    const before = cpuMs();
    expect(read(frame.repeat((16 * 1024 * 1024) / frame.length))).toEqual({ kind: 'invalid', reason: 'not-json' });
    expect(cpuMs() - before).toBeLessThan(5_000);
  },
);

test('an event of so many items is not read in a whole stream either', () => {
  const many = chunk({ tool_calls: Array.from({ length: 20_000 }, (_, index) => ({ index, id: `${index}` })) });
  expect(read(`${many}${chunk({}, 'stop')}data: [DONE]\n\n`)).toEqual({ kind: 'invalid', reason: 'not-json' });
});

test('an error is one, as an event and as the whole body', () => {
  const error = { kind: 'error', error: { message: 'no' } };
  expect(read(`${hello}data: {"error":{"message":"no"}}\n\n`)).toMatchObject(error);
  expect(read('{"error":{"message":"no"}}')).toMatchObject(error);
});

const usage = { prompt_tokens: 1, completion_tokens: 1, input_tokens: 1, output_tokens: 1, total_tokens: 2 };
const events = (...all: { type: string; [name: string]: unknown }[]) =>
  all.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
const choice = (reason: string) => ({ index: 0, message: { role: 'assistant', content: 'the "length"' }, finish_reason: reason });
const message = { id: 'm', type: 'message', role: 'assistant', model: 'm', content: [{ type: 'text', text: 'a' }], usage };
const candidate = (reason: string) => ({
  candidates: [{ index: 0, content: { role: 'model', parts: [{ text: 'a' }] }, finishReason: reason }],
  usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
});
const output = [
  { type: 'message', id: 'i', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text: 'a' }] },
];
const response = (status: string) => ({
  ...{ id: 'r', object: 'response', created_at: 1, model: 'm', status, output, usage },
  ...(status === 'incomplete' ? { incomplete_details: { reason: 'max_output_tokens' } } : {}),
});
const chat = (reason: string) => ({ id: 'c', choices: [choice(reason)], usage });

test.each([
  ['chat', openaiChat, chat('length'), `${hello + chunk({}, 'length')}data: [DONE]\n\n`, true],
  [
    'chat that speaks of it',
    openaiChat,
    chat('stop'),
    `${hello + chunk({ content: '"length"' }, 'stop')}data: [DONE]\n\n`,
    undefined,
  ],
  [
    ...(['messages', anthropicMessages, { ...message, stop_reason: 'max_tokens' }] as const),
    events(
      ...[{ type: 'message_start', message: { ...message, content: [] } }],
      ...[{ type: 'message_delta', delta: { stop_reason: 'max_tokens' }, usage }, { type: 'message_stop' }],
    ),
    true,
  ],
  ['messages that ended', anthropicMessages, { ...message, stop_reason: 'end_turn' }, '', undefined],
  ['gemini', geminiGenerate, candidate('MAX_TOKENS'), `data: ${JSON.stringify(candidate('MAX_TOKENS'))}\n\n`, true],
  ['gemini that ended', geminiGenerate, candidate('STOP'), `data: ${JSON.stringify(candidate('STOP'))}\n\n`, undefined],
  [
    ...(['responses', openaiResponses, response('incomplete')] as const),
    events(
      { type: 'response.created', response: response('in_progress') },
      {
        ...{ type: 'response.incomplete', response: response('incomplete') },
      },
    ),
    true,
  ],
  ['responses that ended', openaiResponses, response('completed'), '', undefined],
] as const)('an answer tells that it had as many tokens as it may have: %s', (_name, dialect, body, stream, isCut) => {
  const reading = dialect.readResponse(Buffer.from(JSON.stringify(body, null, 1)));
  expect(reading.kind === 'answer' ? reading.served?.cutByLength : reading).toBe(isCut);
  const tap = dialect.createTap({ swallowUsage: false });
  tap.push(Buffer.from(stream));
  expect(tap.end().served?.cutByLength).toBe(isCut);
});
