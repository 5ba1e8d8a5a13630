import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { booksAgree } from './support/books-agree.ts';
import { type Console, signIn } from './support/console-client.ts';
import { gatewayOn, onEachEngine } from './support/engine.ts';
import { type Gateway, startGateway } from './support/gateway.ts';
import { vendorRoutes } from './support/mock/vendors/index.ts';
import { type MockUpstream, startMockUpstream } from './support/mock-upstream.ts';
import { talkTo } from './support/responses-socket.ts';
import { addServing } from './support/routing.ts';

type Json = Record<string, unknown>;

const [native, crossed] = ['gpt-4o-mini', 'claude-sonnet-4-5'];

async function serving(gateway: Gateway, upstream: MockUpstream): Promise<Console> {
  const root = await gateway.root();
  await addServing(root, { base_url: upstream.url, models: native });
  await addServing(root, { base_url: upstream.url, models: crossed, type: 14 });
  return root;
}

onEachEngine((_engine, _open, kit) => {
  let upstream: MockUpstream;
  let gateway: Gateway;
  let root: Console;
  let key: string;

  beforeAll(async () => {
    upstream = await startMockUpstream({ dialects: vendorRoutes });
    gateway = await gatewayOn(kit);
    root = await serving(gateway, upstream);
    key = (await root.addToken()).key;
  });
  afterAll(async () => {
    await gateway.stop();
    await upstream.close();
  });
  const talk = () => talkTo(gateway, key);
  const asked = () => upstream.requests().at(-1)?.json as Json;

  describe.each([native, crossed])('a conversation with %s', (model) => {
    const tools = [{ type: 'function' as const, name: 'look', parameters: { type: 'object', properties: {} }, strict: false }];

    test('goes on by what is said anew, although no upstream keeps it; each call is a charge and a row of its own', async () => {
      const rows = (await root.logs()).length;
      const before = (await root.self()).quota;
      const { turn } = talk();
      const first = await turn({ model, store: false, tools, input: 'call the tool' });
      expect(first).toHaveProperty('response');
      const [call] = first.response.output as { type: string; call_id: string }[];
      expect(call).toMatchObject({ type: 'function_call', name: 'look' });
      const result = { type: 'function_call_output' as const, call_id: call?.call_id ?? '', output: 'a lake' };
      const second = await turn({ model, store: false, tools, previous_response_id: first.response.id, input: [result] });
      expect(second.response.output).toMatchObject([{ content: [{ text: 'The tools say: a lake' }] }]);
      expect(asked()).not.toHaveProperty('previous_response_id');
      const third = await turn({ model, store: false, tools, previous_response_id: second.response.id, input: 'count' });
      expect(JSON.stringify(third.response.output)).toContain('one two three');
      expect(JSON.stringify(asked())).toMatch(/call the tool.*look.*a lake.*The tools say: a lake.*count/);
      const [last, ...older] = await root.logs();
      expect([older.length + 1 - rows, last?.is_stream]).toEqual([3, true]);
      const { usage } = third.response as unknown as { usage: { input_tokens: number; output_tokens: number } };
      expect(last).toMatchObject({ prompt_tokens: usage.input_tokens, completion_tokens: usage.output_tokens });
      await booksAgree(gateway, root);
      expect(before - (await root.self()).quota).toBeGreaterThan(0);
    });

    test('is prepared without a call, and goes on from there', async () => {
      const { turn } = talk();
      const [calls, balance] = [upstream.requests().length, (await root.self()).quota];
      const prepared = await turn({ model, store: false, generate: false, input: 'You are in Oslo.' });
      expect(prepared.response).toMatchObject({ status: 'completed', output: [] });
      expect([upstream.requests().length, (await root.self()).quota]).toEqual([calls, balance]);
      await turn({ model, store: false, previous_response_id: prepared.response.id, input: 'count' });
      expect(JSON.stringify(asked())).toMatch(/You are in Oslo.*count/);
      const lost = await turn({ model, generate: false, previous_response_id: 'resp_unknown', input: 'hi' });
      expect(lost).toMatchObject({ status: 400, error: { code: 'previous_response_not_found' } });
    });

    test('is told what went wrong, at once or half way, and can be gone on with', async () => {
      const { turn } = talk();
      expect(await turn({ model: 'nobody-has-it', input: 'hi' })).toMatchObject({
        status: 503,
        error: { message: expect.stringContaining('nobody-has-it') as string },
      });
      expect(await turn({ model, input: 'fail 400' })).toMatchObject({
        status: 400,
        error: { message: expect.stringContaining('the mock fails with 400') as string },
      });
      expect(await turn({ model, input: 'break off, and count' })).toHaveProperty('error');
      expect(await turn({ model, input: 'count' })).toMatchObject({ response: { status: 'completed' } });
    });
  });

  test('one call of a lane runs at a time, those of several side by side, and one goes on from another’s answer', async () => {
    const { heard, send, ended, turn } = talk();
    for (const stream_id of ['a', 'b', 'a']) send({ model: native, store: false, input: `count for ${stream_id}`, stream_id });
    await ended(3);
    expect(heard.filter(({ stream_id }) => stream_id === 'a').filter(({ type }) => type === 'response.created')).toHaveLength(2);
    expect(new Set(heard.map(({ stream_id }) => stream_id))).toEqual(new Set(['a', 'b']));
    const order = heard
      .filter(({ stream_id }) => stream_id === 'a')
      .flatMap(({ type }) => (/created|completed/.test(String(type)) ? [type] : []));
    expect(order).toEqual(['response.created', 'response.completed', 'response.created', 'response.completed']);
    const { response } = heard.findLast(({ stream_id, type }) => stream_id === 'b' && type === 'response.completed') as {
      response: { id: string };
    };
    await turn({ model: native, store: false, input: 'hi', previous_response_id: response.id, stream_id: 'c' });
    expect(JSON.stringify(asked())).toContain('hi');
  });

  test('what is no call is told, and ends nothing', async () => {
    const { socket, heard, ended, turn } = talk();
    for (const raw of ['not json', '{"type":"session.update"}', '{"type":"response.create","stream_id":7}']) socket.sendRaw(raw);
    await ended(3);
    expect(heard).toMatchObject(Array(3).fill({ type: 'error', status: 400, error: { code: 'invalid_request' } }));
    expect(await turn({ model: native, input: 'count' })).toMatchObject({ response: { status: 'completed' } });
  });

  test('who would steer an answer under way has the words back, and the answer goes on to its end', async () => {
    const { socket, heard, send, ended } = talk();
    const told = Promise.withResolvers<void>();
    upstream.script([{ end: told.promise }]);
    const events = socket.stream();
    send({ model: native, input: 'recite' });
    const types: string[] = [];
    for await (const { type, message } of events as AsyncIterable<{ type: string; message?: { type: string; response: Json } }>) {
      if (type !== 'message' || message === undefined) continue;
      types.push(message.type);
      if (message.type === 'response.created')
        socket.send({ type: 'response.steer', previous_response_id: String(message.response.id), input: 'louder' });
      if (message.type === 'response.steer.failed') told.resolve();
      if (message.type === 'response.completed') break;
    }
    expect(types).toContain('response.steer.failed');
    await ended(1);
    expect(heard.find(({ type }) => type === 'response.steer.failed')).toMatchObject({
      error: { code: 'steering_not_supported' },
      steer: { input: 'louder' },
    });
  });

  test('who leaves half way pays for what came, and its upstream is left', async () => {
    const rows = (await root.logs()).length;
    const { socket, heard, send } = talk();
    upstream.script([{ chunkDelayMs: 200 }]);
    send({ model: native, input: 'recite' });
    await expect.poll(() => heard.filter(({ type }) => type === 'response.output_text.delta').length).toBeGreaterThan(1);
    socket.close();
    await expect.poll(() => upstream.requests().at(-1)?.aborted).toBe(true);
    await expect.poll(async () => (await root.logs()).length).toBe(rows + 1);
    await booksAgree(gateway, root);
  });

  test('who cannot pay is told so, and who has no key is let in to nothing', async () => {
    await root.call('POST', '/api/user/', { username: 'poor', password: 'poor-password' });
    const poor = await signIn(gateway.url, 'poor', 'poor-password');
    const { turn } = talkTo(gateway, (await poor.addToken()).key);
    expect(await turn({ model: native, input: 'hi' })).toMatchObject({ status: 403, error: { code: 'insufficient_user_quota' } });
    const stranger = new WebSocket(`${gateway.url.replace('http', 'ws')}/v1/responses`, {
      headers: { authorization: 'Bearer sk-wrong' },
    });
    const [, answer] = (await once(stranger, 'unexpected-response')) as [unknown, IncomingMessage];
    expect(answer.statusCode).toBe(401);
    answer.destroy();
  });
});

