import net, { type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { listening } from '../../../test/listening.ts';
import { createUpstreamClient, type UpstreamFault } from './client.ts';
import { createGuard } from './guard.ts';

const timeoutMs = 400;
const dripMs = 60;

/** Sends `text` byte by byte behind what comes at once. */
async function startDripping(atOnce: string, text: string): Promise<number> {
  const open = new Set<Socket>();
  const server = net.createServer((socket) => {
    open.add(socket);
    socket.on('error', () => undefined);
    socket.once('data', () => {
      socket.write(atOnce);
      const left = [...text];
      const timer = setInterval(() => socket.write(left.shift() ?? ''), dripMs);
      socket.once('close', () => clearInterval(timer));
    });
  });
  onTestFinished(() => {
    for (const socket of open) socket.destroy();
    server.close();
  });
  return listening(server);
}

async function ask(port: number): Promise<{ status: number; body: string; fault: UpstreamFault | undefined }> {
  const guard = createGuard({ allowPrivate: ['127.0.0.0/8'], rewrite: [] });
  const client = createUpstreamClient({ guard, connectTimeoutMs: 1_000 });
  onTestFinished(() => client.close());
  const url = new URL(`http://127.0.0.1:${port}/`);
  const times = { firstByteTimeoutMs: timeoutMs, idleTimeoutMs: timeoutMs };
  return new Promise((resolve) => {
    let [status, body] = [0, ''];
    client.send(
      { url, method: 'GET', headers: {}, body: undefined, ...times },
      {
        head: (code) => {
          status = code;
          return undefined;
        },
        data: (chunk) => {
          body += chunk.toString('latin1');
        },
        end: () => resolve({ status, body, fault: undefined }),
        fault: (fault) => resolve({ status, body, fault }),
      },
    );
  });
}

test('a head that drips is as late as one that does not come', async () => {
  const port = await startDripping('HTTP/1.1 200 OK\r\nx: ', 'y'.repeat(1_000));
  expect(await ask(port)).toMatchObject({ status: 0, fault: { kind: 'timeout' } });
});

test('a body that drips is not silent', async () => {
  const port = await startDripping('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n', 'patiently');
  expect(await ask(port)).toEqual({ status: 200, body: 'patiently', fault: undefined });
});
