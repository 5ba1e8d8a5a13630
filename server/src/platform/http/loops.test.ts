import { createServer } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { listening } from '../../../test/listening.ts';
import { createCrypto } from '../crypto.ts';
import { createSocketDoor } from './accept-socket.ts';
import { createAskForSocket } from './ask-socket.ts';
import { createUpstreamClient } from './client.ts';
import { createGuard } from './guard.ts';
import { ownName, refuseLoopedSessions, refuseLoops } from './loops.ts';
import { serveNode } from './served-node.ts';
import { createOpenSocket } from './websocket.ts';

const nameOf = (byte: number) => ownName(createCrypto(Buffer.alloc(32, byte)));

test('what we sent ourselves is refused, and what others sent is served, with and without a proxy on its way', async () => {
  const name = nameOf(7);
  const serve = refuseLoops((_request, answer) => answer.whole(200, {}, 'served'), name);
  const server = createServer(serveNode(serve));
  const origin = `http://127.0.0.1:${await listening(server)}`;
  const guard = createGuard({ allowPrivate: ['127.0.0.0/8'], rewrite: [] });
  const ask = (via: string | undefined, headers: Record<string, string> = {}) =>
    new Promise<number>((resolve, reject) => {
      const client = createUpstreamClient({ guard, connectTimeoutMs: 1_000, ...(via === undefined ? {} : { via }) });
      const limits = { firstByteTimeoutMs: 1_000, idleTimeoutMs: 1_000 };
      let status = 0;
      client.send(
        { url: new URL(`${origin}/v1/models`), method: 'GET', headers, body: undefined, ...limits },
        {
          head(given) {
            status = given;
            return undefined;
          },
          data: () => undefined,
          end: () => void client.close().then(() => resolve(status)),
          fault: reject,
        },
      );
    });
  try {
    expect(await ask(name)).toBe(508);
    expect(await ask(name, { via: '1.1 proxy.example.com' })).toBe(508);
    expect(await ask(nameOf(8))).toBe(200);
    expect(await ask(undefined)).toBe(200);
    expect(await ask(undefined, { via: '1.1 proxy.example.com' })).toBe(200);
  } finally {
    server.close();
  }
});

test('a session, or a call over a socket, that leads back here is refused, by our name and by our port', async () => {
  const name = nameOf(7);
  const door = createSocketDoor({ subprotocol: 'realtime' });
  const server = createServer();
  const accept = refuseLoopedSessions((request, socket, head) => void door.accept(request, socket, head), name);
  server.on('upgrade', accept);
  const port = await listening(server);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = new URL(`ws://127.0.0.1:${port}/v1/realtime`);
  const allowPrivate = ['127.0.0.0/8'];
  const guard = createGuard({ allowPrivate, rewrite: [] });
  const { signal } = new AbortController();
  const request = { url, headers: {}, proxy: undefined, connectTimeoutMs: undefined, signal };
  const ask = (via: string | undefined, own = guard) =>
    createAskForSocket({ guard: own, connectTimeoutMs: 1_000, ...(via === undefined ? {} : { via }) })(request);

  const looped = await ask(name);
  expect(looped).toMatchObject({ kind: 'refused', status: 508 });
  if (looped.kind === 'refused') expect(JSON.parse(looped.body.toString())).toMatchObject({ error: { code: 'channel_loop' } });
  for (const via of [nameOf(8), undefined]) {
    const opened = await ask(via);
    if (opened.kind !== 'open') throw new Error('refused');
    opened.socket.terminate();
  }
  const closed = createGuard({ allowPrivate, rewrite: [], own: { host: '0.0.0.0', ports: [port] } });
  await expect(ask(undefined, closed)).rejects.toMatchObject({ kind: 'refused' });

  const status = await new Promise<number>((resolve, reject) => {
    const limits = { firstByteTimeoutMs: 1_000, idleTimeoutMs: 1_000 };
    createOpenSocket({ guard, connectTimeoutMs: 1_000, via: name })(
      { url, method: 'GET', headers: {}, body: undefined, ...limits },
      {
        head(given) {
          resolve(given);
          return undefined;
        },
        data: () => undefined,
        end: () => undefined,
        fault: reject,
      },
    );
  });
  expect(status).toBe(508);
});
