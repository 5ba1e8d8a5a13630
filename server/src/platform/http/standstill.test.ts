import { createServer } from 'node:http';
import { Worker } from 'node:worker_threads';
import { expect, onTestFinished, test, vi } from 'vitest';
import { listening } from '../../../test/listening.ts';
import { createUpstreamClient, type UpstreamFault } from './client.ts';
import { Connection } from './connection.ts';
import { createGuard } from './guard.ts';

/** When a connection is looked at next; `stoodMs`: behind a standstill of so long. */
function looked(stoodMs = 0): Promise<void> {
  const look = vi.spyOn(Connection.prototype, 'tick');
  return vi.waitFor(() => expect(look.mock.calls.some(([, stood]) => stood >= stoodMs)).toBe(true), {
    timeout: 10_000,
    interval: 10,
  });
}

function standStillFor(ms: number) {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

function startClient() {
  const guard = createGuard({ allowPrivate: ['127.0.0.0/8'], rewrite: [] });
  const client = createUpstreamClient({ guard, connectTimeoutMs: 60_000 });
  onTestFinished(() => client.close());
  return client;
}

/** Answers from a thread of its own, half at once and the rest when it is told to. */
const peer = `
const { parentPort, workerData } = require('node:worker_threads');
const told = new Int32Array(workerData);
const server = require('node:net').createServer((socket) => {
  socket.on('error', () => undefined);
  socket.once('data', () => socket.write('HTTP/1.1 200 OK\\r\\ncontent-length: 2\\r\\n\\r\\na', () => {
    Atomics.wait(told, 0, 0);
    socket.write('b', () => {
      Atomics.store(told, 1, 1);
      Atomics.notify(told, 1);
    });
  }));
}).listen(0, '127.0.0.1', () => parentPort.postMessage(server.address().port));
`;

test('who stands still takes that for no silence of the upstream: what it said meanwhile is read first', async () => {
  const told = new Int32Array(new SharedArrayBuffer(8));
  const worker = new Worker(peer, { eval: true, workerData: told.buffer });
  const client = startClient();
  onTestFinished(() => void worker.terminate());
  const port = await new Promise<number>((resolve) => worker.once('message', resolve));
  const idleTimeoutMs = 1_500;
  let body = '';
  const outcome = await new Promise<string>((resolve) => {
    client.send(
      {
        ...{ url: new URL(`http://127.0.0.1:${port}/`), method: 'POST', headers: {}, body: undefined },
        ...{ firstByteTimeoutMs: 60_000, idleTimeoutMs },
      },
      {
        head: () => undefined,
        data: (chunk) => {
          body += chunk.toString();
          if (body === 'a') void heard();
        },
        end: () => resolve(body),
        fault: ({ message }: UpstreamFault) => resolve(message),
      },
    );
  });
  expect(outcome).toBe('ab');

  /** A look has seen that nothing came since. Behind a standstill the timers are next, as when a stopped process goes on. */
  async function heard() {
    await looked();
    setImmediate(standStill);
  }

  function standStill() {
    const sinceMs = performance.now();
    Atomics.store(told, 0, 1);
    Atomics.notify(told, 0);
    Atomics.wait(told, 1, 0);
    standStillFor(idleTimeoutMs + 500 - (performance.now() - sinceMs));
  }
});

test('a connection that nobody used before a standstill serves nothing behind it: its server may have ended it', async () => {
  let connections = 0;
  const server = createServer((_, response) => void response.end('x')).on('connection', () => {
    connections += 1;
  });
  const port = await listening(server);
  const client = startClient();
  onTestFinished(() => void server.close());
  const ask = () =>
    new Promise<void>((resolve, reject) => {
      const sink = { head: () => undefined, data: () => undefined, end: resolve, fault: reject };
      const times = { firstByteTimeoutMs: 60_000, idleTimeoutMs: 60_000 };
      client.send({ url: new URL(`http://127.0.0.1:${port}/`), method: 'POST', headers: {}, body: undefined, ...times }, sink);
    });
  await ask();
  const behind = looked(1);
  standStillFor(1_500);
  await behind;
  await ask();
  expect(connections).toBe(2);
});
