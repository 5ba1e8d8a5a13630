import { describe, expect, test } from 'vitest';
import type { ClientDialect } from '../chat/dialect.ts';
import { createCrossingTap } from '../chat/event-tap.ts';
import { foldEvents } from '../chat/fold.ts';
import type { ChatEvent } from '../chat/response.ts';
import { geminiGenerate } from '../gemini-generate/dialect.ts';
import type { JsonObject } from '../json.ts';
import { openaiChat } from '../openai-chat/dialect.ts';
import { openaiResponses } from '../openai-responses/dialect.ts';
import { decodeFrames, encodeFrame } from '../sse.ts';
import { decodeRequest } from './decode-request.ts';
import { anthropicMessages } from './dialect.ts';
import { encodeResponse } from './response.ts';
import { createDecoder } from './stream-decoder.ts';
import { createEncoder } from './stream-encoder.ts';

const context = { id: 'abc', model: 'asked', created: 1, wantsUsage: true, promptEstimate: 42 };
const usage = { prompt: 10, completion: 3, cached: 4, cacheWrite: 0, reasoning: 0, anomaly: false };

function written(events: readonly ChatEvent[], end = true): JsonObject[] {
  const encoder = createEncoder(context);
  const bytes = events.map((event) => encoder.push(event) ?? Buffer.alloc(0));
  if (end) bytes.push(encoder.close(usage));
  return decodeFrames(Buffer.concat(bytes)).map(({ event, data = '' }) => {
    const object = JSON.parse(data) as JsonObject;
    expect(object.type).toBe(event);
    return object;
  });
}

function read(frames: readonly JsonObject[]): ChatEvent[] {
  const decoder = createDecoder();
  return frames.flatMap((frame) => [...decoder.push({ event: '', data: JSON.stringify(frame) })]);
}

const start: ChatEvent = { kind: 'start', id: 'x', model: 'y' };
const finish = (reason: 'stop' | 'tool-calls', raw: string): ChatEvent => ({
  kind: 'finish',
  choice: 0,
  finish: { reason, raw },
});

