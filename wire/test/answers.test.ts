import { describe, expect, test } from 'vitest';
import { foldEvents } from '../src/chat/fold.ts';
import { decodeAnswer, decodeStreamed, responseText } from '../src/chat/read.ts';
import { errorStatus, upstreamDialect } from '../src/index.ts';
import { answers, failures, parsed, requests, streams } from './fixtures.ts';
import { answersMeaning } from './meaning.ts';
import { answerContext, answerOf, eventsOf } from './scenes.ts';

const spoken = [...new Set([...requests, ...answers, ...streams].map(({ client }) => client))].filter(
  (client) => client !== undefined,
);

describe.each(answers)('$name', (fixture) => {
  const { dialect, client, bytes } = fixture;

  test('is an answer, and what is read of the bytes is what decoding finds', () => {
    const response = answerOf(fixture);
    expect(dialect.readFailure(parsed(bytes))).toBeUndefined();
    expect(decodeAnswer(dialect, bytes)).toEqual({ kind: 'answer', response });
    const reading = client?.readResponse(bytes);
    if (reading === undefined) return;
    if (reading.kind !== 'answer') throw new Error(reading.kind);
    expect(reading.usage).toEqual(response.usage);
    // Dialects differ in the order of thoughts, calls and texts; what is counted is the same.
    expect([...reading.text()].sort().join('')).toBe([...responseText(response)].sort().join(''));
  });

  test('cut anywhere it is no answer', () => {
    const complete = bytes.toString().trimEnd().length;
    for (let cut = 0; cut < complete; cut += Math.max(1, Math.floor(complete / 200))) {
      expect(decodeAnswer(dialect, bytes.subarray(0, cut)).kind).toBe('invalid');
      if (client !== undefined) expect(client.readResponse(bytes.subarray(0, cut)).kind).toBe('invalid');
    }
  });
});

const ofClients = answers.flatMap(({ client, ...fixture }) => (client === undefined ? [] : [{ ...fixture, client }]));

test.each(ofClients)('$name can be said again in the same dialect, and nothing is lost', (fixture) => {
  const { client } = fixture;
  const response = answerOf(fixture);
  const { body, losses } = client.encodeResponse(response, answerContext);
  const again = client.decodeResponse(parsed(Buffer.from(JSON.stringify(body))));
  expect(losses).toEqual([]);
  expect(answersMeaning(again)).toEqual(answersMeaning(response));
  expect(again.usage).toEqual(response.usage && { ...response.usage, anomaly: expect.any(Boolean) });
  expect(kinds(again)).toEqual(kinds(response));
});

const charged = { prompt: 3, completion: 4, cached: 0, cacheWrite: 0, reasoning: 0, anomaly: false };

test.each(ofClients)('$name unfolded is a stream that says all of it', (fixture) => {
  const { client, bytes } = fixture;
  const response = answerOf(fixture);
  const stream = client.unfold(parsed(bytes), { wantsUsage: true, charged });
  expect(decodeStreamed(client, stream)).toEqual({ kind: 'answer', response: { ...response, usage: response.usage ?? charged } });
  expect(eventsOf(client, stream).some(({ kind }) => kind === 'malformed')).toBe(false);
});

/** Everything of the parts but text that may be joined. */
function kinds(response: ReturnType<typeof answerOf>) {
  return response.answers.map(({ parts, logprobs }) => ({
    parts: parts.filter(({ kind }) => kind !== 'text' && kind !== 'reasoning'),
    thoughts: parts.flatMap((part) => (part.kind === 'reasoning' ? [part.text] : [])).join(''),
    signatures: parts.flatMap((part) => (part.kind === 'reasoning' ? [part.signature ?? part.redacted ?? []] : [])).flat(),
    citations: parts.flatMap((part) => (part.kind === 'text' ? (part.citations ?? []) : [])),
    logprobs: logprobs ?? [],
  }));
}

