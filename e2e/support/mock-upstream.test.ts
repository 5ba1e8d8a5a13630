import { gunzipSync } from 'node:zlib';
import OpenAI from 'openai';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type MockScript, type MockUpstream, startMockUpstream } from './mock-upstream.ts';

let mock: MockUpstream;
beforeAll(async () => {
  mock = await startMockUpstream();
});
afterEach(() => mock.reset());
afterAll(() => mock.close());

function post(body: Record<string, unknown>, script?: MockScript, signal?: AbortSignal): Promise<Response> {
  if (script !== undefined) mock.script([script]);
  const messages = [{ role: 'user', content: 'hi' }];
  return fetch(`${mock.url}/v1/chat/completions`, {
    method: 'POST',
    body: JSON.stringify({ model: 'm', messages, ...body }),
    signal,
  });
}

const streamed = { stream: true, stream_options: { include_usage: true } };

describe('the official SDK', () => {
  const client = () => new OpenAI({ baseURL: `${mock.url}/v1`, apiKey: 'sk-test', maxRetries: 0 });
  const call = { model: 'gpt-4o-mini', messages: [{ role: 'user' as const, content: 'hi' }] };

  test('completes a plain chat', async () => {
    const answer = await client().chat.completions.create(call);
    expect(answer.choices[0]?.message.content).toBe('Hello! How can I help you today?');
    expect(answer.usage).toMatchObject({ prompt_tokens: 20, completion_tokens: 7, total_tokens: 27 });
    expect(mock.requests().at(-1)?.headers.authorization).toBe('Bearer sk-test');
  });

  test('completes a streamed chat whose usage comes only when it was asked for', async () => {
    for (const include_usage of [true, false]) {
      let text = '';
      let usage: unknown = null;
      for await (const chunk of await client().chat.completions.create({
        ...call,
        stream: true,
        stream_options: { include_usage },
      })) {
        text += chunk.choices[0]?.delta.content ?? '';
        usage = chunk.usage ?? usage;
      }
      expect(text).toBe('Hello! How can I help you today?');
      expect(usage !== null).toBe(include_usage);
    }
  });

  test('lists models', async () => {
    expect((await client().models.list()).data.map(({ id }) => id)).toContain('gpt-4o-mini');
  });
});

