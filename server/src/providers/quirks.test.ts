import { describe, expect, test } from 'vitest';
import { type Asking, ask, readyChannel, sent } from '../../test/record-kit.ts';

const messages = [{ role: 'user', content: 'hi' }];
const chatTo = (model: string, more: object) => ask({ type: 1, body: { model, messages, ...more } });
const chat = async (type: number, body: object, more: Partial<Asking> = {}) =>
  sent(await ask({ type, body: { messages, ...body }, ...more }));

describe('reasoning models', () => {
  test('the cap has another name, temperature is gone, instructions are the developer’s', async () => {
    const body = { model: 'o3', max_tokens: 50, temperature: 0.2, messages: [{ role: 'system', content: 's' }, ...messages] };
    expect(await chat(1, body)).toEqual({
      model: 'o3',
      max_completion_tokens: 50,
      messages: [{ role: 'developer', content: 's' }, ...messages],
    });
  });

  test.each(['o1-mini', 'o1-preview'])('%s keeps its system message', async (model) => {
    const body = { model, messages: [{ role: 'system', content: 's' }, ...messages] };
    expect(await chat(1, body)).toEqual({ ...body });
  });

  test.each([
    ['o3-mini-high', 'o3-mini', 'high'],
    ['gpt-5.1-none', 'gpt-5.1', 'none'],
    ['o1-low', 'o1', 'low'],
  ])('%s is %s with effort %s', async (model, plain, effort) => {
    expect(await chat(1, { model })).toMatchObject({ model: plain, reasoning_effort: effort });
    const body = { model, input: 'hi', reasoning: { summary: 'auto' } };
    expect(sent(await ask({ type: 1, protocol: 'openai-responses', body }))).toEqual({
      model: plain,
      input: 'hi',
      reasoning: { summary: 'auto', effort },
    });
  });

  const fromClaude = (model: string, more: object) =>
    ask({ type: 1, protocol: 'anthropic-messages', body: { model, max_tokens: 4096, messages, ...more } });
  const off = { thinking: { type: 'disabled' } };
  const on = { thinking: { type: 'enabled', budget_tokens: 2000 } };
  const most = { thinking: { type: 'adaptive' }, output_config: { effort: 'max' } };

  test.each([
    ['gpt-4o', off, undefined, []],
    ['gpt-4.1', on, undefined, ['reasoning_effort']],
    ['gpt-5', off, 'minimal', []],
    ['gpt-5-mini', most, 'high', []],
    ['gpt-5.1', off, 'none', []],
    ['gpt-5.2', most, 'xhigh', []],
    ['gpt-5.6-sol', most, 'max', []],
    ['gpt-6-luna', off, 'none', []],
    ['gpt-6-astra', off, 'low', []],
    ['gpt-6.1-sol', most, 'max', []],
    ['gpt-6.1-terra', off, 'none', []],
    ['o4-mini', off, 'low', []],
    ['o3', most, 'high', []],
    ['some-model', off, 'none', []],
  ])('a caller of another dialect reaches %s with what it takes: %j', async (model, thinking, effort, losses) => {
    const outgoing = await fromClaude(model, thinking);
    expect(sent(outgoing).reasoning_effort).toBe(effort);
    expect(outgoing.losses).toEqual(losses);
  });

  const bare = { thinking: { type: 'adaptive' }, output_config: { effort: 'low' } };

  test.each([
    ['a vendor that says nothing of it', 1005, 'some-model', most, { reasoning_effort: 'high' }],
    ['a relay', 8, 'claude-x', most, { reasoning_effort: 'high' }],
    ['Ollama', 4, 'gpt-oss:20b', most, { reasoning_effort: 'high' }],
    ['Ollama', 4, 'qwen3.5:27b', off, { reasoning_effort: 'none' }],
    ['Workers AI', 39, '@cf/openai/gpt-oss-120b', most, { reasoning_effort: 'high' }],
    ['Groq', 1001, 'openai/gpt-oss-120b', off, { reasoning_effort: 'low' }],
    ['Groq', 1001, 'qwen/qwen3-32b', most, { reasoning_effort: 'default' }],
    ['Groq', 1001, 'qwen/qwen3-32b', off, { reasoning_effort: 'none' }],
    ['Groq', 1001, 'llama-3.3-70b-versatile', most, {}],
    ['Mistral', 42, 'mistral-medium-3-5', bare, { reasoning_effort: 'high' }],
    ['Mistral', 42, 'codestral-latest', bare, {}],
    ['Perplexity', 27, 'sonar-deep-research', most, { reasoning_effort: 'high' }],
  ])(
    'the highest effort, or none, of a caller of another dialect is told to %s (%i, %s) as it is taken there',
    async (_, type, model, thinking, told) => {
      const body = { model, max_tokens: 4096, messages, ...thinking };
      const { reasoning_effort } = sent(await ask({ type, protocol: 'anthropic-messages', body, channel: readyChannel(type) }));
      expect({ reasoning_effort }).toEqual({ reasoning_effort: undefined, ...told });
    },
  );

  test('DeepSeek is told not to think by a member of its own, and the highest effort as it is', async () => {
    const told = async (reasoning: object) => {
      const body = { model: 'deepseek-v4-pro', input: 'hi', reasoning };
      return sent(await ask({ type: 43, protocol: 'openai-responses', body }));
    };
    expect(await told({ effort: 'none' })).toMatchObject({ thinking: { type: 'disabled' } });
    expect(await told({ effort: 'none' })).not.toHaveProperty('reasoning_effort');
    for (const effort of ['minimal', 'medium', 'xhigh', 'max'])
      expect(await told({ effort })).toMatchObject({ reasoning_effort: effort });
  });

  test.each([
    ['gpt-5-pro', on, { effort: 'high' }, ['reasoning.encrypted_content']],
    ['gpt-5.1-codex', off, { effort: 'low' }, undefined],
  ])('also in responses: %s', async (model, thinking, reasoning, include) => {
    const body = sent(await fromClaude(model, thinking));
    expect(body.reasoning).toMatchObject(reasoning);
    expect(body.include).toEqual(include);
  });

  test('how tokens are drawn is left to models that reason, and declared', async () => {
    const drawn = { temperature: 0.5, top_p: 0.9, stop_sequences: ['x'] };
    const outgoing = await fromClaude('gpt-5', drawn);
    expect(sent(outgoing)).toEqual({ model: 'gpt-5', messages, max_completion_tokens: 4096 });
    expect(outgoing.losses).toEqual(['temperature', 'top_p', 'stop']);
    expect(sent(await fromClaude('gpt-5.1', drawn))).toMatchObject({ temperature: 0.5, top_p: 0.9, stop: 'x' });
    for (const model of ['gpt-5.5', 'gpt-5.6-sol', 'gpt-6-sol', 'gpt-6-astra']) {
      const { losses } = await fromClaude(model, drawn);
      expect(losses, model).toEqual(['temperature', 'top_p', 'stop']);
    }
    expect(sent(await fromClaude('gpt-5.6-sol', { ...drawn, ...off }))).toMatchObject({ temperature: 0.5, top_p: 0.9 });
    expect(sent(await fromClaude('gpt-4o', drawn))).toMatchObject({ temperature: 0.5, top_p: 0.9, stop: 'x' });
    expect(sent(await chatTo('o3-pro', { temperature: 0.2 }))).not.toHaveProperty('temperature');
    const own = { type: 1, protocol: 'openai-responses', body: { model: 'o3-pro', input: 'hi', temperature: 0.2 } };
    expect(sent(await ask(own))).toEqual({ model: 'o3-pro', input: 'hi' });
  });

  test('a lowered cap stays lowered under its other name', async () => {
    expect(await chat(1, { model: 'gpt-5', max_tokens: 5000 }, { cap: 100 })).toMatchObject({ max_completion_tokens: 100 });
    expect(await chat(1, { model: 'gpt-5' }, { cap: 100 })).toEqual({ model: 'gpt-5', messages, max_completion_tokens: 100 });
  });

  test('other models keep the caller’s bytes', async () => {
    const body = `{ "model" : "gpt-4o","temperature":1.0, "max_tokens":5,"messages":[{"role":"system","content":"s"}] }`;
    expect((await ask({ type: 1, body })).body.toString()).toBe(body);
    const thinking = `{"z":1.50,"model":"o3","max_tokens":5,"messages":[{"role":"user","content":"\\u00fc"}]}`;
    expect((await ask({ type: 1, body: thinking })).body.toString()).toBe(
      `{"z":1.50,"model":"o3","messages":[{"role":"user","content":"\\u00fc"}],"max_completion_tokens":5}`,
    );
  });

  test('what the operator overrides is not adapted away', async () => {
    const channel = { paramOverride: { temperature: 1 } };
    expect(await chat(1, { model: 'o3', temperature: 0.1 }, { channel })).toMatchObject({ temperature: 1 });
  });
});

