import { describe, expect, test } from 'vitest';
import type { Part } from '../chat/parts.ts';
import type { ChatRequest, Message } from '../chat/request.ts';
import { decodeRequest } from './decode-request.ts';
import { encodeRequest } from './encode-request.ts';

const user = (...parts: Part[]): Message => ({ role: 'user', parts });
const assistant = (...parts: Part[]): Message => ({ role: 'assistant', parts });
const text = (value: string): Part => ({ kind: 'text', text: value });
const call = (id: string, name = 'f', args = '{"a":1}'): Part => ({ kind: 'tool-call', id, name, arguments: args });
const result = (id: string, value: string, name = 'f'): Part => ({
  kind: 'tool-result',
  id,
  name,
  content: value === '' ? [] : [{ kind: 'text', text: value }],
});

const plain: ChatRequest = {
  model: 'asked',
  system: [],
  messages: [user(text('hi'))],
  tools: [],
  stop: [],
  choices: 1,
  stream: false,
  wantsUsage: false,
};
const tool = { kind: 'function', name: 'f', parameters: { type: 'object', properties: { a: { type: 'number' } } } } as const;

function encode(request: Partial<ChatRequest>, model = 'claude-sonnet-4-5') {
  return encodeRequest({ ...plain, ...request }, { model, defaultMaxTokens: 8192 });
}

test('a cap is always sent, and the upstream’s model', () => {
  expect(encode({})).toEqual({
    body: { model: 'claude-sonnet-4-5', max_tokens: 8192, messages: [{ role: 'user', content: 'hi' }] },
    losses: [],
  });
  expect(encode({ maxTokens: 5 }).body.max_tokens).toBe(5);
});

describe('turns', () => {
  test('instructions go to the front in one text, also those between the turns', () => {
    const messages: Message[] = [
      user(text('a')),
      { role: 'system', parts: [text('late')] },
      assistant(text('b')),
      user(text('c')),
    ];
    const { body } = encode({ system: [{ kind: 'text', text: 'first' }], messages });
    expect(body.system).toBe('first\nlate');
    expect(body.messages).toEqual([
      { role: 'user', content: 'a' },
      { role: 'assistant', content: 'b' },
      { role: 'user', content: 'c' },
    ]);
  });

  test('marked instructions stay apart with their marks', () => {
    const { body } = encode({
      system: [
        { kind: 'text', text: 'a', cache: '1h' },
        { kind: 'text', text: 'b' },
      ],
    });
    expect(body.system).toEqual([
      { type: 'text', text: 'a', cache_control: { type: 'ephemeral', ttl: '1h' } },
      { type: 'text', text: 'b' },
    ]);
  });

  test('turns of one side are joined: texts by a space, other pieces side by side', () => {
    const image: Part = { kind: 'image', source: { at: 'inline', mediaType: 'image/png', base64: 'AA==' } };
    const { body } = encode({ messages: [user(text('a')), user(text('b')), assistant(text('c')), user(text('d')), user(image)] });
    expect(body.messages).toEqual([
      { role: 'user', content: 'a b' },
      { role: 'assistant', content: 'c' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'd' },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA==' } },
        ],
      },
    ]);
  });

  test('the first turn is the user’s, and none is empty', () => {
    const filler = { role: 'user', content: '...' };
    expect(encode({ messages: [assistant(text('a'))] }).body.messages).toEqual([filler, { role: 'assistant', content: 'a' }]);
    expect(encode({ messages: [user(text('')), assistant()] }).body.messages).toEqual([
      filler,
      { role: 'assistant', content: '...' },
    ]);
    expect(encode({ messages: [] }).body.messages).toEqual([filler]);
  });

  test('results come first in their turn and name their calls, whatever the ids look like', () => {
    const messages = [
      user(text('go')),
      assistant(call('x.1'), call('')),
      user(text('and'), result('', 'two')),
      user(result('x.1', 'one')),
    ];
    const [, , turn] = encode({ messages, tools: [tool] }).body.messages as { content: object[] }[];
    expect(turn?.content).toEqual([
      { type: 'tool_result', tool_use_id: 'toolu_1', content: 'two' },
      { type: 'tool_result', tool_use_id: 'x_1', content: 'one' },
      { type: 'text', text: 'and' },
    ]);
  });

  test('arguments that are no object are wrapped, none become an empty one', () => {
    const messages = [user(text('go')), assistant(call('a', 'f', ''), call('b', 'f', '{"cut'), call('c', 'f', '[1]'))];
    const [, turn] = encode({ messages }).body.messages as { content: { input: object }[] }[];
    expect(turn?.content.map(({ input }) => input)).toEqual([{}, { INVALID_JSON: '{"cut' }, { INVALID_JSON: '[1]' }]);
  });
});

