import { expect, test } from 'vitest';
import { withAdditionalTools } from './additional-tools.ts';
import { openaiResponses } from './dialect.ts';

const tool = (name: string, description: string) => ({ type: 'function', name, description, parameters: { type: 'object' } });
const offer = (...tools: object[]) => ({ type: 'additional_tools', role: 'developer', tools });
const user = { role: 'user', content: 'hi' };

const decoded = (input: object[], tools: object[] = []) => {
  const result = openaiResponses.decodeRequest({ model: 'm', input, tools });
  if (!result.ok) throw new Error(result.reason);
  return result.request;
};

test('tools that are offered within a conversation stand with the others, the later of one name', () => {
  const request = decoded([offer(tool('a', '2'), tool('b', '1')), user, offer(tool('b', '2'))], [tool('a', '1')]);
  const { tools, messages } = withAdditionalTools(request);
  expect(tools).toMatchObject([
    { kind: 'function', name: 'a', description: '2' },
    { kind: 'function', name: 'b', description: '2' },
  ]);
  expect(messages).toEqual([{ role: 'user', parts: [{ kind: 'text', text: 'hi' }] }]);
});

test('a name space that is offered so is one', () => {
  const space = { type: 'namespace', name: 'crm', description: '', tools: [tool('get', '')] };
  expect(withAdditionalTools(decoded([offer(space), user])).tools).toMatchObject([{ name: 'namespace', raw: space }]);
});

test('a request without any stays itself', () => {
  const request = decoded([user], [tool('a', '1')]);
  expect(withAdditionalTools(request)).toBe(request);
});
