import { describe, expect, test } from 'vitest';
import { assistant, call, encode, result, text, tool, user } from '../../test/messages-kit.ts';
import type { Part } from '../chat/parts.ts';
import type { ChatRequest, Message } from '../chat/request.ts';
import type { JsonObject } from '../json.ts';
import { openaiChat } from '../openai-chat/dialect.ts';
import { decodeRequest } from './decode-request.ts';

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

  test('blank texts go, and an answer that is to be gone on with does not end in blanks', () => {
    const messages = [
      user(text('a')),
      assistant(text('\n'), call('x', 'f')),
      user(result('x', 'ok'), text(' ')),
      assistant(text('so \n')),
    ];
    const { body } = encode({ messages });
    expect(JSON.stringify(body.messages)).not.toMatch(/"(?:\\n| )"/);
    expect((body.messages as object[]).at(-1)).toEqual({ role: 'assistant', content: 'so' });
    expect(encode({ messages: [user(text(' '))] }).body.messages).toEqual([{ role: 'user', content: '...' }]);
  });

  test.each([
    ['image/jpg', 'AA==', 'image/jpeg'],
    ['image/png', '/9j/4AAQ', 'image/jpeg'],
    ['image/png', 'UklGRgAA', 'image/webp'],
    ['image/gif', 'AA==', 'image/gif'],
  ])('a picture that is said to be %s and begins with %s is %s', (mediaType, base64, media_type) => {
    const image: Part = { kind: 'image', source: { at: 'inline', mediaType, base64 } };
    const source = { type: 'base64', media_type, data: base64 };
    expect(encode({ messages: [user(image)] }).body.messages).toEqual([{ role: 'user', content: [{ type: 'image', source }] }]);
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

  test.each(['claude-opus-4-6', 'claude-sonnet-4-6', 'claude-opus-5', 'claude-haiku-5-5', 'claude-fable-5-1'])(
    'the last turn is the user’s at %s, which goes on with no answer',
    (model) => {
      const begun = { messages: [user(text('a')), assistant(text('so '))] };
      const { body, losses } = encode(begun, model);
      expect(body.messages).toEqual([
        { role: 'user', content: 'a' },
        { role: 'assistant', content: 'so ' },
        { role: 'user', content: '...' },
      ]);
      expect(losses).toEqual(['prefill']);
      expect(encode(begun, 'claude-haiku-4-5').losses).toEqual([]);
    },
  );

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

  test('ids that look the same without what the dialect refuses stay apart', () => {
    const messages = [
      user(text('go')),
      assistant(call('__1_2'), call('调用1'), call('工具1'), call('__1_1')),
      user(result('工具1', 'two'), result('__1_1', 'three'), result('__1_2', 'four'), result('调用1', 'one')),
    ];
    const [, turn, answers] = encode({ messages, tools: [tool] }).body.messages as { content: JsonObject[] }[];
    const ids = turn?.content.map(({ id }) => id) ?? [];
    expect(new Set(ids).size).toBe(4);
    for (const id of ids) expect(id).toMatch(/^[a-zA-Z0-9_-]+$/);
    expect(answers?.content.map(({ tool_use_id }) => ids.indexOf(tool_use_id))).toEqual([2, 3, 0, 1]);
  });

  test('a call without an id gets one that no other call of the conversation has', () => {
    for (const named of [0, 1, 2]) {
      const calls = [call(''), call('')].toSpliced(named, 0, call('toolu_1'));
      const results = [result('', 'mine'), result('', 'mine'), result('toolu_1', 'its')];
      const [, turn, answers] = encode({ messages: [user(text('go')), assistant(...calls), user(...results)], tools: [tool] })
        .body.messages as { content: JsonObject[] }[];
      const ids = turn?.content.map(({ id }) => id) ?? [];
      expect(new Set(ids).size).toBe(3);
      const other = [0, 1, 2].filter((index) => index !== named);
      expect(answers?.content.map(({ tool_use_id }) => ids.indexOf(tool_use_id))).toEqual([...other, named]);
    }
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

  test.each(['claude-opus-5-5', 'claude-sonnet-5-5', 'claude-fable-5-1', 'claude-mythos-5-1'])(
    'a call cannot be demanded of %s: it chooses, and may think',
    (model) => {
      for (const toolChoice of ['required', { name: 'f' }] as const) {
        const { body, losses } = encode({ tools: [tool], toolChoice, parallelTools: false, reasoning: { effort: 'low' } }, model);
        expect(body).toMatchObject({
          tool_choice: { type: 'auto', disable_parallel_tool_use: true },
          thinking: { type: 'adaptive' },
        });
        expect(losses).toEqual(['tool_choice']);
      }
      expect(encode({ tools: [tool], toolChoice: 'auto' }, model).losses).toEqual([]);
    },
  );

  test.each(['claude-opus-5', 'claude-haiku-5-5', 'claude-fable-5'])('%s calls what it must', (model) =>
    expect(encode({ tools: [tool], toolChoice: 'required' }, model)).toMatchObject({
      body: { tool_choice: { type: 'any' } },
      losses: [],
    }),
  );

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

  describe('strict tools', () => {
    const strictTool = (parameters: JsonObject, name = 'f') => ({ ...tool, name, parameters, strict: true });
    const object = (properties: JsonObject, more: JsonObject = {}) => ({ type: 'object', properties, ...more });
    const told = (...tools: ChatRequest['tools']) => encode({ tools });
    const toolsOf = ({ body }: ReturnType<typeof told>) => body.tools as { strict?: true; input_schema: JsonObject }[];

    test('have schemas that the dialect can hold a model to', () => {
      const limit = { type: 'integer', minimum: 1 };
      const way = { oneOf: [{ type: 'string' }, object({ to: { type: 'string' } }, { additionalProperties: false })] };
      const answer = told(strictTool(object({ limit, way }, { required: ['limit', 'way'] })));
      expect(toolsOf(answer)).toMatchObject([
        {
          strict: true,
          input_schema: {
            properties: {
              limit: { type: 'integer', description: '{minimum: 1}' },
              way: { anyOf: [{ type: 'string' }, { additionalProperties: false }] },
            },
            additionalProperties: false,
          },
        },
      ]);
      expect(JSON.stringify(answer.body)).not.toMatch(/"minimum"|oneOf/);
      expect(answer.losses).toEqual([]);
    });

    const node = { type: 'object', properties: { next: { $ref: '#/$defs/node' } } };
    test.each<[string, JsonObject]>([
      ['has free keys', object({ env: { type: 'object', additionalProperties: { type: 'string' } } })],
      ['has any keys', object({ env: { type: 'object' } })],
      ['holds itself', object({ node: { $ref: '#/$defs/node' } }, { $defs: { node } })],
      ['refers to itself', object({ node: { $ref: '#' } })],
      ['refers to elsewhere', object({ node: { $ref: 'https://a.test/node' } })],
    ])('one that %s is not, and stays as it was', (_, parameters) => {
      const answer = told(strictTool(parameters), strictTool(object({}), 'g'));
      expect(toolsOf(answer)[0]).toEqual({ name: 'f', input_schema: parameters });
      expect(toolsOf(answer)[1]).toMatchObject({ strict: true });
      expect(answer.losses).toEqual(['strict']);
    });

    const many = (count: number, value: JsonObject) =>
      Object.fromEntries(Array.from({ length: count }, (_, k) => [`p${k}`, value] as const));
    const plainTools = (count: number) => Array.from({ length: count }, (_, k) => strictTool(object({}), `f${k}`));
    const unions = (count: number) => {
      const properties = many(count, { type: ['string', 'null'] });
      return [strictTool(object(properties, { required: Object.keys(properties) }))];
    };
    const optional = (...counts: number[]) =>
      counts.map((count, k) => strictTool(object(many(count, { type: 'string' })), `f${k}`));
    test.each([
      ['tools', plainTools(20), plainTools(21)],
      ['members that may be left out', optional(12, 12), optional(13, 12)],
      ['choices of a type', unions(16), unions(17)],
    ])('too many %s are none', (_, fit, tooMany) => {
      expect(told(...fit).losses).toEqual([]);
      const answer = told(...tooMany);
      expect(answer.losses).toEqual(['strict']);
      expect(toolsOf(answer).some(({ strict }) => strict)).toBe(false);
    });

    test('the schema of the answer counts, too', () => {
      const schema = object(many(13, { type: 'string' }));
      const request = { tools: [strictTool(schema)], output: { kind: 'schema', name: 'x', schema } as const };
      expect(encode(request).losses).toEqual(['strict']);
    });
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
    user: 'u'.repeat(300),
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
    ...['presence_penalty', 'seed', 'service_tier', 'stop', 'user', 'x'],
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

  test('settings from an instruction on, which others hear of by name', () => {
    const hi = { role: 'user', content: 'hi' };
    const messages = [hi, { role: 'system', output_config: { effort: 'low' } }];
    const marked = { role: 'system', content: 'Be brief.', output_config: { effort: 'low' } };
    expect(encode(native({ messages: [...messages, marked] })).body.messages).toEqual([...messages, marked]);
    const chat = openaiChat.encodeRequest(native({ messages: [...messages, marked] }), { model: 'm', defaultMaxTokens: 9 });
    expect(chat.body.messages).toEqual([hi, { role: 'system', content: 'Be brief.' }]);
    expect(chat.losses).toEqual(['hosted_tool:output_config']);
  });

  test('without what is no longer shown to the model', () => {
    const now = (content: string) => ({ role: 'system', content, clear_at: 'next_user_message' });
    const messages = [{ role: 'user', content: 'a' }, now('Old.'), { role: 'user', content: 'b' }, now('New.')];
    const { messages: said } = native({ messages });
    expect(said.map(({ parts }) => parts)).toEqual(['a', 'b', 'New.'].map((text) => [{ kind: 'text', text }]));
  });

  test('keeps fields of its tools, and other dialects hear their names', () => {
    const tools = [{ name: 'f', input_schema: { type: 'object' }, defer_loading: true }];
    const request = native({ tools });
    expect(encode(request).body.tools).toEqual(tools);
    expect(Object.keys(request.extra?.fields ?? {})).toEqual(['defer_loading']);
  });

  test('an empty list of what other dialects do not know is no loss to them', () => {
    const { losses } = openaiChat.encodeRequest(native({ mcp_servers: [] }), { model: 'm', defaultMaxTokens: 9 });
    expect(losses).toEqual([]);
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
    [{ messages: [{ role: 'system', clear_at: 'never' }] }, 'messages[0] is invalid'],
  ])('is refused with a reason when it is no conversation: %j', (body, reason) => {
    expect(decodeRequest({ model: 'm', ...body })).toEqual({ ok: false, reason });
  });
});
