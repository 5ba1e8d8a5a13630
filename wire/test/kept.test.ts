import { expect, test } from 'vitest';
import { createCrossingTap } from '../src/chat/event-tap.ts';
import { clientDialect, upstreamDialect } from '../src/dialects.ts';
import { encodeFrame } from '../src/sse.ts';

const much = 'x'.repeat(1024 * 1024);
const chat = (delta: object) => ({ choices: [{ index: 0, delta }] });
const block = (index: number, delta: object) => ({ type: 'content_block_delta', index, delta });
const call = (more: object) => ({ candidates: [{ content: { parts: [{ functionCall: { ...more, willContinue: true } }] } }] });
const lists = '[10000]'.repeat(25);

// What opens a part, and what is said of it over and over until nobody could keep it.
const endless: readonly (readonly [string, string, object, (turn: number) => object])[] = [
  [
    'anthropic-messages',
    'signatures',
    { type: 'content_block_start', index: 0, content_block: { type: 'thinking', thinking: 'a' } },
    () => block(0, { type: 'signature_delta', signature: much }),
  ],
  [
    'anthropic-messages',
    'sources',
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'a' } },
    () => block(0, { type: 'citations_delta', citation: { cited_text: much } }),
  ],
  [
    'anthropic-messages',
    'the input of a hosted tool',
    { type: 'content_block_start', index: 0, content_block: { type: 'server_tool_use', name: 'a', input: {} } },
    () => block(0, { type: 'input_json_delta', partial_json: much }),
  ],
  [
    'anthropic-messages',
    'own fields',
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'a' } },
    (turn) => ({ type: 'message_delta', delta: {}, [`own${turn}`]: much }),
  ],
  [
    'openai-chat',
    'sources',
    chat({ content: 'a' }),
    (turn) => chat({ annotations: [{ type: 'url_citation', title: `${turn}${much}` }] }),
  ],
  ['openai-chat', 'transcripts', chat({ audio: { id: 'a' } }), () => chat({ audio: { transcript: much } })],
  [
    'openai-chat',
    'members of a call',
    chat({ tool_calls: [{ index: 0, id: 'a', type: 'custom' }] }),
    (turn) => chat({ tool_calls: [{ index: 0, [`own${turn}`]: [much] }] }),
  ],
  ['openai-chat', 'own fields', chat({ content: 'a' }), (turn) => ({ choices: [], [`own${turn}`]: much })],
  [
    'openai-responses',
    'sources',
    { type: 'response.output_text.delta', output_index: 0, delta: 'a' },
    () => ({ type: 'response.output_text.annotation.added', output_index: 0, annotation: { title: much } }),
  ],
  [
    'openai-responses',
    'phases',
    { type: 'response.output_text.delta', output_index: 0, delta: 'a' },
    (turn) => ({ type: 'response.output_item.added', output_index: turn, item: { type: 'message', phase: `${turn}${much}` } }),
  ],
  [
    'gemini-generate',
    'pieces of a call',
    call({ name: 'a' }),
    () => call({ partialArgs: [{ jsonPath: '$.a', stringValue: much }] }),
  ],
  [
    'gemini-generate',
    'names in a call',
    call({ name: 'a' }),
    (turn) => call({ partialArgs: [{ jsonPath: `$.a${turn}${much}`, numberValue: 1 }] }),
  ],
  [
    'gemini-generate',
    'places left out in lists',
    call({ name: 'a' }),
    (turn) => call({ partialArgs: [{ jsonPath: `$.a${turn}${lists}`, numberValue: 1 }] }),
  ],
  ['cohere-chat', 'sources', { type: 'content-delta', delta: { message: { content: { text: 'a' } } } }, citation],
];

function citation(): object {
  return { type: 'citation-start', delta: { message: { citations: { start: 0, end: 1, text: much, sources: [] } } } };
}

const context = { id: 'a', model: 'm', created: 1, wantsUsage: true, promptEstimate: 1 };

test.each(endless)('a stream of %s ends when more is said than can be kept: %s', (from, _what, opening, more) => {
  const to = clientDialect(from === 'openai-chat' ? 'openai-responses' : 'openai-chat');
  const encoder = to?.createEncoder(context);
  const decoder = upstreamDialect(from)?.createDecoder();
  if (encoder === undefined || decoder === undefined) throw new Error('no such dialect');
  const tap = createCrossingTap(decoder, encoder, { swallowUsage: false });
  tap.push(encodeFrame(JSON.stringify(opening)));
  for (let turn = 1; turn <= 2; turn += 1) tap.push(encodeFrame(JSON.stringify(more(turn))));
  expect(tap.closed).toBe(false);
  for (let turn = 3; turn <= 16 && !tap.closed; turn += 1) tap.push(encodeFrame(JSON.stringify(more(turn))));
  expect(tap.closed).toBe(true);
  // The upstream would go on: it is to be closed.
  expect(tap.fault).toMatch(/malformed|too-many-events/);
});

// A stream of chat is passed on by its bytes, and own fields are kept for other dialects alone.
const keptInPassing = endless.filter(([from, what]) => !['openai-chat', 'cohere-chat'].includes(from) && what !== 'own fields');

test.each(keptInPassing)(
  'where %s goes through as it came it is cut there, since the upstream tells nobody: %s',
  (from, _what, opening, more) => {
    const tap = clientDialect(from)?.createTap({ swallowUsage: false });
    if (tap === undefined) throw new Error('no such dialect');
    tap.push(encodeFrame(JSON.stringify(opening)));
    for (let turn = 1; turn <= 16 && !tap.closed; turn += 1) tap.push(encodeFrame(JSON.stringify(more(turn))));
    expect(tap.fault).toMatch(/malformed|too-many-events/);
    expect(tap.end()).toMatchObject({ complete: false, error: undefined });
  },
);
