import { describe, expect, test } from 'vitest';
import { openaiChat } from '../openai-chat/dialect.ts';
import type { RequestEdits } from '../request.ts';
import { countTokensAnswer, countTokensRequest, decodeCountTokens, readCountTokens } from './count-tokens.ts';
import { decodeRequest } from './decode-request.ts';
import { anthropicMessages } from './dialect.ts';
import { editRequest, peekRequest } from './request.ts';

const messages = [{ role: 'user', content: 'hi' }];

function read(body: object) {
  return peekRequest(Buffer.from(JSON.stringify(body)));
}

function edit(body: object, edits: RequestEdits): unknown {
  const bytes = Buffer.from(JSON.stringify(body));
  const result = peekRequest(bytes);
  if (!result.ok) throw new Error(result.reason);
  return JSON.parse(editRequest(bytes, result.peek, edits).toString());
}

describe('peekRequest', () => {
  test('reads what the relay needs and ignores the rest', () => {
    const body = { model: 'claude-x', messages, max_tokens: 7, stream: true, tools: [{}] };
    expect(read(body)).toMatchObject({ ok: true, peek: { model: 'claude-x', stream: true, wantsUsage: true, cap: 7, n: 1 } });
  });

  test.each([
    [{ model: 'm' }, 'field messages is required'],
    [{ model: 'm', messages: [] }, 'field messages is required'],
    [{ model: 'm', messages: 'hi' }, 'field messages is required'],
    [{ messages }, 'field model is required'],
    [{ model: '', messages }, 'field model is required'],
    [{ model: 'a b', messages }, 'model is invalid'],
    [{ model: 'm', messages, max_tokens: -1 }, 'max_tokens is invalid'],
    [{ model: 'm', messages, max_tokens: 1e10 }, 'max_tokens is invalid'],
    [{ model: 'm', messages, max_tokens: '5' }, 'max_tokens is invalid'],
    [{ model: 'm', messages, stream: 1 }, 'stream is invalid'],
  ])('refuses %j', (body, reason) => {
    expect(read(body)).toEqual({ ok: false, code: 'invalid_text_request', reason });
  });

  test('what is no JSON object is told apart', () => {
    expect(peekRequest(Buffer.from('[]'))).toMatchObject({ ok: false, code: 'invalid_request' });
  });
});

describe('editRequest', () => {
  test('fields that steer other gateways are removed, all others stay', () => {
    const body = { model: 'm', messages, api_base: 'x', metadata: { user_id: 'u' }, later: 1, api_key: 'k' };
    expect(edit(body, { model: 'n' })).toEqual({ model: 'n', messages, metadata: { user_id: 'u' }, later: 1 });
  });

  test('a cap is only ever lowered, and given where there is none', () => {
    expect(edit({ model: 'm', messages, max_tokens: 100 }, { cap: 50 })).toMatchObject({ max_tokens: 50 });
    expect(edit({ model: 'm', messages, max_tokens: 10 }, { cap: 50 })).toMatchObject({ max_tokens: 10 });
    expect(edit({ model: 'm', messages }, { cap: 50 })).toMatchObject({ max_tokens: 50 });
    expect(edit({ model: 'm', messages, max_tokens: null }, { cap: 50 })).toMatchObject({ max_tokens: 50 });
  });

  test('"only fill the cache" stays what it is', () => {
    expect(edit({ model: 'm', messages, max_tokens: 0 }, { cap: 50 })).toMatchObject({ max_tokens: 0 });
  });
});

describe('counting tokens', () => {
  const body = { model: 'm', messages, system: 's', max_tokens: 5, stream: true, temperature: 1, thinking: { type: 'disabled' } };

  test('an upstream gets what it counts and nothing about the answer', () => {
    const bytes = Buffer.from(JSON.stringify(body));
    const result = peekRequest(bytes);
    if (!result.ok) throw new Error(result.reason);
    const sent = JSON.parse(countTokensRequest(bytes, result.peek, 'n').toString());
    expect(sent).toEqual({ model: 'n', messages, system: 's', thinking: { type: 'disabled' } });
  });

  test('a request without a cap is understood, and a count can be told and read', () => {
    expect(decodeCountTokens({ model: 'm', messages })).toMatchObject({
      ok: true,
      request: { model: 'm', messages: [{ role: 'user' }] },
    });
    expect(readCountTokens(countTokensAnswer(12))).toBe(12);
    expect(readCountTokens({ input_tokens: '12' })).toBeUndefined();
  });
});

test('what a conversation was summed up to is said to other dialects, too', () => {
  const compaction = { type: 'compaction', content: 'They spoke of tea.', encrypted_content: 'sealed' };
  const failed = { type: 'compaction', content: null };
  const said = [{ role: 'assistant', content: [compaction, failed] }, ...messages];
  expect(decodeRequest({ model: 'm', max_tokens: 1, messages: said })).toMatchObject({
    request: { messages: [{ parts: [{ kind: 'foreign', text: 'They spoke of tea.', raw: compaction }, { raw: failed }] }, {}] },
  });
});

test('what a search for tools found is told to other dialects by its name', () => {
  const found = [{ type: 'tool_reference', tool_name: 'mcp__crm__get' }];
  const asked = { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name: 'ToolSearch', input: {} }] };
  const told = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', content: found }] };
  const decoded = decodeRequest({ model: 'm', max_tokens: 1, messages: [...messages, asked, told] });
  if (!decoded.ok) throw new Error(decoded.reason);
  const context = { model: 'm', defaultMaxTokens: 1 };
  const sent = (dialect: typeof openaiChat) => JSON.stringify(dialect.encodeRequest(decoded.request, context).body.messages);
  expect(sent(openaiChat)).toContain(JSON.stringify({ role: 'tool', tool_call_id: 't1', content: 'mcp__crm__get' }));
  expect(sent(anthropicMessages)).toContain(JSON.stringify(found));
});
