import { expect, test } from 'vitest';
import { anthropicMessages } from '../anthropic-messages/dialect.ts';
import type { Part } from '../chat/parts.ts';
import type { ChatRequest } from '../chat/request.ts';
import { asObjects, type JsonObject } from '../json.ts';
import { decodeRequest as decodeChat } from '../openai-chat/decode-request.ts';
import { openaiChat } from '../openai-chat/dialect.ts';
import { echoOf } from './answer.ts';
import { decodeRequest } from './decode-request.ts';
import { encodeRequest } from './encode-request.ts';

const context = { model: 'up', defaultMaxTokens: 4096 };
const foreign: ChatRequest = {
  model: 'm',
  system: [],
  messages: [{ role: 'user', parts: [{ kind: 'text', text: 'Hi.' }] }],
  tools: [],
  stop: [],
  choices: 1,
  stream: false,
  wantsUsage: true,
};

function spelled(more: Partial<ChatRequest>) {
  return encodeRequest({ ...foreign, ...more }, context);
}

function conversation(...parts: Part[]): Partial<ChatRequest> {
  return { messages: [{ role: 'assistant', parts }] };
}

test.each([
  [{}, { effort: 'low' }],
  [{ display: 'omitted' }, { effort: 'low' }],
  [{ display: 'summarized' }, { effort: 'low', summary: 'auto' }],
])('thoughts of a budget with %j are asked for as %j', (shown, reasoning) => {
  const thinking = { type: 'enabled', budget_tokens: 2000, ...shown };
  const decoded = anthropicMessages.decodeRequest(
    { max_tokens: 4000, thinking, messages: [{ role: 'user', content: 'Hi.' }] },
    {},
  );
  if (!decoded.ok) throw new Error(decoded.reason);
  expect(encodeRequest(decoded.request, context).body.reasoning).toEqual(reasoning);
});

test("what this dialect does unasked is switched off for another dialect's caller", () => {
  const { body, losses } = spelled({ tools: [{ kind: 'function', name: 'f', parameters: { type: 'object' } }] });
  expect(body).toMatchObject({ store: false, tools: [{ name: 'f', strict: false }] });
  expect(losses).toEqual([]);
});

test('the silence of its own callers stays silence', () => {
  const tools = [{ type: 'function', name: 'f', parameters: { type: 'object' } }];
  const decoded = decodeRequest({ model: 'm', input: 'x', tools });
  if (!decoded.ok) throw new Error(decoded.reason);
  const { body } = encodeRequest(decoded.request, context);
  expect(body).not.toHaveProperty('store');
  expect(body.tools).toEqual(tools);
});

test('who wants JSON has said so where the vendor looks for the word', () => {
  const system = ['Answer in JSON.', 'Be brief.'].map((text) => ({ kind: 'text', text }) as const);
  const { body } = spelled({ system, output: { kind: 'json' } });
  expect(body).not.toHaveProperty('instructions');
  expect(body.input).toMatchObject([
    { role: 'developer', content: system.map(({ text }) => ({ type: 'input_text', text })) },
    { role: 'user', content: 'Hi.' },
  ]);
  expect(spelled({ system }).body).toMatchObject({ instructions: 'Answer in JSON.' });
});

test('whose dialect asks for no word is given it', () => {
  const extra = { dialect: 'gemini-generate', fields: {} };
  const asked = [
    { role: 'developer', content: 'Answer in JSON.' },
    { role: 'user', content: 'Hi.' },
  ];
  expect(spelled({ output: { kind: 'json' }, extra }).body.input).toMatchObject(asked);
  expect(spelled({ extra }).body.input).toMatchObject(asked.slice(1));
});

test('where only instructions are said they are the conversation: a request without an input is refused', () => {
  const system = [{ kind: 'text', text: 'Tell a joke.' } as const];
  const silent = { role: 'user', parts: [] } as const;
  expect(spelled({ system, messages: [silent] }).body).toMatchObject({ input: [{ role: 'developer', content: 'Tell a joke.' }] });
  expect(spelled({ system, messages: [] }).body).not.toHaveProperty('instructions');
  expect(spelled({ messages: [silent] }).body).toMatchObject({ input: [{ role: 'user', content: '' }] });
});

test('a schema of arguments says that they are an object, and its members: without them a function is refused', () => {
  const schemaOf = (parameters: JsonObject) => {
    const { tools } = spelled({ tools: [{ kind: 'function', name: 'f', parameters }] }).body;
    return asObjects(tools)[0]?.parameters;
  };
  expect(schemaOf({})).toEqual({ type: 'object', properties: {} });
  expect(schemaOf({ type: 'object' })).toEqual({ type: 'object', properties: {} });
  const city = { properties: { city: { type: 'string' } }, required: ['city'] };
  expect(schemaOf(city)).toEqual({ type: 'object', ...city });
  expect(schemaOf({ type: 'object', ...city })).toEqual({ type: 'object', ...city });
});

test('what it has no word for is a loss', () => {
  const { losses } = spelled({
    topK: 5,
    stop: ['x'],
    seed: 1,
    frequencyPenalty: 1,
    presencePenalty: -1,
    choices: 2,
    modalities: ['text', 'audio'],
    audioOut: { voice: 'v', format: 'wav' },
    messages: [{ role: 'user', name: 'ada', parts: [{ kind: 'text', text: 'x', cache: '5m' }] }],
    tools: [{ kind: 'hosted', name: 'search', dialect: 'other', raw: {} }],
    extra: { dialect: 'other', fields: { odd: 1 }, hints: { quiet: 1 } },
  });
  expect([...losses].sort()).toEqual(
    [
      'top_k',
      'stop',
      'seed',
      'frequency_penalty',
      'presence_penalty',
      'choices',
      'modalities',
      'audio',
      'name',
      'cache_control',
      'hosted_tool:search',
      'odd',
    ].sort(),
  );
});

