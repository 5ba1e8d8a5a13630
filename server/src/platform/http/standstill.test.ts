import { Worker } from 'node:worker_threads';
import { expect, onTestFinished, test } from 'vitest';
import { createUpstreamClient, type UpstreamFault } from './client.ts';
import { createGuard } from './guard.ts';

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
  const client = createUpstreamClient({
    guard: createGuard({ allowPrivate: ['127.0.0.0/8'], rewrite: [] }),
    connectTimeoutMs: 60_000,
  });
  onTestFinished(async () => {
    client.close();
    await worker.terminate();
  });
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
          // Once a look has seen that nothing came since; behind it the timers are next, as when a stopped process goes on.
          if (body === 'a') setTimeout(() => setImmediate(standStill), 200);
        },
        end: () => resolve(body),
        fault: ({ message }: UpstreamFault) => resolve(message),
      },
    );
  });
  expect(outcome).toBe('ab');

  function standStill() {
    const sinceMs = performance.now();
    Atomics.store(told, 0, 1);
    Atomics.notify(told, 0);
    Atomics.wait(told, 1, 0);
    const idle = new Int32Array(new SharedArrayBuffer(4));
    Atomics.wait(idle, 0, 0, idleTimeoutMs + 500 - (performance.now() - sinceMs));
  }
});
