import { createServer, type Server, type ServerResponse } from 'node:http';
import type { GenerateContentResponse } from '@google/genai';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listening } from '../../server/test/listening.ts';
import { anthropicOf, googleOf, openaiOf } from './clients.ts';
import { ask, pairs } from './streams/ask.ts';
import { bytesOf, wideText } from './streams/damage.ts';
import { callers, piecesOf, readStream, sceneOf, told, vendors, wholeOf } from './streams/dialects.ts';
import { type RawUpstream, startRawUpstream } from './streams/raw-upstream.ts';
import { type Column, columns, costOf, type Front, modelOf, numberedChannels, startFront } from './world.ts';

/** Upstreams that ignore what `stream` says: the caller gets the shape that it asked for, at the same price. */

let upstream: RawUpstream;
let front: Front;

beforeAll(async () => {
  upstream = await startRawUpstream();
  front = await startFront(upstream.url, numberedChannels(1), { env: { STREAM_PING_SECONDS: '1' } });
});
afterAll(async () => {
  expect(await front.root.call('GET', '/api/ledger/proof')).toMatchObject({ ok: true });
  await front.stop();
  await upstream.close();
});

const json = { 'content-type': 'application/json' };
const model = (column: Column) => `${modelOf(column)}-0`;

describe.each(pairs)('a caller of %s, an upstream of %s', (caller, column) => {
  test('a stream that is answered whole comes as a stream, and is charged as told', async () => {
    upstream.answer({ headers: json, writes: [wholeOf(column, wideText)] });
    const { status, text, isWhole, charged, rows } = await ask(front, caller, model(column));
    expect({ status, text, isWhole, charged, rows: rows.length }).toEqual({
      ...{ status: 200, text: wideText, isWhole: true },
      ...{ charged: costOf(told), rows: 1 },
    });
  });

  test('a whole answer that comes as a stream arrives whole, and is charged as told', async () => {
    upstream.answer({ writes: [bytesOf(piecesOf(column, wideText))] });
    const { status, text, charged, rows } = await ask(front, caller, model(column), false);
    expect({ status, text, charged, rows: rows.length }).toEqual({ status: 200, text: wideText, charged: costOf(told), rows: 1 });
  });

  test.each(['application/octet-stream', 'audio/mpeg'])('called %s it is read, told and charged all the same', async (type) => {
    const expected = { status: 200, text: wideText, charged: costOf(told) };
    upstream.answer({ headers: { 'content-type': type }, writes: [wholeOf(column, wideText)] });
    expect(await ask(front, caller, model(column), false)).toMatchObject(expected);
    upstream.answer({ headers: { 'content-type': type }, writes: [bytesOf(piecesOf(column, wideText))] });
    expect(await ask(front, caller, model(column))).toMatchObject({ ...expected, isWhole: true });
    const refusal = Buffer.from('{"error":{"message":"no credit","type":"x","code":"y"}}');
    for (const stream of [false, true]) {
      upstream.answer({ headers: { 'content-type': type }, writes: [refusal] });
      const { status, charged } = await ask(front, caller, model(column), stream);
      expect(status).toBeGreaterThanOrEqual(400);
      expect(charged).toBe(0);
    }
  });

  test('a stream that breaks off is no whole answer, and free', async () => {
    upstream.answer({ writes: [bytesOf(piecesOf(column, wideText).slice(0, 3))] });
    const { path, body } = callers[caller];
    const before = await front.balance();
    const answer = await fetch(front.gateway.url + path(model(column), false), {
      method: 'POST',
      headers: { authorization: `Bearer ${front.key}`, ...json },
      body: JSON.stringify(body(model(column), false)),
    });
    expect(answer.status).toBe(502);
    expect(before - (await front.balance())).toBe(0);
  });
});

/** The figures of a whole answer. */
const figuresIn: Readonly<Record<string, (answer: { usage?: Figures; usageMetadata?: Figures }) => unknown[]>> = {
  'openai-chat': ({ usage }) => [usage?.prompt_tokens, usage?.completion_tokens],
  'openai-responses': ({ usage }) => [usage?.input_tokens, usage?.output_tokens],
  'anthropic-messages': ({ usage }) => [usage?.input_tokens, usage?.output_tokens],
  'gemini-generate': ({ usageMetadata: usage }) => [usage?.promptTokenCount, usage?.candidatesTokenCount],
};
type Figures = Readonly<Record<string, unknown>>;

test.each(pairs.filter(([caller, column]) => caller !== column))(
  'a caller of %s is told what was counted where an upstream of %s told nothing',
  async (caller, column) => {
    const { usage, usageMetadata, ...untold } = JSON.parse(wholeOf(column, wideText).toString()) as Record<string, unknown>;
    upstream.answer({ headers: json, writes: [Buffer.from(JSON.stringify(untold))] });
    const { bytes, rows } = await ask(front, caller, model(column), false);
    expect(rows[0]).toMatchObject({ other: { usage_source: 'counted' } });
    expect(figuresIn[caller]?.(JSON.parse(bytes.toString()))).toEqual([rows[0]?.prompt, rows[0]?.completion]);
  },
);

