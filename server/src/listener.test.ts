import { once } from 'node:events';
import net from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createListener, type Handler } from './listener.ts';

const healthy: Handler = (_, response) => void response.writeHead(200, { 'content-length': 2 }).end('ok');

/** The port of a front that answers one path. */
async function start(): Promise<number> {
  const listener = createListener({
    ...{ relay: () => undefined, isRelayPath: () => false, upgrade: () => undefined, isSocketPath: () => false },
    ...{ watch: () => undefined, health: healthy, isHealthPath: (path: string) => path === '/healthz' },
    ...{ streamCheck: healthy, streamCheckPath: '', api: healthy, files: healthy },
  });
  onTestFinished(() => {
    listener.close();
    listener.closeAll();
  });
  return listener.listen(0, '127.0.0.1', false);
}

test('a connection of HTTP/1.0 carries one request, whatever it asks for (R-54)', async () => {
  const socket = net.connect(await start(), '127.0.0.1');
  let text = '';
  socket.on('data', (bytes) => {
    text += bytes.toString('latin1');
  });
  socket.write('GET /healthz HTTP/1.0\r\nconnection: keep-alive\r\n\r\n');
  await once(socket, 'close');
  expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*connection: close\r\n[\s\S]*ok$/i);
});
