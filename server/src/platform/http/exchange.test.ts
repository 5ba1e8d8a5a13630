import net, { type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { listening } from '../../../test/listening.ts';
import { createUpstreamClient, type UpstreamFault, type UpstreamSink } from './client.ts';
import { createGuard } from './guard.ts';

const whole = 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\nx';
const untilClose = 'HTTP/1.1 200 OK\r\n\r\nx';

test.each([
  ['of a known length', (socket: Socket) => socket.write(whole)],
  ['that ends with its connection', (socket: Socket) => socket.end(untilClose)],
])('who fails over an answer %s is told so, and nobody else is', async (_, answer) => {
  const server = net.createServer((socket) => socket.on('error', () => undefined).on('data', () => answer(socket)));
  const port = await listening(server);
  const client = createUpstreamClient({
    guard: createGuard({ allowPrivate: ['127.0.0.0/8'], rewrite: [] }),
    connectTimeoutMs: 1_000,
  });
  onTestFinished(() => {
    client.close();
    server.close();
  });
  const ask = (end: (told: (outcome: string) => void) => void) =>
    new Promise<string>((resolve) => {
      const sink: UpstreamSink = {
        ...{ head: () => undefined, data: () => undefined, end: () => end(resolve) },
        fault: ({ message }: UpstreamFault) => resolve(message),
      };
      const times = { firstByteTimeoutMs: 5_000, idleTimeoutMs: 5_000 };
      client.send({ url: new URL(`http://127.0.0.1:${port}/`), method: 'GET', headers: {}, body: undefined, ...times }, sink);
    });
  const failed = ask(() => {
    throw new TypeError('a defect');
  });
  expect(await failed).toBe('a defect');
  expect(await ask((told) => told('answered'))).toBe('answered');
});
