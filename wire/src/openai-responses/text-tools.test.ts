import { describe, expect, test } from 'vitest';
import { anthropicMessages } from '../anthropic-messages/dialect.ts';
import type { ClientDialect } from '../chat/dialect.ts';
import { geminiGenerate } from '../gemini-generate/dialect.ts';
import { openaiChat } from '../openai-chat/dialect.ts';
import { openaiResponses } from './dialect.ts';
import { withoutNamespaces } from './namespaces.ts';
import { renamedTextCall, textCall, withoutTextTools } from './text-tools.ts';

const exec = {
  type: 'custom',
  name: 'exec',
  description: 'Runs.',
  format: { type: 'grammar', syntax: 'lark', definition: 'start: A' },
};
const said = { role: 'user', content: 'x' };
const call = { type: 'custom_tool_call', call_id: 'c1', name: 'exec', input: 'say("hi")' };
const picture = { type: 'input_image', image_url: 'data:image/png;base64,AAAA' };
const result = { type: 'custom_tool_call_output', call_id: 'c1', output: [{ type: 'input_text', text: 'said' }, picture] };

function requestOf(from: ClientDialect, body: object) {
  const decoded = from.decodeRequest({ model: 'm', ...body });
  if (!decoded.ok) throw new Error(decoded.reason);
  return withoutNamespaces(decoded.request)?.request ?? decoded.request;
}
function asFunctions(from: ClientDialect, body: object) {
  const functions = withoutTextTools(requestOf(from, body));
  if (functions === undefined) throw new Error('no tool takes a text');
  return functions;
}
const context = { model: 'm', defaultMaxTokens: 100 };

describe('tools that take a text, for those who know functions alone', () => {
  const space = { type: 'namespace', name: 'functions', tools: [exec] };
  const body = { input: [said, { ...call, namespace: 'functions' }, result], tools: [space], tool_choice: 'required' };

  test.each([anthropicMessages, geminiGenerate, openaiChat])(
    'are functions with one argument, earlier calls too: $name',
    (to) => {
      const { request, losses, takesText } = asFunctions(openaiResponses, body);
      expect(losses).toEqual(['grammar']);
      expect(takesText('functions__exec')).toBe(true);
      const encoded = to.encodeRequest(request, context);
      expect(encoded.losses.filter((word) => /custom|hosted|grammar/.test(word))).toEqual([]);
      const text = JSON.stringify(encoded.body);
      expect(text).toContain('must match this lark grammar:\\nstart: A');
      expect(text.match(/"functions__exec"/g)?.length).toBeGreaterThanOrEqual(2);
      expect(text).toMatch(/\{"input":"say\(\\"hi\\"\)"\}|say\(\\\\\\"hi/);
      expect(text).toMatch(/said.*AAAA/);
    },
  );

  test('are what must be called where one is chosen, by callers of either dialect', () => {
    const flat = asFunctions(openaiResponses, { input: 'x', tools: [exec], tool_choice: { type: 'custom', name: 'exec' } });
    const { type, ...custom } = exec;
    const chat = {
      messages: [
        said,
        { role: 'assistant', tool_calls: [{ id: 'c1', type: 'custom', custom: { name: 'exec', input: 'a' } }] },
        { role: 'tool', tool_call_id: 'c1', content: 'b' },
      ],
      tools: [{ type, custom: { ...custom, format: { type: 'text' } } }],
      tool_choice: { type: 'custom', custom: { name: 'exec' } },
    };
    for (const { request } of [flat, asFunctions(openaiChat, chat)]) {
      const { body: sent, losses } = anthropicMessages.encodeRequest(request, context);
      expect(sent.tool_choice).toEqual({ type: 'tool', name: 'exec' });
      expect(losses).toEqual([]);
    }
    expect(asFunctions(openaiChat, chat).request.messages).toMatchObject([
      {},
      { parts: [{ kind: 'tool-call', id: 'c1', name: 'exec', arguments: '{"input":"a"}' }] },
      { parts: [{ kind: 'tool-result', id: 'c1', content: [{ text: 'b' }] }] },
    ]);
  });

  test('have calls by a program that are no one else’s, and so are their results', () => {
    const program = { ...call, caller: { type: 'program', caller_id: 'p' } };
    const { body: sent } = anthropicMessages.encodeRequest(
      asFunctions(openaiResponses, { input: [said, program, result], tools: [exec] }).request,
      context,
    );
    expect(JSON.stringify(sent)).not.toMatch(/say\(|said/);
  });

  test('are none in most requests', () => {
    expect(
      withoutTextTools(requestOf(openaiResponses, { input: 'x', tools: [{ type: 'function', name: 'f' }] })),
    ).toBeUndefined();
  });
});

describe('a call of such a function', () => {
  const extra = { dialect: 'openai-responses', fields: { namespace: 'functions' } };
  const made = { kind: 'tool-call', id: '', name: 'exec', arguments: '{"input":"say(1)"}', extra } as const;
  const answerContext = { id: 'r', model: 'm', created: 1, wantsUsage: true, promptEstimate: 1 };
  const item = {
    type: 'custom_tool_call',
    id: 'ctc_r_1',
    status: 'completed',
    call_id: 'call_r_1',
    name: 'exec',
    namespace: 'functions',
  };

  test('is one of the tool, and brings back what it was signed with', () => {
    const answers = [{ parts: [textCall({ ...made, signature: 'S', dialect: 'gemini-generate' })] }];
    const { body } = openaiResponses.encodeResponse({ id: 'r', model: 'm', answers }, answerContext);
    expect(body.output).toMatchObject([
      { ...item, input: 'say(1)' },
      { type: 'reasoning', summary: [] },
    ]);
    const { request } = asFunctions(openaiResponses, { input: [said, ...(body.output as object[])], tools: [exec] });
    expect(request.messages.at(-1)?.parts).toMatchObject([
      { kind: 'tool-call', id: 'call_r_1', name: 'functions__exec', signature: 'S', dialect: 'gemini-generate' },
    ]);
  });

  test('is the text as it stands where the model wrote something else', () => {
    for (const written of ['say(1)', '{"code":"say(1)"}', '{"input":1}'])
      expect(textCall({ ...made, arguments: written }).raw.input).toBe(written);
  });

  test('has the name that the caller knows where the upstream has such tools', () => {
    const raw = { id: 'c1', type: 'custom', custom: { name: 'functions__exec', input: 'a' } };
    const part = { kind: 'foreign', dialect: 'openai-chat', name: 'tool_calls.custom', raw } as const;
    expect(renamedTextCall(part, (name) => ({ name }))).toBe(part);
    const renamed = renamedTextCall(part, () => ({ name: 'exec', extra }));
    expect(renamed).toMatchObject({ raw: { call_id: 'c1', name: 'exec', namespace: 'functions', input: 'a' } });
  });
});