describe('tools', () => {
  test.each([
    ['auto', undefined, { type: 'auto' }],
    ['required', undefined, { type: 'any' }],
    [{ name: 'f' }, undefined, { type: 'tool', name: 'f' }],
    [undefined, false, { type: 'auto', disable_parallel_tool_use: true }],
    ['required', false, { type: 'any', disable_parallel_tool_use: true }],
    [undefined, true, undefined],
  ] as const)('choice %j, parallel %j', (toolChoice, parallelTools, expected) => {
    expect(encode({ tools: [tool], toolChoice, parallelTools }).body.tool_choice).toEqual(expected);
  });

  test('tools that must not be called are left out, unless some were', () => {
    expect(encode({ tools: [tool], toolChoice: 'none' }).body).not.toHaveProperty('tools');
    const messages = [user(text('a')), assistant(call('1')), user(result('1', 'x'))];
    expect(encode({ tools: [tool], toolChoice: 'none', messages }).body).toMatchObject({ tool_choice: { type: 'none' } });
  });

  test('a schema says that it is an object', () => {
    expect(encode({ tools: [{ kind: 'function', name: 'f' }] }).body.tools).toEqual([
      { name: 'f', input_schema: { type: 'object', properties: {} } },
    ]);
  });

  test('hosted tools of others and strictness that a model does not know are lost', () => {
    const tools: ChatRequest['tools'] = [
      { ...tool, strict: true },
      { kind: 'hosted', name: 'web', dialect: 'other', raw: {} },
    ];
    expect(encode({ tools }).losses).toEqual(['hosted_tool:web']);
    expect(encode({ tools }, 'claude-3-5-haiku-20241022').losses).toEqual(['strict', 'hosted_tool:web']);
  });
});

