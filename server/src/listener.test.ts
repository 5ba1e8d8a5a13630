import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import net from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { createListener, type Handler } from './listener.ts';
import { createDeadline } from './platform/deadline.ts';
import { listening } from './platform/listening.ts';

const healthy: Handler = (_, response) => void response.writeHead(200, { 'content-length': 2 }).end('ok');

const refused: Handler = (_, response) => void response.writeHead(405, { 'content-length': 0 }).end();

const large = Buffer.alloc(32 * 1024 * 1024, 'x');

/** A front that answers one path, and calls at length. */
function create(api = healthy) {
  const listener = createListener({
    ...{ relay: (_, answer) => answer.whole(200, {}, large), isRelayPath: (path: string) => path === '/v1/x' },
    ...{ upgrade: () => undefined, isSocketPath: () => false },
    ...{ watch: () => undefined, health: healthy, isHealthPath: (path: string) => path === '/healthz' },
    ...{ streamCheck: healthy, streamCheckPath: '', api, files: refused },
  });
  onTestFinished(() => {
    listener.close();
    listener.closeAll();
  });
  return listener;
}

async function start(api = healthy) {
  const listener = create(api);
  return { listener, port: await listener.listen(0, '127.0.0.1', false) };
}

test('a start that cannot listen says which variable, and what to do', async () => {
  const { port } = await start();
  const said = (at: number, host: string) => create().listen(at, host, false).catch(String);
  expect(await said(port, '127.0.0.1')).toMatch(new RegExp(`^Error: PORT=${port}: .*EADDRINUSE.* choose another port$`));
  expect(await said(0, '192.0.2.1')).toMatch(/^Error: PORT=0: .*EADDRNOTAVAIL.* correct HOST$/);
});

test('a connection of HTTP/1.0 carries one request, whatever it asks for (R-54)', async () => {
  const { port } = await start();
  const socket = net.connect(port, '127.0.0.1');
  let text = '';
  socket.on('data', (bytes) => {
    text += bytes.toString('latin1');
  });
  socket.write('GET /healthz HTTP/1.0\r\nconnection: keep-alive\r\n\r\n');
  await once(socket, 'close');
  expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*connection: close\r\n[\s\S]*ok$/i);
});

test('at the end an answer still reaches a caller who reads it slowly, on the short way too', async () => {
  for (const head of ['content-length: 0', 'content-length: 0\r\nconnection: close']) {
    const { listener, port } = await start();
    const socket = net.connect(port, '127.0.0.1');
    const closed = once(socket, 'close');
    socket.write(`POST /v1/x HTTP/1.1\r\nhost: x\r\n${head}\r\n\r\n`);
    let size = 0;
    socket.on('data', (bytes) => {
      if (size === 0) socket.pause();
      size += bytes.length;
    });
    await once(socket, 'data');
    listener.close();
    socket.resume();
    await listener.finished(() => 20_000);
    listener.closeAll();
    await closed;
    expect(size).toBeGreaterThan(large.length);
  }
});

test('at the end an answer that takes its time has all that is left, and what is left may become less', async () => {
  const answers: ServerResponse[] = [];
  const { listener, port } = await start((_, response) => void answers.push(response.writeHead(200)));
  for (const isCut of [false, true]) {
    const socket = net.connect(port, '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    socket.write('GET /api/x HTTP/1.1\r\nhost: x\r\n\r\n');
    await expect.poll(() => answers).toHaveLength(1);
    const { leftMs, bringForward } = createDeadline(60_000);
    let looks = 0;
    const finished = listener.finished(() => {
      looks += 1;
      return leftMs();
    });
    await expect.poll(() => looks).toBeGreaterThan(1);
    if (isCut) bringForward(0);
    else answers.pop()?.end('done');
    await finished;
    expect(answers).toHaveLength(isCut ? 1 : 0);
  }
});

test('a target with its host in it is what it is without (RFC 9112, 3.2.2)', async () => {
  const { port } = await start();
  for (const [target, method] of [
    [`http://127.0.0.1:${port}/healthz`, 'GET'],
    ['HTTP://gateway.example/healthz?x=http://y', 'GET'],
    ['https://gateway.example/v1/x', 'POST'],
  ]) {
    const socket = net.connect(port, '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    socket.write(`${method} ${target} HTTP/1.1\r\nhost: gateway.example\r\ncontent-length: 0\r\n\r\n`);
    const [bytes] = (await once(socket, 'data')) as [Buffer];
    expect(bytes.toString('latin1')).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    if (method === 'POST') expect(bytes.toString('latin1')).toContain('content-length: 33554432');
  }
});

test('a limit on open files that is too low is not blamed on the port', async () => {
  const server = new net.Server();
  const fault = Object.assign(new Error('listen EMFILE: too many open files'), { code: 'EMFILE' });
  server.listen = () => {
    queueMicrotask(() => server.emit('error', fault));
    return server;
  };
  await expect(listening(server, { port: 80 }, 'PORT')).rejects.toThrow(/^PORT=80: listen EMFILE.*\. .*raise its limit/);
});
