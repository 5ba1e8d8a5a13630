import { describe, expect, test } from 'vitest';
import type { AnswerContext } from '../chat/dialect.ts';
import type { ChatEvent, PartHead } from '../chat/response.ts';
import { type JsonObject, parseObject } from '../json.ts';
import { decodeFrames } from '../sse.ts';
import { encodeResponse } from './encode-response.ts';
import { createEncoder } from './encoder.ts';
import { spellUsage } from './usage.ts';

const context: AnswerContext = { id: 'x', model: 'm', created: 1, wantsUsage: true, promptEstimate: 1 };
const usage = { prompt: 5, completion: 7, cached: 2, cacheWrite: 1, reasoning: 3, anomaly: false };

function part(at: number, head: PartHead, ...texts: string[]): ChatEvent[] {
  return [
    { kind: 'part-start', choice: 0, part: at, head },
    ...texts.map((text): ChatEvent => ({ kind: 'delta', choice: 0, part: at, text })),
    { kind: 'part-end', choice: 0, part: at },
  ];
}

function written(events: readonly ChatEvent[], keptChars?: number) {
  const encoder = createEncoder(context, keptChars);
  const frames = events.map((event) => encoder.push(event) ?? Buffer.alloc(0));
  const all = Buffer.concat([...frames, encoder.close(usage)]);
  const decoded = decodeFrames(all).map(({ event, data }) => ({ event, body: parseObject(data ?? '') ?? {} }));
  return { decoded, bodies: decoded.map(({ body }) => body), losses: encoder.losses };
}

const answer = [
  ...part(0, { kind: 'reasoning', dialect: 'other' }, 'hm', 'm'),
  ...part(1, { kind: 'text' }, 'He', 'llo'),
  ...part(2, { kind: 'tool-call', id: '', name: 'f' }, '{"a"', ':1}'),
  ...part(3, { kind: 'refusal' }, 'No.'),
];