describe('reasoning', () => {
  const think = (request: Partial<ChatRequest>, model?: string) => {
    const { body, losses } = encode({ maxTokens: 64_000, ...request }, model);
    return { thinking: body.thinking, effort: (body.output_config as { effort?: string } | undefined)?.effort, losses };
  };

  test.each([
    ['minimal', 1024],
    ['low', 2048],
    ['medium', 8192],
    ['high', 16_384],
    ['xhigh', 32_768],
  ] as const)('effort %s is a budget of %i', (effort, budget_tokens) => {
    expect(think({ reasoning: { effort } })).toEqual({
      thinking: { type: 'enabled', budget_tokens },
      effort: undefined,
      losses: [],
    });
  });

  test.each([
    [1024, 'low'],
    [2048, 'low'],
    [2049, 'medium'],
    [16_384, 'high'],
    [50_000, 'xhigh'],
  ])('where there are no budgets, %i is the effort %s', (budgetTokens, effort) => {
    expect(think({ reasoning: { budgetTokens } }, 'claude-opus-4-8')).toEqual({
      thinking: { type: 'adaptive' },
      effort,
      losses: [],
    });
  });

  test('none is switched off', () => {
    expect(think({ reasoning: { effort: 'none' } }).thinking).toEqual({ type: 'disabled' });
    expect(think({ reasoning: { budgetTokens: 0 } }).thinking).toEqual({ type: 'disabled' });
  });

  test('a budget leaves room for the answer, and where it cannot there is none', () => {
    expect(think({ maxTokens: 10_000, reasoning: { effort: 'high' } }).thinking).toEqual({
      type: 'enabled',
      budget_tokens: 8000,
    });
    expect(think({ maxTokens: 5000, reasoning: { budgetTokens: 4999 } }).thinking).toMatchObject({ budget_tokens: 4999 });
    expect(think({ maxTokens: 5000, reasoning: { budgetTokens: 5000 } }).thinking).toMatchObject({ budget_tokens: 4000 });
    expect(think({ maxTokens: 1000, reasoning: { effort: 'low' } })).toEqual({
      thinking: undefined,
      effort: undefined,
      losses: ['reasoning'],
    });
  });

  test('thinking is sampled at 1 and by nothing else', () => {
    const { body, losses } = encode({ maxTokens: 9000, reasoning: { effort: 'low' }, temperature: 0.2, topP: 0.5, topK: 3 });
    expect(body).toMatchObject({ temperature: 1 });
    expect(body).not.toHaveProperty('top_p');
    expect(body).not.toHaveProperty('top_k');
    expect(losses).toEqual(['temperature', 'top_p', 'top_k']);
    expect(encode({ maxTokens: 9000, reasoning: { effort: 'low' } }).body.temperature).toBe(1);
  });

  test('it gives way to a forced call and to a turn whose thoughts nobody signed', () => {
    expect(think({ tools: [tool], toolChoice: 'required', reasoning: { effort: 'low' } }).losses).toEqual(['reasoning']);
    const messages = [user(text('a')), assistant(call('1')), user(result('1', 'x'))];
    expect(think({ messages, tools: [tool], reasoning: { effort: 'low' } }).losses).toEqual(['reasoning']);
    const signed: Part = { kind: 'reasoning', text: 't', signature: 's', dialect: 'anthropic-messages' };
    const kept = [user(text('a')), assistant(signed, call('1')), user(result('1', 'x'))];
    expect(think({ messages: kept, tools: [tool], reasoning: { effort: 'low' } }).losses).toEqual([]);
  });

  test('thoughts that others had are not shown to the model', () => {
    const foreign: Part = { kind: 'reasoning', text: 't', signature: 's', dialect: 'other' };
    const { body, losses } = encode({ messages: [user(text('a')), assistant(foreign, text('b')), user(text('c'))] });
    expect((body.messages as unknown[])[1]).toEqual({ role: 'assistant', content: 'b' });
    expect(losses).toEqual(['reasoning', 'reasoning_signature']);
  });
});

describe('sampling', () => {
  test('a temperature above 1 is lowered and declared', () => {
    expect(encode({ temperature: 1.7 })).toMatchObject({ body: { temperature: 1 }, losses: ['temperature'] });
  });

  test('of a pair that a model refuses only the temperature is sent', () => {
    expect(encode({ temperature: 0.5, topP: 0.5 })).toMatchObject({ body: { temperature: 0.5 }, losses: ['top_p'] });
    expect(encode({ temperature: 0.5, topP: 1 }).losses).toEqual([]);
    expect(encode({ topP: 0.5 }).body.top_p).toBe(0.5);
    expect(encode({ temperature: 0.5, topP: 0.5 }, 'claude-3-5-sonnet-20241022').losses).toEqual([]);
  });

  test('the newest models are not sampled', () => {
    const { body, losses } = encode({ temperature: 0.5, topP: 0.5, topK: 5 }, 'claude-opus-4-8');
    expect(Object.keys(body)).toEqual(['model', 'max_tokens', 'messages']);
    expect(losses).toEqual(['temperature', 'top_p', 'top_k']);
  });
});

