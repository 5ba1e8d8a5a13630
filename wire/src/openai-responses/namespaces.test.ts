import { describe, expect, test } from 'vitest';
import { seal } from '../chat/seal.ts';
import { openaiChat } from '../openai-chat/dialect.ts';
import { decodeFrames } from '../sse.ts';
import { openaiResponses } from './dialect.ts';
import { withoutNamespaces } from './namespaces.ts';

const schema = { type: 'object', properties: { a: { type: 'string' } } };
const inner = (name: string) => ({ type: 'function', name, parameters: schema, strict: false });
const space = (name: string, ...tools: object[]) => ({ type: 'namespace', name, description: 'd', tools });
const call = (namespace: string, name: string, call_id: string) => ({
  ...{ type: 'function_call', namespace, name, call_id, arguments: '{"a":"b"}' },
});
const result = (call_id: string, output: string) => ({ type: 'function_call_output', call_id, output });

function flattened(body: object) {
  const decoded = openaiResponses.decodeRequest({ model: 'm', input: 'x', ...body });
  const flat = decoded.ok ? withoutNamespaces(decoded.request) : undefined;
  if (flat === undefined) throw new Error('nothing to flatten');
  const context = { model: 'm', defaultMaxTokens: 100 };
  return { ...flat, ...openaiChat.encodeRequest(flat.request, context) };
}
const namesOf = (tools: unknown) => (tools as { function: { name: string } }[]).map((tool) => tool.function.name);

describe('functions in a name space', () => {
  test('are offered beside the others, their calls and results told as those of any function', () => {
    const input = [{ role: 'user', content: 'x' }, call('crm', 'get', 'c1'), result('c1', 'found'), call('gone', 'get', 'c2')];
    const { body, losses } = flattened({ tools: [inner('get'), space('crm', inner('get'))], input });
    expect(losses).toEqual([]);
    expect(namesOf(body.tools)).toEqual(['get', 'crm__get']);
    expect(body.tools).toMatchObject([{}, { function: { parameters: schema } }]);
    expect(body.messages).toMatchObject([
      { role: 'user' },
      { tool_calls: [{ id: 'c1', function: { name: 'crm__get', arguments: '{"a":"b"}' } }] },
      { role: 'tool', tool_call_id: 'c1', content: 'found' },
      { tool_calls: [{ id: 'c2', function: { name: 'gone__get' } }] },
    ]);
  });

  test('have names that are nobody else’s, and are found by them', () => {
    const tools = [space('a', inner('b__c'), inner('x')), inner('a__x'), space('a__b', inner('c')), space('s__', inner('c'))];
    const { body, called } = flattened({ tools });
    const names = namesOf(body.tools);
    expect(names).toEqual(['a__b__c', 'a__x_1', 'a__x', 'a__b__c_1', 's__c']);
    const home = (namespace: string) => ({ dialect: 'openai-responses', fields: { namespace } });
    expect(names.map(called)).toEqual([
      { name: 'b__c', extra: home('a') },
      { name: 'x', extra: home('a') },
      { name: 'a__x' },
      { name: 'c', extra: home('a__b') },
      { name: 'c', extra: home('s__') },
    ]);
  });

  test('leave what else is in it, which is lost where nobody takes it; calls by a program are no one else’s', () => {
    const program = { ...call('crm', 'get', 'c1'), caller: { type: 'program', caller_id: 'p' } };
    const { body, losses } = flattened({
      tools: [space('crm', inner('get'), { type: 'mcp', server_label: 's' })],
      input: [{ role: 'user', content: 'x' }, program],
    });
    expect(namesOf(body.tools)).toEqual(['crm__get']);
    expect(losses).toEqual(['hosted_tool:function_call', 'hosted_tool:namespace']);
  });

  test('have calls whose signature of another dialect comes back with them', () => {
    const signed = {
      ...{ type: 'reasoning', summary: [] },
      encrypted_content: seal({ of: 'call', dialect: 'gemini-generate', value: 'S' }, 'openai-responses'),
    };
    const { request } = flattened({ input: [{ role: 'user', content: 'x' }, call('crm', 'get', 'c1'), signed] });
    expect(request.messages.at(-1)?.parts).toMatchObject([{ name: 'crm__get', signature: 'S', dialect: 'gemini-generate' }]);
  });

  test('are none in most requests', () => {
    const decoded = openaiResponses.decodeRequest({ model: 'm', input: 'x', tools: [inner('get')] });
    expect(decoded.ok && withoutNamespaces(decoded.request)).toBeUndefined();
  });

  test('are called by their name space, whole and from the first event of a stream on', () => {
    const context = { id: 'r', model: 'm', created: 1, wantsUsage: true, promptEstimate: 1 };
    const extra = { dialect: 'openai-responses', fields: { namespace: 'crm' } };
    const head = { kind: 'tool-call', id: 'c1', name: 'get', extra } as const;
    const encoder = openaiResponses.createEncoder(context);
    const at = { choice: 0, part: 0 };
    const written = [
      encoder.push({ kind: 'part-start', ...at, head }),
      encoder.push({ kind: 'delta', ...at, text: '{}' }),
      encoder.push({ kind: 'part-end', ...at }),
      encoder.close(undefined),
    ];
    const frames = decodeFrames(Buffer.concat(written.filter((bytes) => bytes !== undefined)));
    const items = frames.flatMap(({ data = '' }) => {
      const event = JSON.parse(data);
      return event.item ?? event.response?.output ?? [];
    });
    expect(items).toHaveLength(3);
    for (const item of items) expect(item).toMatchObject({ type: 'function_call', name: 'get', namespace: 'crm', call_id: 'c1' });
    const answers = [{ parts: [{ ...head, arguments: '{}' }] }];
    expect(openaiResponses.encodeResponse({ id: 'r', model: 'm', answers }, context).body.output).toMatchObject([
      { name: 'get', namespace: 'crm' },
    ]);
  });
});
