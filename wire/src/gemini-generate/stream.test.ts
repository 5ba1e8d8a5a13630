import { describe, expect, test } from 'vitest';
import type { AnswerContext } from '../chat/dialect.ts';
import { createCrossingTap, createPassingTap } from '../chat/event-tap.ts';
import { foldEvents } from '../chat/fold.ts';
import { decodeStreamed } from '../chat/read.ts';
import type { ChatEvent } from '../chat/response.ts';
import { encodeResponse as chatResponse } from '../openai-chat/encode-response.ts';
import { createEncoder as chatEncoder } from '../openai-chat/encoder.ts';
import { decodeFrames } from '../sse.ts';
import { createEncoder } from './encoder.ts';
import { encodeResponse, readFailure, readResponse } from './response.ts';
import { createDecoder, decodeResponse } from './stream.ts';

const context: AnswerContext = { id: 'id', model: 'm', created: 1, wantsUsage: true, promptEstimate: 1 };
const usage = { prompt: 5, completion: 7, cached: 2, cacheWrite: 0, reasoning: 3, anomaly: false };
const frame = (body: object) => Buffer.from(`data: ${JSON.stringify(body)}\n\n`);
const chunk = (parts: object[], more: object = {}) =>
  frame({ candidates: [{ content: { parts, role: 'model' }, index: 0, ...more }] });

function written(events: readonly ChatEvent[]) {
  const encoder = createEncoder(context);
  const bytes = [...events.map((event) => encoder.push(event) ?? Buffer.alloc(0)), encoder.close(usage)];
  return { chunks: decodeFrames(Buffer.concat(bytes)).map(({ data = '' }) => JSON.parse(data)), losses: encoder.losses };
}

describe('the encoder', () => {
  test('writes calls whole, and reason and usage with the last chunk', () => {
    const { chunks, losses } = written([
      { kind: 'start', id: 'x', model: 'y' },
      { kind: 'part-start', choice: 0, part: 0, head: { kind: 'text' } },
      { kind: 'delta', choice: 0, part: 0, text: 'a' },
      { kind: 'part-end', choice: 0, part: 0 },
      { kind: 'part-start', choice: 0, part: 1, head: { kind: 'tool-call', id: 'c', name: 'f' } },
      { kind: 'delta', choice: 0, part: 1, text: '{"q":' },
      { kind: 'delta', choice: 0, part: 1, text: '1}' },
      { kind: 'part-end', choice: 0, part: 1 },
      { kind: 'finish', choice: 0, finish: { reason: 'tool-calls', raw: 'tool_calls' } },
      { kind: 'end' },
    ]);
    const rest = { modelVersion: 'm', responseId: 'id' };
    const said = (part: object) => ({ candidates: [{ content: { parts: [part], role: 'model' }, index: 0 }], ...rest });
    expect(losses).toEqual([]);
    expect(chunks).toEqual([
      said({ text: 'a' }),
      said({ functionCall: { id: 'c', name: 'f', args: { q: 1 } } }),
      {
        candidates: [{ content: { parts: [{ text: '' }], role: 'model' }, finishReason: 'STOP', index: 0 }],
        usageMetadata: {
          promptTokenCount: 5,
          candidatesTokenCount: 4,
          totalTokenCount: 12,
          cachedContentTokenCount: 2,
          thoughtsTokenCount: 3,
        },
        ...rest,
      },
    ]);
  });

  test("no chunk is without content: the vendor's client forgets a turn that has one", () => {
    const entry = { token: 'a', logprob: -1, bytes: [97], top_logprobs: [] };
    const source = { type: 'url_citation', url_citation: { start_index: 0, end_index: 1, url: 'https://a.test' } };
    const answer = (choice: number): ChatEvent[] => [
      { kind: 'part-start', choice, part: 0, head: { kind: 'text' } },
      { kind: 'delta', choice, part: 0, text: 'a' },
      { kind: 'logprobs', choice, entries: [entry] },
      { kind: 'part-end', choice, part: 0, tail: { citations: [source] } },
    ];
    const { chunks, losses } = written([...answer(0), ...answer(1), { kind: 'end' }]);
    const firsts = chunks.map(({ candidates: [first] }) => [first.index, first.content?.parts.length]);
    expect(firsts).toEqual(chunks.map(() => [0, 1]));
    expect(losses).toEqual([]);
  });

  test('arguments beyond the bound are cut, and that is a loss', () => {
    const { losses } = written([
      { kind: 'part-start', choice: 0, part: 0, head: { kind: 'tool-call', id: 'c', name: 'f' } },
      { kind: 'delta', choice: 0, part: 0, text: 'x'.repeat(4 * 1024 * 1024) },
      { kind: 'delta', choice: 0, part: 0, text: 'y' },
      { kind: 'part-end', choice: 0, part: 0 },
    ]);
    expect(losses).toEqual(['tool_arguments']);
  });

  test("another dialect's signature travels with the client and comes back as it was", () => {
    const { chunks } = written([
      { kind: 'part-start', choice: 0, part: 0, head: { kind: 'reasoning', dialect: 'anthropic-messages' } },
      { kind: 'delta', choice: 0, part: 0, text: 'hm' },
      { kind: 'part-end', choice: 0, part: 0, tail: { signature: 'Sig/+é==', dialect: 'anthropic-messages' } },
    ]);
    const decoder = createDecoder();
    const events = chunks.flatMap((body) => decoder.push({ event: '', data: JSON.stringify(body) }));
    expect(foldEvents([...events, ...decoder.end()]).answers[0]?.parts).toEqual([
      { kind: 'reasoning', text: 'hm', signature: 'Sig/+é==', dialect: 'anthropic-messages' },
    ]);
  });
});

