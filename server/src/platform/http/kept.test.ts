import { once } from 'node:events';
import { createServer } from 'node:http';
import net, { type Socket } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { listening } from '../../../test/listening.ts';
import { createKeptConnections } from './kept.ts';

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

test('what comes over a connection that was ended is not served: its answer could reach nobody', async () => {
  const kept = createKeptConnections();
  const seen: (string | undefined)[] = [];
  const sockets: Socket[] = [];
  const server = createServer((request, response) => {
    kept.serving(request, response);
    seen.push(request.url);
    response.end('answer');
  });
  server.on('connection', (socket: Socket) => {
    sockets.push(socket);
    kept.take(socket);
  });
  const port = await listening(server);
  closers.push(() => void server.close().closeAllConnections());
  const caller = net.connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  closers.push(() => caller.destroy());
  const ended = once(caller, 'end');
  caller.on('error', () => undefined);
  caller.write('GET /first HTTP/1.1\r\nhost: x\r\n\r\n');
  await once(caller, 'data');
  await expect.poll(() => kept.busy).toBe(0);
  kept.endIdle(0);
  caller.resume();
  await ended;
  caller.write('GET /late HTTP/1.1\r\nhost: x\r\n\r\n');
  await expect.poll(() => sockets[0]?.destroyed).toBe(true);
  expect(seen).toEqual(['/first']);
});
