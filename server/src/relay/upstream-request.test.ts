import { describe, expect, test } from 'vitest';
import { type Asking, ask, askedBefore, sent, toolsAt } from '../../test/record-kit.ts';
import { type Provider, providerOf, type SignTools } from '../providers/index.ts';
import { readHeaderOverride } from '../routing/channel-headers.ts';
import { readChannelSetting } from '../routing/channel-setting.ts';

const openProvider = providerOf(1);
if (openProvider === undefined) throw new Error('no provider');
const messages = [{ role: 'user', content: 'hi' }];
const bodyOf = async (asking: Asking) => sent(await ask(asking));

describe('untouched bytes', () => {
  const body = `{"api_base":"x", "model":"gpt-4o","stream":true,"messages":[{"role":"user","content":"hi"}] }`;
  const setting = readChannelSetting({ system_prompt: 'p', pass_through_body_enabled: true });
  const channel = { modelMapping: new Map([['gpt-4o', 'other']]), paramOverride: { seed: 7 } };
  const globally = { 'global.pass_through_request_enabled': true };

  test('the operator’s switch, for all channels or for one, leaves every byte of the same protocol', async () => {
    for (const asking of [{ options: globally, channel }, { channel: { ...channel, setting } }]) {
      const outgoing = await ask({ type: 1, body, ...asking });
      expect(outgoing.body.toString()).toBe(body);
      expect(outgoing.swallowUsage).toBe(false);
    }
    const edited = await bodyOf({ type: 1, body, channel });
    expect(edited).toEqual({ model: 'other', stream: true, messages, stream_options: { include_usage: true }, seed: 7 });
  });

  test('another protocol is still told in its own words, with mapping and overrides', async () => {
    const crossed = await bodyOf({ type: 14, body, options: globally, channel });
    expect(crossed).toMatchObject({ model: 'other', seed: 7, messages });
  });

  test('what is no conversation is edited as ever', async () => {
    const embeddings = { type: 1, protocol: 'embeddings', body: { model: 'gpt-4o', input: 'hi' }, options: globally, channel };
    expect(await bodyOf(embeddings)).toEqual({ model: 'other', input: 'hi', seed: 7 });
  });

  test('a cap that nobody could pay for is lowered all the same', async () => {
    expect(await bodyOf({ type: 1, body: { model: 'm', messages, max_tokens: 500 }, options: globally, cap: 40 })).toEqual({
      ...{ model: 'm', messages, max_tokens: 40 },
    });
  });
});

