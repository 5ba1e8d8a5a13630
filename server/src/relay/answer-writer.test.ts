import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import net from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { createAnswerWriter } from './answer-writer.ts';

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** Everything that comes back for these request lines on one connection, until the server ends it. */
async function exchange(requests: string, answer: (response: ServerResponse, path: string) => void): Promise<string> {
  const server = createServer((request, response) => answer(response, request.url ?? ''));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(() => void server.close().closeAllConnections());
  const address = server.address();
  const socket = net.connect(typeof address === 'object' && address !== null ? address.port : 0, '127.0.0.1');
  let text = '';
  socket.on('data', (bytes) => {
    text += bytes.toString('latin1');
  });
  socket.write(requests);
  await once(socket, 'close');
  return text;
}

function bodyOf(text: string): string {
  return text.slice(text.indexOf('\r\n\r\n') + 4);
}

const parts = ['data: a\n\n', Buffer.from('data: \u00e9\n\n'), '', 'x'.repeat(20_000), Buffer.from([0, 255, 13, 10]), 'y'];
const frames = parts
  .map((part) => Buffer.from(part).toString('latin1'))
  .filter((part) => part !== '')
  .map((part) => `${part.length.toString(16)}\r\n${part}\r\n`);

function stream(response: ServerResponse) {
  const writer = createAnswerWriter(response);
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  for (const part of parts) writer.write(part);
  setImmediate(() => {
    for (const part of parts) writer.write(part);
    response.end('end');
  });
}

test('a stream arrives in its frames, in order, within one turn and over several', async () => {
  const text = await exchange('GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n', stream);
  expect(text).toMatch(/transfer-encoding: chunked/i);
  expect(bodyOf(text)).toBe(`${frames.join('')}${frames.join('')}3\r\nend\r\n0\r\n\r\n`);
});

test('a caller of the old protocol gets the bytes without frames', async () => {
  const text = await exchange('GET / HTTP/1.0\r\n\r\n', stream);
  const all = parts.map((part) => Buffer.from(part).toString('latin1')).join('');
  expect(bodyOf(text)).toBe(`${all}${all}end`);
});

test('streams that were asked for at once on one connection do not mix', async () => {
  const request = (path: string, more = '') => `GET ${path} HTTP/1.1\r\nhost: x\r\n${more}\r\n`;
  const text = await exchange(request('/1') + request('/2', 'connection: close\r\n'), (response, path) => {
    const writer = createAnswerWriter(response);
    response.writeHead(200);
    // The second one begins first and must wait.
    const turns = path === '/1' ? 6 : 2;
    let turn = 0;
    const step = () => {
      writer.write(`${path}.${turn};`);
      turn += 1;
      if (turn < turns) setImmediate(step);
      else response.end();
    };
    setImmediate(step);
  });
  const content = text.replaceAll(/HTTP\/1\.1 200 OK\r\n[\s\S]*?\r\n\r\n/g, '|').replaceAll(/[0-9a-f]+\r\n|\r\n/g, '');
  expect(content).toBe('|/1.0;/1.1;/1.2;/1.3;/1.4;/1.5;|/2.0;/2.1;');
});

test('a whole answer keeps every byte, with its length', async () => {
  const body = Buffer.from(Array.from({ length: 256 }, (_, index) => index));
  for (const [sent, length] of [
    [body, 256],
    [Buffer.concat(Array(100).fill(body)), 25_600],
    ['\u00e9\u4e2d', 5],
  ] as const) {
    const text = await exchange('GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n', (response) =>
      createAnswerWriter(response).whole(200, { 'content-type': 'text/plain' }, sent),
    );
    expect(text).toContain(`content-length: ${length}\r\n`);
    expect(bodyOf(text)).toBe(Buffer.from(sent).toString('latin1'));
  }
});

test('a slow caller is told, and its reading on is heard once', async () => {
  let drained = 0;
  const server = createServer((_, response) => {
    const writer = createAnswerWriter(response);
    response.writeHead(200);
    const block = Buffer.alloc(16_000, 'x');
    let size = 0;
    while (writer.write(block) || size === 0) size += block.length;
    writer.onDrain(() => {
      drained += 1;
      response.end();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closers.push(() => void server.close().closeAllConnections());
  const address = server.address();
  const socket = net.connect(typeof address === 'object' && address !== null ? address.port : 0, '127.0.0.1');
  socket.write('GET / HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
  socket.resume();
  await once(socket, 'close');
  expect(drained).toBe(1);
});
