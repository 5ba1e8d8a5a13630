import { describe, expect, test } from 'vitest';
import { decodeStreamed } from '../src/chat/read.ts';
import { clientDialects } from '../src/dialects.ts';
import type { JsonObject } from '../src/json.ts';

/** What official clients say in the depths of a request is said to another dialect's upstream, or its name is. */
function crossed(from: string, to: string, body: JsonObject): { body: JsonObject; losses: readonly string[] } {
  const [source, target] = [from, to].map((name) => clientDialects.find((dialect) => dialect.name === name));
  const decoded = source?.decodeRequest({ model: 'm', ...body });
  if (decoded?.ok !== true || target === undefined) throw new Error('unreadable');
  const { body: sent, losses } = target.encodeRequest(decoded.request, { model: 'm', defaultMaxTokens: 100 });
  return { body: JSON.parse(JSON.stringify(sent)), losses };
}

const others = (own: string) =>
  clientDialects.map(({ name }) => name).filter((name) => name !== own && name !== 'openai-completions');
const hi = { role: 'user', content: 'hi' };

describe('openai-chat', () => {
  const from = 'openai-chat';
  const marked = (mark: object) => [{ type: 'text', text: 'long', ...mark }];
  const asked = (mark: object) => ({
    messages: [
      { role: 'system', content: marked(mark) },
      { role: 'user', content: marked(mark) },
    ],
  });

  test.each([
    [{}, { type: 'ephemeral' }],
    [{ ttl: '12h' }, { type: 'ephemeral', ttl: '1h' }],
  ])('a breakpoint %j is one at Claude, and stays one in the other dialect of its vendor', (more, cache_control) => {
    const own = { prompt_cache_breakpoint: { mode: 'explicit', ...more } };
    const { body, losses } = crossed(from, 'anthropic-messages', asked(own));
    expect(losses).toEqual([]);
    expect(body.system).toEqual([{ type: 'text', text: 'long', cache_control }]);
    expect(body.messages).toEqual([{ role: 'user', content: [{ type: 'text', text: 'long', cache_control }] }]);
    const responses = crossed(from, 'openai-responses', asked(own));
    expect(responses.losses).toEqual([]);
    const content = [{ type: 'input_text', text: 'long', ...own }];
    expect(responses.body.input).toEqual(['developer', 'user'].map((role) => ({ type: 'message', role, content })));
    expect(crossed(from, 'gemini-generate', asked(own)).losses).toEqual(['cache_control']);
  });

  test('a mark as other vendors have them does not go where it may be refused', () => {
    const { body, losses } = crossed(from, 'openai-responses', asked({ cache_control: { type: 'ephemeral' } }));
    expect(losses).toEqual(['cache_control']);
    expect(JSON.stringify(body)).not.toContain('prompt_cache');
  });

  test('a picture to be looked at in its own size is looked at so by the vendor, and closely by others', () => {
    const image_url = { url: 'data:image/png;base64,AAAA', detail: 'original' };
    const { body } = crossed(from, 'openai-responses', {
      messages: [{ role: 'user', content: [{ type: 'image_url', image_url }] }],
    });
    expect(JSON.stringify(body)).toContain('"detail":"original"');
    const back = crossed('openai-responses', 'openai-chat', body);
    expect(JSON.stringify(back.body)).toContain('"detail":"high"');
  });
});

