import { expect, test } from 'vitest';
import { openaiChat } from '../openai-chat/dialect.ts';
import { withAddedTools } from './added-tools.ts';
import { decodeRequest } from './decode-request.ts';

const tool = (name: string, description: string) => ({ name, description, input_schema: { type: 'object' } });
const user = { role: 'user', content: 'hi' };
const system = (...content: object[]) => ({ role: 'system', content });
const added = (of: object) => ({ type: 'tool_addition', tool: of });
const defined = (definition: object) => added({ type: 'tool_definition', definition });

function decoded(messages: object[]) {
  const result = decodeRequest({ model: 'm', max_tokens: 9, messages, tools: [tool('a', '1'), tool('b', '1')] });
  if (!result.ok) throw new Error(result.reason);
  return result.request;
}

test('tools that are defined within a conversation stand with the others, the later of one name', () => {
  const named = added({ type: 'tool_reference', name: 'b' });
  const asked = withAddedTools(decoded([user, system(defined(tool('c', '1')), named), user, system(defined(tool('a', '2')))]));
  const { body, losses } = openaiChat.encodeRequest(asked, { model: 'm', defaultMaxTokens: 9 });
  expect(losses).toEqual([]);
  expect(body.tools).toMatchObject([
    { function: { name: 'a', description: '2' } },
    { function: { name: 'b' } },
    { function: { name: 'c', description: '1' } },
  ]);
  expect(body.messages).toEqual([user, user]);
});

test('what has no word elsewhere stays, to be lost by its name', () => {
  const removal = { type: 'tool_removal', tool: { type: 'tool_reference', name: 'a' } };
  const server = added({ type: 'mcp_toolset_reference', server_name: 's' });
  const request = decoded([user, system(removal, server)]);
  expect(withAddedTools(request)).toBe(request);
});
