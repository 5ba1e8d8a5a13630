import { describe, expect, test } from 'vitest';
import type { Part } from '../chat/parts.ts';
import type { ChatRequest, Message } from '../chat/request.ts';
import { openaiResponses } from '../openai-responses/dialect.ts';
import { decodeRequest } from './decode-request.ts';
import { encodeRequest } from './encode-request.ts';
import { encodeResponse } from './response.ts';

const base: ChatRequest = {
  model: 'm',
  system: [],
  messages: [{ role: 'user', parts: [{ kind: 'text', text: 'hi' }] }],
  tools: [],
  stop: [],
  choices: 1,
  stream: false,
  wantsUsage: false,
};
const encode = (request: Partial<ChatRequest>, model = 'gemini-2.5-flash') =>
  encodeRequest({ ...base, ...request }, { model, defaultMaxTokens: 8192 });
const call = (id: string, name: string, more: object = {}): Part => ({
  kind: 'tool-call',
  id,
  name,
  arguments: '{"a":1}',
  ...more,
});
const result = (id: string, text: string): Part => ({ kind: 'tool-result', id, name: '', content: [{ kind: 'text', text }] });
const turn = (role: Message['role'], ...parts: Part[]): Message => ({ role, parts });

describe('what comes from other dialects', () => {
  test('all instructions stand before the conversation', () => {
    const messages = [turn('user', { kind: 'text', text: 'a' }), turn('system', { kind: 'text', text: 'two' })];
    expect(encode({ system: [{ kind: 'text', text: 'one' }], messages }).body).toEqual({
      systemInstruction: { parts: [{ text: 'one' }, { text: 'two' }] },
      contents: [{ role: 'user', parts: [{ text: 'a' }] }],
    });
  });

  test('a result bears the name of its function, found by the id of the call', () => {
    const messages = [
      turn('assistant', call('x1', 'f'), call('x2', 'g')),
      turn('user', result('x2', 'late'), result('x1', '{"b":2}')),
    ];
    const { contents } = encode({ messages }).body as { contents: { parts: unknown }[] };
    expect(contents[2]?.parts).toEqual([
      { functionResponse: { id: 'x2', name: 'g', response: { name: 'g', content: 'late' } } },
      { functionResponse: { id: 'x1', name: 'f', response: { name: 'f', content: { b: 2 } } } },
    ]);
  });

  test('results come right behind their calls, before what was said in front of them', () => {
    const said = (text: string) => turn('user', { kind: 'text', text });
    const messages = [
      said('go'),
      turn('assistant', call('x1', 'f'), call('x2', 'f')),
      said('Hurry.'),
      turn('user', result('x1', 'one')),
      said('Well?'),
      turn('user', result('x2', 'two')),
      turn('assistant', { kind: 'text', text: 'Done.' }),
      said('Thanks.'),
    ];
    const { contents } = encode({ messages }).body as { contents: { parts: { text?: string }[] }[] };
    const told = contents.map(({ parts }) => parts.map((part) => part.text ?? Object.keys(part)[0]));
    const [calls, results] = [
      ['functionCall', 'functionCall'],
      ['functionResponse', 'functionResponse'],
    ];
    expect(told).toEqual([['go'], calls, results, ['Hurry.'], ['Well?'], ['Done.'], ['Thanks.']]);
  });

  test('results without an id stand in the order of their calls', () => {
    const messages = [
      turn('assistant', call('call_1', 'f'), call('call_2', 'f')),
      turn('user', result('call_2', 'two'), result('call_1', 'one')),
    ];
    const { contents } = encode({ messages }).body as { contents: { parts: unknown }[] };
    expect(contents[1]?.parts).toEqual([
      { functionCall: { name: 'f', args: { a: 1 } } },
      { functionCall: { name: 'f', args: { a: 1 } } },
    ]);
    expect(contents[2]?.parts).toEqual([
      { functionResponse: { name: 'f', response: { name: 'f', content: 'one' } } },
      { functionResponse: { name: 'f', response: { name: 'f', content: 'two' } } },
    ]);
  });

  test('what the model said in a row is one turn, behind one of the user', () => {
    const messages = [turn('assistant', { kind: 'text', text: 'a' }), turn('assistant', call('x', 'f'))];
    expect(encode({ messages }).body.contents).toEqual([
      { role: 'user', parts: [{ text: '...' }] },
      { role: 'model', parts: [{ text: 'a' }, { functionCall: { id: 'x', name: 'f', args: { a: 1 } } }] },
    ]);
  });

  test('a turn of the user of which nothing can be said still stands between those of the model: a call must follow one', () => {
    const unsaid = { kind: 'file', source: { at: 'upstream', id: 'file-abc', dialect: 'openai-chat' } } as const;
    const said = turn('assistant', { kind: 'text', text: 'a' });
    const messages = [turn('user', unsaid), said, turn('user', unsaid), turn('assistant', call('x', 'f'))];
    const { body, losses } = encode({ messages });
    const roles = (body.contents as { role: string; parts: object[] }[]).map(({ role, parts }) => [role, parts[0]]);
    const gap = ['user', { text: '...' }];
    expect(roles).toMatchObject([gap, ['model', { text: 'a' }], gap, ['model', {}]]);
    expect(losses).toEqual(['file']);
  });

  test('models that demand signed calls get the mark of a call that is not theirs', () => {
    const messages = [turn('user', { kind: 'text', text: 'a' }), turn('assistant', call('x', 'f'), call('y', 'f'))];
    const parts = (model: string) => (encode({ messages }, model).body.contents as { parts: object[] }[])[1]?.parts;
    expect(parts('gemini-3-pro-preview')).toMatchObject([{ thoughtSignature: 'skip_thought_signature_validator' }, {}]);
    expect(parts('gemini-2.5-pro')?.every((part) => !('thoughtSignature' in part))).toBe(true);
    expect(parts('gemini-3-pro-preview')?.[1]).not.toHaveProperty('thoughtSignature');
  });

  test.each([
    ['none', 'gemini-2.5-flash', { thinkingBudget: 0 }, []],
    ['minimal', 'gemini-2.5-flash', { includeThoughts: true, thinkingBudget: 1024 }, []],
    ['low', 'gemini-2.5-flash', { includeThoughts: true, thinkingBudget: 2048 }, []],
    ['medium', 'gemini-2.5-flash', { includeThoughts: true, thinkingBudget: 8192 }, []],
    ['high', 'gemini-2.5-flash', { includeThoughts: true, thinkingBudget: 24_576 }, []],
    ['xhigh', 'gemini-2.5-flash', { includeThoughts: true, thinkingBudget: 24_576 }, []],
    ['xhigh', 'gemini-2.5-pro', { includeThoughts: true, thinkingBudget: 32_768 }, []],
    ['none', 'gemini-2.5-pro', { thinkingBudget: 128 }, ['reasoning']],
    ['low', 'gemini-3-pro', { includeThoughts: true, thinkingLevel: 'low' }, []],
    ['minimal', 'gemini-3-pro-preview', { includeThoughts: true, thinkingLevel: 'low' }, []],
    ['medium', 'gemini-3-pro-preview', { includeThoughts: true, thinkingLevel: 'high' }, []],
    ['none', 'gemini-3.1-pro', { thinkingLevel: 'low' }, ['reasoning']],
    ['none', 'gemini-3-flash', { thinkingLevel: 'minimal' }, ['reasoning']],
    ['none', 'gemini-3.8-flash', { thinkingLevel: 'low' }, ['reasoning']],
    ['minimal', 'gemini-3.7-flash', { includeThoughts: true, thinkingLevel: 'low' }, []],
    ['minimal', 'gemini-3.5-flash-lite', { includeThoughts: true, thinkingLevel: 'minimal' }, []],
    ['xhigh', 'gemini-flash-latest', { includeThoughts: true, thinkingLevel: 'high' }, ['reasoning']],
    ['max', 'gemini-3-flash', { includeThoughts: true, thinkingLevel: 'high' }, ['reasoning']],
    ['max', 'gemini-2.5-pro', { includeThoughts: true, thinkingBudget: 32_768 }, []],
  ] as const)('effort %s for %s', (effort, model, thinkingConfig, losses) => {
    expect(encode({ reasoning: { effort } }, model)).toMatchObject({ body: { generationConfig: { thinkingConfig } }, losses });
  });

  test.each([
    [63_999, 'gemini-2.5-flash', 24_576],
    [200, 'gemini-2.5-flash-lite', 512],
    [200, 'gemini-2.5-pro', 200],
    [63_999, 'some-model', 63_999],
  ])('a budget of %i for %s is %i', (budgetTokens, model, thinkingBudget) => {
    const { body, losses } = encode({ reasoning: { budgetTokens } }, model);
    expect(body).toMatchObject({ generationConfig: { thinkingConfig: { thinkingBudget } } });
    expect(losses).toEqual([]);
  });

  test('a model that does not think is not told to', () => {
    const asked = encode({ reasoning: { effort: 'low' } }, 'gemini-2.0-flash');
    expect(asked.body).not.toHaveProperty('generationConfig.thinkingConfig');
    expect(asked.losses).toEqual(['reasoning']);
    expect(encode({ reasoning: { effort: 'none' } }, 'gemini-2.0-flash').losses).toEqual([]);
  });

  test.each([
    [0, 'none'],
    [512, 'minimal'],
    [1024, 'minimal'],
    [2048, 'low'],
    [5000, 'medium'],
    [24_576, 'high'],
    [32_768, 'xhigh'],
  ])('a budget of %i is the effort %s', (thinkingBudget, effort) => {
    const body = { contents: [{ parts: [{ text: 'x' }] }], generationConfig: { thinkingConfig: { thinkingBudget } } };
    expect(decodeRequest(body)).toMatchObject({ request: { reasoning: { effort, budgetTokens: thinkingBudget } } });
  });

  test('functions with the names of built-in tools become those, others are cleaned', () => {
    const tools: ChatRequest['tools'] = [
      { kind: 'function', name: 'googleSearch' },
      { kind: 'function', name: 'f', description: 'd', parameters: { type: 'object', properties: {} } },
      { kind: 'function', name: 'g', strict: true, parameters: { type: 'object', properties: { a: { $ref: '#/x' } } } },
      { kind: 'hosted', name: 'web_search', dialect: 'openai-responses', raw: {} },
      { kind: 'function', name: 'codeExecution' },
    ];
    expect(encode({ tools, toolChoice: { name: 'f' } })).toEqual({
      body: {
        contents: [{ role: 'user', parts: [{ text: 'hi' }] }],
        tools: [
          { googleSearch: {} },
          {
            functionDeclarations: [
              { name: 'f', description: 'd' },
              { name: 'g', parameters: { type: 'object', properties: { a: {} } } },
            ],
          },
          { codeExecution: {} },
        ],
        toolConfig: { functionCallingConfig: { mode: 'ANY', allowedFunctionNames: ['f'] } },
      },
      losses: ['strict', 'json_schema', 'hosted_tool:web_search'],
    });
  });

  test.each([
    ['ANY', 'required', {}],
    ['VALIDATED', 'auto', { toolConfig: expect.anything() }],
  ])('those of several functions that may be called now are known to others, too: %s', (mode, toolChoice, fields) => {
    const tools = [{ functionDeclarations: ['f', 'g', 'h'].map((name) => ({ name })) }];
    const toolConfig = { functionCallingConfig: { mode, allowedFunctionNames: ['f', 'h'] } };
    const read = decodeRequest({ contents: [{ parts: [{ text: 'x' }] }], tools, toolConfig });
    if (!read.ok) throw new Error(read.reason);
    expect(read.request).toMatchObject({ toolChoice, allowedTools: ['f', 'h'], extra: { fields } });
    expect(encodeRequest(read.request, { model: 'm', defaultMaxTokens: 1 }).body).toMatchObject({ tools, toolConfig });
    const { request } = read;
    const toResponses = openaiResponses.encodeRequest(request, { model: 'm', defaultMaxTokens: 1 });
    const allowed = ['f', 'h'].map((name) => ({ type: 'function', name }));
    expect(toResponses.body.tool_choice).toEqual({ type: 'allowed_tools', mode: toolChoice, tools: allowed });
  });

  test.each<[string, ChatRequest['tools']]>([
    ['built-in ones', [{ kind: 'function', name: 'googleSearch' }]],
    ['lost ones', [{ kind: 'hosted', name: 'web_search', dialect: 'openai-responses', raw: {} }]],
    ['none', []],
  ])('of %s alone there is nothing to choose: the choice would be refused', (_, tools) => {
    for (const toolChoice of ['auto', 'required', 'none'] as const)
      expect(encode({ tools, toolChoice }).body).not.toHaveProperty('toolConfig');
  });

  test.each<[ChatRequest['output'] & object, string]>([
    [{ kind: 'schema', name: 'x', schema: { type: 'object', properties: { a: { type: 'string' } } } }, 'json_schema'],
    [{ kind: 'json' }, 'json'],
  ])('models before the third generation take no form of an answer beside functions: %j', (output, word) => {
    const tools: ChatRequest['tools'] = [{ kind: 'function', name: 'f' }];
    const older = encode({ tools, output });
    expect(older.losses).toEqual([word]);
    expect(older.body).not.toHaveProperty('generationConfig');
    const form = { generationConfig: { responseMimeType: 'application/json' } };
    expect(encode({ tools, output }, 'gemini-3-pro-preview')).toMatchObject({ body: form, losses: [] });
    expect(encode({ output })).toMatchObject({ body: form, losses: [] });
  });

  test('a text without text is left out, which is refused; answers and own requests keep it', () => {
    const messages = [turn('user', { kind: 'text', text: 'hi' }), turn('assistant', { kind: 'text', text: '' }, call('1', 'f'))];
    expect(encode({ messages }).body.contents).toEqual([
      { role: 'user', parts: [{ text: 'hi' }] },
      { role: 'model', parts: [{ functionCall: expect.objectContaining({ name: 'f' }) }] },
    ]);
    expect(encode({ system: [{ kind: 'text', text: '' }] }).body).not.toHaveProperty('systemInstruction');
    const own = { messages, extra: { dialect: 'gemini-generate', fields: {} } };
    expect(JSON.stringify(encode(own).body)).toContain('{"text":""}');
  });

  test.each([
    [2 ** 31 - 1, []],
    [-(2 ** 31), []],
    [2 ** 31, ['seed']],
    [1.5, ['seed']],
  ])('of seeds %d, those of more than 32 bits are a loss', (seed, losses) => {
    expect(encode({ seed })).toMatchObject({ losses });
    expect(encode({ seed }).body.generationConfig).toEqual(losses.length === 0 ? { seed } : undefined);
  });

  test('what cannot be said is declared', () => {
    const { losses } = encode({
      user: 'u',
      metadata: { a: 1 },
      serviceTier: 'flex',
      cacheKey: 'k',
      parallelTools: false,
      tools: [{ kind: 'function', name: 'f', cache: '5m' }],
      stop: ['1', '2', '3', '4', '5', '6'],
      modalities: ['text', 'audio'],
      audioOut: { voice: 'alloy', format: 'mp3' },
      extra: { dialect: 'openai-chat', fields: { verbosity: 'low' } },
      messages: [
        {
          role: 'user',
          name: 'bob',
          parts: [
            { kind: 'image', source: { at: 'inline', mediaType: 'image/png', base64: 'AA==' }, detail: 'high' },
            { kind: 'file', source: { at: 'upstream', id: 'file-abc' } },
            { kind: 'reasoning', text: 't', signature: 's', dialect: 'anthropic-messages' },
            { kind: 'foreign', dialect: 'anthropic-messages', name: 'server_tool_use', raw: {} },
          ],
        },
      ],
    });
    expect([...losses].sort()).toEqual(
      [
        ...['audio', 'cache_control', 'cache_key', 'file', 'hosted_tool:server_tool_use', 'image_detail', 'metadata'],
        ...['modalities', 'name', 'parallel_tools', 'reasoning_signature', 'service_tier', 'stop', 'user', 'verbosity'],
      ].sort(),
    );
  });

  test('pictures in results stand inside where the model knows that, else beside', () => {
    const picture: Part = { kind: 'image', source: { at: 'inline', mediaType: 'image/png', base64: 'AA==' } };
    const messages = [turn('user', { kind: 'tool-result', id: '', name: 'f', content: [{ kind: 'text', text: 'ok' }, picture] })];
    const parts = (model: string) => (encode({ messages }, model).body.contents as { parts: object[] }[])[0]?.parts;
    const inlineData = { mimeType: 'image/png', data: 'AA==' };
    expect(parts('gemini-3-pro')).toMatchObject([{ functionResponse: { parts: [{ inlineData }] } }]);
    expect(parts('gemini-2.5-pro')).toMatchObject([{ functionResponse: { name: 'f' } }, { inlineData }]);
  });

  test('arguments that are no JSON are kept as they are, both ways', () => {
    const messages = [turn('user', { kind: 'text', text: 'a' }), turn('assistant', call('x', 'f', { arguments: '{"a":' }))];
    const { body } = encode({ messages });
    expect(body.contents).toMatchObject([{}, { parts: [{ functionCall: { args: { _raw: '{"a":' } } }] }]);
    expect(decodeRequest(body)).toMatchObject({ request: { messages: [{}, { parts: [{ arguments: '{"a":' }] }] } });
  });
});

