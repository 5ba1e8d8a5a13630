import { once } from 'node:events';
import { connect, createServer, type Socket } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { listening } from '../../../test/listening.ts';
import { createSlowReaders } from './slow-readers.ts';

/** Longer than the system takes to ask anew after a lost packet, which busy machines lose on loopback too. */
const stallMs = 1_000;
/** More than the system's buffers take. */
const muchBytes = 32 * 1024 * 1024;

/** Both ends of a connection that is watched. */
async function pair(): Promise<{ ours: Socket; peer: Socket }> {
  const readers = createSlowReaders(stallMs);
  const server = createServer();
  const port = await listening(server);
  const peer = connect(port, '127.0.0.1');
  const [ours] = (await once(server, 'connection')) as [Socket];
  for (const socket of [ours, peer]) socket.on('error', () => undefined);
  readers.watch(ours);
  onTestFinished(() => {
    peer.destroy();
    ours.destroy();
    server.close();
  });
  return { ours, peer };
}

test('a peer that takes nothing of what waits for it is cut off, not before its time and not long after', async () => {
  const { ours, peer } = await pair();
  peer.pause();
  const startedMs = performance.now();
  ours.write(Buffer.alloc(muchBytes));
  await once(ours, 'close');
  const tookMs = performance.now() - startedMs;
  expect(tookMs).toBeGreaterThanOrEqual(stallMs);
  expect(tookMs).toBeLessThan(stallMs * 10);
});

test('a peer that reads slowly gets everything, however long it takes, also in one large piece', async () => {
  const { ours, peer } = await pair();
  const startedMs = performance.now();
  ours.end(Buffer.alloc(muchBytes));
  let got = 0;
  // A piece at a time, with a rest well below the limit after each.
  peer.on('data', (chunk: Buffer) => {
    const before = Math.floor(got / (4 * 1024 * 1024));
    got += chunk.length;
    if (Math.floor(got / (4 * 1024 * 1024)) === before) return;
    peer.pause();
    void setTimeout(stallMs / 4).then(() => peer.resume());
  });
  await once(peer, 'end');
  expect(got).toBe(muchBytes);
  expect(performance.now() - startedMs).toBeGreaterThan(stallMs);
});

test('a peer that takes less than is written keeps its connection', async () => {
  const { ours, peer } = await pair();
  peer.pause();
  ours.write(Buffer.alloc(muchBytes));
  for (let turn = 0; turn < 12; turn += 1) {
    await setTimeout(stallMs / 4);
    ours.write(Buffer.alloc(8 * 1024 * 1024));
    const wanted = peer.bytesRead + 4 * 1024 * 1024;
    peer.resume();
    while (!peer.closed && peer.bytesRead < wanted) await Promise.race([once(peer, 'data'), once(peer, 'close')]);
    peer.pause();
  }
  expect(ours.destroyed).toBe(false);
});

test('a peer is not blamed for a time in which the process itself stood still', async () => {
  const { ours, peer } = await pair();
  peer.pause();
  ours.end(Buffer.alloc(muchBytes));
  await setTimeout(stallMs / 4);
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, stallMs * 1.5);
  let got = 0;
  peer.on('data', (chunk: Buffer) => {
    got += chunk.length;
  });
  peer.resume();
  await once(peer, 'end');
  expect(got).toBe(muchBytes);
});

test('a connection on which nothing waits is left alone', async () => {
  const { ours, peer } = await pair();
  const other = await pair();
  ours.write('hello');
  peer.resume();
  other.peer.pause();
  other.ours.write(Buffer.alloc(muchBytes));
  await once(other.ours, 'close');
  expect(ours.destroyed).toBe(false);
});
