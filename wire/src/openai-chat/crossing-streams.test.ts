import { describe, expect, test } from 'vitest';
import type { AnswerContext } from '../chat/dialect.ts';
import type { ChatEvent } from '../chat/response.ts';
import type { JsonObject } from '../json.ts';
import { decodeFrames } from '../sse.ts';
import { createDecoder } from './decoder.ts';
import { createEncoder } from './encoder.ts';
import { decodeReasoning } from './reasoning.ts';

const context: AnswerContext = { id: '1', model: 'mine', created: 7, wantsUsage: false, promptEstimate: 0 };
const usage = { prompt: 3, completion: 2, cached: 0, cacheWrite: 0, reasoning: 0, anomaly: false };

/** Events of deltas of one choice, one list for each. */
function events(...deltas: (JsonObject & { finish?: string })[]): (readonly ChatEvent[])[] {
  const decoder = createDecoder();
  return deltas.map(({ finish = null, ...delta }) =>
    decoder.push({
      event: '',
      data: JSON.stringify({ id: 'chatcmpl-a', choices: [{ index: 0, delta, finish_reason: finish }] }),
    }),
  );
}

const piece = (index: number, text: string, head: JsonObject = {}) => ({
  tool_calls: [{ index, ...head, function: { ...(head.id === undefined ? {} : { name: `f${index}` }), arguments: text } }],
});

const brief = (list: readonly ChatEvent[]) =>
  list.map((event) => {
    if (event.kind === 'delta') return event.text;
    return event.kind === 'part-start' && event.head.kind === 'tool-call' ? `${event.kind} ${event.head.name}` : event.kind;
  });

describe('decoding', () => {
  test('a call is told as it comes; another one waits only until the first is whole', () => {
    const steps = events(piece(0, '{"a"', { id: 'x' }), piece(1, '{"b":', { id: 'y' }), piece(0, ':1}'), piece(1, '2}'), {
      finish: 'tool_calls',
    });
    expect(steps.map(brief)).toEqual([
      ['start', 'part-start f0', '{"a"'],
      [],
      [':1}', 'part-end', 'part-start f1', '{"b":'],
      ['2}'],
      ['part-end', 'finish'],
    ]);
  });

  test('text in the middle of a call follows the call', () => {
    const steps = events(piece(0, '{', { id: 'x' }), { content: 'Hm.' }, piece(0, '}'), { finish: 'stop' });
    expect(steps.flatMap(brief)).toEqual([
      ...['start', 'part-start f0', '{', '}', 'part-end', 'part-start', 'Hm.', 'part-end', 'finish'],
    ]);
    expect(steps.flat().at(-1)).toMatchObject({ finish: { reason: 'tool-calls', raw: 'stop' } });
  });

  test('a source that every chunk repeats is told once', () => {
    const [first, second] = ['https://a.test', 'https://b.test'].map((url) => ({ type: 'url_citation', url_citation: { url } }));
    const steps = events(
      { content: 'a', annotations: [first] },
      { content: 'b', annotations: [first, second] },
      { annotations: [first, second], finish: 'stop' },
    );
    expect(steps.flat().find(({ kind }) => kind === 'part-end')).toMatchObject({ tail: { citations: [first, second] } });
  });

  test('a call waits for its name, and gets an id when it has none', () => {
    const head = { tool_calls: [{ index: 0, function: { arguments: '{' } }] };
    const [first, second] = events(head, { tool_calls: [{ index: 0, function: { name: 'f', arguments: '}' } }] });
    expect(brief(first ?? [])).toEqual(['start']);
    expect(second?.[0]).toMatchObject({ head: { kind: 'tool-call', id: 'call_a_0_0', name: 'f' } });
    expect(brief(second ?? [])).toEqual(['part-start f', '{}']);
  });

  test('what waits is bounded, and so are calls and choices', () => {
    const big = 'x'.repeat(1024 * 1024);
    const steps = events(
      piece(0, '{', { id: 'x' }),
      piece(1, big, { id: 'y' }),
      ...Array.from({ length: 5 }, () => piece(1, big)),
    );
    expect(steps.map(brief).slice(-2)).toEqual([['malformed'], ['malformed']]);
    const calls = Array.from({ length: 1100 }, (_, index) => ({
      index,
      id: `c${index}`,
      function: { name: 'f', arguments: '{' },
    }));
    expect(events({ tool_calls: calls }).flatMap(brief)).toContain('malformed');
    const decoder = createDecoder();
    const far = JSON.stringify({ choices: [{ index: 128, delta: { content: 'a' } }] });
    expect(brief(decoder.push({ event: '', data: far }))).toEqual(['start', 'malformed']);
  });

  test('after its end a choice says nothing more, and it ends once', () => {
    const steps = events({ content: 'a', finish: 'stop' }, { content: '', finish: 'stop' }, { content: 'b' });
    expect(steps.map(brief)).toEqual([['start', 'part-start', 'a', 'part-end', 'finish'], [], ['malformed']]);
  });
});