describe('a conversation that another dialect’s model answered before', () => {
  const use = { type: 'tool_use', id: 'toolu_1', name: 'f', input: {} };
  const result = { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'toolu_1', content: 'ok' }] };
  const tools = [{ name: 'f', input_schema: { type: 'object' } }];
  const claude = (said: object[], more: object = {}) => ({
    type: 14,
    protocol: 'anthropic-messages',
    body: {
      ...{ model: 'claude-sonnet-4-5', max_tokens: 4096, tools, ...more },
      messages: [...messages, { role: 'assistant', content: said }, result],
    },
  });

  test('Claude is not sent thoughts that it did not sign, and need not go on from them', async () => {
    const thought = { type: 'thinking', thinking: 'hm', signature: 'foreign.signature.openai-chat.' };
    const kept = { type: 'redacted_thinking', data: 'foreign.call.gemini-generate.c2ln' };
    const thinking = { type: 'enabled', budget_tokens: 2000 };
    const outgoing = await ask(claude([thought, use, kept], { thinking, metadata: { user_id: 'u' } }));
    expect(sent(outgoing)).toEqual({
      ...{ model: 'claude-sonnet-4-5', max_tokens: 4096, tools, metadata: { user_id: 'u' } },
      messages: [...messages, { role: 'assistant', content: [use] }, result],
    });
    expect(outgoing.losses).toEqual(['reasoning', 'reasoning_signature']);
  });

  test('nor told to clear thoughts that it has no more', async () => {
    const thought = { type: 'thinking', thinking: 'hm', signature: 'foreign.signature.openai-chat.' };
    const thinking = { type: 'enabled', budget_tokens: 2000 };
    const clear = { type: 'clear_thinking_20251015', keep: 'all' };
    const others = [{ type: 'clear_tool_uses_20250919' }];
    const told = (edits: object[], more: object = { thinking }) =>
      bodyOf(claude([thought, use], { ...more, context_management: { edits } }));
    expect(await told([clear])).not.toHaveProperty('context_management');
    expect(await told([clear, ...others])).toMatchObject({ context_management: { edits: others } });
    expect(await told([clear], { thinking: { type: 'adaptive' } })).toMatchObject({ context_management: { edits: [clear] } });
  });

  test('with a picture to fetch, and with what the vendor does not take, all of it is told and declared', async () => {
    const thought = { type: 'thinking', thinking: 'hm', signature: 'foreign.signature.openai-chat.' };
    const asking = claude([thought, use], { thinking: { type: 'enabled', budget_tokens: 2000 }, inference_geo: 'eu' });
    const image = { type: 'image', source: { type: 'url', url: 'https://a.test/x.png' } };
    const body = { ...asking.body, messages: [{ role: 'user', content: [image] }, ...asking.body.messages.slice(1)] };
    const media = {
      load: async () => ({ mediaType: 'image/png', base64: 'AA==' }),
      forget: () => undefined,
      abandon: () => undefined,
    };
    const channel = { key: 'id|secret|us-east-1' };
    const outgoing = await ask({ ...asking, body, type: 33, channel, asked: { media } });
    expect(outgoing.losses).toEqual(['inference_geo', 'reasoning']);
    expect(sent(outgoing)).not.toHaveProperty('thinking');
    expect(JSON.stringify(sent(outgoing).messages)).not.toContain('foreign');
  });

  test('what it signed itself comes back byte by byte', async () => {
    const thought = { type: 'thinking', thinking: 'hm', signature: 'own' };
    const asking = claude([thought, use], { thinking: { type: 'enabled', budget_tokens: 2000 } });
    expect((await ask(asking)).body.toString()).toBe(JSON.stringify(asking.body));
  });

  test('nor is OpenAI, or Gemini', async () => {
    const item = { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'foreign.signature.openai-chat.' };
    const said = { type: 'message', role: 'assistant', content: 'yes' };
    const input = [{ role: 'user', content: 'hi' }, item, said];
    const responses = await bodyOf({ type: 1, protocol: 'openai-responses', body: { model: 'gpt-5', input, store: false } });
    expect(responses).toMatchObject({ store: false });
    expect(JSON.stringify(responses.input)).not.toMatch(/foreign|reasoning/);
    const thoughtSignature = Buffer.from('kept-for:anthropic-messages:sig').toString('base64');
    const parts = [{ text: 'hm', thought: true, thoughtSignature }, { text: 'yes' }];
    const contents = [
      { role: 'user', parts: [{ text: 'hi' }] },
      { role: 'model', parts },
    ];
    const gemini = await bodyOf({ type: 24, protocol: 'gemini-generate', path: { model: 'gemini-2.5-pro' }, body: { contents } });
    expect(JSON.stringify(gemini.contents)).not.toContain(thoughtSignature);
    expect(JSON.stringify(gemini.contents)).toContain('"yes"');
  });
});

test('tools that an agent offers within its conversation reach a model of another vendor, and their own as they are', async () => {
  const tools = [{ type: 'function', name: 'look', parameters: { type: 'object' } }];
  const input = [
    { type: 'additional_tools', role: 'developer', tools },
    { role: 'user', content: 'and?' },
  ];
  const asking: Asking = { type: 14, protocol: 'openai-responses', body: { model: 'm', input, context_management: [{}] } };
  const crossed = await ask(asking);
  expect(sent(crossed)).toMatchObject({ tools: [{ name: 'look' }], messages: [{ role: 'user', content: 'and?' }] });
  expect(crossed.losses).toEqual(['context_management']);
  expect(sent(await ask({ ...asking, type: 1 })).input).toEqual(input);
  const called = { call_id: 'c1', name: 'look', arguments: '{}' };
  const results = [
    { type: 'function_call', ...called },
    { type: 'function_call_output', call_id: 'c1', output: 'a lake' },
  ];
  const shorter = { model: 'm', input: [...input, ...results, { type: 'compaction_trigger' }] };
  expect(sent(await ask({ ...asking, body: shorter }))).toMatchObject({
    tools: [{ name: 'look' }],
    tool_choice: { type: 'none' },
  });
});