test.each([19, 22, 31, 35, 1016])('type %i takes no stream_options, whoever asks', async (type) => {
  const asking = { model: 'm', stream: true, stream_options: { include_usage: true } };
  expect(await chat(type, asking)).toEqual({ model: 'm', messages, stream: true });
  const body = { model: 'm', stream: true, max_tokens: 9, messages };
  const crossed = sent(await ask({ type, protocol: 'anthropic-messages', body }));
  expect(crossed).not.toHaveProperty('stream_options');
  expect(await chat(type, asking, { channel: { paramOverride: { stream_options: {} } } })).toMatchObject({ stream_options: {} });
});

test('Mistral: pictures are plain addresses, ids have nine characters and still match, unknown fields are gone', async () => {
  const id = 'toolu_01ABCDEF';
  const body = {
    model: 'mistral-large-latest',
    seed: 7,
    user: 'u',
    max_completion_tokens: 9,
    tool_choice: 'required',
    tools: [{ type: 'function', function: { name: 'f', parameters: {} } }],
    messages: [
      { role: 'developer', content: 's' },
      { role: 'user', name: 'n', content: [{ type: 'image_url', image_url: { url: 'https://a.example/b.png', detail: 'low' } }] },
      {
        role: 'assistant',
        content: '',
        reasoning_content: 'x',
        tool_calls: [{ id, type: 'function', function: { name: 'f', arguments: '{}' } }],
      },
      { role: 'tool', name: 'f', tool_call_id: id, content: 'ok' },
    ],
  };
  const adapted = await chat(42, body);
  const [, , { tool_calls: calls = [] } = {}, result] = adapted.messages as {
    tool_calls?: { id: string }[];
    tool_call_id?: string;
  }[];
  expect(calls[0]?.id).toMatch(/^[a-zA-Z0-9]{9}$/);
  expect(result?.tool_call_id).toBe(calls[0]?.id);
  expect(adapted).toEqual({
    model: 'mistral-large-latest',
    random_seed: 7,
    max_tokens: 9,
    tool_choice: 'any',
    tools: body.tools,
    messages: [
      { role: 'system', content: 's' },
      { role: 'user', content: [{ type: 'image_url', image_url: 'https://a.example/b.png' }] },
      { role: 'assistant', content: '', tool_calls: [{ ...body.messages[2]?.tool_calls?.[0], id: calls[0]?.id }] },
      { role: 'tool', name: 'f', tool_call_id: calls[0]?.id, content: 'ok' },
    ],
  });
});