describe('openai-responses', () => {
  const from = 'openai-responses';
  const call = { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' };
  const output = { type: 'function_call_output', call_id: 'c', output: 'the result' };

  test('the result of a call that nobody else can be told of is not told alone: it would answer no call', () => {
    const body = { input: [hi, { ...call, caller: { type: 'program', caller_id: 'p' } }, output] };
    for (const to of others(from)) {
      const sent = crossed(from, to, body);
      expect(JSON.stringify(sent.body), to).not.toContain('the result');
      expect(sent.losses.join(), to).toMatch(/function_call.*function_call_output/);
    }
    expect(crossed(from, from, body).body.input).toEqual([{ type: 'message', ...hi }, ...body.input.slice(1)]);
    expect(JSON.stringify(crossed(from, 'anthropic-messages', { input: [hi, call, output] }).body)).toContain('the result');
  });

  test('a call in a name space, and its result, are told with it, elsewhere as those of any function', () => {
    const body = { input: [hi, { ...call, namespace: 'n' }, output] };
    expect(crossed(from, from, body).body.input).toEqual([{ type: 'message', ...hi }, ...body.input.slice(1)]);
    for (const to of others(from)) {
      const sent = crossed(from, to, body);
      expect(JSON.stringify(sent.body), to).toContain('the result');
      expect(sent.losses, to).toContain('namespace');
    }
  });

  test('how thoughts are had beside their effort is declared where it cannot be said', () => {
    const reasoning = { effort: 'high', mode: 'pro', context: 'all_turns', summary: 'auto' };
    for (const to of others(from)) {
      expect(crossed(from, to, { input: 'hi', reasoning }).losses, to).toEqual(
        expect.arrayContaining(['reasoning.mode', 'reasoning.context']),
      );
      const usual = { effort: 'high', mode: 'standard', context: 'auto' };
      expect(crossed(from, to, { input: 'hi', reasoning: usual }).losses.join(), to).not.toContain('reasoning.');
    }
    expect(crossed(from, from, { input: 'hi', reasoning }).body.reasoning).toEqual(reasoning);
  });
});

describe('anthropic-messages', () => {
  const from = 'anthropic-messages';
  const source = { type: 'base64', media_type: 'image/png', data: 'AAAA' };
  const image = { type: 'image', source, transformations: { oversized_image: 'error' } };
  const use = { type: 'tool_use', id: 't', name: 'click', input: {}, toolset_name: 'browser' };
  const result = { type: 'tool_result', tool_use_id: 't', content: 'ok', toolset_name: 'browser' };
  const tools = [{ name: 'click', input_schema: { type: 'object' } }];
  const base = { max_tokens: 2000, messages: [hi] };

  test.each([
    ['transformations', { messages: [{ role: 'user', content: [image] }] }],
    ['toolset_name', { tools, messages: [hi, { role: 'assistant', content: [use] }, { role: 'user', content: [result] }] }],
    ['thinking', { thinking: { type: 'between_tools' } }],
    ['tool_choice', { tools, tool_choice: { type: 'some' } }],
  ])('%s is declared where it cannot be said, and comes back where it can', (name, more) => {
    const body = { ...base, ...more };
    for (const to of others(from)) expect(crossed(from, to, body).losses, to).toContain(name);
    const own = crossed(from, from, body);
    expect(own.losses).toEqual([]);
    expect(own.body).toMatchObject(more);
  });
});

test('what is said of a picture or a document in the result of a call is declared where it cannot be said', () => {
  const source = { type: 'text', media_type: 'text/plain', data: 'abc' };
  const document = { type: 'document', source, context: 'c', citations: { enabled: true } };
  const result = { type: 'tool_result', tool_use_id: 't', content: [document] };
  const use = { type: 'tool_use', id: 't', name: 'f', input: {} };
  const tools = [{ name: 'f', input_schema: { type: 'object' } }];
  const messages = [hi, { role: 'assistant', content: [use] }, { role: 'user', content: [result] }];
  for (const to of others('anthropic-messages'))
    expect(crossed('anthropic-messages', to, { max_tokens: 99, tools, messages }).losses, to).toEqual(['context', 'citations']);
  const picture = { type: 'input_image', image_url: 'data:image/png;base64,AAAA', detail: 'high' };
  const input = [
    hi,
    { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
    { type: 'function_call_output', call_id: 'c', output: [picture] },
  ];
  for (const to of ['gemini-generate', 'anthropic-messages'])
    expect(crossed('openai-responses', to, { input }).losses, to).toEqual(['image_detail']);
});

test('what a text leaves out of the search result or the document that it stands for is declared', () => {
  const from = 'anthropic-messages';
  const text = { type: 'text', text: 'found' };
  const picture = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } };
  const citations = { enabled: true };
  const result = { type: 'search_result', source: 'https://x.example', title: 'T', content: [text] };
  const pieces = { type: 'document', source: { type: 'content', content: [text, picture] } };
  const losses = (to: string, block: JsonObject) =>
    crossed(from, to, { max_tokens: 99, messages: [{ role: 'user', content: [block] }] }).losses;
  for (const to of others(from)) {
    expect(losses(to, result), to).toEqual([]);
    expect(losses(to, { ...result, citations, cache_control: { type: 'ephemeral' } }), to).toEqual([
      'citations',
      'cache_control',
    ]);
    expect(losses(to, { ...pieces, context: 'c', citations: { enabled: false } }), to).toEqual(['image', 'context']);
  }
  const block = { ...pieces, context: 'c', citations, cache_control: { type: 'ephemeral' } };
  const own = crossed(from, from, { max_tokens: 99, messages: [{ role: 'user', content: [block] }] });
  expect(own).toMatchObject({ losses: [], body: { messages: [{ content: [block] }] } });
});

