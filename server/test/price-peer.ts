import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';
import type { KitOptions } from './api-kit.ts';

/** Another gateway whose prices can be asked for, reached as prices.example; gone after the test. */
export async function newPeer(answer: (path: string) => { status?: number; body: string } | undefined): Promise<KitOptions> {
  const server = createServer((request, response) => {
    const said = answer(request.url ?? '');
    if (said !== undefined) response.writeHead(said.status ?? 200, { 'Content-Type': 'application/json' }).end(said.body);
  });
  onTestFinished(() => server.closeAllConnections());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { rewrite: [`prices.example=http://127.0.0.1:${(server.address() as AddressInfo).port}`] };
}