function chunks(bytes: readonly (Buffer | undefined)[]): unknown[] {
  return decodeFrames(Buffer.concat(bytes.filter((part) => part !== undefined))).map(({ data = '' }) =>
    data === '[DONE]' ? data : (JSON.parse(data) as unknown),
  );
}

const textEvents: readonly ChatEvent[] = [
  { kind: 'start', id: 'theirs', model: 'theirs' },
  { kind: 'part-start', choice: 0, part: 0, head: { kind: 'text' } },
  { kind: 'delta', choice: 0, part: 0, text: 'Hi' },
  { kind: 'part-end', choice: 0, part: 0 },
  { kind: 'finish', choice: 0, finish: { reason: 'stop', raw: 'end_turn' } },
];

describe('encoding', () => {
  test('a stream has its shape: role, text, end, usage if it was asked for, terminator', () => {
    const head = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 7, model: 'mine' };
    const choice = (delta: JsonObject, finish: string | null = null) => ({
      ...head,
      choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
    });
    const said = [choice({ role: 'assistant', content: '' }), choice({ content: 'Hi' }), choice({}, 'stop')];
    const run = (wantsUsage: boolean) => {
      const encoder = createEncoder({ ...context, wantsUsage });
      return chunks([...textEvents.map((event) => encoder.push(event)), encoder.close(usage)]);
    };
    expect(run(false)).toEqual([...said, '[DONE]']);
    expect(run(true)).toEqual([
      ...said,
      { ...head, choices: [], usage: expect.objectContaining({ prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 }) },
      '[DONE]',
    ]);
  });

  test('a chunk is one line also for clients that end lines wherever Unicode does', () => {
    const encoder = createEncoder(context);
    encoder.push({ kind: 'part-start', choice: 0, part: 0, head: { kind: 'text' } });
    const bytes = encoder.push({ kind: 'delta', choice: 0, part: 0, text: 'a\u2028b' }) ?? Buffer.alloc(0);
    expect(bytes.toString()).not.toContain('\u2028');
    expect(JSON.parse(decodeFrames(bytes).at(-1)?.data ?? '')).toMatchObject({ choices: [{ delta: { content: 'a\u2028b' } }] });
  });

  test('an answer without anything is still a whole one', () => {
    const encoder = createEncoder(context);
    expect(chunks([encoder.close(undefined)])).toMatchObject([
      { choices: [{ delta: { role: 'assistant', content: null }, finish_reason: 'stop' }] },
      '[DONE]',
    ]);
  });

  test('callers that ask with functions are answered with one call; more are a loss', () => {
    const request = { model: 'm', system: [], messages: [], tools: [], stop: [], choices: 1, stream: true, wantsUsage: false };
    const encoder = createEncoder({ ...context, request: { ...request, singleCalls: true } });
    const calls = events(piece(0, '{}', { id: 'x' }), piece(1, '{}', { id: 'y' }), { finish: 'tool_calls' }).flat();
    const out = chunks([...calls.map((event) => encoder.push(event)), encoder.close(usage)]);
    expect(out).toMatchObject([
      { choices: [{ delta: { role: 'assistant', content: null, function_call: { name: 'f0', arguments: '' } } }] },
      { choices: [{ delta: { function_call: { arguments: '{}' } } }] },
      { choices: [{ delta: {}, finish_reason: 'function_call' }] },
      '[DONE]',
    ]);
    expect(encoder.losses).toEqual(['parallel_tools']);
  });

  test('sources of any dialect become annotations of the whole text', () => {
    const encoder = createEncoder(context);
    const cited = { type: 'web_search_result_location', url: 'https://x.test', title: 'X' };
    const list: readonly ChatEvent[] = [
      ...textEvents.slice(0, 4),
      { kind: 'part-start', choice: 0, part: 1, head: { kind: 'text' } },
      { kind: 'delta', choice: 0, part: 1, text: ' all' },
      { kind: 'part-end', choice: 0, part: 1, tail: { citations: [cited, { type: 'page_location', page: 1 }] } },
    ];
    const last: readonly ChatEvent[] = [
      { kind: 'part-start', choice: 0, part: 2, head: { kind: 'text' } },
      { kind: 'delta', choice: 0, part: 2, text: '!' },
      { kind: 'part-end', choice: 0, part: 2, tail: { citations: [cited] } },
      { kind: 'finish', choice: 0, finish: { reason: 'stop', raw: 'stop' } },
    ];
    const out = chunks([...list, ...last].map((event) => encoder.push(event)));
    const annotation = { start_index: 2, end_index: 6, url: 'https://x.test', title: 'X' };
    const second = { ...annotation, start_index: 6, end_index: 7 };
    // The vendor's client keeps what the last of such chunks says.
    expect(out.filter((chunk) => JSON.stringify(chunk).includes('annotations'))).toEqual([out.at(-2)]);
    expect(out.at(-2)).toMatchObject({
      choices: [{ delta: { annotations: [annotation, second].map((each) => ({ type: 'url_citation', url_citation: each })) } }],
    });
    expect(encoder.losses).toEqual(['citations']);
  });
});

