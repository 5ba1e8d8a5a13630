import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, test } from 'vitest';
import { createCrypto } from '../crypto.ts';
import { createUpstreamClient } from './client.ts';
import { createGuard } from './guard.ts';
import { ownName, refuseLoops } from './loops.ts';
import { serveNode } from './served-node.ts';

const nameOf = (byte: number) => ownName(createCrypto(Buffer.alloc(32, byte)));

test('what we sent ourselves is refused, and what others sent is served, with and without a proxy on its way', async () => {
  const name = nameOf(7);
  const serve = refuseLoops((_request, answer) => answer.whole(200, {}, 'served'), name);
  const server = createServer(serveNode(serve)).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
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