describe('the decoder', () => {
  test('a stream without its reason was cut, and only its prompt is known', () => {
    const tap = createPassingTap(createDecoder(), { swallowUsage: false });
    tap.push(
      frame({
        ...JSON.parse(
          chunk([{ text: 'abc' }])
            .toString()
            .slice(6),
        ),
        usageMetadata: { promptTokenCount: 9 },
      }),
    );
    expect(tap.end()).toMatchObject({ complete: false, usage: undefined, promptUsage: { prompt: 9 }, textBytes: 3 });
  });

  test('the last figures hold when the last chunk has none', () => {
    const tap = createPassingTap(createDecoder(), { swallowUsage: false });
    const usageMetadata = { promptTokenCount: 9, candidatesTokenCount: 2 };
    tap.push(
      frame({
        ...JSON.parse(
          chunk([{ text: 'abc' }])
            .toString()
            .slice(6),
        ),
        usageMetadata,
      }),
    );
    tap.push(chunk([], { finishReason: 'STOP' }));
    expect(tap.end()).toMatchObject({ complete: true, usage: { prompt: 9, completion: 2 } });
  });

  test('a reason in every chunk ends nothing before its time', () => {
    const tap = createCrossingTap(createDecoder(), createEncoder(context), { swallowUsage: false });
    tap.push(chunk([{ text: 'a' }], { finishReason: 'STOP' }));
    tap.push(chunk([{ text: 'b' }], { finishReason: 'MAX_TOKENS' }));
    const end = tap.end();
    expect(end.complete).toBe(true);
    expect(end.text()).toBe('ab');
    expect(end.closing(usage)?.toString()).toContain('"finishReason":"MAX_TOKENS"');
  });

  test.each([
    ['whose thoughts used up its cap', { candidates: [{ finishReason: 'MAX_TOKENS' }] }, '"finish_reason":"length"'],
    ['to a prompt that was blocked', { promptFeedback: { blockReason: 'SAFETY' } }, '"finish_reason":"content_filter"'],
  ])('an answer without a word, %s, has begun before its bytes end', (_, last, reason) => {
    const tap = createCrossingTap(createDecoder(), chatEncoder(context), { swallowUsage: false });
    tap.push(frame({ ...last, usageMetadata: { promptTokenCount: 9, thoughtsTokenCount: 20, totalTokenCount: 29 } }));
    expect(tap.begun).toBe(true);
    const end = tap.end();
    expect(end).toMatchObject({ complete: true, usage: { prompt: 9, completion: 20 } });
    expect(end.closing(usage)?.toString()).toContain(reason);
  });

  test.each([
    ['STOP', 'stop'],
    ['stop', 'stop'],
    ['MAX_TOKENS', 'length'],
    ['CONTINUATION', 'length'],
    ['SAFETY', 'content-filter'],
    ['UNHEARD_OF', 'content-filter'],
  ])('what ended for another reason than its end or its length is not told as done (contract 6.13): %s', (raw, reason) => {
    const { answers } = decodeResponse({ candidates: [{ content: { parts: [{ text: 'a' }] }, finishReason: raw }] });
    expect(answers[0]?.finish).toEqual({ reason, raw });
  });

  test('calls of several answers never share an id, also of hosts that give their answers none', () => {
    const ids = ['r-1', 'r-2', undefined, undefined].map((responseId) => {
      const candidates = [{ content: { parts: [{ functionCall: { name: 'f' } }] }, finishReason: 'STOP' }];
      const [part] = decodeResponse({ candidates, responseId }).answers[0]?.parts ?? [];
      return part?.kind === 'tool-call' ? part.id : '';
    });
    expect(new Set(ids).size).toBe(4);
    for (const id of ids) expect(id).toMatch(/^[a-zA-Z0-9_-]{1,40}$/);
  });
});