test('vectors that call themselves bytes come in the shape that was asked for', async () => {
  const body = Buffer.from('{"embeddings":[{"values":[1,2]}]}');
  upstream.answer({ headers: { 'content-type': 'application/octet-stream' }, writes: [body] });
  const answer = await fetch(`${front.gateway.url}/v1/embeddings`, {
    method: 'POST',
    headers: { authorization: `Bearer ${front.key}`, ...json },
    body: JSON.stringify({ model: model('gemini-generate'), input: 'hi' }),
  });
  expect(await answer.json()).toMatchObject({ object: 'list', data: [{ index: 0, embedding: [1, 2] }] });
});

/** A whole answer with two calls beside its text. */
const withCalls = (column: Column) => {
  const [reply, facts] = sceneOf('Looking.');
  const calls = [
    { name: 'look', args: { at: 'north' } },
    { name: 'look', args: { at: 'south' } },
  ];
  return Buffer.from(JSON.stringify(vendors[column].whole({ ...reply, calls, finish: 'calls' }, facts)));
};

describe('the official clients read it as the stream that they asked for', () => {
  const messages = [{ role: 'user' as const, content: 'hi' }];
  const wanted = [{ at: 'north' }, { at: 'south' }];
  const answered = (column: Column) => {
    upstream.answer({ headers: json, writes: [withCalls(column)] });
    return model(column);
  };

  test('chat completions', async () => {
    const stream = openaiOf(front).chat.completions.stream({
      model: answered('openai-chat'),
      messages,
      stream_options: { include_usage: true },
    });
    const { choices, usage } = await stream.finalChatCompletion();
    expect(choices[0]?.message.content).toBe('Looking.');
    expect(choices[0]?.finish_reason).toBe('tool_calls');
    const calls = choices[0]?.message.tool_calls ?? [];
    expect(calls.map((call) => call.type === 'function' && JSON.parse(call.function.arguments))).toEqual(wanted);
    expect(usage).toMatchObject({ prompt_tokens: told.prompt, completion_tokens: told.completion });
  });

  test('responses', async () => {
    const final = await openaiOf(front)
      .responses.stream({ model: answered('openai-responses'), input: 'hi' })
      .finalResponse();
    expect(final.output_text).toBe('Looking.');
    const calls = final.output.flatMap((item) => (item.type === 'function_call' ? [JSON.parse(item.arguments)] : []));
    expect(calls).toEqual(wanted);
    expect(final.usage).toMatchObject({ input_tokens: told.prompt, output_tokens: told.completion });
  });

  test('messages', async () => {
    const final = await anthropicOf(front)
      .messages.stream({ model: answered('anthropic-messages'), max_tokens: 2_000, messages })
      .finalMessage();
    expect(final.content).toMatchObject([{ text: 'Looking.' }, ...wanted.map((input) => ({ type: 'tool_use', input }))]);
    expect(final.stop_reason).toBe('tool_use');
    expect(final.usage.output_tokens).toBe(told.completion);
  });

  test('generateContent', async () => {
    const stream = await googleOf(front).models.generateContentStream({ model: answered('gemini-generate'), contents: 'hi' });
    const chunks: GenerateContentResponse[] = [];
    for await (const chunk of stream) chunks.push(chunk);
    expect(chunks.map(({ text = '' }) => text).join('')).toBe('Looking.');
    expect(chunks.flatMap(({ functionCalls = [] }) => functionCalls.map(({ args }) => args))).toEqual(wanted);
    expect(chunks.at(-1)?.usageMetadata?.promptTokenCount).toBe(told.prompt);
  });

  test('generateContent as one JSON array', async () => {
    const answer = await fetch(`${front.gateway.url}/v1beta/models/${answered('gemini-generate')}:streamGenerateContent`, {
      method: 'POST',
      headers: { 'x-goog-api-key': front.key, ...json },
      body: JSON.stringify({ contents: [{ role: 'user', parts: [{ text: 'hi' }] }] }),
    });
    expect(await answer.json()).toMatchObject([{ candidates: [{ content: { parts: [{ text: 'Looking.' }, {}, {}] } }] }]);
  });
});

describe('after the caller was told that somebody is at it', () => {
  let slow: Server;
  let slowFront: Front;
  const waiting: ServerResponse[] = [];
  beforeAll(async () => {
    slow = createServer((request, response) => {
      request.resume();
      waiting.push(response);
    });
    const url = `http://127.0.0.1:${await listening(slow)}`;
    slowFront = await startFront(url, numberedChannels(1), { env: { STREAM_PING_SECONDS: '1' } });
  });
  afterAll(async () => {
    await slowFront.stop();
    slow.closeAllConnections();
    slow.close();
  });

  test.each(columns)('the whole answer goes on with the stream, and is charged as told (%s)', async (column) => {
    const { path, body, terminator } = callers[column];
    const before = await slowFront.balance();
    const answer = await fetch(slowFront.gateway.url + path(model(column), true), {
      method: 'POST',
      headers: { authorization: `Bearer ${slowFront.key}`, ...json },
      body: JSON.stringify(body(model(column), true)),
    });
    const pieces: Uint8Array[] = [];
    for await (const piece of answer.body ?? []) {
      pieces.push(piece);
      // The first one is the sign of life.
      for (const response of waiting.splice(0)) response.writeHead(200, json).end(wholeOf(column, wideText));
    }
    const bytes = Buffer.concat(pieces);
    expect(bytes.toString('utf8')).toMatch(/^: PING/);
    expect(bytes.toString('utf8')).toMatch(terminator);
    expect(readStream(callers[column], bytes)).toBe(wideText);
    expect(before - (await slowFront.balance())).toBe(costOf(told));
  });
});