describe('signed thoughts', () => {
  const head = { kind: 'reasoning', dialect: 'anthropic-messages', id: 'rs_1' } as const;
  const thought: readonly ChatEvent[] = [
    { kind: 'part-start', choice: 0, part: 0, head },
    { kind: 'delta', choice: 0, part: 0, text: 'Hm, ' },
    { kind: 'delta', choice: 0, part: 0, text: 'yes.' },
    { kind: 'part-end', choice: 0, part: 0, tail: { signature: 's' } },
  ];
  const signed = { ...head, text: 'Hm, yes.', signature: 's' };

  test('a client that puts the pieces of a stream together brings the thought back with its text and its id', () => {
    const encoder = createEncoder(context);
    const deltas = chunks(thought.map((event) => encoder.push(event))).map(
      (chunk) => (chunk as { choices: [{ delta: JsonObject }] }).choices[0].delta,
    );
    const reasoning_content = deltas.map((delta) => delta.reasoning_content ?? '').join('');
    const reasoning_details = deltas.flatMap((delta) => delta.reasoning_details ?? []);
    expect(decodeReasoning({ reasoning_content, reasoning_details })).toEqual([signed]);
  });

  const detail = { format: 'anthropic-claude-v1', index: 0, id: 'rs_1' };
  const pieces = [
    { type: 'reasoning.text', text: 'Hm, ', ...detail },
    { type: 'reasoning.text', text: 'yes.', ...detail },
    { type: 'reasoning.text', signature: 's', index: 0 },
  ];

  test('pieces of one thought are one thought again, in a list and in a stream', () => {
    expect(decodeReasoning({ reasoning: 'Hm, yes.', reasoning_details: pieces })).toEqual([signed]);
    const others = [{ type: 'reasoning.text', text: 'But', ...detail, index: 1, id: 'rs_2' }];
    expect(decodeReasoning({ reasoning_details: [...pieces, ...others] })).toEqual([
      signed,
      { ...head, id: 'rs_2', text: 'But' },
    ]);
    const renamed = pieces.map((piece, at) => ({ ...piece, id: `rs_${at}` }));
    expect(decodeReasoning({ reasoning_details: renamed })).toHaveLength(3);
    const unnumbered = pieces.map(({ index: _, ...rest }) => rest);
    expect(decodeReasoning({ reasoning_details: unnumbered })).toHaveLength(3);
    const told = events(...pieces.map((piece) => ({ reasoning_details: [piece] }))).flat();
    expect(told.find(({ kind }) => kind === 'part-start')).toMatchObject({ head });
  });

  test('a signed thought holds although its text was trimmed beside it', () => {
    expect(decodeReasoning({ reasoning_content: 'Hm', reasoning_details: [{ ...pieces[2], ...detail, text: ' Hm\n' }] })).toEqual(
      [{ ...signed, text: ' Hm\n' }],
    );
  });

  test('a text is given to no signature that may be of something else', () => {
    const proof = (more: object) => ({ type: 'reasoning.text', signature: 's', ...more });
    const plain = { kind: 'reasoning', text: 'Hm', dialect: 'openai-chat' };
    const read = (...reasoning_details: object[]) => decodeReasoning({ reasoning_content: 'Hm', reasoning_details });
    expect(read(proof({ format: 'google-gemini-v1' }))).toMatchObject([plain, { text: '', signature: 's' }]);
    expect(read(proof({ index: 0 }), proof({ index: 1 }))).toMatchObject([plain, { text: '' }, { text: '' }]);
    const hidden = { type: 'reasoning.encrypted', data: 'r', format: 'anthropic-claude-v1' };
    expect(read(hidden, proof({ format: 'anthropic-claude-v1' }))).toMatchObject([
      { redacted: 'r' },
      { text: 'Hm', signature: 's' },
    ]);
  });
});
