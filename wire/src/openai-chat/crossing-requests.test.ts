import { describe, expect, test } from 'vitest';
import { anthropicMessages } from '../anthropic-messages/dialect.ts';
import type { RequestContext } from '../chat/dialect.ts';
import type { ChatRequest } from '../chat/request.ts';
import { asObjects, type JsonObject } from '../json.ts';
import { decodeRequest } from './decode-request.ts';
import { encodeRequest } from './encode-request.ts';

const user = { role: 'user', content: 'Hi' };

function decode(body: JsonObject): ChatRequest {
  const decoded = decodeRequest({ model: 'm', messages: [user], ...body });
  if (!decoded.ok) throw new Error(decoded.reason);
  return decoded.request;
}

const plain: ChatRequest = { ...decode({}) };

function encode(request: Partial<ChatRequest>, context: Partial<RequestContext> = {}) {
  return encodeRequest({ ...plain, ...request }, { model: 'm', defaultMaxTokens: 100, ...context });
}

const call = (id: string) => ({ kind: 'tool-call', id, name: 'f', arguments: '{}' }) as const;
const result = (id: string) => ({ kind: 'tool-result', id, name: 'f', content: [{ kind: 'text', text: 'r' }] }) as const;
const image = { kind: 'image', source: { at: 'url', url: 'https://x.test/a.png' } } as const;

test('a turn of which nothing can be said is no empty message, which several upstreams refuse', () => {
  const kept = { kind: 'foreign', dialect: 'openai-responses', name: 'local_shell_call', raw: {} } as const;
  const there = { kind: 'image', source: { at: 'upstream', id: 'file_1', dialect: 'gemini-generate' } } as const;
  const { body, losses } = encode({
    messages: [
      { role: 'user', parts: [there] },
      { role: 'assistant', parts: [kept] },
      { role: 'user', parts: [kept] },
      { role: 'assistant', parts: [call('c')] },
      { role: 'user', parts: [{ ...result('c'), content: [...result('c').content, there] }] },
      { role: 'assistant', parts: [{ kind: 'text', text: '' }] },
    ],
  });
  expect(losses).toEqual(['image', 'hosted_tool:local_shell_call']);
  expect(body.messages).toEqual([
    { role: 'user', content: '...' },
    { role: 'assistant', content: '...' },
    { role: 'user', content: '...' },
    expect.objectContaining({ role: 'assistant', content: null }),
    { role: 'tool', tool_call_id: 'c', content: 'r' },
    { role: 'assistant', content: '' },
  ]);
});

