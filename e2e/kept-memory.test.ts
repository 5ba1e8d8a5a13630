import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import net from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listening } from '../server/test/listening.ts';
import { type Gateway, startGateway } from './support/gateway.ts';
import { type MockUpstream, startMockUpstream } from './support/mock-upstream.ts';
import { postJson } from './support/post-json.ts';
import { eventually } from './support/wait.ts';

const model = 'gpt-4o-mini';
const calls = 24;
const questionMb = 1;
/** A question once, and what else is open. */
const mostMbPerCall = 1.4;
const shortCalls = 4;
const shortChars = 10_000;
const mostKbPerStream = 10;
const manyBytes = 300_000;
/** As it came, where it lies, and what the measure itself takes; as many pieces are 36 MB and more. */
const mostMbOfBytes = 5;
const question = 'A long story, told in one breath. '.repeat((questionMb * 1e6) / 34);

/** What a process of its own keeps in memory once all garbage is collected; without `heap` buffers alone. */
async function keptMb(gateway: Gateway, heap = true): Promise<number> {
  const figures = heap ? 'heapUsed + arrayBuffers' : 'arrayBuffers';
  return (await evaluated(gateway, `(({ heapUsed, arrayBuffers }) => ${figures})(process.memoryUsage())`, true)) / 1e6;
}

/** What the connections of a process that are open now have brought. */
function readBytes(gateway: Gateway): Promise<number> {
  return evaluated(gateway, 'process._getActiveHandles().reduce((sum, { bytesRead = 0 }) => sum + bytesRead, 0)', false);
}

/** A figure from within a process, asked through its debugger; `isClean`: once all garbage is collected. */
async function evaluated(gateway: Gateway, expression: string, isClean: boolean): Promise<number> {
  const address = /ws:\/\/\S+/.exec(gateway.output())?.[0] ?? '';
  const socket = new WebSocket(address);
  const opened = Promise.withResolvers<void>();
  const answers = [Promise.withResolvers<unknown>(), Promise.withResolvers<unknown>(), Promise.withResolvers<unknown>()] as const;
  socket.addEventListener('open', () => opened.resolve());
  socket.addEventListener('error', () => opened.reject(new Error(`no debugger at ${address}`)));
  socket.addEventListener('message', ({ data }) => {
    const { id, result } = JSON.parse(String(data)) as { id: number; result: unknown };
    answers[id]?.resolve(result);
  });
  await opened.promise;
  const ask = (id: 0 | 1 | 2, method: string, params: object) => {
    socket.send(JSON.stringify({ id, method, params }));
    return answers[id].promise;
  };
  if (isClean) {
    await ask(0, 'HeapProfiler.collectGarbage', {});
    // Buffers are freed beside a collection, at the latest with the next one.
    await ask(1, 'HeapProfiler.collectGarbage', {});
  }
  const { result } = (await ask(2, 'Runtime.evaluate', { expression })) as { result: { value: number } };
  socket.close();
  return result.value;
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
    postJson(
      gateway.url + path,
      key,
      { model, stream, max_tokens: 100, messages: [{ role: 'user', content }] },
      { signal: signal ?? null },
    );

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

  describe('of a body that comes in pieces of a byte', () => {
    const text = 'x'.repeat(manyBytes);
    const pieces = (body: string) => Array.from(body, (byte) => `1\r\n${byte}\r\n`).join('');

    test('a question keeps its bytes, and is answered once it has come', async () => {
      upstream.reset();
      const body = JSON.stringify({ model, messages: [{ role: 'user', content: text }] });
      const wire = pieces(body);
      const [before, heard] = [await keptMb(gateway), await readBytes(gateway)];
      const socket = net.connect(Number(new URL(gateway.url).port), '127.0.0.1');
      let answer = '';
      socket.on('data', (bytes) => {
        answer += bytes.toString();
      });
      socket.write('POST /v1/chat/completions HTTP/1.1\r\nhost: gateway\r\ncontent-type: application/json\r\n');
      socket.write(`authorization: Bearer ${key}\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n${wire}`);
      await eventually(async () => expect((await readBytes(gateway)) - heard).toBeGreaterThan(wire.length));
      await eventually(async () => expect((await keptMb(gateway)) - before).toBeLessThan(mostMbOfBytes));
      socket.write('0\r\n\r\n');
      await once(socket, 'close');
      expect(answer).toMatch(/^HTTP\/1\.1 200 /);
      expect(upstream.requests()[0]?.json).toMatchObject({ messages: [{ content: text }] });
    });

    test('so does an answer', async () => {
      const content = JSON.stringify({
        choices: [{ index: 0, message: { role: 'assistant', content: text }, finish_reason: 'stop' }],
      });
      const wire = pieces(content);
      const asked = Promise.withResolvers<ServerResponse>();
      const server = createServer((request, response) => request.resume().on('end', () => asked.resolve(response)));
      const port = await listening(server);
      const root = await gateway.root();
      const url = `http://127.0.0.1:${port}`;
      await root.addChannel({ name: 'by the byte', models: 'gpt-4o', base_url: url });
      try {
        const answering = postJson(`${gateway.url}/v1/chat/completions`, key, {
          model: 'gpt-4o',
          messages: [{ role: 'user', content: 'Hi' }],
        });
        const response = await asked.promise;
        const [before, heard] = [await keptMb(gateway), await readBytes(gateway)];
        response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders();
        response.socket?.write(wire);
        await eventually(async () => expect((await readBytes(gateway)) - heard).toBeGreaterThan(wire.length));
        await eventually(async () => expect((await keptMb(gateway)) - before).toBeLessThan(mostMbOfBytes));
        response.end();
        expect(await (await answering).text()).toBe(content);
      } finally {
        server.closeAllConnections();
        server.close();
      }
    });
  });
});