describe('output', () => {
  test('a schema is closed and its bounds are told in words', () => {
    const schema = {
      type: 'object',
      properties: { n: { type: 'integer', minimum: 1, description: 'A number' } },
      required: ['n'],
    };
    const { body, losses } = encode({ output: { kind: 'schema', name: 'x', schema, description: 'All of it' } });
    expect(body.output_config).toEqual({
      format: {
        type: 'json_schema',
        schema: {
          description: 'All of it',
          type: 'object',
          properties: { n: { type: 'integer', description: 'A number\n\n{minimum: 1}' } },
          required: ['n'],
          additionalProperties: false,
        },
      },
    });
    expect(losses).toEqual([]);
  });

  test('what cannot be asked for is lost', () => {
    expect(encode({ output: { kind: 'json' } }).losses).toEqual(['json']);
    const output = { kind: 'schema', name: 'x', schema: { type: 'object', additionalProperties: { type: 'string' } } } as const;
    expect(encode({ output }).losses).toEqual(['json_schema']);
    expect(encode({ output: { ...output, schema: {} } }, 'claude-3-7-sonnet-20250219').losses).toEqual(['json_schema']);
  });
});

test('whatever the dialect has no word for is declared', () => {
  const all = {
    seed: 1,
    frequencyPenalty: 1,
    presencePenalty: 1,
    choices: 2,
    logprobs: 0,
    modalities: ['text', 'audio'],
    audioOut: { voice: 'v', format: 'wav' },
    cacheKey: 'k',
    metadata: { a: 'b' },
    serviceTier: 'flex',
    stop: ['a', ' '],
    extra: { dialect: 'other', fields: { x: 1 } },
    messages: [
      {
        ...user({ kind: 'image', source: { at: 'url', url: 'u' }, detail: 'low' }, { kind: 'audio', base64: '', format: 'wav' }),
        name: 'n',
      },
    ],
  } satisfies Partial<ChatRequest>;
  expect([...encode(all as Partial<ChatRequest>).losses].sort()).toEqual([
    ...['audio', 'cache_key', 'choices', 'frequency_penalty', 'image_detail', 'logprobs', 'metadata', 'modalities', 'name'],
    ...['presence_penalty', 'seed', 'service_tier', 'stop', 'x'],
  ]);
});

describe('what a caller of this dialect said', () => {
  const native = (body: object) => {
    const decoded = decodeRequest({
      model: 'claude-opus-4-8',
      max_tokens: 100,
      messages: [{ role: 'user', content: 'hi' }],
      ...body,
    });
    if (!decoded.ok) throw new Error(decoded.reason);
    return decoded.request;
  };

  test('is neither joined nor filled', () => {
    const messages = [
      { role: 'assistant', content: 'a' },
      { role: 'assistant', content: 'b' },
    ];
    expect(encode(native({ messages })).body.messages).toEqual(messages);
  });

  test('keeps fields of its tools, and other dialects hear their names', () => {
    const tools = [{ name: 'f', input_schema: { type: 'object' }, defer_loading: true }];
    const request = native({ tools });
    expect(encode(request).body.tools).toEqual(tools);
    expect(Object.keys(request.extra?.fields ?? {})).toEqual(['defer_loading']);
  });

  test('a budget that no longer fits a lowered cap is lowered, too', () => {
    const request = native({ thinking: { type: 'enabled', budget_tokens: 4000 } });
    expect(encode({ ...request, maxTokens: 2000 }).body.thinking).toEqual({ type: 'enabled', budget_tokens: 1600 });
    expect(encode({ ...request, maxTokens: 1000 })).toMatchObject({ losses: ['reasoning'] });
  });

  test('fields that steer other gateways go nowhere', () => {
    expect(encode(native({ api_base: 'http://x', base_url: 'y' })).body).not.toHaveProperty('api_base');
  });

  test.each([
    [{ messages: 5 }, 'field messages is required'],
    [{ messages: [5] }, 'messages[0] is invalid'],
    [{ messages: [{ role: 'tool', content: '' }] }, 'messages[0] is invalid'],
    [{ messages: [{ role: 'user' }] }, 'messages[0] is invalid'],
  ])('is refused with a reason when it is no conversation: %j', (body, reason) => {
    expect(decodeRequest({ model: 'm', ...body })).toEqual({ ok: false, reason });
  });
});
