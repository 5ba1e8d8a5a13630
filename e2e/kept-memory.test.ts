import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Gateway, startGateway } from './support/gateway.ts';
import { type MockUpstream, startMockUpstream } from './support/mock-upstream.ts';
import { eventually } from './support/wait.ts';

const model = 'gpt-4o-mini';
const calls = 24;
const questionMb = 1;
/** A question once, and what else is open. */
const mostMbPerCall = 1.4;
const shortCalls = 4;
const shortChars = 10_000;
const mostKbPerStream = 10;
const question = 'A long story, told in one breath. '.repeat((questionMb * 1e6) / 34);

/** What a process of its own keeps in memory once all garbage is collected, asked through its debugger; without `heap` buffers alone. */
async function keptMb(gateway: Gateway, heap = true): Promise<number> {
  const address = /ws:\/\/\S+/.exec(gateway.output())?.[0] ?? '';
  const socket = new WebSocket(address);
  const opened = Promise.withResolvers<void>();
  const answers = [Promise.withResolvers<unknown>(), Promise.withResolvers<unknown>()] as const;
  socket.addEventListener('open', () => opened.resolve());
  socket.addEventListener('error', () => opened.reject(new Error(`no debugger at ${address}`)));
  socket.addEventListener('message', ({ data }) => {
    const { id, result } = JSON.parse(String(data)) as { id: number; result: unknown };
    answers[id]?.resolve(result);
  });
  await opened.promise;
  const ask = (id: 0 | 1, method: string, params: object) => {
    socket.send(JSON.stringify({ id, method, params }));
    return answers[id].promise;
  };
  await ask(0, 'HeapProfiler.collectGarbage', {});
  const figures = heap ? 'heapUsed + arrayBuffers' : 'arrayBuffers';
  const expression = `(({ heapUsed, arrayBuffers }) => ${figures})(process.memoryUsage())`;
  const { result } = (await ask(1, 'Runtime.evaluate', { expression })) as { result: { value: number } };
  socket.close();
  return result.value / 1e6;
}

describe('what calls keep in memory while their answers take their time', () => {
  let upstream: MockUpstream;
  let gateway: Gateway;
  let key: string;

  beforeAll(async () => {
    upstream = await startMockUpstream({ maxRecords: calls });
    gateway = await startGateway({ NODE_OPTIONS: '--inspect=127.0.0.1:0' });
    const root = await gateway.root();
    await root.addChannel({ models: model, base_url: upstream.url });
    ({ key } = await root.addToken({ name: 'stories', unlimited_quota: true }));
  });
  afterAll(async () => {
    // Nothing of this is ever answered.
    await gateway?.kill();
    await gateway?.stop();
    await upstream?.close();
  });

  const post = (path: string, stream: boolean, signal?: AbortSignal, content = question) =>
    fetch(gateway.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model, stream, max_tokens: 100, messages: [{ role: 'user', content }] }),
      signal: signal ?? null,
    });

  const endpoints = [
    { what: 'passed on', path: '/v1/chat/completions' },
    { what: 'translated', path: '/v1/messages' },
  ];
  test.each(endpoints)('a stream keeps its large question once ($what)', async ({ path }) => {
    upstream.script(() => ({ chunks: 100, cutAtByte: 2_000, cut: 'hang' }));
    const before = await keptMb(gateway);
    const ending = new AbortController();
    try {
      for (let count = 0; count < calls; count += 1) {
        const answer = await post(path, true, ending.signal);
        expect(answer.status).toBe(200);
        const first = await answer.body?.getReader().read();
        expect(first?.value?.length).toBeGreaterThan(0);
      }
      expect((await keptMb(gateway)) - before).toBeLessThan(calls * questionMb * mostMbPerCall);
    } finally {
      ending.abort();
    }
    // What is left is code that was compiled, and kept connections.
    await eventually(async () => expect((await keptMb(gateway)) - before).toBeLessThan((calls * questionMb) / 4));
  });

  test('so does a call that waits for its answer', async () => {
    upstream.reset();
    upstream.script(() => ({ fault: 'hang' }));
    const before = await keptMb(gateway);
    const ending = new AbortController();
    const answers = Array.from({ length: calls }, () => post('/v1/chat/completions', false, ending.signal).catch(() => 'ended'));
    try {
      await eventually(() => expect(upstream.requests()).toHaveLength(calls));
      expect((await keptMb(gateway)) - before).toBeLessThan(calls * questionMb * mostMbPerCall);
    } finally {
      ending.abort();
    }
    expect(await Promise.all(answers)).toEqual(answers.map(() => 'ended'));
  });

  test.each(endpoints)('a stream keeps its small question and nothing that lay beside it ($what)', async ({ path }) => {
    upstream.reset();
    upstream.script(({ json }) => (json.stream === true ? { chunks: 1_000, chunkDelayMs: 50 } : {}));
    const before = await keptMb(gateway, false);
    const ending = new AbortController();
    try {
      for (let count = 0; count < calls; count += 1) {
        const answer = await post(path, true, ending.signal, 'Tell me a story.');
        await answer.body?.getReader().read();
        // As much as one piece of the runtime's pool of buffers.
        for (let short = 0; short < shortCalls; short += 1)
          await (await post('/v1/chat/completions', false, undefined, question.slice(0, shortChars))).text();
      }
      expect((await keptMb(gateway, false)) - before).toBeLessThan((calls * mostKbPerStream) / 1_000);
    } finally {
      ending.abort();
    }
  });
});
