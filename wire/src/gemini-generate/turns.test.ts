import { expect, test } from 'vitest';
import { cpuMs } from '../../test/cpu-ms.ts';
import type { Part } from '../chat/parts.ts';
import type { ChatRequest, Message } from '../chat/request.ts';
import { decodeRequest } from './decode-request.ts';
import { encodeRequest } from './encode-request.ts';

const contentsOf = (messages: Message[]) => {
  const request: ChatRequest = {
    ...{ model: 'm', system: [], messages, tools: [], stop: [] },
    ...{ choices: 1, stream: false, wantsUsage: false },
  };
  return encodeRequest(request, { model: 'gemini-2.5-flash', defaultMaxTokens: 8192 }).body.contents;
};
const result = (text: string): Part => ({ kind: 'tool-result', id: '', name: 'f', content: [{ kind: 'text', text }] });

test('a response whose call lost its id belongs to it all the same', () => {
  const contents = [
    { role: 'model', parts: [{ functionCall: { name: 'f' } }] },
    { role: 'user', parts: [{ functionResponse: { id: 'x9', name: 'f', response: { output: 'a' } } }] },
  ];
  expect(decodeRequest({ contents }, { model: 'm' })).toMatchObject({
    request: { messages: [{ parts: [{ id: 'call_1' }] }, { parts: [{ id: 'call_1' }] }] },
  });
});

test('ids that nobody gave pair calls with results, the oldest open call of a name first', () => {
  const functionCall = { name: 'f', args: {} };
  const functionResponse = { name: 'f', response: { output: 'x' } };
  const contents = [
    { role: 'model', parts: [{ functionCall }, { functionCall: { name: 'g' } }, { functionCall }] },
    { role: 'function', parts: [{ functionResponse }] },
    { role: 'function', parts: [{ functionResponse }, { functionResponse: { name: 'ns__g' } }, { functionResponse }] },
  ];
  const decoded = decodeRequest({ contents }, { model: 'm' });
  if (!decoded.ok) throw new Error(decoded.reason);
  const ids = decoded.request.messages.map(({ parts }) => parts.map((part) => ('id' in part ? part.id : '')));
  expect(ids).toEqual([
    ['call_1', 'call_2', 'call_3'],
    // A name that no call has is that of the call which is left; where none is left, it is nobody's.
    ['call_1', 'call_3', 'call_2', ''],
  ]);
});

test.each([
  ['its own call, though one that has an id was made before', [{ name: 'f' }, { id: 'a', name: 'f' }], ['call_2', 'a']],
  ['its own call, in whatever order', [{ id: 'a', name: 'f' }, { name: 'f' }], ['a', 'call_2']],
  ['the call that is left', [{ name: 'f' }, { name: 'f' }], ['call_2', 'a']],
  ['no call that another id names', [{ name: 'f' }, { id: 'x', name: 'f' }], ['call_2', 'x']],
])('among calls with and without ids a response belongs to %s', (_what, answers, expected) => {
  const contents = [
    { role: 'model', parts: [{ functionCall: { id: 'a', name: 'f' } }, { functionCall: { name: 'f' } }] },
    { role: 'user', parts: answers.map((each) => ({ functionResponse: { ...each, response: { output: 'x' } } })) },
  ];
  const decoded = decodeRequest({ contents }, { model: 'm' });
  expect(decoded).toMatchObject({ request: { messages: [{}, { parts: expected.map((id) => ({ id })) }] } });
});

test('results of calls that nobody made stay in their order', () => {
  const contents = contentsOf([{ role: 'user', parts: [result('one'), result('two')] }]);
  const told = ['one', 'two'].map((content) => ({ functionResponse: { response: { content } } }));
  expect(contents).toMatchObject([{ parts: told }]);
});

test('a conversation of very many turns is read and told in time that grows with its length', { timeout: 60_000 }, () => {
  const functionCall = { name: 'f' };
  const contents = [
    ...Array.from({ length: 100_000 }, () => ({ role: 'model', parts: [{ functionCall }] })),
    ...Array.from({ length: 100_000 }, () => ({ role: 'user', parts: [{ functionResponse: functionCall }] })),
  ];
  const startedMs = cpuMs();
  const decoded = decodeRequest({ contents }, { model: 'm' });
  if (!decoded.ok) throw new Error(decoded.reason);
  contentsOf([...decoded.request.messages]);
  expect(decoded.request.messages).toHaveLength(2);
  // Quadratic work would take minutes.
  expect(cpuMs() - startedMs).toBeLessThan(10_000);
});
