import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { eventually } from '../support/wait.ts';
import { type ByteUpstream, startByteUpstream } from './streams/byte-upstream.ts';
import { bytesOf, split } from './streams/damage.ts';
import { callers } from './streams/dialects.ts';
import { measureMemory } from './streams/process-memory.ts';
import { type Column, columns, type Front, modelOf, numberedChannels, startFront } from './world.ts';

const stallMs = 1_500;
/** F-35: without back-pressure an endless answer would take gigabytes in this time; what the collector leaves lying is not the caller’s. */
const maxGrownMb = 64;

let upstream: ByteUpstream;
let front: Front;

beforeAll(async () => {
  upstream = await startByteUpstream();
  front = await startFront(upstream.url, numberedChannels(4), {
    env: { CLIENT_STALL_TIMEOUT_MS: String(stallMs), STREAM_PING_SECONDS: '1' },
  });
  await loadTokenizer();
});
afterAll(async () => {
  expect(await front.root.call('GET', '/api/ledger/proof')).toMatchObject({ ok: true });
  await front.stop();
  await upstream.close();
});

const word = 'word '.repeat(200);

/** An answer without an end, as fast as it is taken. */
function* endless(column: Column): Iterable<Buffer> {
  const { head, words } = split(column, 'word');
  yield Buffer.from('HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n');
  yield bytesOf([...head, ...words]);
  const piece = Buffer.from(bytesOf(split(column, 'word').words).toString('utf8').replace('word', word));
  for (;;) yield piece;
}

/** Asks, and reads nothing of the answer after its first bytes. */
async function askAndStop(column: Column, key: string): Promise<Socket> {
  const { path, body } = callers[column];
  const model = `${modelOf(column)}-0`;
  const { hostname, port } = new URL(front.gateway.url);
  const socket = connect(Number(port), hostname);
  socket.on('error', () => undefined);
  const text = JSON.stringify(body(model, true));
  const lines = [
    `POST ${path(model, true)} HTTP/1.1`,
    'host: a',
    `authorization: Bearer ${key}`,
    'content-type: application/json',
  ];
  socket.write([...lines, `content-length: ${Buffer.byteLength(text)}`, '', text].join('\r\n'));
  const [first] = (await once(socket, 'data')) as [Buffer];
  socket.pause();
  expect(first.toString('latin1', 0, 12)).toBe('HTTP/1.1 200');
  return socket;
}

/** The first answer whose tokens are counted loads the tables for it, 70 MB that stay: nothing that a slow caller holds. */
async function loadTokenizer(): Promise<void> {
  const { key } = await front.root.addToken({ name: 'first' });
  upstream.answer(endless('openai-chat'));
  const socket = await askAndStop('openai-chat', key);
  socket.destroy();
  await eventually(async () => expect(await front.root.logs('type=2&token_name=first')).toHaveLength(1));
}

describe.each(columns)('a caller of %s who takes nothing of its answer', (column) => {
  test('holds the upstream back, is cut off after its time, pays for what was produced and gives its place back', async () => {
    const { key } = await front.root.addToken({ name: `slow ${column}`, concurrency: 1 });
    upstream.answer(endless(column));
    const meter = await measureMemory(front.gateway.process.pid ?? 0);
    const startedMs = performance.now();
    const socket = await askAndStop(column, key);
    await eventually(() => expect(upstream.open).toBe(0), stallMs * 10);
    expect(performance.now() - startedMs).toBeGreaterThanOrEqual(stallMs * 0.9);
    await eventually(async () => {
      const [row] = await front.root.logs(`type=2&token_name=slow%20${column}`);
      expect(JSON.parse(row?.other ?? '{}')).toMatchObject({ cut: true });
      expect(row?.completion_tokens).toBeGreaterThan(1_000);
    });
    expect(await meter.grown()).toBeLessThan(maxGrownMb);
    // Its place is free.
    upstream.answer(endless(column));
    const next = await askAndStop(column, key);
    socket.destroy();
    next.destroy();
    await eventually(() => expect(upstream.open).toBe(0));
  });
});
