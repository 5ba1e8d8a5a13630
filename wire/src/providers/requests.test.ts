import { describe, expect, test } from 'vitest';
import type { Part } from '../chat/parts.ts';
import type { ChatRequest, Message } from '../chat/request.ts';
import { baiduChat } from './baidu-chat/dialect.ts';
import { difyChat } from './dify-chat/dialect.ts';
import { libraryAsk } from './library-ask/dialect.ts';
import { sparkChat } from './spark-chat/dialect.ts';
import { tencentChat } from './tencent-chat/dialect.ts';
import { zhipuInvoke } from './zhipu-invoke/dialect.ts';

const own = [baiduChat, difyChat, libraryAsk, sparkChat, tencentChat, zhipuInvoke];
const context = { model: 'm', defaultMaxTokens: 100 };
const bare: ChatRequest = {
  model: 'm',
  system: [],
  messages: [],
  tools: [],
  stop: [],
  choices: 1,
  stream: false,
  wantsUsage: false,
};
const text = (words: string): Part => ({ kind: 'text', text: words });
const user = (...parts: Part[]): Message => ({ role: 'user', parts });
const assistant = (...parts: Part[]): Message => ({ role: 'assistant', parts });
const image: Part = { kind: 'image', source: { at: 'url', url: 'https://pictures.example/1.png' } };
const weather = { kind: 'function', name: 'weather', description: 'of a city', parameters: { type: 'object' } } as const;
const call: Part = { kind: 'tool-call', id: 'call_1', name: 'weather', arguments: '{"city":"x"}' };
const result: Part = { kind: 'tool-result', id: 'call_1', name: '', content: [{ kind: 'text', text: 'sunny' }] };
const spoken: ChatRequest = {
  ...bare,
  system: [{ kind: 'text', text: 'be brief' }],
  messages: [user(text('hi')), assistant(text('yes?')), user(text('one'), text('two'))],
};
const withTools: ChatRequest = { ...bare, messages: [user(text('w?')), assistant(call), user(result)], tools: [weather] };

describe('tencent-chat', () => {
  test('spells text, settings and pictures in capitals', () => {
    const picture = { ...spoken.messages[0], role: 'user', parts: [text('what?'), image] } as const;
    const request = { ...spoken, messages: [picture], temperature: 0.5, topP: 0.8, seed: 3, stop: ['END'], stream: true };
    expect(tencentChat.encodeRequest(request, context)).toEqual({
      body: {
        Model: 'm',
        Messages: [
          { Role: 'system', Content: 'be brief' },
          {
            Role: 'user',
            Contents: [
              { Type: 'text', Text: 'what?' },
              { Type: 'image_url', ImageUrl: { Url: 'https://pictures.example/1.png' } },
            ],
          },
        ],
        Stream: true,
        Temperature: 0.5,
        TopP: 0.8,
        Seed: 3,
        Stop: ['END'],
      },
      losses: [],
    });
  });

  test('spells calls, results and a tool that must be called', () => {
    const { body, losses } = tencentChat.encodeRequest({ ...withTools, toolChoice: { name: 'weather' } }, context);
    const tool = {
      Type: 'function',
      Function: { Name: 'weather', Description: 'of a city', Parameters: '{"type":"object","properties":{}}' },
    };
    expect(body).toMatchObject({
      Messages: [
        { Role: 'user', Content: 'w?' },
        {
          Role: 'assistant',
          Content: '',
          ToolCalls: [{ Id: 'call_1', Type: 'function', Index: 0, Function: { Name: 'weather', Arguments: '{"city":"x"}' } }],
        },
        { Role: 'tool', ToolCallId: 'call_1', Content: 'sunny' },
      ],
      Tools: [tool],
      ToolChoice: 'custom',
      CustomTool: tool,
    });
    expect(losses).toEqual([]);
    expect(tencentChat.encodeRequest({ ...withTools, toolChoice: 'required' }, context).losses).toEqual(['tool_choice']);
  });

  test.each([
    [0, false],
    [1, true],
    [10_000, true],
    [10_001, false],
  ])('a seed of %i', (seed, isTaken) => {
    const { body, losses } = tencentChat.encodeRequest({ ...bare, seed }, context);
    expect([body.Seed, losses]).toEqual(isTaken ? [seed, []] : [undefined, ['seed']]);
  });
});