test('beyond its places a token is told to go on by POST; a process that ends lets a call end and says good-bye', async () => {
  const upstream = await startMockUpstream({ dialects: vendorRoutes });
  onTestFinished(() => upstream.close());
  const gateway = await startGateway({ MAX_SESSIONS_PER_TOKEN: '1', DRAIN_SECONDS: '20' });
  onTestFinished(() => gateway.stop());
  const root = await serving(gateway, upstream);
  const { key } = await root.addToken();
  const { closed, heard, send, turn, ended } = talkTo(gateway, key);
  await turn({ model: native, input: 'count' });
  const second = new WebSocket(`${gateway.url.replace('http', 'ws')}/v1/responses`, {
    headers: { authorization: `Bearer ${key}` },
  });
  const [, answer] = (await once(second, 'unexpected-response')) as [unknown, IncomingMessage];
  expect(answer.statusCode).toBe(426);
  answer.destroy();
  upstream.script([{ chunkDelayMs: 100 }]);
  send({ model: native, input: 'count' });
  await expect.poll(() => heard.filter(({ type }) => type === 'response.created').length).toBe(2);
  gateway.process.kill('SIGTERM');
  expect(await ended(2)).toMatchObject({ response: { status: 'completed' } });
  await expect.poll(() => closed).toEqual([1012]);
});
