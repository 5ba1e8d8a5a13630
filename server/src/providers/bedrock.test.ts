import { describe, expect, test } from 'vitest';
import { binaryMessage } from '../../test/event-stream-kit.ts';
import { type Asking, answered, ask, sent, streamed } from '../../test/record-kit.ts';
import { expectedAuthorization } from '../../test/sigv4-check.ts';
import { bedrockModel } from './bedrock-models.ts';

const secret = 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY';
const channel = { key: `AKIDEXAMPLE|${secret}|us-east-1` };
const messages = [{ role: 'user', content: 'hi' }];
const claude = 'claude-sonnet-4-5-20250929';
const host = 'https://bedrock-runtime.us-east-1.amazonaws.com';

const call = (protocol: string, body: object, more: Partial<Asking> = {}) =>
  ask({ type: 33, protocol, body: { messages, ...body }, channel, ...more });

const event = (type: string, payload: object) =>
  binaryMessage({ ':event-type': type, ':content-type': 'application/json', ':message-type': 'event' }, JSON.stringify(payload));
const chunk = (payload: object) => event('chunk', { bytes: Buffer.from(JSON.stringify(payload)).toString('base64'), p: 'abc' });

test.each([
  [claude, 'us-east-1', 'us.anthropic.claude-sonnet-4-5-20250929-v1:0'],
  [claude, 'ap-northeast-1', 'jp.anthropic.claude-sonnet-4-5-20250929-v1:0'],
  [claude, 'ap-south-1', 'global.anthropic.claude-sonnet-4-5-20250929-v1:0'],
  ['claude-3-sonnet-20240229', 'ap-southeast-1', 'apac.anthropic.claude-3-sonnet-20240229-v1:0'],
  ['claude-3-opus-20240229', 'eu-west-1', 'anthropic.claude-3-opus-20240229-v1:0'],
  ['claude-3-5-sonnet-20241022', 'us-west-2', 'us.anthropic.claude-3-5-sonnet-20241022-v2:0'],
  ['claude-3-5-sonnet-20241022', 'eu-west-1', 'anthropic.claude-3-5-sonnet-20241022-v2:0'],
  ['claude-2.1', 'us-east-1', 'anthropic.claude-v2:1'],
  ['claude-instant-1.2', 'us-east-1', 'anthropic.claude-instant-v1'],
  ['amazon.nova-pro-v1:0', 'us-east-1', 'amazon.nova-pro-v1:0'],
  ['eu.anthropic.claude-sonnet-4-6', 'us-east-1', 'eu.anthropic.claude-sonnet-4-6'],
])('%s in %s is %s', (model, region, id) => {
  expect(bedrockModel(model, region)).toBe(id);
});

test('Claude is invoked with a version instead of a model, and the signature is right', async () => {
  const headers = { 'anthropic-beta': 'context-1m-2025-08-07, claude-code-20250219,effort-2025-11-24' };
  const outgoing = await call('anthropic-messages', { model: claude, max_tokens: 10, stream: false }, { headers });
  expect(outgoing.url.href).toBe(`${host}/model/us.anthropic.claude-sonnet-4-5-20250929-v1%3A0/invoke`);
  expect(sent(outgoing)).toEqual({
    messages,
    max_tokens: 10,
    anthropic_version: 'bedrock-2023-05-31',
    anthropic_beta: ['context-1m-2025-08-07', 'effort-2025-11-24'],
  });
  const arrived = { ...outgoing.headers, host: outgoing.url.host };
  const expected = expectedAuthorization({ method: 'POST', url: outgoing.url, headers: arrived, body: outgoing.body }, secret);
  expect(outgoing.headers.authorization).toBe(expected);
  expect(JSON.stringify(outgoing.headers)).not.toContain(secret);
});

test('tools that are loaded later have their beta by the cloud’s name, and a schema of the answer its present place', async () => {
  const headers = { 'anthropic-beta': 'advanced-tool-use-2025-11-20,tool-search-tool-2025-10-19,structured-outputs-2025-11-13' };
  const format = { type: 'json_schema', schema: { type: 'object' } };
  const body = { model: claude, max_tokens: 10, output_format: format, output_config: { effort: 'low' } };
  const outgoing = await call('anthropic-messages', body, { headers });
  expect(sent(outgoing)).toEqual({
    messages,
    max_tokens: 10,
    output_config: { format, effort: 'low' },
    anthropic_version: 'bedrock-2023-05-31',
    anthropic_beta: ['tool-search-tool-2025-10-19'],
  });
});

test('a stream of Claude’s is the messages API’s stream', async () => {
  const outgoing = await call('anthropic-messages', { model: claude, max_tokens: 10, stream: true });
  expect(outgoing.url.pathname).toMatch(/\/invoke-with-response-stream$/);
  expect(outgoing.headers.accept).toBe('application/vnd.amazon.eventstream');
  expect(sent(outgoing)).not.toHaveProperty('stream');
  const start = {
    type: 'message_start',
    message: {
      id: 'm1',
      type: 'message',
      role: 'assistant',
      model: claude,
      content: [],
      usage: { input_tokens: 3, output_tokens: 1 },
    },
  };
  const events = [
    start,
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'héllo' } },
    { type: 'content_block_stop', index: 0 },
    { type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 4 } },
    { type: 'message_stop' },
  ];
  const { text, report, fault } = streamed(outgoing, Buffer.concat(events.map(chunk)));
  expect(text).toBe(events.map((each) => `event: ${each.type}\ndata: ${JSON.stringify(each)}\n\n`).join(''));
  expect(report).toMatchObject({ complete: true, usage: { prompt: 3, completion: 4 } });
  expect(fault).toBeUndefined();
});