describe('scripts', () => {
  test('answer with a status, a body and Retry-After', async () => {
    const response = await post({}, { status: 429, retryAfter: '2', body: { error: { message: 'slow down' } } });
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '2']);
    expect(await response.json()).toEqual({ error: { message: 'slow down' } });
  });

  test('come one after the other, then the default again', async () => {
    mock.script([{ status: 500 }, { status: 401 }]);
    const statuses = [];
    for (let k = 0; k < 3; k += 1) statuses.push((await post({})).status);
    expect(statuses).toEqual([500, 401, 200]);
  });

  test('can stand in the model name or in a header', async () => {
    expect((await post({ model: 'any?status=503' })).status).toBe(503);
    const headers = { 'x-mock': 'status=418' };
    expect((await fetch(`${mock.url}/v1/models`, { headers })).status).toBe(418);
    expect((await post({ model: 'any?statos=503' })).status).toBe(500);
    const text = await (await post({ model: 's3i0', ...streamed })).text();
    expect(text.match(/"content":" ?\w/g)).toHaveLength(3);
  });

  test('can be a function of the request', async () => {
    mock.script(({ path }) => ({ text: path }));
    const response = await fetch(`${mock.url}/a/v1/chat/completions`, { method: 'POST', body: '{"model":"m"}' });
    expect(JSON.stringify(await response.json())).toContain('/a/v1/chat/completions');
  });

  test('obey the caller: cap and choices', async () => {
    const answer = (await (await post({ max_tokens: 2, n: 2 })).json()) as OpenAI.ChatCompletion;
    expect(answer.choices.map((choice) => [choice.message.content, choice.finish_reason])).toEqual([
      ['Hello! How', 'length'],
      ['Hello! How', 'length'],
    ]);
  });

  test.each([
    ['missing', undefined],
    ['absurd', -5],
    ['cached', 20],
    ['zero', 0],
  ] as const)('usage can be %s', async (usage, prompt) => {
    const answer = (await (await post({}, { usage })).json()) as { usage?: { prompt_tokens: number } };
    expect(answer.usage?.prompt_tokens).toBe(prompt);
  });

  test('errors can hide in a 200, whole, as the first event and in mid-stream', async () => {
    expect(await (await post({}, { errorIn200: true })).json()).toHaveProperty('error.type', 'server_error');
    expect(await (await post(streamed, { errorIn200: true })).text()).toMatch(/^data: \{"error"/);
    const text = await (await post(streamed, { errorAfterChunks: 3 })).text();
    expect(text).toMatch(/"content":" How"[\s\S]*data: \{"error".*\n\n$/);
    expect(text).not.toContain('[DONE]');
  });

  test('framing, comments, reasoning, tools and a missing terminator', async () => {
    expect(await (await post(streamed, { eol: 'crlf' })).text()).toMatch(/\r\n\r\ndata: \[DONE\]\r\n\r\n$/);
    expect(await (await post(streamed, { commentEvery: 2 })).text()).toMatch(/^: mock comment\n\n/);
    expect(await (await post(streamed, { done: false })).text()).not.toContain('[DONE]');
    expect(await (await post(streamed, { reasoning: 'let me see' })).text()).toContain('"reasoning_content":" me"');
    const tool = { name: 'look', arguments: '{"q":"long enough"}' };
    expect(await (await post(streamed, { tool })).text()).toContain('"finish_reason":"tool_calls"');
  });

  test('a body can be compressed', async () => {
    const response = await post({}, { gzip: true, headers: { 'content-encoding': 'x-none' } });
    expect(gunzipSync(Buffer.from(await response.arrayBuffer())).toString()).toContain('chat.completion');
  });
});

describe('broken connections', () => {
  test.each(['fin', 'rst'] as const)('a body is cut after exactly n bytes (%s)', async (cut) => {
    const response = await post(streamed, { cutAtByte: 300, cut });
    const reader = response.body?.getReader();
    let size = 0;
    const readAll = async () => {
      for (let part = await reader?.read(); part?.done === false; part = await reader?.read()) size += part.value.length;
    };
    await expect(readAll()).rejects.toThrow();
    expect(size).toBeLessThanOrEqual(300);
    const record = await mock.waitFor((request) => request.endedAtMs > 0);
    expect([record.bytesSent, record.aborted]).toEqual([300, false]);
  });

  test('a clean cut looks complete', async () => {
    expect(await (await post(streamed, { cutAtByte: 300, cut: 'clean' })).text()).toHaveLength(300);
  });

  test('a connection is reset before any answer', async () => {
    await expect(post({}, { fault: 'reset' })).rejects.toThrow();
  });

  test.each(['hang', 'hang-after-headers'] as const)('%s lasts until the client leaves, and that is recorded', async (fault) => {
    const leave = new AbortController();
    const answer = post(streamed, { fault }, leave.signal);
    const settled = answer.then((response) => response.text()).catch((error: Error) => error.name);
    await mock.waitFor((request) => fault === 'hang' || request.status === 200);
    leave.abort();
    expect(await settled).toBe('AbortError');
    expect((await mock.waitFor((request) => request.aborted)).bytesSent).toBe(0);
  });

  test('a paced stream stops when the client leaves', async () => {
    const leave = new AbortController();
    const response = await post(streamed, { chunks: 1000, chunkDelayMs: 50 }, leave.signal);
    await response.body?.getReader().read();
    leave.abort();
    const record = await mock.waitFor((request) => request.aborted);
    expect(record.bytesSent).toBeLessThan(100_000);
  });
});

test('waiting for what never comes fails and says what was seen', async () => {
  await post({});
  await expect(mock.waitFor((request) => request.path === '/x', 20)).rejects.toThrow(/POST \/v1\/chat\/completions 200/);
});

test('the list of records is bounded', async () => {
  const small = await startMockUpstream({ maxRecords: 2 });
  for (const k of [1, 2, 3]) await fetch(`${small.url}/v1/models?k=${k}`);
  expect(small.requests().map(({ path }) => path)).toEqual(['/v1/models?k=2', '/v1/models?k=3']);
  await small.close();
});