describe('baidu-chat', () => {
  test('keeps instructions apart and the roles in turns', () => {
    const messages = [...spoken.messages, { role: 'system', parts: [text('and kind')] } as const, user(text('three'))];
    const request = { ...spoken, messages, maxTokens: 1, frequencyPenalty: 1.2, user: 'u-1', topP: 0.7, stop: ['。'] };
    expect(baiduChat.encodeRequest(request, context)).toEqual({
      body: {
        messages: [
          { role: 'user', content: 'hi' },
          { role: 'assistant', content: 'yes?' },
          { role: 'user', content: 'one\ntwo\nthree' },
        ],
        stream: false,
        system: 'be brief\nand kind',
        top_p: 0.7,
        penalty_score: 1.2,
        max_output_tokens: 2,
        stop: ['。'],
        user_id: 'u-1',
      },
      losses: [],
    });
  });

  test.each([
    [{ temperature: 0 }, { temperature: 0.01 }, []],
    [{ temperature: 1.5 }, { temperature: 1 }, ['temperature']],
    [{ frequencyPenalty: 0.5 }, {}, ['frequency_penalty']],
    [{ frequencyPenalty: -1 }, {}, ['frequency_penalty']],
    [{ temperature: 1, frequencyPenalty: 2 }, { temperature: 1, penalty_score: 2 }, []],
  ])('says of %j what the upstream takes', (asked, said, lost) => {
    expect(baiduChat.encodeRequest({ ...bare, ...asked }, context)).toEqual({
      body: { messages: [], stream: false, ...said },
      losses: lost,
    });
  });

  test('finds the name of a result by its call', () => {
    const { body, losses } = baiduChat.encodeRequest(withTools, context);
    expect(body.messages).toEqual([
      { role: 'user', content: 'w?' },
      { role: 'assistant', content: '', function_call: { name: 'weather', arguments: '{"city":"x"}' } },
      { role: 'function', name: 'weather', content: 'sunny' },
    ]);
    expect(body.functions).toEqual([
      { name: 'weather', description: 'of a city', parameters: { type: 'object', properties: {} } },
    ]);
    expect(losses).toEqual([]);
    const two = { ...withTools, messages: [assistant(call, { ...call, id: 'call_2' })] };
    expect(baiduChat.encodeRequest(two, context).losses).toEqual(['parallel_tools']);
  });
});

test('zhipu-invoke: instructions are a turn that was agreed to', () => {
  const { body, losses } = zhipuInvoke.encodeRequest({ ...spoken, temperature: 0.2, stream: true, maxTokens: 9 }, context);
  expect(body).toEqual({
    prompt: [
      { role: 'user', content: 'be brief' },
      { role: 'assistant', content: 'Okay' },
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: 'yes?' },
      { role: 'user', content: 'one\ntwo' },
    ],
    temperature: 0.2,
    incremental: true,
  });
  expect(losses).toEqual(['max_tokens']);
});

test('spark-chat: header, parameter and payload, with functions', () => {
  const request = { ...spoken, maxTokens: 50, topK: 4, user: 'u'.repeat(40), tools: [weather] };
  expect(sparkChat.encodeRequest(request, context)).toEqual({
    body: {
      header: { uid: 'u'.repeat(32) },
      parameter: { chat: { max_tokens: 50, top_k: 4 } },
      payload: {
        message: {
          text: [
            { role: 'system', content: 'be brief' },
            { role: 'user', content: 'hi' },
            { role: 'assistant', content: 'yes?' },
            { role: 'user', content: 'one\ntwo' },
          ],
        },
        functions: { text: [{ name: 'weather', description: 'of a city', parameters: { type: 'object', properties: {} } }] },
      },
    },
    losses: [],
  });
  expect(sparkChat.encodeRequest(withTools, context).losses).toEqual(['tool_result']);
});