describe('other makers are asked by Converse', () => {
  const model = 'amazon.nova-pro-v1:0';

  test('a request crosses', async () => {
    const outgoing = await call('openai-chat', { model, max_tokens: 10, stop: ['x'] });
    expect(outgoing.url.href).toBe(`${host}/model/amazon.nova-pro-v1%3A0/converse`);
    expect(sent(outgoing)).toEqual({
      messages: [{ role: 'user', content: [{ text: 'hi' }] }],
      inferenceConfig: { maxTokens: 10, stopSequences: ['x'] },
    });
    const usage = { inputTokens: 2, outputTokens: 3, totalTokens: 5 };
    const output = { message: { role: 'assistant', content: [{ text: 'Hello' }] } };
    expect(answered(outgoing, { output, stopReason: 'end_turn', usage })).toMatchObject({
      json: { choices: [{ message: { content: 'Hello' }, finish_reason: 'stop' }] },
      usage: { prompt: 2, completion: 3 },
    });
  });

  test('a stream crosses, and an exception in it is an error of the caller’s dialect', async () => {
    const outgoing = await call('openai-chat', { model, stream: true });
    expect(outgoing.url.pathname).toMatch(/\/converse-stream$/);
    const begun = [
      event('messageStart', { role: 'assistant' }),
      event('contentBlockDelta', { contentBlockIndex: 0, delta: { text: 'Hel' } }),
    ];
    const done = [
      event('contentBlockStop', { contentBlockIndex: 0 }),
      event('messageStop', { stopReason: 'end_turn' }),
      event('metadata', { usage: { inputTokens: 2, outputTokens: 3 }, serviceTier: { type: 'flex' } }),
    ];
    const whole = streamed(outgoing, Buffer.concat([...begun, ...done]));
    expect(whole.report).toMatchObject({ complete: true, usage: { prompt: 2, completion: 3 }, served: { serviceTier: 'flex' } });
    expect(whole.text).toMatch(/"content":"Hel"[\s\S]*data: \[DONE\]\n\n$/);
    const exception = binaryMessage(
      { ':exception-type': 'throttlingException', ':message-type': 'exception' },
      '{"message":"Too many requests"}',
    );
    const broken = streamed(outgoing, Buffer.concat([...begun, exception]));
    expect(broken.report).toMatchObject({ complete: false, error: { message: 'Too many requests', type: 'rate_limit_error' } });
    expect(broken.text).toMatch(/"message":"Too many requests"/);
    expect(broken.text).not.toContain('[DONE]');
  });

  test('a checksum that is wrong is a fault, not an answer', async () => {
    const outgoing = await call('openai-chat', { model, stream: true });
    const bytes = event('messageStart', { role: 'assistant' });
    bytes[20] = (bytes[20] ?? 0) ^ 1;
    expect(String(streamed(outgoing, bytes).fault)).toMatch(/malformed/);
  });
});

test('embeddings and rankings are invoked in their makers’ shapes', async () => {
  const titan = await call('embeddings', { model: 'amazon.titan-embed-text-v2:0', input: 'hi', dimensions: 256 });
  expect(sent(titan)).toEqual({ inputText: 'hi', dimensions: 256 });
  expect(answered(titan, { embedding: [1, 2], inputTextTokenCount: 3 })).toMatchObject({
    json: { object: 'list', data: [{ index: 0, embedding: [1, 2] }] },
    usage: { prompt: 3 },
  });
  const several = call('embeddings', { model: 'amazon.titan-embed-text-v2:0', input: ['a', 'b'] });
  await expect(several).rejects.toMatchObject({ status: 400, retryable: true });
  const cohere = await call('embeddings', { model: 'cohere.embed-v4:0', input: ['a', 'b'] });
  expect(sent(cohere)).toMatchObject({ texts: ['a', 'b'] });
  expect(answered(cohere, { embeddings: { float: [[1], [2]] } })).toMatchObject({ usage: undefined });
  const ranked = await ask({
    type: 33,
    protocol: 'rerank',
    channel,
    body: { model: 'cohere.rerank-v3-5:0', query: 'q', documents: ['a', { text: 'b' }] },
  });
  expect(sent(ranked)).toEqual({ query: 'q', documents: ['a', 'b'], top_n: 2, api_version: 2 });
});

test('an API key is a bearer, a wrong key is refused in the contract’s words', async () => {
  const outgoing = await call('openai-chat', { model: 'm' }, { channel: { key: 'api-key|eu-west-1' } });
  expect(outgoing.headers.authorization).toBe('Bearer api-key');
  expect(outgoing.url.host).toBe('bedrock-runtime.eu-west-1.amazonaws.com');
  await expect(call('openai-chat', { model: 'm' }, { channel: { key: 'a|b' } })).rejects.toThrow(/invalid aws secret key/);
});