describe('what is written', () => {
  test('an answer without parts is legal, too', () => {
    const frames = written([]);
    expect(frames.map(({ type }) => type)).toEqual(['message_start', 'message_delta', 'message_stop']);
    expect(frames[0]).toMatchObject({ message: { id: 'msg_abc', model: 'asked', content: [], usage: { input_tokens: 42 } } });
    expect(frames[1]).toMatchObject({
      delta: { stop_reason: 'end_turn', stop_sequence: null },
      usage: { input_tokens: 6, cache_read_input_tokens: 4, output_tokens: 3 },
    });
  });

  test('text that came whole from a tool of another dialect comes as a delta, as all text does', () => {
    const value = { kind: 'foreign', dialect: 'other', name: 'executableCode', raw: {}, text: 'print(1)' } as const;
    const frames = written([start, { kind: 'whole', choice: 0, part: 0, value }]);
    expect(frames.slice(1, 3)).toMatchObject([
      { type: 'content_block_start', content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', delta: { type: 'text_delta', text: 'print(1)' } },
    ]);
  });

  test('blocks come one after another, each ended before the next', () => {
    const frames = written([
      start,
      { kind: 'part-start', choice: 0, part: 0, head: { kind: 'reasoning', dialect: 'other' } },
      { kind: 'delta', choice: 0, part: 0, text: 'hm' },
      { kind: 'part-end', choice: 0, part: 0 },
      { kind: 'part-start', choice: 0, part: 1, head: { kind: 'tool-call', id: '', name: 'f' } },
      { kind: 'delta', choice: 0, part: 1, text: '{}' },
      { kind: 'whole', choice: 0, part: 2, value: { kind: 'text', text: 'late' } },
      finish('tool-calls', 'tool_calls'),
    ]);
    expect(frames.map(({ type, index }) => `${type}${index ?? ''}`)).toEqual([
      'message_start',
      ...['content_block_start0', 'content_block_delta0', 'content_block_delta0', 'content_block_stop0'],
      ...['content_block_start1', 'content_block_delta1', 'content_block_stop1'],
      ...['content_block_start2', 'content_block_delta2', 'content_block_stop2'],
      'message_delta',
      'message_stop',
    ]);
    // What another dialect's model thought can be told from Claude's own when it comes back.
    expect(frames[3]).toMatchObject({ delta: { type: 'signature_delta', signature: 'foreign.signature.other.' } });
    expect(frames[5]).toMatchObject({ content_block: { type: 'tool_use', id: 'toolu_1', name: 'f', input: {} } });
    expect(frames.at(-2)).toMatchObject({ delta: { stop_reason: 'tool_use' } });
  });

  test('other choices, sound and sources of others are declared as lost', () => {
    const encoder = createEncoder(context);
    encoder.push({ kind: 'part-start', choice: 1, part: 0, head: { kind: 'text' } });
    encoder.push({ kind: 'part-start', choice: 0, part: 0, head: { kind: 'audio' } });
    encoder.push({ kind: 'delta', choice: 0, part: 0, text: 'AAAA' });
    encoder.push({ kind: 'part-end', choice: 0, part: 0 });
    encoder.push({
      kind: 'whole',
      choice: 0,
      part: 1,
      value: { kind: 'text', text: 'x', citations: [{ type: 'url_citation' }] },
    });
    encoder.push({ kind: 'logprobs', choice: 0, entries: [] });
    encoder.push({ kind: 'extra', extra: { dialect: 'other', fields: { fingerprint: 1 } } });
    expect(encoder.losses).toEqual(['choices', 'audio', 'citations', 'logprobs', 'fingerprint']);
  });

  test("another vendor's own pieces are told in steps as any text: clients show what comes in deltas", () => {
    const value = { kind: 'foreign', dialect: 'gemini-generate', name: 'executableCode', raw: {}, text: 'print(1)' } as const;
    const frames = written([start, { kind: 'whole', choice: 0, part: 0, value }]);
    expect(frames.slice(1, 3)).toEqual([
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'print(1)' } },
    ]);
  });

  test('an error becomes an error event and nothing ends the message', () => {
    const error = { message: 'broke', type: 'server_error', param: null, code: null };
    const frames = written([start, { kind: 'error', error }], false);
    expect(frames.at(-1)).toEqual({ type: 'error', error: { type: 'api_error', message: 'broke' } });
  });

  test.each([
    [{ reason: 'length', raw: 'MAX_TOKENS' }, 'max_tokens', null],
    [{ reason: 'length', raw: 'model_context_window_exceeded' }, 'model_context_window_exceeded', null],
    [{ reason: 'stop', raw: 'stop', stopSequence: 'END' }, 'stop_sequence', 'END'],
    [{ reason: 'stop', raw: 'max_tokens' }, 'end_turn', null],
    [{ reason: 'content-filter', raw: 'SAFETY' }, 'refusal', null],
    [{ reason: 'pause', raw: 'incomplete' }, 'pause_turn', null],
    [{ reason: 'pause', raw: 'compaction' }, 'compaction', null],
    [{ reason: 'other', raw: 'toString' }, 'end_turn', null],
  ] as const)('why it ended: %j', (reason, stop_reason, stop_sequence) => {
    const frames = written([{ kind: 'finish', choice: 0, finish: reason }]);
    expect(frames.at(-2)).toMatchObject({ delta: { stop_reason, stop_sequence } });
  });
});

describe('signatures of others', () => {
  const thought = { kind: 'reasoning', text: 't', signature: 's1', dialect: 'gemini-generate' } as const;
  const call = { kind: 'tool-call', id: 'c', name: 'f', arguments: '{}', signature: 's2', dialect: 'gemini-generate' } as const;
  const secret = { kind: 'reasoning', text: '', redacted: 's3', dialect: 'openai-responses' } as const;
  const parts = [thought, secret, call] as const;

  function backWith(content: unknown) {
    const decoded = decodeRequest({ model: 'm', messages: [{ role: 'assistant', content }] });
    return decoded.ok ? decoded.request.messages[0]?.parts : undefined;
  }

  test('come back with the next request as they were', () => {
    const { body } = encodeResponse({ id: '', model: '', answers: [{ parts }] }, context);
    expect(backWith(body.content)).toEqual(parts);
  });

  test('also when the answer was streamed', () => {
    const frames = written(parts.map((value, part): ChatEvent => ({ kind: 'whole', choice: 0, part, value })));
    const { answers } = foldEvents(read(frames));
    const { body } = encodeResponse({ id: '', model: '', answers }, context);
    expect(backWith(body.content)).toEqual(parts);
  });
});