test('fields that both dialects of the vendor know cross', () => {
  const fields = { store: true, verbosity: 'low', odd: 1 };
  const { body, losses } = spelled({ extra: { dialect: 'openai-chat', fields } });
  expect(body).toMatchObject({ store: true, text: { verbosity: 'low' } });
  expect(losses).toEqual(['odd']);
});

test.each([
  [{ budgetTokens: 0 }, 'none'],
  [{ budgetTokens: 1024 }, 'low'],
  [{ budgetTokens: 8192 }, 'medium'],
  [{ budgetTokens: 10_000 }, 'high'],
  [{ budgetTokens: 32_000 }, 'high'],
  [{ budgetTokens: 32_000, effort: 'low' as const }, 'low'],
])('a budget becomes the nearest effort: %o', (reasoning, effort) => {
  expect(spelled({ reasoning }).body.reasoning).toEqual({ effort });
});

test('the most that can be asked for stays the most, and is told as such', () => {
  const messages = [{ role: 'user', content: 'a' }];
  const asked = [
    decodeChat({ model: 'm', messages, reasoning_effort: 'max' }),
    anthropicMessages.decodeRequest({
      ...{ model: 'm', max_tokens: 9, messages, thinking: { type: 'adaptive' } },
      output_config: { effort: 'max' },
    }),
    decodeRequest({ model: 'm', input: 'a', reasoning: { effort: 'max' } }),
  ];
  for (const decoded of asked) {
    const { reasoning } = decoded.ok ? decoded.request : {};
    expect(reasoning?.effort).toBe('max');
    expect(spelled({ reasoning }).body.reasoning).toEqual({ effort: 'max' });
    const chat = openaiChat.encodeRequest({ ...foreign, reasoning }, context);
    expect(chat.body.reasoning_effort).toBe('max');
    expect(echoOf({ ...foreign, reasoning })).toMatchObject({ reasoning: { effort: 'max' } });
  }
});

test('a picture at its own size stays one between the dialects of the vendor', () => {
  const url = 'https://x.test/a.png';
  const content = [{ type: 'image_url', image_url: { url, detail: 'original' } }];
  const asked = decodeChat({ model: 'm', messages: [{ role: 'user', content }] });
  if (!asked.ok) throw new Error(asked.reason);
  const { body } = encodeRequest(asked.request, context);
  expect(body.input).toMatchObject([{ content: [{ image_url: url, detail: 'original' }] }]);
  const back = decodeRequest(body);
  if (!back.ok) throw new Error(back.reason);
  const detailTo = (extensions: readonly 'custom_tools'[]) =>
    openaiChat.encodeRequest(back.request, { ...context, extensions }).body.messages;
  expect(detailTo(['custom_tools'])).toEqual([{ role: 'user', content }]);
  expect(detailTo([])).toMatchObject([{ content: [{ image_url: { detail: 'high' } }] }]);
});

test('a tier that the vendor has in both of its dialects crosses', () => {
  expect(spelled({ serviceTier: 'fast' })).toMatchObject({ body: { service_tier: 'fast' }, losses: [] });
  expect(spelled({ serviceTier: 'batch' }).losses).toEqual(['service_tier']);
});

test('thoughts go back only to who can check them', () => {
  const own = { kind: 'reasoning', text: 'a', id: 'rs_1', dialect: 'openai-responses' } as const;
  const { body, losses } = spelled(
    conversation({ ...own, signature: 'S' }, own, {
      kind: 'reasoning',
      text: 'b',
      signature: 'T',
      dialect: 'anthropic-messages',
    }),
  );
  expect(body.input).toEqual([
    { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'a' }], encrypted_content: 'S' },
  ]);
  expect(losses).toEqual(['reasoning']);
});

test('calls and their results keep belonging together when their ids are too long or missing', () => {
  const id = `call_${'x'.repeat(200)}`;
  const call = (callId: string): Part => ({ kind: 'tool-call', id: callId, name: 'f', arguments: '{}' });
  const result = (callId: string): Part => ({ kind: 'tool-result', id: callId, name: 'f', content: [] });
  const { body } = spelled({
    messages: [
      { role: 'assistant', parts: [call(id), call(`${id}y`), call('')] },
      { role: 'user', parts: [result(id), result(`${id}y`), result('')] },
    ],
  });
  const ids = (body.input as { call_id: string }[]).map((item) => item.call_id);
  expect(ids.slice(0, 3)).toEqual(ids.slice(3));
  expect(new Set(ids).size).toBe(3);
  expect(ids.every((one) => one.length > 0 && one.length <= 64)).toBe(true);
});

test('values that upstreams refuse are avoided and declared', () => {
  const { body, losses } = spelled({ maxTokens: 1, user: 'u'.repeat(65) });
  expect(body).toMatchObject({ max_output_tokens: 16 });
  expect(body).not.toHaveProperty('user');
  expect(losses).toEqual(['max_tokens', 'user']);
});

test('what chat spells and means alike arrives, and what it asks for with nothing is a loss', () => {
  const shared = { store: true, prompt_cache_retention: '24h', safety_identifier: 'b' };
  const messages = [{ role: 'user', content: 'Hi.' }];
  const decoded = decodeChat({ model: 'm', messages, user: 'a', ...shared, prediction: {}, web_search_options: {} });
  if (!decoded.ok) throw new Error(decoded.reason);
  const { body, losses } = encodeRequest(decoded.request, context);
  expect(body).toMatchObject({ ...shared, user: 'a' });
  expect(losses).toEqual(['web_search_options']);
});