test('pieces of a conversation that another upstream keeps are asked for, but for thoughts', async () => {
  const said = { role: 'user', content: 'and?' };
  const asking = (item: object): Asking => ({
    type: 14,
    protocol: 'openai-responses',
    body: { model: 'm', input: [item, said] },
  });
  const compacted = { type: 'compaction', id: 'cmp_1', encrypted_content: 'sealed' };
  for (const item of [{ type: 'item_reference', id: 'msg_1' }, { id: 'msg_1' }, compacted]) {
    await expect(ask(asking(item))).rejects.toMatchObject({
      status: 400,
      code: 'state_not_kept',
      param: 'input',
      retryable: true,
    });
    expect(sent(await ask({ ...asking(item), type: 1 })).input).toEqual([item, said]);
  }
  const { losses } = await ask(asking({ type: 'item_reference', id: 'rs_1' }));
  expect(losses).toEqual(['item_reference']);
});

const geminiSaid = { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] };

test.each([
  ['openai-responses', 'prompt', { id: 'pmpt_1' }, { input: 'hi' }, 1],
  ['anthropic-messages', 'thread', { type: 'continue', previous_message_id: 'msg_1' }, { messages, max_tokens: 9 }, 14],
  ['gemini-generate', 'cachedContent', 'cachedContents/1', geminiSaid, 24],
  ['gemini-generate', 'continuationToken', 'token', geminiSaid, 24],
])('words that another upstream keeps are not answered without them: %s, %s', async (protocol, field, value, said, type) => {
  const asking = { protocol, path: { model: 'm' }, body: { model: 'm', [field]: value, ...said } };
  // The words are for callers of every dialect: only one of them has an `input`.
  const message = expect.not.stringMatching(/\binput\b/);
  const refusal = { status: 400, code: 'state_not_kept', param: field, retryable: true, message };
  await expect(ask({ ...asking, type: type === 14 ? 24 : 14 })).rejects.toMatchObject(refusal);
  expect(await bodyOf({ ...asking, type })).toMatchObject({ [field]: value });
});

describe('functions for a model that thinks or calls them in chat, but not both', () => {
  const tools = [{ type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } } }];
  const asking = (more: object, type = 1): Asking => ({ type, body: { model: 'gpt-5.6-sol', messages, ...more } });
  const askedIn = async (one: Asking) => (await ask(one)).protocol ?? one.protocol ?? 'openai-chat';
  const claude = { name: 'f', input_schema: { type: 'object' } };
  const messagesTo = (model: string): Asking => ({
    ...{ type: 1, protocol: 'anthropic-messages' },
    body: { model, max_tokens: 100, messages, tools: [claude] },
  });

  test('are asked for in responses, at Azure, too, with the thoughts that were wanted', async () => {
    const outgoing = await ask(asking({ tools, reasoning_effort: 'high' }));
    expect(outgoing.url.pathname).toBe('/v1/responses');
    expect(sent(outgoing)).toMatchObject({
      reasoning: { effort: 'high' },
      tools: [{ type: 'function', name: 'f' }],
      store: false,
    });
    const azure = { ...asking({ tools }, 3), channel: { baseUrl: 'https://own.openai.azure.com' } };
    expect((await ask(azure)).url.pathname).toBe('/openai/v1/responses');
    expect(await askedIn(asking({ functions: [{ name: 'f' }] }))).toBe('openai-responses');
  });

  test('a caller of another dialect gets there, too', async () => {
    expect(await askedIn(messagesTo('gpt-5.4'))).toBe('openai-responses');
    expect(await askedIn(messagesTo('gpt-6-astra'))).toBe('openai-responses');
    expect(await askedIn(messagesTo('gpt-5.2'))).toBe('openai-chat');
  });

  test('a chat request that the vendor takes keeps its bytes', async () => {
    for (const more of [{}, { tools: [] }, { tools, reasoning_effort: 'none' }, { model: 'gpt-5.4', tools }]) {
      const one = asking(more);
      expect((await ask(one)).body.toString()).toBe(JSON.stringify(one.body));
    }
  });

  test('the operator’s word counts: an effort of the channel’s or of a name, and bytes left alone', async () => {
    const none = { channel: { paramOverride: { reasoning_effort: 'none' } } };
    expect(await askedIn({ ...asking({ tools }), ...none })).toBe('openai-chat');
    expect(await askedIn({ ...messagesTo('gpt-5.6-sol'), ...none })).toBe('openai-chat');
    expect(await askedIn(asking({ model: 'gpt-5.4-high', tools }))).toBe('openai-responses');
    expect(await askedIn(asking({ model: 'gpt-5.6-sol-none', tools }))).toBe('openai-chat');
    const alone = { channel: { setting: readChannelSetting({ pass_through_body_enabled: true }) } };
    expect(await askedIn({ ...asking({ tools }), ...alone })).toBe('openai-chat');
  });
});