describe('a call for which the model wrote no arguments has an empty object of them', () => {
  const frame = (body: object, event = '') => `${event === '' ? '' : `event: ${event}\n`}data: ${JSON.stringify(body)}\n\n`;
  const inner = { name: 'now', arguments: '' };
  const item = { type: 'function_call', id: 'fc_1', call_id: 'c', ...inner };
  const finish_reason = 'tool_calls';
  const chatCall = { index: 0, id: 'c', type: 'function', function: inner };
  const tencentCall = { Id: 'c', Type: 'function', Index: 0, Function: { Name: 'now', Arguments: '' } };
  const whole: Readonly<Record<string, object>> = {
    'openai-chat': { choices: [{ message: { role: 'assistant', tool_calls: [chatCall] }, finish_reason }] },
    'openai-responses': { object: 'response', status: 'completed', output: [item] },
    'cohere-chat': { message: { tool_calls: [chatCall] }, finish_reason: 'TOOL_CALL' },
    'tencent-chat': { Response: { Choices: [{ Message: { ToolCalls: [tencentCall] }, FinishReason: finish_reason }] } },
    'baidu-chat': { id: 'b', is_end: true, result: '', function_call: inner },
    'spark-chat': { header: { code: 0, status: 2 }, payload: { choices: { text: [{ function_call: inner }] } } },
  };
  const streamed: Readonly<Record<string, readonly string[]>> = {
    'openai-chat': [
      frame({ choices: [{ index: 0, delta: { tool_calls: [chatCall] } }] }),
      frame({ choices: [{ index: 0, delta: {}, finish_reason }] }),
    ],
    'openai-responses': [
      frame({ type: 'response.output_item.added', output_index: 0, item }),
      frame({ type: 'response.output_item.done', output_index: 0, item }),
      frame({ type: 'response.completed', response: whole['openai-responses'] }),
    ],
    'bedrock-converse': [
      frame({ contentBlockIndex: 0, start: { toolUse: { toolUseId: 'c', name: 'now' } } }, 'contentBlockStart'),
      frame({ contentBlockIndex: 0, delta: { toolUse: { input: '' } } }, 'contentBlockDelta'),
      frame({ contentBlockIndex: 0 }, 'contentBlockStop'),
      frame({ stopReason: 'tool_use' }, 'messageStop'),
    ],
    'cohere-chat': [
      frame({ type: 'tool-call-start', index: 0, delta: { message: { tool_calls: chatCall } } }),
      frame({ type: 'tool-call-end', index: 0 }),
      frame({ type: 'message-end', delta: { finish_reason: 'TOOL_CALL' } }),
    ],
    'tencent-chat': [
      frame({ Id: 't', Choices: [{ Index: 0, Delta: { ToolCalls: [tencentCall] } }] }),
      frame({ Id: 't', Choices: [{ Index: 0, Delta: {}, FinishReason: finish_reason }] }),
    ],
    'baidu-chat': [frame(whole['baidu-chat'] ?? {})],
    'spark-chat': [frame(whole['spark-chat'] ?? {})],
  };
  const parts = [{ kind: 'tool-call', name: 'now', arguments: '{}' }];

  test.each(Object.entries(whole))('%s, whole', (name, body) => {
    expect(upstreamDialect(name)?.decodeResponse({ ...body }).answers).toMatchObject([{ parts }]);
  });

  test.each(Object.entries(streamed))('%s, streamed', (name, frames) => {
    const dialect = upstreamDialect(name);
    if (dialect === undefined) throw new Error(name);
    const read = decodeStreamed(dialect, Buffer.from(frames.join('')));
    expect(read).toMatchObject({ kind: 'answer', response: { answers: [{ parts }] } });
  });

  test.each(['bedrock-converse', 'cohere-chat', 'tencent-chat'])(
    'but not where the stream of %s was cut behind its name',
    (name) => {
      const dialect = upstreamDialect(name);
      if (dialect === undefined) throw new Error(name);
      const [answer] = foldEvents(eventsOf(dialect, Buffer.from(streamed[name]?.[0] ?? ''))).answers;
      expect(answer?.parts).toMatchObject([{ name: 'now', arguments: '' }]);
    },
  );
});

test('arguments that an upstream gives as an object are not lost, streamed or not', () => {
  const call = { index: 0, id: 'c', type: 'function', function: { name: 'f', arguments: { city: 'Paris' } } };
  const chunks = [
    { choices: [{ index: 0, delta: { tool_calls: [call] } }] },
    { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] },
  ];
  const chat = upstreamDialect('openai-chat');
  if (chat === undefined) throw new Error('openai-chat');
  const answers = [{ parts: [{ kind: 'tool-call', name: 'f', arguments: '{"city":"Paris"}' }] }];
  const streamed = decodeStreamed(chat, Buffer.from(chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join('')));
  expect(streamed).toMatchObject({ response: { answers } });
  expect(chat.decodeResponse({ choices: [{ message: { role: 'assistant', tool_calls: [call] } }] })).toMatchObject({ answers });
});

describe.each(failures)('$name', ({ dialect, status, bytes }) => {
  test('is an error with a message of its own', () => {
    const body = parsed(bytes);
    const error = status === 200 ? dialect.readFailure(body) : dialect.readError(status, bytes);
    if (error === undefined) throw new Error('read as an answer');
    expect(error.message).not.toMatch(/^bad response status code/);
    expect(error.message.length).toBeGreaterThan(0);
    expect(errorStatus(error)).toBeGreaterThanOrEqual(400);
    for (const client of spoken) {
      const told = Buffer.from(client.errorBody(error, 500));
      expect(client.readError(500, told).message).toBe(error.message);
      if (client === dialect) expect(client.readError(500, told)).toEqual(error);
    }
  });
});