test('Perplexity: a nucleus of 1 is 0.99', async () => {
  const body = { model: 'sonar', top_p: 1, n: 2, stream_options: {}, max_completion_tokens: 5, search_mode: 'web' };
  expect(await chat(27, body)).toEqual({ model: 'sonar', messages, top_p: 0.99, max_tokens: 5, search_mode: 'web' });
});

test('xAI: pictures have no size, the small model names its effort apart', async () => {
  const picture = { model: 'grok-2-image', prompt: 'a cat', size: '1024x1024', quality: 'hd', n: 2 };
  expect(sent(await ask({ type: 48, protocol: 'images', body: picture }))).toEqual({
    model: 'grok-2-image',
    prompt: 'a cat',
    n: 2,
  });
  expect(await chat(48, { model: 'grok-3-mini-high', max_tokens: 5 })).toEqual({
    model: 'grok-3-mini',
    messages,
    max_completion_tokens: 5,
    reasoning_effort: 'high',
  });
});

test.each([
  ['grok-4-1-fast', undefined],
  ['grok-3-mini', 'high'],
])('xAI: a caller of another dialect reaches %s with what it takes', async (model, effort) => {
  const thinking = { type: 'enabled', budget_tokens: 6000 };
  const body = { model, max_tokens: 9000, messages, thinking, stop_sequences: ['x'] };
  const told = sent(await ask({ type: 48, protocol: 'anthropic-messages', body }));
  expect(told.reasoning_effort).toBe(effort);
  expect(told).not.toHaveProperty('stop');
});

