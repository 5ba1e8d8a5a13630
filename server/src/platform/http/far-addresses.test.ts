import { spawn } from 'node:child_process';
import { once } from 'node:events';
import net from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { createAskForSocket } from './ask-socket.ts';
import { createUpstreamClient, type UpstreamFault } from './client.ts';
import { createGuard } from './guard.ts';
import { createOpenSocket } from './websocket.ts';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** Stands still once its line is full: who connects then hears of it only after a second, as over a way that lost a packet. */
const slowToTake = `
const server = require('node:net').createServer((socket) => {
  socket.on('error', () => undefined).on('data', () => socket.end('HTTP/1.1 401 No\\r\\ncontent-length: 2\\r\\n\\r\\nok'));
});
server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
  require('node:fs').writeSync(1, String(server.address().port));
  process.stdin.once('data', () => {
    require('node:fs').writeSync(1, 'still');
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 900);
  });
});`;

async function startSlow(): Promise<number> {
  const child = spawn(process.execPath, ['-e', slowToTake], { stdio: ['pipe', 'pipe', 'inherit'] });
  closers.push(() => child.kill());
  const [port] = await once(child.stdout, 'data');
  child.stdin.write('x');
  await once(child.stdout, 'data');
  for (let index = 0; index < 4; index += 1) {
    const socket = net.connect(Number(port), '127.0.0.1').on('error', () => undefined);
    closers.push(() => socket.destroy());
  }
  await new Promise((resolve) => setTimeout(resolve, 50));
  return Number(port);
}

test.runIf(process.platform === 'linux')(
  'an address that is far away is waited for, where the other kind of address leads nowhere',
  async () => {
    const port = await startSlow();
    const addresses = [
      { address: '127.0.0.1', family: 4 },
      { address: '::1', family: 6 },
    ];
    const guard = createGuard({ allowPrivate: ['127.0.0.0/8', '::1/128'], rewrite: [] }, (_name, _options, callback) =>
      callback(null, addresses),
    );
    const parts = { guard, connectTimeoutMs: 5_000 };
    const client = createUpstreamClient(parts);
    closers.push(() => client.close());
    const place = { headers: {}, body: undefined, firstByteTimeoutMs: 5_000, idleTimeoutMs: 5_000 };
    const heard = (send: typeof client.send, scheme: string) =>
      new Promise<number | UpstreamFault>((resolve) => {
        const sink = { head: (status: number) => void resolve(status), data() {}, end() {}, fault: resolve };
        send({ ...place, url: new URL(`${scheme}://far.test:${port}/`), method: 'GET' }, sink);
      });
    const asked = createAskForSocket(parts)({
      ...{ url: new URL(`ws://far.test:${port}/`), headers: {}, proxy: undefined, connectTimeoutMs: undefined },
      signal: new AbortController().signal,
    });
    const statuses = [heard(client.send, 'http'), heard(createOpenSocket(parts), 'ws')];
    expect(await Promise.all(statuses)).toEqual([401, 401]);
    expect(await asked).toMatchObject({ kind: 'refused', status: 401 });
  },
);
