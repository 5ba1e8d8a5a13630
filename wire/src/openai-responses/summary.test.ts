import { expect, test } from 'vitest';
import { openaiResponses } from './dialect.ts';
import { asksToShorten, saidByUser, summaryPart, summaryRequest } from './summary.ts';

const decoded = (input: unknown, more: object = {}) => {
  const result = openaiResponses.decodeRequest({ model: 'm', input, ...more });
  if (!result.ok) throw new Error(result.reason);
  return result.request;
};
const { raw: item } = summaryPart('They met.', 'abc');
const user = { role: 'user', content: 'hi' };

test('a conversation that ends with the wish to be shortened becomes a request for a summary', () => {
  const tools = [{ type: 'function', name: 'look', parameters: {} }];
  const own = decoded([user, { type: 'compaction_trigger' }], { tools, text: { format: { type: 'json_object' } } });
  expect([asksToShorten(own.messages), asksToShorten(decoded([user]).messages)]).toEqual([true, false]);
  const { messages, toolChoice, output } = summaryRequest(own);
  expect(messages).toMatchObject([
    { role: 'user', parts: [{ text: 'hi' }] },
    { role: 'user', parts: [{ text: expect.stringMatching(/^Write a summary/) as string }] },
  ]);
  expect([toolChoice, output, asksToShorten(messages)]).toEqual(['none', undefined, false]);
});

test('a summary that is brought back is said by the user, also to an upstream of this dialect', () => {
  const body = { model: 'm', input: [user, item] };
  expect(openaiResponses.holdsSealed?.(Buffer.from(JSON.stringify(body)))).toBe(true);
  const request = decoded(body.input);
  expect(request.messages[1]).toMatchObject({
    role: 'user',
    parts: [{ text: expect.stringMatching(/summary of it:\n\nThey met\.$/) as string }],
  });
  const again = openaiResponses.encodeRequest(request, { model: 'm', defaultMaxTokens: 9, extensions: [] });
  expect(JSON.stringify(again.body.input)).toContain('They met.');
  expect(JSON.stringify(again.body.input)).not.toContain('compaction');
});

test('an item of the vendor’s own stays as it is', () => {
  const own = { type: 'compaction', id: 'cmp_1', encrypted_content: 'sealed' };
  expect(openaiResponses.holdsSealed?.(Buffer.from(JSON.stringify({ input: [own] })))).toBe(false);
  expect(decoded([user, own]).messages[1]?.parts).toMatchObject([{ kind: 'foreign', raw: own }]);
});

test('what the user said stays beside a summary', () => {
  expect(saidByUser('hi').map(({ raw }) => raw)).toEqual([
    { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hi' }] },
  ]);
  expect(saidByUser([user, { role: 'assistant', content: 'ho' }, { type: 'function_call' }])).toHaveLength(1);
});