test('chunks that a client kept one by one are one answer again', () => {
  const model = (part: object) => ({ role: 'model', parts: [part] });
  const contents = [
    { role: 'user', parts: [{ text: 'hi' }] },
    ...[{ text: 'hm', thought: true }, { text: ', yes', thought: true }, { text: 'Hel' }, { text: 'lo' }, { text: '' }].map(
      model,
    ),
  ];
  expect(decodeRequest({ contents }, { model: 'm' })).toMatchObject({
    request: {
      messages: [
        { role: 'user' },
        {
          role: 'assistant',
          parts: [
            { kind: 'reasoning', text: 'hm, yes' },
            { kind: 'text', text: 'Hello' },
          ],
        },
      ],
    },
  });
});

const keptFor = (signature: string) => Buffer.from(`kept-for:anthropic-messages:${signature}`).toString('base64');
const thoughtChunks = [
  { text: 'hm', thought: true },
  { text: ', yes', thought: true },
  { text: '', thought: true, thoughtSignature: keptFor('s') },
];
const wholeThought = { kind: 'reasoning', text: 'hm, yes', signature: 's', dialect: 'anthropic-messages' };

test.each([
  ['in one content', [{ role: 'model', parts: thoughtChunks }]],
  ['in contents of their own', thoughtChunks.map((part) => ({ role: 'model', parts: [part] }))],
])('a thought of another dialect whose chunks were kept %s has its text and its signature', (_name, said) => {
  const contents = [{ role: 'user', parts: [{ text: 'hi' }] }, ...said];
  expect(decodeRequest({ contents }, { model: 'm' })).toMatchObject({ request: { messages: [{}, { parts: [wholeThought] }] } });
});