test.each([
  [17, 'qwen3-32b', { enable_thinking: false }],
  [17, 'qwen3-235b-a22b', { enable_thinking: false }],
  [17, 'qwen3-235b-a22b-instruct-2507', {}],
  [17, 'qwen-plus', {}],
  [1103, 'Qwen/Qwen3-8B', { enable_thinking: false }],
])('open weights that refuse to think in one piece are told not to (%i, %s)', async (type, model, told) => {
  expect(await chat(type, { model })).toEqual({ model, messages, ...told });
  expect(await chat(type, { model, enable_thinking: true })).toMatchObject({ enable_thinking: true });
  expect(await chat(type, { model, stream: true })).not.toHaveProperty('enable_thinking');
});

test('SiliconFlow: the size and the number of pictures have names of their own', async () => {
  const picture = (more: object) => ({ model: 'Kwai-Kolors/Kolors', prompt: 'a cat', ...more });
  const asked = async (more: object) => sent(await ask({ type: 40, protocol: 'images', body: picture(more) }));
  expect(await asked({ size: '1024x1024', n: 2 })).toEqual(picture({ image_size: '1024x1024', batch_size: 2 }));
  expect(await asked({})).toEqual(picture({}));
});

test('Jina: vectors in base64 have another name', async () => {
  const body = { model: 'jina-embeddings-v4', input: ['a'], encoding_format: 'base64' };
  expect(sent(await ask({ type: 38, protocol: 'embeddings', body }))).toEqual({
    model: 'jina-embeddings-v4',
    input: ['a'],
    embedding_type: 'base64',
  });
});

test.each([
  [1, 'openai-responses', 'responses_multi_agent=v1'],
  [3, 'openai-responses', 'responses_multi_agent=v1'],
  [1, 'openai-chat', undefined],
  [20, 'openai-responses', undefined],
])('the caller’s betas of OpenAI at type %i in %s: %s', async (type, protocol, told) => {
  const headers = { 'openai-beta': 'responses_multi_agent=v1' };
  const channel = { baseUrl: 'https://upstream.example.com' };
  const outgoing = await ask({ type, protocol, body: { model: 'gpt-6-sol', input: 'hi', messages }, headers, channel });
  expect(outgoing.headers['openai-beta']).toBe(told);
});

describe('Claude', () => {
  const call = (model: string, more: Partial<Asking> = {}, fields: object = {}) =>
    ask({ type: 14, protocol: 'anthropic-messages', body: { model, max_tokens: 1000, messages, ...fields }, ...more });

  test('the caller’s version and betas go along, with those of the operator', async () => {
    const headers = { 'anthropic-version': '2024-01-01', 'anthropic-beta': 'one' };
    const settings = {
      'claude.model_headers_settings': { 'claude-opus-5': { 'anthropic-beta': ['one', 'two'], 'X-Own': ['3'] } },
    };
    const outgoing = await call('claude-opus-5', { headers, options: settings });
    expect(outgoing.headers).toMatchObject({ 'anthropic-version': '2024-01-01', 'anthropic-beta': 'one,two', 'x-own': '3' });
    expect(outgoing.headers['x-api-key']).toBe('the-key');
    expect((await call('claude-opus-5')).headers).toMatchObject({ 'anthropic-version': '2023-06-01' });
  });

  test('models of before the messages API are refused in clear words', async () => {
    await expect(call('claude-2.1')).rejects.toThrow(/claude-2\.1 is not served by the messages API/);
  });

  test('a name that ends in -thinking thinks with a share of the cap', async () => {
    const body = sent(await call('claude-3-7-sonnet-20250219-thinking', {}, { temperature: 0.3, top_p: 0.5 }));
    expect(body).toEqual({
      model: 'claude-3-7-sonnet-20250219',
      messages,
      max_tokens: 1280,
      temperature: 1,
      thinking: { type: 'enabled', budget_tokens: 1024 },
    });
    const large = sent(await call('claude-3-7-sonnet-20250219-thinking', {}, { max_tokens: 10_000 }));
    expect(large.thinking).toEqual({ type: 'enabled', budget_tokens: 8000 });
    expect(sent(await call('claude-opus-4-8-thinking')).thinking).toEqual({ type: 'adaptive' });
    const off = { 'claude.thinking_adapter_enabled': false };
    expect(sent(await call('claude-3-7-sonnet-20250219-thinking', { options: off })).model).toMatch(/-thinking$/);
  });
});