describe('overrides of the operator', () => {
  const channel = {
    paramOverride: { temperature: 0.5, stream: true, own: { a: 1 } },
    headerOverride: readHeaderOverride({ 'X-Own': 'v {api_key}', 'user-agent': 'agent' }),
  };

  test.each([
    ['passed on', { type: 1, body: { model: 'm', messages } }],
    ['crossed', { type: 14, body: { model: 'm', messages, temperature: 1 } }],
    ['of another shape', { type: 34, protocol: 'rerank', body: { model: 'm', query: 'q', documents: ['a'] } }],
    ['signed', { type: 33, body: { model: 'claude-3-haiku-20240307', messages }, channel: { key: 'id|secret|us-east-1' } }],
  ])('reach a request that is %s', async (_, asking: Asking) => {
    const outgoing = await ask({ ...asking, channel: { ...asking.channel, ...channel } });
    expect(sent(outgoing)).toMatchObject({ temperature: 0.5, own: { a: 1 } });
    expect(sent(outgoing).stream).not.toBe(true);
    expect(outgoing.headers).toMatchObject({ 'x-own': `v ${asking.channel?.key ?? 'the-key'}`, 'user-agent': 'agent' });
  });
});

test.each<[string, Asking]>([
  ['passed on', { type: 1, body: { model: 'm', messages, stream: true } }],
  ['crossed', { type: 14, body: { model: 'm', messages } }],
  ['of another shape', { type: 34, protocol: 'rerank', body: { model: 'm', query: 'q', documents: ['a'] } }],
  ['signed', { type: 33, body: { model: 'claude-3-haiku-20240307', messages }, channel: { key: 'id|secret|us-east-1' } }],
])('a request that is %s is made once more as it was sent', async (_, asking) => {
  const channel = {
    ...asking.channel,
    paramOverride: { tools: [{ type: 'web_search' }] },
    setting: readChannelSetting({ system_prompt: 'p' }),
  };
  const again = await askedBefore({ ...asking, channel });
  expect(again?.toString()).toBe((await ask({ ...asking, channel })).body.toString());
  expect(again?.includes('web_search')).toBe(true);
});