describe('gemini-generate', () => {
  const from = 'gemini-generate';

  test('a file has its name', () => {
    const inlineData = { mimeType: 'application/pdf', data: 'AAAA', displayName: 'a.pdf' };
    const body = { contents: [{ role: 'user', parts: [{ inlineData }] }] };
    expect(JSON.stringify(crossed(from, 'openai-chat', body).body)).toContain('"filename":"a.pdf"');
    expect(JSON.stringify(crossed(from, 'anthropic-messages', body).body)).toContain('"title":"a.pdf"');
  });

  test('a voice that is more than a name of one is declared where it cannot be said, and comes back where it can', () => {
    const voiceConfig = { prebuiltVoiceConfig: { voiceName: 'Kore' } };
    const asked = (more: object) => ({
      ...asking[from],
      generationConfig: { responseModalities: ['AUDIO'], speechConfig: { voiceConfig: { ...voiceConfig, ...more } } },
    });
    expect(crossed(from, 'openai-chat', asked({})).losses).toEqual([]);
    const own = { replicatedVoiceConfig: { voiceSampleAudio: 'AAAA' } };
    for (const to of others(from)) expect(crossed(from, to, asked(own)).losses, to).toContain('generationConfig.speechConfig');
    expect(crossed(from, from, asked(own))).toMatchObject({ losses: [], body: asked(own) });
  });

  test('when a result is to be heard is declared where it cannot be said, and comes back where it can', () => {
    const functionResponse = { name: 'f', response: { name: 'f', content: 'ok' }, scheduling: 'SILENT' };
    const said = [
      { role: 'user', parts: [{ text: 'hi' }] },
      { role: 'model', parts: [{ functionCall: { name: 'f', args: {} } }] },
    ];
    const body = { contents: [...said, { role: 'user', parts: [{ functionResponse }] }] };
    for (const to of others(from)) expect(crossed(from, to, body).losses, to).toContain('scheduling');
    const own = crossed(from, from, body);
    expect([own.losses, own.body.contents]).toEqual([[], body.contents]);
  });
});

const asking: Readonly<Record<string, JsonObject>> = {
  'openai-chat': { max_tokens: 4000, messages: [hi] },
  'openai-responses': { input: 'hi' },
  'anthropic-messages': { max_tokens: 2000, messages: [hi] },
  'gemini-generate': { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] },
};

type Row = readonly [from: string, said: JsonObject, usual: JsonObject, name: string];
const efforts: readonly Row[] = [
  ['openai-chat', { reasoning: { effort: 'ultra' } }, { reasoning: { effort: 'high' } }, 'reasoning'],
  ['openai-responses', { reasoning: { effort: 'ultra' } }, { reasoning: { effort: 'high' } }, 'reasoning.effort'],
  ['anthropic-messages', { output_config: { effort: 'ultra' } }, { output_config: { effort: 'high' } }, 'output_config'],
  ...[{}, { includeThoughts: true }].flatMap((more) => {
    const thinking = (thinkingLevel: string) => ({ generationConfig: { thinkingConfig: { thinkingLevel, ...more } } });
    return ['HIGH', 'THINKING_LEVEL_UNSPECIFIED'].map((usual): Row => {
      return ['gemini-generate', thinking('ULTRA'), thinking(usual), 'generationConfig.thinkingConfig'];
    });
  }),
];

const schema = { type: 'json_schema', name: 'n', schema: { type: 'object', properties: {}, additionalProperties: false } };
const forms: readonly Row[] = [
  ['openai-responses', { text: { format: { type: 'grammar', syntax: 'lark' } } }, { text: { format: schema } }, 'text'],
  [
    'anthropic-messages',
    { output_config: { format: { type: 'grammar' } } },
    { output_config: { format: schema } },
    'output_config',
  ],
  ['anthropic-messages', { output_format: { type: 'grammar' } }, { output_format: schema }, 'output_format'],
];