describe('decoding', () => {
  test.each([
    [{ model: '' }, 'model is required'],
    [{ messages: [] }, 'field messages is required'],
    [{ messages: 'Hi' }, 'field messages is required'],
    [{ messages: [user, 7] }, 'messages[1] is invalid'],
    [{ messages: [{ role: 'owner', content: 'x' }] }, 'messages[0] is invalid'],
    [{ temperature: '0.5' }, 'temperature is invalid'],
  ])('%j is refused: %s', (body, reason) => {
    expect(decodeRequest({ model: 'm', messages: [user], ...body })).toEqual({ ok: false, reason });
  });

  test('fields that steer gateways do not come through', () => {
    const { extra } = decode({
      api_base: 'http://evil',
      base_url: 'x',
      api_key: 'k',
      extra_headers: { a: 'b' },
      verbosity: 'low',
    });
    expect(extra?.fields).toEqual({ verbosity: 'low' });
  });

  test('options of a search ask for one, although there be none', () => {
    expect(decode({ web_search_options: {}, logit_bias: {} }).extra?.fields).toEqual({ web_search_options: {} });
  });

  test('of two caps the larger one holds, and 0 is none', () => {
    expect(decode({ max_tokens: 5, max_completion_tokens: 9 }).maxTokens).toBe(9);
    expect(decode({ max_tokens: 0 }).maxTokens).toBeUndefined();
  });

  test('instructions in front are one text; later ones keep their place', () => {
    const later = { role: 'system', content: 'c' };
    const { system, messages } = decode({
      messages: [{ role: 'developer', content: 'a' }, { role: 'system', content: [{ type: 'text', text: 'b' }] }, user, later],
    });
    expect(system).toEqual([{ kind: 'text', text: 'a\nb' }]);
    expect(messages.map(({ role }) => role)).toEqual(['user', 'system']);
  });

  test('what other dialects’ results may not hold stays for this one and is declared there', () => {
    const sound = { type: 'input_audio', input_audio: { data: 'aGk=', format: 'wav' } };
    const told = { role: 'tool', tool_call_id: 'c', content: [{ type: 'text', text: 'r' }, sound] };
    const asked = { role: 'assistant', content: null, tool_calls: [{ id: 'c', type: 'function', function: call('c') }] };
    const request = decode({ messages: [user, asked, told] });
    expect(encode(request).body.messages).toMatchObject([{}, {}, told]);
    const claude = anthropicMessages.encodeRequest(request, { model: 'm', defaultMaxTokens: 9 });
    expect(claude.losses).toEqual(['content']);
    expect(claude.body.messages).toMatchObject([{}, {}, { content: [{ type: 'tool_result', content: 'r' }] }]);
  });

  test('what a client puts on a message because it stood with its call is known with the call', () => {
    const extra_content = { google: { thought_signature: 'S' } };
    const own = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' }, extra_content };
    const parts = (more: JsonObject) =>
      decode({ messages: [user, { role: 'assistant', content: null, tool_calls: [own], ...more }] }).messages[1]?.parts;
    expect(parts({ extra_content })).toEqual([{ ...call('c'), signature: 'S', dialect: 'gemini-generate' }]);
    expect(parts({ extra_content: { google: {} } })).toMatchObject([call('c'), { kind: 'foreign', name: 'extra_content' }]);
  });

  test('a result without an id belongs to the last call of its function', () => {
    const { messages } = decode({
      functions: [{ name: 'f' }],
      messages: [
        { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{}' } },
        { role: 'function', name: 'f', content: 'found' },
      ],
    });
    const [asked, told] = messages.map(({ parts }) => parts[0]);
    expect(told).toMatchObject({ kind: 'tool-result', id: asked && 'id' in asked && asked.id, name: 'f' });
  });

  test.each([
    [{ reasoning_effort: 'high' }, { effort: 'high' }],
    [{ reasoning_effort: 'max' }, { effort: 'max' }],
    [{ thinking: { type: 'disabled' } }, { effort: 'none' }],
    [{ enable_thinking: true, thinking_budget: 500 }, { budgetTokens: 500 }],
    [{ reasoning: { effort: 'low', exclude: true } }, { effort: 'low', show: false }],
  ])('%j is understood as %j', (body, meaning) => {
    expect(decode(body).reasoning).toMatchObject(meaning);
  });

  test('a budget of less than nothing is none: the model decides', () => {
    expect(decode({ thinking_budget: -1 }).reasoning).not.toHaveProperty('budgetTokens');
  });
});

describe('encoding', () => {
  test.each<[Partial<ChatRequest>, readonly string[]]>([
    [{ topK: 4 }, ['top_k']],
    [{ system: [{ kind: 'text', text: 'a', cache: '1h' }] }, ['cache_control']],
    [{ messages: [{ role: 'user', parts: [{ ...result('1'), isError: true }] }] }, ['is_error']],
    [{ messages: [{ role: 'assistant', parts: [{ kind: 'reasoning', text: 't', dialect: 'x' }] }] }, ['reasoning']],
    [
      { messages: [{ role: 'assistant', parts: [{ kind: 'reasoning', text: '', redacted: 'r', dialect: 'x' }] }] },
      ['reasoning_signature'],
    ],
    [{ tools: [{ kind: 'hosted', name: 'search', dialect: 'x', raw: {} }] }, ['hosted_tool:search']],
    [{ extra: { dialect: 'x', fields: { a: 1 }, hints: { b: 1 } } }, ['a']],
    [{ frequencyPenalty: 0.1, seed: 1, logprobs: 2, choices: 2 }, []],
  ])('of %j what cannot be said is declared', (request, losses) => {
    expect(encode(request).losses).toEqual(losses);
  });

  test('what an upstream takes beyond the dialect is said', () => {
    const request = { topK: 4, system: [{ kind: 'text', text: 'a', cache: '1h' } as const] };
    expect(encode(request, { extensions: ['top_k', 'cache_control'] })).toMatchObject({
      body: { top_k: 4, messages: [{ content: [{ cache_control: { type: 'ephemeral', ttl: '1h' } }] }, {}] },
      losses: [],
    });
  });

  test('results come right behind their calls; what they cannot hold follows them, then what the user says', () => {
    const { body, losses } = encode({
      messages: [
        { role: 'assistant', parts: [call('1'), call('2')] },
        {
          role: 'user',
          parts: [
            { kind: 'text', text: 'Both?' },
            result('1'),
            { ...result('2'), content: [{ kind: 'text', text: 'r' }, image] },
          ],
        },
      ],
    });
    const messages = body.messages as JsonObject[];
    expect(messages.map(({ role }) => role)).toEqual(['assistant', 'tool', 'tool', 'user']);
    expect(messages[3]?.content).toEqual([
      { type: 'image_url', image_url: { url: 'https://x.test/a.png' } },
      { type: 'text', text: 'Both?' },
    ]);
    expect(losses).toEqual([]);
  });

  test('results in several messages come together: nothing may stand between them', () => {
    const pictured = (id: string) => ({ ...result(id), content: [image] });
    const { body } = encode({
      messages: [
        { role: 'assistant', parts: [call('1'), call('2'), call('3')] },
        { role: 'user', parts: [pictured('1')] },
        { role: 'user', parts: [{ kind: 'text', text: 'And?' }] },
        { role: 'user', parts: [result('2')] },
        { role: 'user', parts: [pictured('3')] },
        { role: 'user', parts: [{ kind: 'text', text: 'All?' }] },
        { role: 'assistant', parts: [call('4')] },
        { role: 'user', parts: [result('4')] },
      ],
    });
    const messages = body.messages as JsonObject[];
    const told = messages.map(({ role, tool_call_id: id }) => (id === undefined ? role : id));
    expect(told).toEqual(['assistant', '1', '2', '3', 'user', 'user', 'assistant', '4']);
    const picture = { type: 'image_url', image_url: { url: 'https://x.test/a.png' } };
    expect(messages[4]?.content).toEqual([picture, picture, { type: 'text', text: 'And?' }]);
    expect(messages[5]?.content).toBe('All?');
  });

  test('what was said before the results, or between them, follows them', () => {
    const said = (role: 'user' | 'system', text: string) => ({ role, parts: [{ kind: 'text', text }] }) as const;
    const { body } = encode({
      messages: [
        { role: 'assistant', parts: [call('1'), call('2')] },
        said('user', 'Hurry.'),
        { role: 'user', parts: [result('1')] },
        said('system', 'Be brief.'),
        { role: 'user', parts: [result('2')] },
        { role: 'assistant', parts: [call('3')] },
        said('system', 'Now in French.'),
        { role: 'user', parts: [result('3')] },
      ],
    });
    const told = (body.messages as JsonObject[]).map(({ tool_call_id: id, content }) => id ?? content);
    expect(told).toEqual([null, '1', '2', 'Hurry.', 'Be brief.', null, '3', 'Now in French.']);
  });

  test('ids of calls are unique, at most 40 characters, and pair as before', () => {
    const long = 'x'.repeat(70);
    const { body } = encode({
      messages: [
        { role: 'assistant', parts: [call(''), call(long), call('short')] },
        { role: 'user', parts: [result(''), result(long), result('short')] },
      ],
    });
    const [asked, ...told] = body.messages as JsonObject[];
    const ids = asObjects(asked?.tool_calls).map(({ id }) => String(id));
    expect(told.map(({ tool_call_id }) => tool_call_id)).toEqual(ids);
    expect(new Set(ids).size).toBe(3);
    expect(Math.max(...ids.map((id) => id.length))).toBeLessThanOrEqual(40);
  });

  test.each([
    [0, 'none'],
    [1024, 'low'],
    [8192, 'medium'],
    [31_999, 'high'],
  ])('a budget of %i tokens is the effort %s', (budgetTokens, effort) => {
    expect(encode({ reasoning: { budgetTokens } }).body.reasoning_effort).toBe(effort);
  });

  test('without tools there is no choice of tools', () => {
    expect(encode({ toolChoice: 'required', parallelTools: false }).body).not.toHaveProperty('tool_choice');
  });

  test('a file that only another vendor has is a loss', () => {
    const file = (dialect: string) => ({ kind: 'file', source: { at: 'upstream', id: 'f', dialect } }) as const;
    expect(encode({ messages: [{ role: 'user', parts: [file('gemini-generate')] }] }).losses).toEqual(['file']);
    expect(encode({ messages: [{ role: 'user', parts: [file('openai-responses')] }] }).losses).toEqual([]);
  });
});

test('of more stop sequences than are taken the first ones are told; the caller of this dialect is not corrected', () => {
  const stop = ['a', 'b', 'c', 'd', 'e'];
  expect(encode({ stop })).toMatchObject({ body: { stop: ['a', 'b', 'c', 'd'] }, losses: ['stop'] });
  const own = encode({ stop, extra: { dialect: 'openai-chat', fields: {} } });
  expect(own).toMatchObject({ body: { stop }, losses: [] });
});

test('a name of the end user that is refused for its length is a loss; the caller of this dialect is not corrected', () => {
  const name = 'u'.repeat(64);
  expect(encode({ user: name })).toMatchObject({ body: { user: name }, losses: [] });
  const longer = encode({ user: `${name}u` });
  expect(longer.body).not.toHaveProperty('user');
  expect(longer.losses).toEqual(['user']);
  const own = encode({ user: `${name}u`, extra: { dialect: 'openai-chat', fields: {} } });
  expect(own).toMatchObject({ body: { user: `${name}u` }, losses: [] });
});

test("labels are refused where the answer is not stored: those of another dialect's caller are a loss", () => {
  const metadata = { task: '7' };
  const foreign = { dialect: 'openai-responses', fields: {} };
  const told = encode({ metadata, extra: foreign });
  expect(told.body).not.toHaveProperty('metadata');
  expect(told.losses).toEqual(['metadata']);
  expect(encode({ metadata: {}, extra: foreign }).losses).toEqual([]);
  const own = encode(decode({ metadata, store: true }));
  expect(own).toMatchObject({ body: { metadata, store: true }, losses: [] });
});

test.each([{}, { type: 'object' }])(
  'functions whose arguments are described by %j have an object without members',
  (parameters) => {
    const { tools } = encode({ tools: [{ kind: 'function', name: 'f', parameters }] }).body;
    expect(tools).toEqual([{ type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } } }]);
  },
);