describe('names of models', () => {
  test('a chain of mappings is followed to its end; a circle is an error that no other channel is asked for', async () => {
    const chain = new Map([
      ['a', 'b'],
      ['b', 'c'],
      ['c', 'c'],
    ]);
    for (const type of [1, 14]) {
      const outgoing = await ask({ type, body: { model: 'a', messages }, channel: { modelMapping: chain } });
      expect([sent(outgoing).model, outgoing.upstreamModel]).toEqual(['c', 'c']);
    }
    const circle = new Map([
      ['a', 'b'],
      ['b', 'a'],
    ]);
    await expect(bodyOf({ type: 14, body: { model: 'a', messages }, channel: { modelMapping: circle } })).rejects.toMatchObject({
      code: 'model_mapped_error',
      retryable: false,
    });
  });

  test('an effort behind a mapped name counts, and the log is told', async () => {
    const modelMapping = new Map([['smart', 'o3-mini-high']]);
    const outgoing = await ask({ type: 1, body: { model: 'smart', messages }, channel: { modelMapping } });
    expect(sent(outgoing)).toMatchObject({ model: 'o3-mini', reasoning_effort: 'high' });
    expect(outgoing).toMatchObject({ upstreamModel: 'o3-mini', effort: 'high' });
    expect((await ask({ type: 1, body: { model: 'o3-mini', messages } })).effort).toBeUndefined();
  });

  test('an effort crosses into the dialect that is sent', async () => {
    const anthropic = { protocol: 'anthropic-messages', body: { model: 'o3-mini-low', max_tokens: 99, messages } };
    expect(await bodyOf({ type: 1, ...anthropic })).toMatchObject({ model: 'o3-mini', reasoning_effort: 'low' });
    const responses = {
      protocol: 'openai-responses',
      body: { model: 'o3-mini-low', input: 'hi', reasoning: { summary: 'auto' } },
    };
    expect(await bodyOf({ type: 1, ...responses })).toMatchObject({ reasoning: { summary: 'auto', effort: 'low' } });
  });

  test('deployments are found by the plain name', async () => {
    const channel = { baseUrl: 'https://a.openai.azure.com' };
    const { url } = await ask({ type: 3, body: { model: 'gpt-5.1-high', messages }, channel });
    expect(url.pathname).toBe('/openai/deployments/gpt-51/chat/completions');
  });

  test('thinking gets at least 1280 tokens, unless nobody could pay for them', async () => {
    const body = { model: 'claude-3-7-sonnet-20250219-thinking', max_tokens: 5, messages };
    for (const asking of [{ body }, { protocol: 'anthropic-messages', body }]) {
      const outgoing = await ask({ type: 14, ...asking });
      expect(sent(outgoing)).toMatchObject({ max_tokens: 1280, thinking: { budget_tokens: 1024 } });
      expect(outgoing.upstreamModel).toBe('claude-3-7-sonnet-20250219');
    }
    const poor = await bodyOf({ type: 14, body, cap: 5 });
    expect(poor).toMatchObject({ model: 'claude-3-7-sonnet-20250219', max_tokens: 5 });
    expect(poor.thinking).toBeUndefined();
  });

  test('what the caller says about thinking holds', async () => {
    const body = { model: 'claude-3-7-sonnet-20250219-thinking', max_tokens: 5000, messages, thinking: { type: 'disabled' } };
    expect(await bodyOf({ type: 14, protocol: 'anthropic-messages', body })).toMatchObject({ thinking: { type: 'disabled' } });
  });

  test.each([
    ['gemini-2.5-flash-thinking', 'gemini-2.5-flash', { thinkingBudget: -1, includeThoughts: true }],
    ['gemini-2.5-flash-nothinking', 'gemini-2.5-flash', { thinkingBudget: 0 }],
  ])('%s is %s', async (name, model, thinkingConfig) => {
    const native = { protocol: 'gemini-generate', path: { model: name }, body: { contents: [{ parts: [{ text: 'hi' }] }] } };
    for (const asking of [native, { body: { model: name, messages, temperature: 0.5 } }]) {
      const outgoing = await ask({ type: 24, ...asking });
      expect(outgoing.url.pathname).toBe(`/v1beta/models/${model}:generateContent`);
      expect(sent(outgoing).generationConfig).toMatchObject({ thinkingConfig });
    }
    const own = { generation_config: { thinking_config: { thinkingBudget: 7 } }, ...native.body };
    expect(await bodyOf({ type: 24, ...native, body: own })).toEqual(own);
  });
});

test('what a signer trades its key for is asked for through the channel’s proxy', async () => {
  const asked: (string | undefined)[] = [];
  const provider: Provider = {
    ...openProvider,
    sign: async (_, tools) => ({ headers: { authorization: (await tools.post('https://token.example', {}, '')).text } }),
  };
  const tools: SignTools = {
    ...toolsAt(0),
    post: (_url, _headers, _body, proxy) => {
      asked.push(proxy);
      return Promise.resolve({ status: 200, text: 'traded' });
    },
  };
  for (const proxy of ['socks5://127.0.0.1:1080', undefined]) {
    const setting = readChannelSetting(proxy === undefined ? {} : { proxy });
    const outgoing = await ask({ type: 1, provider, tools, channel: { setting } });
    expect(outgoing.headers.authorization).toBe('traded');
  }
  expect(asked).toEqual(['socks5://127.0.0.1:1080', undefined]);
});

describe('strict callers', () => {
  const body = { model: 'm', messages, seed: 7, logit_bias: { 1: 2 } };

  test('are refused what the upstream cannot say, and another channel may serve them', async () => {
    await expect(ask({ type: 14, body, asked: { strict: true } })).rejects.toMatchObject({
      ...{ status: 400, code: 'conversion_refused', retryable: true, evidence: undefined },
      message: expect.stringMatching(/seed/) as string,
    });
    expect((await ask({ type: 14, body })).losses).toContain('seed');
  });

  test('are served what can be said whole', async () => {
    expect((await ask({ type: 1, body, asked: { strict: true } })).losses).toEqual([]);
    expect((await ask({ type: 14, body: { model: 'm', messages }, asked: { strict: true } })).losses).toEqual([]);
  });
});