describe('what is read', () => {
  const opening = { type: 'message_start', message: { id: 'i', model: 'm', usage: { input_tokens: 9, output_tokens: 1 } } };
  const block = { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } };
  const piece = (text: string) => ({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } });

  test('a cut answer tells what its prompt took, and leaves its text to be counted', () => {
    const tap = anthropicMessages.createTap({ swallowUsage: false });
    for (const frame of [opening, block, piece('half')]) tap.push(encodeFrame(JSON.stringify(frame)));
    const { usage: counted, promptUsage, complete, text } = tap.end();
    expect({ counted, complete, prompt: promptUsage?.prompt, text: text() }).toEqual({
      counted: undefined,
      complete: false,
      prompt: 9,
      text: 'half',
    });
  });

  test.each([
    ['a block of nothing', { type: 'content_block_start', index: 0 }],
    ['a delta of nothing', { type: 'content_block_delta', index: 0, delta: 5 }],
    ['text that is none', { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 5 } }],
    [
      'arguments without a call',
      { type: 'content_block_delta', index: 3, delta: { type: 'input_json_delta', partial_json: '{' } },
    ],
  ])('is malformed: %s', (_, frame) => {
    expect(read([opening, block, frame]).at(-1)).toEqual({ kind: 'malformed' });
  });

  test('a block that is never ended ends with the next one and with the message', () => {
    const call = {
      type: 'content_block_start',
      index: 1,
      content_block: { type: 'tool_use', id: 'c', name: 'f', input: { a: 1 } },
    };
    const last = { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { output_tokens: 4 } };
    expect(foldEvents(read([opening, block, piece('a'), call, last, { type: 'message_stop' }])).answers).toEqual([
      {
        parts: [
          { kind: 'text', text: 'a' },
          { kind: 'tool-call', id: 'c', name: 'f', arguments: '{"a":1}' },
        ],
        finish: { reason: 'tool-calls', raw: 'tool_use' },
      },
    ]);
  });

  test('a signature and a source are heard where a relay spells out the members of other deltas beside them', () => {
    const thinking = { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: '' } };
    const beside = (delta: object) => ({ type: 'content_block_delta', index: 0, delta: { text: '', thinking: '', ...delta } });
    const citation = { type: 'web_search_result_location', url: 'https://a.test' };
    const told = [
      ...[thinking, beside({ type: 'thinking_delta', thinking: 'so' }), beside({ type: 'signature_delta', signature: 'sealed' })],
      ...[block, beside({ type: 'text_delta', text: 'a' }), beside({ type: 'citations_delta', citation })],
    ];
    expect(foldEvents(read([opening, ...told, { type: 'message_stop' }])).answers[0]?.parts).toMatchObject([
      { kind: 'reasoning', text: 'so', signature: 'sealed' },
      { kind: 'text', text: 'a', citations: [citation] },
    ]);
  });

  test('10,000 events in one write go through', () => {
    const many = [opening, block, ...Array.from({ length: 10_000 }, () => piece('x'))];
    const bytes = Buffer.concat(many.map((frame) => encodeFrame(JSON.stringify(frame), frame.type)));
    const passing = anthropicMessages.createTap({ swallowUsage: false });
    expect(passing.push(bytes)?.equals(bytes)).toBe(true);
    const crossing = createCrossingTap(createDecoder(), createEncoder(context), { swallowUsage: false });
    crossing.push(bytes);
    expect(crossing.textBytes).toBe(10_000);
  });
});