test('places in a text are counted in bytes here and in units elsewhere', () => {
  const text = 'Größe: 世界 👋 fin';
  const source = (startIndex: number, endIndex: number) => ({ startIndex, endIndex, uri: 'https://example.com' });
  const citationSources = [source(0, 7), source(9, 15), source(16, 20), source(21, 24)];
  const parts = [{ text }];
  const response = decodeResponse({
    candidates: [{ content: { parts }, finishReason: 'STOP', citationMetadata: { citationSources } }],
  });
  const [part] = response.answers[0]?.parts ?? [];
  const places = part?.kind === 'text' ? (part.citations ?? []) : [];
  const inner = places.map((place) => place.url_citation as { start_index: number; end_index: number });
  expect(inner.map((place) => text.slice(place.start_index, place.end_index))).toEqual(['Größe', '世界', '👋', 'fin']);
  expect(encodeResponse(response, context).body.candidates).toMatchObject([{ citationMetadata: { citationSources } }]);
  const { chunks } = written([
    { kind: 'part-start', choice: 0, part: 0, head: { kind: 'text' } },
    { kind: 'delta', choice: 0, part: 0, text },
    { kind: 'part-end', choice: 0, part: 0, tail: { citations: places } },
  ]);
  expect(chunks[1]).toMatchObject({ candidates: [{ citationMetadata: { citationSources } }] });
});

test('a source without a title has an empty one elsewhere: clients ask for it', () => {
  const citationMetadata = { citationSources: [{ endIndex: 1, uri: 'https://example.com' }] };
  const response = decodeResponse({
    candidates: [{ content: { parts: [{ text: 'a' }] }, finishReason: 'STOP', citationMetadata }],
  });
  const titled = { annotations: [{ type: 'url_citation', url_citation: { url: 'https://example.com', title: '' } }] };
  expect(chatResponse(response, context).body).toMatchObject({ choices: [{ message: titled }] });
});

test('a sound is whole elsewhere: clients ask for the end of its keeping, although nobody keeps it', () => {
  const inlineData = { mimeType: 'audio/L16;codec=pcm;rate=24000', data: 'AAAA' };
  const response = decodeResponse({ candidates: [{ content: { parts: [{ inlineData }] }, finishReason: 'STOP' }] });
  const audio = { id: '', data: 'AAAA', transcript: '', expires_at: 1 };
  expect(chatResponse(response, context).body).toMatchObject({ choices: [{ message: { audio } }] });
});

test('a source that names no place is one of the whole text', () => {
  const whole = (text: string) => ({ kind: 'text' as const, text, citations: [{ url: 'https://example.com' }] });
  const parts = [whole('Größe.'), whole('Fin.')];
  const { body } = encodeResponse({ id: 'x', model: 'y', answers: [{ parts, finish: { reason: 'stop', raw: 'x' } }] }, context);
  const [first, second] = [
    [0, 8],
    [8, 12],
  ].map(([startIndex, endIndex]) => ({ startIndex, endIndex }));
  expect(body.candidates).toMatchObject([{ citationMetadata: { citationSources: [first, second] } }]);
});