test('dify-chat: one question; pictures go by address or as they are, the last ones only', () => {
  const messages = [user(text('old'), image), assistant(text('a')), user(text('new'), image)];
  const { body, losses } = difyChat.encodeRequest({ ...bare, messages, stream: true, user: 'u' }, context);
  expect(body).toEqual({
    inputs: {},
    query: 'USER:\nold\n\nASSISTANT:\na\n\nUSER:\nnew',
    response_mode: 'streaming',
    user: 'u',
    auto_generate_name: false,
    files: [{ type: 'image', transfer_method: 'remote_url', url: 'https://pictures.example/1.png' }],
  });
  expect(losses).toEqual(['image']);
  const inline = { ...image, source: { at: 'inline', mediaType: 'image/png', base64: 'AA==' } } as const;
  expect(difyChat.encodeRequest({ ...bare, messages: [user(inline)] }, context)).toMatchObject({
    body: {
      response_mode: 'blocking',
      files: [{ type: 'image', transfer_method: 'local_file', upload_file_id: 'data:image/png;base64,AA==' }],
    },
    losses: [],
  });
});

test('library-ask: a single question goes as it is', () => {
  const request = { ...bare, messages: [user(text('what is it?'))] };
  expect(libraryAsk.encodeRequest(request, context)).toEqual({
    body: { model: 'm', query: 'what is it?', stream: false },
    losses: [],
  });
});

test('whatever a dialect has no field for is told, once', () => {
  const everything: ChatRequest = {
    ...spoken,
    system: [{ kind: 'text', text: 's', cache: '5m' }],
    messages: [
      {
        role: 'user',
        name: 'Ann',
        parts: [image, { kind: 'audio', base64: '', format: 'wav' }, { kind: 'file', source: { at: 'upstream', id: 'f' } }],
      },
      assistant(
        { kind: 'reasoning', text: 'hm', dialect: 'other' },
        { kind: 'foreign', dialect: 'other', name: 'search_call', raw: {} },
      ),
      user(text('?')),
    ],
    tools: [
      { ...weather, strict: true },
      { kind: 'hosted', name: 'web_search', dialect: 'other', raw: {} },
    ],
    toolChoice: 'required',
    parallelTools: false,
    logprobs: 2,
    presencePenalty: 1,
    choices: 2,
    reasoning: { effort: 'high', budgetTokens: 2000 },
    output: { kind: 'schema', name: 'o', schema: {} },
    modalities: ['text', 'audio'],
    audioOut: { voice: 'v', format: 'wav' },
    metadata: { a: 'b' },
    serviceTier: 'flex',
    cacheKey: 'k',
    extra: { dialect: 'other', fields: { store: true } },
  };
  const common = [
    ...['presence_penalty', 'choices', 'logprobs', 'json_schema', 'modalities', 'audio', 'metadata', 'service_tier', 'cache_key'],
    ...[
      'hosted_tool:web_search',
      'name',
      'cache_control',
      'store',
      'file',
      'reasoning',
      'search_call',
      'parallel_tools',
      'tool_choice',
    ],
  ];
  for (const dialect of own) {
    const { losses } = dialect.encodeRequest(everything, context);
    expect([dialect.name, common.filter((word) => !losses.includes(word))]).toEqual([dialect.name, []]);
    expect(new Set(losses).size).toBe(losses.length);
  }
});

test('defaults that mean the same are no losses', () => {
  const plain: ChatRequest = {
    ...spoken,
    frequencyPenalty: 0,
    presencePenalty: 0,
    serviceTier: 'auto',
    modalities: ['text'],
    parallelTools: true,
    toolChoice: 'auto',
    metadata: {},
  };
  for (const dialect of own) expect([dialect.name, dialect.encodeRequest(plain, context).losses]).toEqual([dialect.name, []]);
});