test.each([...efforts, ...forms])(
  '%s: an effort or a form of the answer that no other dialect knows (%j) is declared there, and comes back where it is known',
  (from, said, usual, name) => {
    for (const to of others(from)) {
      expect(crossed(from, to, { ...asking[from], ...said }).losses, to).toContain(name);
      expect(crossed(from, to, { ...asking[from], ...usual }).losses, to).not.toContain(name);
    }
    const own = crossed(from, from, { ...asking[from], ...said });
    expect(own.losses).toEqual([]);
    expect(own.body).toMatchObject(said);
  },
);

test.each([
  ['skip_thought_signature_validator', false],
  [Buffer.from('skip_thought_signature_validator').toString('base64'), false],
  ['c2lnbmVk', true],
])("gemini-generate: of a call's signature only one that proves something is lost: %s", (thoughtSignature, isLost) => {
  const call = { functionCall: { name: 'f', args: {} }, thoughtSignature };
  const result = { functionResponse: { name: 'f', response: {} } };
  const contents = [
    { role: 'user', parts: [{ text: 'hi' }] },
    { role: 'model', parts: [call] },
    { role: 'user', parts: [result] },
  ];
  for (const to of others('gemini-generate')) {
    const { losses } = crossed('gemini-generate', to, { contents });
    expect(losses.includes('reasoning_signature'), to).toBe(isLost);
  }
});

test('an answer that is to be gone on with is told as such, or declared, whole and streamed', () => {
  const own = clientDialects.find(({ name }) => name === 'anthropic-messages');
  const usage = { input_tokens: 1, output_tokens: 1 };
  const body = {
    id: 'm',
    type: 'message',
    role: 'assistant',
    content: [{ type: 'text', text: 'Hi' }],
    stop_reason: 'pause_turn',
    usage,
  };
  const response = own?.decodeResponse(body);
  if (response === undefined) throw new Error('no dialect');
  const context = { id: 'i', model: 'm', created: 1, wantsUsage: false, promptEstimate: 1 };
  const told = (name: string) => clientDialects.find((dialect) => dialect.name === name);
  expect(told('openai-responses')?.encodeResponse(response, context).body).toMatchObject({ status: 'incomplete' });
  expect(told('gemini-generate')?.encodeResponse(response, context).body).toMatchObject({
    candidates: [{ finishReason: 'OTHER' }],
  });
  expect(told('openai-chat')?.encodeResponse(response, context)).toMatchObject({
    body: { choices: [{ finish_reason: 'stop' }] },
    losses: ['pause'],
  });
  const encoder = told('openai-chat')?.createEncoder(context);
  encoder?.push({ kind: 'start', id: 'm', model: 'm' });
  encoder?.push({ kind: 'finish', choice: 0, finish: { reason: 'pause', raw: 'pause_turn' } });
  expect(encoder?.losses).toEqual(['pause']);
});

test('the moderation of an answer is told where it can be, whole and streamed, and named elsewhere', () => {
  const moderation = { input: { type: 'error', code: 'x', message: 'no' }, output: null };
  const output = [
    { type: 'message', id: 'm', role: 'assistant', content: [{ type: 'output_text', text: 'Hi', annotations: [] }] },
  ];
  const own = clientDialects.find(({ name }) => name === 'openai-responses');
  const charged = { prompt: 1, completion: 1, cached: 0, cacheWrite: 0, reasoning: 0, anomaly: false };
  const body = { id: 'r', status: 'completed', output, moderation };
  const stream = own?.unfold(body, { wantsUsage: true, charged });
  if (own === undefined || stream === undefined) throw new Error('no dialect');
  const context = { id: 'i', model: 'm', created: 1, wantsUsage: false, promptEstimate: 1 };
  const streamed = decodeStreamed(own, stream);
  if (streamed.kind !== 'answer') throw new Error(streamed.kind);
  for (const response of [own.decodeResponse(body), streamed.response]) {
    expect(own.encodeResponse(response, context)).toMatchObject({ body: { moderation }, losses: [] });
    for (const name of others('openai-responses')) {
      const told = clientDialects.find((dialect) => dialect.name === name)?.encodeResponse(response, context);
      expect(told?.losses, name).toContain('moderation');
    }
  }
});
