import { createServer } from 'node:http';
import { onTestFinished } from 'vitest';
import type { KitOptions } from './api-kit.ts';
import { listening } from './listening.ts';

/** Another gateway whose prices can be asked for, reached as prices.example; gone after the test. */
export async function newPeer(answer: (path: string) => { status?: number; body: string } | undefined): Promise<KitOptions> {
  const server = createServer((request, response) => {
    const said = answer(request.url ?? '');
    if (said !== undefined) response.writeHead(said.status ?? 200, { 'Content-Type': 'application/json' }).end(said.body);
  });
  onTestFinished(() => server.closeAllConnections());
  const port = await listening(server);
  return { rewrite: [`prices.example=http://127.0.0.1:${port}`] };
}
