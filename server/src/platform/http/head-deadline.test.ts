import net, { type Socket } from 'node:net';
import { setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { listening } from '../../../test/listening.ts';
import { createUpstreamClient, type UpstreamFault } from './client.ts';
import { createGuard } from './guard.ts';

const timeoutMs = 400;
const dripMs = 60;

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] }));
afterEach(() => void vi.useRealTimers());

/** Sends `atOnce`, and what it is told to drip. */
async function startDripping(atOnce: string) {
  const begun = Promise.withResolvers<Socket>();
  const server = net.createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => socket.write(atOnce, () => begun.resolve(socket)));
  });
  const port = await listening(server);
  onTestFinished(async () => {
    (await begun.promise).destroy();
    server.close();
  });
  return { port, drip: async (text: string) => void (await begun.promise).write(text) };
}

interface Heard {
  status: number;
  body: string;
  isOver: boolean;
  fault: UpstreamFault | undefined;
}

function ask(port: number): Heard {
  const guard = createGuard({ allowPrivate: ['127.0.0.0/8'], rewrite: [] });
  const client = createUpstreamClient({ guard, connectTimeoutMs: 1_000 });
  onTestFinished(() => client.close());
  const url = new URL(`http://127.0.0.1:${port}/`);
  const times = { firstByteTimeoutMs: timeoutMs, idleTimeoutMs: timeoutMs };
  const heard: Heard = { status: 0, body: '', isOver: false, fault: undefined };
  client.send(
    { url, method: 'GET', headers: {}, body: undefined, ...times },
    {
      head: (code) => {
        heard.status = code;
        return undefined;
      },
      data: (chunk) => {
        heard.body += chunk.toString('latin1');
      },
      end: () => {
        heard.isOver = true;
      },
      fault: (fault) => {
        heard.fault = fault;
      },
    },
  );
  return heard;
}

test('a head that drips is as late as one that does not come', async () => {
  const { port, drip } = await startDripping('HTTP/1.1 200 OK\r\nx: ');
  const heard = ask(port);
  for (let passedMs = 0; passedMs < 2 * timeoutMs; passedMs += dripMs) {
    await drip('y');
    // It has been read by then.
    for (let turns = 0; turns < 5; turns += 1) await turn();
    vi.advanceTimersByTime(dripMs);
  }
  expect(heard).toMatchObject({ status: 0, fault: { kind: 'timeout' } });
});

test('a body that drips is not silent', async () => {
  const { port, drip } = await startDripping('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n');
  const heard = ask(port);
  await expect.poll(() => heard.status).toBe(200);
  for (const byte of 'patiently') {
    vi.advanceTimersByTime(dripMs);
    const known = heard.body;
    await drip(byte);
    await expect.poll(() => heard.body).toBe(known + byte);
  }
  expect(heard).toEqual({ status: 200, body: 'patiently', isOver: true, fault: undefined });
});