test('one event of very many parts is read as any other, up to what any answer may hold', () => {
  const body = (count: number) => {
    const parts = Array.from({ length: count }, (_, at) => (at % 2 === 0 ? { text: 'a' } : { executableCode: {} }));
    return { candidates: [{ content: { parts }, finishReason: 'STOP' }] };
  };
  const read = (count: number) => decodeStreamed({ createDecoder, readFailure, decodeResponse }, frame(body(count)));
  expect(read(9_990)).toMatchObject({ kind: 'answer', response: { answers: [{ parts: { length: 9_990 } }] } });
  expect(read(200_000)).toEqual({ kind: 'invalid', reason: 'not-json' });
  expect(decodeResponse(body(200_000)).answers[0]?.parts.length).toBe(200_000);
});

describe('an answer without candidates', () => {
  const blocked = { promptFeedback: { blockReason: 'SAFETY' }, usageMetadata: { promptTokenCount: 4 } };

  test('is a blocked one when the upstream says why', () => {
    expect(readFailure(blocked)).toBeUndefined();
    const response = decodeResponse(blocked);
    expect(response.answers).toEqual([{ parts: [], finish: { reason: 'content-filter', raw: 'SAFETY' } }]);
    expect(encodeResponse(response, context).body).toEqual({
      promptFeedback: { blockReason: 'SAFETY' },
      usageMetadata: { promptTokenCount: 4, candidatesTokenCount: 0, totalTokenCount: 4 },
      modelVersion: 'm',
      responseId: 'id',
    });
  });

  test('is an error otherwise, streamed or not', () => {
    const error = { message: 'No candidates returned', type: 'server_error', param: null, code: 500 };
    expect(readResponse(Buffer.from('{"candidates":[]}'))).toEqual({ kind: 'error', error });
    const tap = createPassingTap(createDecoder(), { swallowUsage: false });
    tap.push(frame({ usageMetadata: { promptTokenCount: 4 } }));
    expect(tap.end()).toMatchObject({ complete: false, error });
  });
});

test.each([
  ['cut off', []],
  ['ended by an error', [frame({ error: { code: 503, message: 'no', status: 'UNAVAILABLE' } })]],
])('the arguments of a call that is %s are counted as far as their reader got them, and once', (_, ending) => {
  const piece = (call: object) => chunk([{ functionCall: call }]);
  const city = (stringValue: string) => piece({ partialArgs: [{ jsonPath: '$.city', stringValue }], willContinue: true });
  const begun = [piece({ name: 'book', willContinue: true }), city('New '), city('Delhi')];
  const textOf = (frames: readonly Buffer[]) => {
    const tap = createPassingTap(createDecoder(), { swallowUsage: false });
    for (const each of frames) tap.push(each);
    return tap.end().text();
  };
  expect(textOf([...begun, ...ending])).toBe('book{"city":"New Delhi');
  expect(textOf([...begun, piece({}), ...ending])).toBe('book{"city":"New Delhi"}');
});

test('the tier of an answer is read where its usage is, once however often it is repeated', () => {
  const told = (serviceTier: string) => ({ promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2, serviceTier });
  const chunkOf = (tier: string, more = {}) =>
    frame({ candidates: [{ content: { parts: [{ text: 'a' }] }, index: 0, ...more }], usageMetadata: told(tier) });
  const stream = [chunkOf('priority'), chunkOf('SERVICE_TIER_PRIORITY'), chunkOf('priority', { finishReason: 'STOP' })];
  const tierDecoder = createDecoder();
  const events = stream.flatMap((bytes) => decodeFrames(bytes).flatMap((each) => [...tierDecoder.push(each)]));
  expect(events.filter(({ kind }) => kind === 'extra')).toMatchObject([{ serviceTier: 'priority' }]);
  const tap = createPassingTap(createDecoder(), { swallowUsage: false });
  tap.push(Buffer.concat(stream));
  expect(tap.end().served).toEqual({ serviceTier: 'priority' });
  const answer = { candidates: [{ content: { parts: [{ text: 'a' }] } }], usageMetadata: told('standard') };
  expect(readResponse(Buffer.from(JSON.stringify(answer)))).toMatchObject({ served: { serviceTier: 'default' } });
});