test('a last chunk without a word is nothing said behind a call', () => {
  const contents = [
    { role: 'user', parts: [{ text: 'hi' }] },
    { role: 'model', parts: [{ functionCall: { name: 'f' } }, { text: '' }] },
  ];
  const decoded = decodeRequest({ contents }, { model: 'm' });
  expect(decoded.ok && decoded.request.messages[1]?.parts.map(({ kind }) => kind)).toEqual(['tool-call']);
});

test('a thought of another dialect of which only the signature is shown is a thought', () => {
  const parts = [
    { kind: 'text', text: 'a' },
    { kind: 'reasoning', text: '', signature: 's', dialect: 'anthropic-messages' },
  ] as const;
  const context = { id: 'x', model: 'm', created: 1, wantsUsage: true, promptEstimate: 1 };
  const { candidates } = encodeResponse({ id: 'x', model: 'y', answers: [{ parts }] }, context).body;
  const told = [{ text: 'a' }, { text: '', thought: true, thoughtSignature: keptFor('s') }];
  expect(candidates).toMatchObject([{ content: { parts: told } }]);
});

test('a thought that came encrypted goes to the caller and back as it was', () => {
  const redacted = { kind: 'reasoning', text: '', redacted: 'opaque', dialect: 'anthropic-messages' } as const;
  const parts = [
    { kind: 'reasoning', text: 'hm', dialect: 'anthropic-messages' } as const,
    redacted,
    { kind: 'text', text: 'a' } as const,
  ];
  const context = { id: 'x', model: 'm', created: 1, wantsUsage: true, promptEstimate: 1 };
  const { body, losses } = encodeResponse({ id: 'x', model: 'y', answers: [{ parts }] }, context);
  expect(losses).toEqual([]);
  const [{ content } = { content: {} }] = body.candidates as { content: { parts?: object[] } }[];
  const said = content.parts ?? [];
  const asked = {
    contents: [
      { role: 'user', parts: [{ text: 'hi' }] },
      { role: 'model', parts: said },
    ],
  };
  const decoded = decodeRequest(asked, { model: 'm' });
  expect(decoded).toMatchObject({ request: { messages: [{}, { parts: [{ text: 'hm' }, redacted, { text: 'a' }] }] } });
  if (!decoded.ok) throw new Error(decoded.reason);
  const own = encode(decoded.request);
  expect(own.losses).toContain('reasoning_signature');
  expect(JSON.stringify(own.body)).not.toContain('thoughtSignature');
});
