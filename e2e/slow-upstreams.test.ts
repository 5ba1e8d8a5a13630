import { createServer, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listening } from '../server/test/listening.ts';
import type { Console } from './support/console-client.ts';
import { type Gateway, startGateway } from './support/gateway.ts';
import { addServing, ask } from './support/routing.ts';

const timeoutMs = 1_000;
/** Ten of them come within the longest silence. */
const dripMs = 100;
const limits = {
  UPSTREAM_CONNECT_TIMEOUT_MS: '30000',
  UPSTREAM_FIRST_BYTE_TIMEOUT_MS: String(timeoutMs),
  UPSTREAM_IDLE_TIMEOUT_MS: String(timeoutMs),
};

const head = (type: string) => `HTTP/1.1 200 OK\r\ncontent-type: ${type}\r\n\r\n`;
const long = 'x'.repeat(1_000);
const event = `data: {"choices":[{"index":0,"delta":{"content":"word"}}]}\n\n`;
const words = { choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }] };

/** What comes at once, then byte by byte or piece by piece. */
const sayings = {
  head: { atOnce: 'HTTP/1.1 200 OK\r\nx: ', drips: [...long], stream: false },
  whole: { atOnce: head('application/json'), drips: [...`{"id":"${long}"}`], stream: false },
  stream: { atOnce: `${head('text/event-stream')}${event}data: {"id":"`, drips: [...long], stream: true },
  comments: {
    atOnce: head('text/event-stream'),
    drips: [...Array(25).fill(': at it\n\n'), event, 'data: [DONE]\n\n', ''],
    stream: true,
  },
  blank: { atOnce: head('application/json'), drips: [...Array(25).fill('\n'), JSON.stringify(words), ''], stream: false },
} as const;
type Saying = keyof typeof sayings;

let upstream: Server;
let gateway: Gateway;
let root: Console;
let key: string;
/** Of each saying. */
const open = new Map<string, Set<Socket>>(Object.keys(sayings).map((name) => [name, new Set()]));

beforeAll(async () => {
  upstream = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (bytes) => {
      const [, name = ''] = /"model":"drip-(\w+)"/.exec(bytes.toString()) ?? [];
      open.get(name)?.add(socket);
      socket.once('close', () => open.get(name)?.delete(socket));
      const { atOnce, drips } = sayings[name as Saying];
      socket.write(atOnce);
      const left: string[] = [...drips];
      const timer = setInterval(() => {
        const drip = left.shift();
        if (drip === '') socket.end();
        else if (drip !== undefined) socket.write(drip);
      }, dripMs);
      socket.once('close', () => clearInterval(timer));
    });
  });
  const port = await listening(upstream);
  gateway = await startGateway(limits);
  root = await gateway.root();
  key = (await root.addToken()).key;
  const names = Object.keys(sayings).map((name) => `drip-${name}`);
  await root.setOption('ModelPrice', Object.fromEntries(names.map((name) => [name, 0.002])));
  await root.setOption('RetryTimes', 0);
  for (const models of names) await addServing(root, { base_url: `http://127.0.0.1:${port}`, models });
  for (const name of patient) told.set(name, drip(name));
});
afterAll(async () => {
  await gateway.stop();
  for (const sockets of open.values()) for (const socket of sockets) socket.destroy();
  upstream.close();
});

async function drip(name: Saying) {
  const startMs = performance.now();
  const answer = await ask(gateway, { model: `drip-${name}`, key, words: name, stream: sayings[name].stream });
  return { ...answer, tookMs: performance.now() - startMs };
}
/** These take their time, and do so beside the others. */
const patient = ['comments', 'blank'] as const;
const told = new Map<Saying, ReturnType<typeof drip>>();
const openOf = (name: Saying) => open.get(name)?.size;

describe('F-13: an upstream that trickles', () => {
  test.each(['head', 'whole'] as const)('in its %s: the caller hears of it in time, as of one that is silent', async (name) => {
    const { status, tookMs } = await drip(name);
    expect(status).toBe(504);
    expect(tookMs).toBeLessThan(3 * timeoutMs);
    await expect.poll(() => openOf(name)).toBe(0);
  });

  test('within an event: the stream ends with an error, and what came is charged', async () => {
    const { status, text, tookMs } = await drip('stream');
    expect([status, text.includes('word'), text.includes('"error"'), text.includes('[DONE]')]).toEqual([200, true, true, false]);
    expect(tookMs).toBeLessThan(4 * timeoutMs);
    expect(await root.logs('type=2&model_name=drip-stream')).toMatchObject([{ model_name: 'drip-stream' }]);
    await expect.poll(() => openOf('stream')).toBe(0);
  });

  test.each(patient)('%s before the answer are a sign of life, however long they come', async (name) => {
    const { status = 0, text = '', tookMs } = (await told.get(name)) ?? {};
    expect(tookMs).toBeGreaterThan(2 * timeoutMs);
    expect([status, /word|Hello/.test(text)]).toEqual([200, true]);
  });
});

test('a caller who leaves while the upstream is still being connected pays nothing: nobody was asked', async () => {
  // Accepts, and never comes to an end with its handshake.
  const mute = new Set<Socket>();
  const server = createServer((socket) => {
    mute.add(socket.on('error', () => undefined));
  });
  const port = await listening(server);
  await root.setOption('ModelPrice', { mute: 0.002 });
  await addServing(root, { base_url: `https://127.0.0.1:${port}`, models: 'mute' });
  const before = await root.self();
  const leaving = new AbortController();
  const asked = ask(gateway, { model: 'mute', key, words: 'hello', stream: false, signal: leaving.signal });
  await expect.poll(() => mute.size).toBe(1);
  leaving.abort();
  await asked;
  const rows = () => root.logs('model_name=mute');
  await expect.poll(rows).toMatchObject([{ type: 5, quota: 0 }]);
  expect((await root.self()).quota).toBe(before.quota);
  for (const socket of mute) socket.destroy();
  server.close();
});