test('what the model writes for a tool of its upstream goes on at once, and is counted where it is cut off', () => {
  const block = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'code_execution', input: {} };
  const events = [
    { type: 'message_start', message: { id: 'm', model: 'm', usage: { input_tokens: 5, output_tokens: 1 } } },
    { type: 'content_block_start', index: 0, content_block: block },
    ...['{"code":', '"print(1)'].map((partial_json) => {
      return { type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json } };
    }),
  ];
  const frames = events.map((event) => encodeFrame(JSON.stringify(event), event.type));
  const tap = anthropicMessages.createTap({ swallowUsage: false });
  const out = frames.map((frame) => tap.push(frame)?.length ?? 0);
  expect(out).toEqual([0, ...frames.slice(1).map(({ length }) => length)].with(1, Buffer.concat(frames.slice(0, 2)).length));
  expect(tap.end().text()).toBe('code_execution{"code":"print(1)');
});

test('tier, speed and place of an answer are read where its usage is, in a stream and at once', () => {
  const told = { input_tokens: 6, output_tokens: 1, service_tier: 'standard', speed: 'fast', inference_geo: 'us' };
  const served = { serviceTier: 'default', speed: 'fast', inferenceGeo: 'us' };
  const frames = [
    { type: 'message_start', message: { id: 'm', model: 'c', usage: told } },
    { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 3 } },
    { type: 'message_stop' },
  ];
  const tap = anthropicMessages.createTap({ swallowUsage: false });
  tap.push(Buffer.concat(frames.map((frame) => encodeFrame(JSON.stringify(frame)))));
  expect(tap.end()).toMatchObject({ complete: true, served });
  const folded = foldEvents(read(frames));
  expect(folded).toMatchObject(served);
  const body = encodeResponse(folded, context).body;
  expect(body.usage).toMatchObject({ service_tier: 'standard', speed: 'fast', inference_geo: 'us' });
  expect(anthropicMessages.readResponse(Buffer.from(JSON.stringify(body)))).toMatchObject({ kind: 'answer', served });
});

describe('an answer that is more than other dialects say', () => {
  const call = { type: 'tool_use', id: 'toolu_1', name: 'f', input: { a: 1 } };
  const own = { caller: { type: 'code_execution_20260120', tool_id: 'srvtoolu_1' }, toolset_name: 'browser' };
  const answer = {
    ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'c', stop_sequence: null },
    content: [{ ...call, ...own }, call],
    stop_reason: 'tool_use',
    usage: { input_tokens: 3, output_tokens: 2 },
  };
  const whole = anthropicMessages.decodeResponse(answer);
  const events = decodeFrames(anthropicMessages.unfold(answer, { wantsUsage: true, charged: usage }));
  const streamed = read(events.map(({ data = '' }) => JSON.parse(data) as JsonObject));

  test('who calls, and of which set of tools, is told at once and in a stream', () => {
    expect(foldEvents(streamed).answers).toEqual(whole.answers);
    expect(encodeResponse(whole, context).body.content).toEqual(answer.content);
    const starts = written(streamed).filter(({ type }) => type === 'content_block_start');
    expect(starts.map(({ content_block }) => content_block)).toEqual([
      { ...call, ...own, input: {} },
      { ...call, input: {} },
    ]);
  });

  test.each([openaiChat, openaiResponses, geminiGenerate])('$name declares it as lost both times', (dialect: ClientDialect) => {
    const encoder = dialect.createEncoder(context);
    for (const event of streamed) encoder.push(event);
    encoder.close(usage);
    expect(encoder.losses).toEqual(['caller', 'toolset_name']);
    expect(dialect.encodeResponse(whole, context).losses).toEqual(encoder.losses);
  });

  test('one that stopped behind a summary is to be gone on with, as one that pauses', () => {
    const paused = anthropicMessages.decodeResponse({ ...answer, content: [], stop_reason: 'compaction' });
    expect(openaiChat.encodeResponse(paused, context).losses).toEqual(['pause']);
    expect(openaiResponses.encodeResponse(paused, context).body).toMatchObject({ status: 'incomplete' });
    expect(encodeResponse(paused, context).body.stop_reason).toBe('compaction');
  });
});