describe('a stream is written', () => {
  test('with every event named, numbered without a gap, and in the order of the reference', () => {
    const { decoded, bodies } = written(answer);
    expect(bodies.map((body) => body.sequence_number)).toEqual([...bodies.keys()]);
    expect(decoded.every(({ event, body }) => event === body.type)).toBe(true);
    expect(bodies.map((body) => String(body.type).replace(/^response\./, ''))).toEqual([
      'created',
      'in_progress',
      'output_item.added',
      'reasoning_summary_part.added',
      'reasoning_summary_text.delta',
      'reasoning_summary_text.delta',
      'reasoning_summary_text.done',
      'reasoning_summary_part.done',
      'output_item.done',
      'output_item.added',
      'content_part.added',
      'output_text.delta',
      'output_text.delta',
      'output_text.done',
      'content_part.done',
      'output_item.done',
      'output_item.added',
      'function_call_arguments.delta',
      'function_call_arguments.delta',
      'function_call_arguments.done',
      'output_item.done',
      'output_item.added',
      'content_part.added',
      'refusal.delta',
      'refusal.done',
      'content_part.done',
      'output_item.done',
      'completed',
    ]);
  });

  test('items keep index and id from their start to their end, and the end repeats them', () => {
    const { bodies } = written(answer);
    const items = new Map<unknown, JsonObject>();
    for (const { type, output_index, item_id, item } of bodies) {
      const { id } = (item ?? {}) as JsonObject;
      if (type === 'response.output_item.added') items.set(output_index, item as JsonObject);
      else if (output_index !== undefined) expect(items.get(output_index)?.id).toBe(item_id ?? id);
      if (type === 'response.output_item.done') items.set(output_index, item as JsonObject);
    }
    expect(bodies.at(-1)?.response).toMatchObject({ output: [...items.values()] });
    expect([...items.keys()]).toEqual([0, 1, 2, 3]);
  });

  test("with another vendor's own pieces as any text: clients show what comes in deltas", () => {
    const value = { kind: 'foreign', dialect: 'gemini-generate', name: 'executableCode', raw: {}, text: 'print(1)' } as const;
    const { bodies } = written([{ kind: 'whole', choice: 0, part: 0, value }]);
    const deltas = bodies.filter(({ type }) => type === 'response.output_text.delta').map(({ delta }) => delta);
    expect(deltas).toEqual(['print(1)']);
  });

  test('with the usage at its end', () => {
    expect(written([]).bodies.at(-1)?.response).toMatchObject({
      status: 'completed',
      usage: {
        input_tokens: 5,
        input_tokens_details: { cached_tokens: 2, cache_write_tokens: 1 },
        output_tokens: 7,
        output_tokens_details: { reasoning_tokens: 3 },
        total_tokens: 12,
      },
    });
  });

  test('with the figures of a cache also where nothing was kept in one: the official types have them in every answer', () => {
    const { input_tokens_details: details } = spellUsage({ ...usage, cached: 0, cacheWrite: 0 });
    expect(details).toEqual({ cached_tokens: 0, cache_write_tokens: 0 });
  });

  test('beyond what is kept, deltas go on while the events that repeat hold the beginning, and that is declared', () => {
    const events = [...part(0, { kind: 'text' }, 'abcd', 'efgh', 'i'), ...part(1, { kind: 'text' }, 'j')];
    const { bodies, losses } = written(events, 6);
    const deltas = bodies.filter(({ type }) => type === 'response.output_text.delta').map(({ delta }) => delta);
    expect(deltas).toEqual(['abcd', 'efgh', 'i', 'j']);
    const dones = bodies.filter(({ type }) => type === 'response.output_text.done').map(({ text }) => text);
    expect(dones).toEqual(['abcd', '']);
    expect(losses).toEqual(['done_text']);
  });

  test('an error is the last event, with the number that is due', () => {
    const encoder = createEncoder(context);
    const error = { message: 'no', type: 'server_error', param: null, code: 'x' };
    encoder.push({ kind: 'start', id: '', model: '' });
    const frame = encoder.push({ kind: 'error', error })?.toString();
    expect(frame).toMatch(/^event: error\n/);
    expect(parseObject(frame?.split('data: ')[1] ?? '')).toEqual({
      type: 'error',
      code: 'x',
      message: 'no',
      param: null,
      sequence_number: 2,
      error: { type: 'server_error', code: 'x', message: 'no', param: null },
    });
  });

  test('the code of an error is a text, whatever it was where the error comes from', () => {
    const error = { message: 'no', type: 'UNAVAILABLE', param: null, code: 503 };
    const frame = createEncoder(context).push({ kind: 'error', error })?.toString();
    expect(parseObject(frame?.split('data: ')[1] ?? '')).toMatchObject({ code: '503', error: { code: '503' } });
  });

  test('answers beside the first are a loss, and nothing of them is mixed in', () => {
    const other = answer.map((event) => ('choice' in event ? { ...event, choice: 1 } : event));
    const { bodies, losses } = written([...part(0, { kind: 'text' }, 'a'), ...other]);
    expect(bodies.at(-1)).toMatchObject({ response: { output: [{ content: [{ text: 'a' }] }] } });
    expect(losses).toEqual(['choices']);
  });

  test('what another upstream adds to its answer is a loss by its name, whole and as a stream', () => {
    const extra = { dialect: 'gemini-generate', fields: { 'candidate.groundingMetadata': {} }, hints: { createTime: 'x' } };
    const lost = ['candidate.groundingMetadata'];
    expect(written([...answer, { kind: 'extra', extra }]).losses).toEqual(lost);
    expect(encodeResponse({ id: '', model: '', answers: [], extra }, context).losses).toEqual(lost);
  });

  test('long instructions and tools are not repeated in every event of its life', () => {
    const request = {
      model: 'm',
      system: [{ kind: 'text', text: 'x'.repeat(100_000) }] as const,
      messages: [],
      tools: [],
      stop: [],
      choices: 1,
      stream: true,
      wantsUsage: true,
    };
    const first = createEncoder({ ...context, request }).push({ kind: 'start', id: '', model: '' });
    expect(first?.length).toBeLessThan(4_000);
  });
});