test('a file that came without a name gets one: content alone is refused', () => {
  const file = { kind: 'file', source: { at: 'inline', mediaType: 'application/pdf', base64: 'JVBERi0=' } } as const;
  const { body } = encode({ messages: [{ role: 'user', parts: [file] }] });
  const sent = { file_data: 'data:application/pdf;base64,JVBERi0=', filename: 'file.pdf' };
  expect(body.messages).toEqual([{ role: 'user', content: [{ type: 'file', file: sent }] }]);
});

describe('an answer in JSON', () => {
  const json = { kind: 'json' } as const;
  const gemini = { dialect: 'gemini-generate', fields: {} };
  const roles = (request: Partial<ChatRequest>) =>
    asObjects(encode({ output: json, ...request }).body.messages).map(({ role }) => role);

  test('is named where the caller’s dialect asks for no word, after the instructions there are', () => {
    const { messages } = encode({ output: json, extra: gemini, system: [{ kind: 'text', text: 'Be brief.' }] }).body;
    expect(messages).toEqual([{ role: 'system', content: 'Be brief.\nAnswer in JSON.' }, user]);
  });

  test.each([
    ['the conversation names it', { extra: gemini, messages: [{ role: 'user', parts: [{ kind: 'text', text: 'as Json' }] }] }],
    [
      'a result names it',
      { extra: gemini, messages: [{ role: 'user', parts: [{ ...result('1'), content: [{ kind: 'text', text: 'json' }] }] }] },
    ],
    ['the caller’s dialect asks for it', {}],
    ['the caller’s dialect is a neighbour’s', { extra: { dialect: 'openai-responses', fields: {} } }],
    ['the form is a schema', { extra: gemini, output: { kind: 'schema', name: 'x', schema: {} } }],
  ] as const)('is left alone where %s', (_name, request) => {
    expect(roles(request)).not.toContain('system');
  });
});
