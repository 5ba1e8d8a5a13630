import { expect, test } from 'vitest';
import type { AnswerContext } from '../chat/dialect.ts';
import type { Part } from '../chat/parts.ts';
import type { ChatEvent } from '../chat/response.ts';
import { asObjects, parseObject } from '../json.ts';
import { openaiChat } from '../openai-chat/dialect.ts';
import { decodeFrames } from '../sse.ts';
import { keptItem } from './decode-items.ts';
import { decodeRequest } from './decode-request.ts';
import { encodeRequest } from './encode-request.ts';
import { encodeResponse } from './encode-response.ts';
import { createEncoder } from './encoder.ts';

const context: AnswerContext = { id: 'x', model: 'm', created: 1, wantsUsage: true, promptEstimate: 1 };

/** What an upstream of another dialect made, with everything it must get back. */
const parts: readonly Part[] = [
  { kind: 'reasoning', text: 'I think.', signature: 'SIG', dialect: 'anthropic-messages' },
  { kind: 'reasoning', text: '', redacted: 'RED', dialect: 'anthropic-messages' },
  { kind: 'text', text: 'Let me look.' },
  { kind: 'tool-call', id: 'c1', name: 'f', arguments: '{"a":1}', signature: 'GEM.1', dialect: 'gemini-generate' },
  { kind: 'tool-call', id: 'c2', name: 'g', arguments: '{}' },
  { kind: 'image', source: { at: 'inline', mediaType: 'image/webp', base64: 'AAAA' } },
];

function nextTurn(output: unknown) {
  const decoded = decodeRequest({ model: 'm', input: [{ role: 'user', content: 'x' }, ...asObjects(output)] });
  if (!decoded.ok) throw new Error(decoded.reason);
  return decoded.request.messages[1]?.parts;
}

test('the items of an answer bring back, in the next request, all that the upstream signed', () => {
  const { body, losses } = encodeResponse({ id: '', model: '', answers: [{ parts }] }, context);
  expect(losses).toEqual([]);
  expect(nextTurn(body.output)).toEqual(parts);
});

test('so do the items of a stream', () => {
  const encoder = createEncoder(context);
  const events = parts.map((value, part): ChatEvent => ({ kind: 'whole', choice: 0, part, value }));
  const frames = [...events.map((event) => encoder.push(event) ?? Buffer.alloc(0)), encoder.close(undefined)];
  const last = decodeFrames(Buffer.concat(frames)).at(-1);
  const response = parseObject(last?.data ?? '')?.response as { output: unknown };
  expect(nextTurn(response.output)).toEqual(parts);
});

test('clients that name what was signed, instead of bringing it back, name thoughts alone: those can be done without', () => {
  const { body } = encodeResponse({ id: '', model: '', answers: [{ parts }] }, context);
  const named = asObjects(body.output)
    .filter(({ type }) => type === 'reasoning')
    .map(({ id }) => ({ type: 'item_reference', id }));
  expect(named).toHaveLength(3);
  const decoded = decodeRequest({ model: 'm', input: [...named, { role: 'user', content: 'x' }] });
  expect(decoded.ok && keptItem(decoded.request.messages)).toBeUndefined();
});

test('a call keeps to its caller when the sealed signature comes without it', () => {
  const stray = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'foreign.call.gemini-generate.G' };
  expect(nextTurn([stray, { role: 'assistant', content: 'Hi.' }])).toEqual([{ kind: 'text', text: 'Hi.' }]);
});

test('a call that is not waited for is one at this dialect alone', () => {
  const input = [
    { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}', async: true },
    { type: 'function_call_output', call_id: 'c', output: 'r' },
  ];
  const decoded = decodeRequest({ model: 'm', input });
  if (!decoded.ok) throw new Error(decoded.reason);
  const to = { model: 'm', defaultMaxTokens: 9 };
  expect(encodeRequest(decoded.request, to)).toMatchObject({ body: { input }, losses: [] });
  expect(openaiChat.encodeRequest(decoded.request, to).losses).toEqual(['async']);
});

test('a result with content that nobody else knows is a result everywhere: its call is answered', () => {
  const output = [{ type: 'input_text', text: 'r' }, { type: 'newer' }];
  const input = [
    { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
    { type: 'function_call_output', call_id: 'c', output },
  ];
  const decoded = decodeRequest({ model: 'm', input });
  if (!decoded.ok) throw new Error(decoded.reason);
  const to = { model: 'm', defaultMaxTokens: 9 };
  expect(encodeRequest(decoded.request, to)).toMatchObject({ body: { input }, losses: [] });
  const { body, losses } = openaiChat.encodeRequest(decoded.request, to);
  expect(body.messages).toMatchObject([{ role: 'assistant' }, { role: 'tool', tool_call_id: 'c', content: 'r' }]);
  expect(losses).toEqual(['output']);
});
