import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import net, { type Socket } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { listening } from '../../../test/listening.ts';
import { createLane } from './lane.ts';
import type { Answer, Serve } from './served.ts';
import { serveNode } from './served-node.ts';

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

/** The two ways in which a connection is read and answered. */
const ways: [name: string, make: (serve: Serve) => Server][] = [
  ['the general server', (serve) => createServer(serveNode(serve))],
  ['the short way', throughLane],
];

function throughLane(serve: Serve): Server {
  const server = createServer((_, response) => response.writeHead(599).end());
  const [general] = server.listeners('connection') as ((socket: Socket) => void)[];
  const lane = createLane({ serve, isServed: () => true, handOver: (socket) => general?.call(server, socket) });
  closers.push(lane.closeAll);
  return server.removeAllListeners('connection').on('connection', lane.take);
}

async function listen(server: Server): Promise<number> {
  const port = await listening(server);
  closers.push(() => void server.close().closeAllConnections());
  return port;
}

const lastFrame = /\r\n0\r\n\r\n/;
const post = (path = '/') => `POST ${path} HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n`;

function bodyOf(text: string): string {
  return text.slice(text.indexOf('\r\n\r\n') + 4);
}

/** One digit, two, three, four. */
const lengths = [1, 15, 16, 255, 256, 4095, 4096, 16_384, 20_000];
const edges = lengths.map((length) => 'x'.repeat(length));
const parts = ['data: a\n\n', Buffer.from('data: \u00e9\n\n'), '', ...edges, Buffer.from([0, 255, 13, 10]), 'y'];
const frames = parts
  .map((part) => Buffer.from(part).toString('latin1'))
  .filter((part) => part !== '')
  .map((part) => `${part.length.toString(16)}\r\n${part}\r\n`);

function stream(writer: Answer) {
  writer.head(200, { 'content-type': 'text/event-stream' });
  for (const part of parts) writer.write(part);
  setImmediate(() => {
    for (const part of parts) writer.write(part);
    writer.end('end');
  });
}

describe.each(ways)('%s', (_, make) => {
  /** What comes back for these requests on one connection, until it matches `whole`. */
  async function exchange(requests: string, whole: RegExp, answer: (answer: Answer, path: string) => void): Promise<string> {
    const port = await listen(make((request, response) => answer(response, request.url)));
    const socket = net.connect(port, '127.0.0.1');
    let text = '';
    socket.on('data', (bytes) => {
      text += bytes.toString('latin1');
      if (whole.test(text)) socket.destroy();
    });
    socket.write(requests);
    await once(socket, 'close');
    return text;
  }

  test('a stream arrives in its frames, in order, within one turn and over several', async () => {
    const text = await exchange(post(), lastFrame, stream);
    expect(text).toMatch(/transfer-encoding: chunked/i);
    expect(bodyOf(text)).toBe(`${frames.join('')}${frames.join('')}3\r\nend\r\n0\r\n\r\n`);
  });

  test('parts that take the passage, where there is one, stand among the others', async () => {
    const sent = ['a', 'b'.repeat(300), 'c'.repeat(5_000), 'd'];
    const text = await exchange(post(), lastFrame, (writer) => {
      expect(writer.passage()).toBeUndefined();
      writer.head(200, {});
      for (const part of sent) {
        const chunk = writer.passage()?.chunk(Buffer.from(`x${part}x`), 1, 1 + part.length);
        if (chunk === undefined) writer.write(part);
        writer.write('|');
      }
      writer.end();
      expect(writer.passage()).toBeUndefined();
    });
    const framesOf = (part: string) => `${part.length.toString(16)}\r\n${part}\r\n`;
    expect(bodyOf(text)).toBe(`${sent.map((part) => framesOf(part) + framesOf('|')).join('')}0\r\n\r\n`);
  });

  test('streams that were asked for at once on one connection do not mix', async () => {
    const text = await exchange(post('/1') + post('/2'), /\r\n0\r\n\r\n[\s\S]*\r\n0\r\n\r\n/, (writer, path) => {
      writer.head(200, {});
      // The second one begins first and must wait.
      const turns = path === '/1' ? 6 : 2;
      let turn = 0;
      const step = () => {
        writer.write(`${path}.${turn};`);
        turn += 1;
        if (turn < turns) setImmediate(step);
        else writer.end();
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
      const text = await exchange(post(), new RegExp(`\r\n\r\n[\\s\\S]{${length}}`), (writer) =>
        writer.whole(200, { 'content-type': 'text/plain' }, sent),
      );
      expect(text).toContain(`content-length: ${length}\r\n`);
      expect(bodyOf(text)).toBe(Buffer.from(sent).toString('latin1'));
    }
  });

  test('a slow caller is told, and its reading on is heard once', async () => {
    let drained = 0;
    const port = await listen(
      make((_, writer) => {
        writer.head(200, {});
        const block = Buffer.alloc(16_000, 'x');
        let size = 0;
        while (writer.write(block) || size === 0) size += block.length;
        writer.onDrain(() => {
          drained += 1;
          writer.end();
        });
      }),
    );
    const socket = net.connect(port, '127.0.0.1');
    let text = '';
    socket.on('data', (bytes) => {
      text = (text + bytes.toString('latin1')).slice(-100);
      if (lastFrame.test(text)) socket.destroy();
    });
    socket.write(post());
    await once(socket, 'close');
    expect(drained).toBe(1);
  });

  test.each([
    ['reads it all', (socket: Socket) => socket.resume()],
    ['leaves', (socket: Socket) => socket.destroy()],
  ])('a large answer is taken when its caller %s, once, and not before', async (_how, go) => {
    let taken = 0;
    const isWritten = Promise.withResolvers<void>();
    const port = await listen(
      make((_request, writer) => {
        writer.whole(200, {}, Buffer.alloc(32_000_000, 'x'));
        writer.onTaken(() => (taken += 1));
        isWritten.resolve();
      }),
    );
    const socket = net.connect(port, '127.0.0.1').pause();
    const closed = once(socket, 'close');
    socket.write(post());
    await isWritten.promise;
    await new Promise((resolve) => setImmediate(resolve));
    expect(taken).toBe(0);
    go(socket);
    await expect.poll(() => taken).toBe(1);
    socket.destroy();
    await closed;
    expect(taken).toBe(1);
  });

  test('a small answer is taken at once, or as soon as it has gone out', async () => {
    let taken = 0;
    const text = await exchange(post(), /small$/, (writer) => {
      writer.whole(200, {}, 'small');
      writer.onTaken(() => (taken += 1));
    });
    expect(bodyOf(text)).toBe('small');
    await expect.poll(() => taken).toBe(1);
  });

  test('a caller who leaves is noticed once, and nothing breaks that is written afterwards', async () => {
    const left = new Promise<Answer>((resolve) => {
      void listen(
        make((_, writer) => {
          writer.head(200, {});
          writer.write('x');
          writer.onGone(() => resolve(writer));
        }),
      ).then((port) => {
        const socket = net.connect(port, '127.0.0.1');
        socket.write(post());
        socket.once('data', () => socket.destroy());
      });
    });
    const writer = await left;
    expect(writer).toMatchObject({ gone: true, headSent: true });
    writer.write('y');
    writer.end('z');
  });

  test('a header that would begin another line is not sent', async () => {
    const text = await exchange(post(), /no$/, (writer) => {
      expect(() => writer.whole(200, { 'x-a': 'b\r\nset-cookie: c' }, '')).toThrow();
      writer.whole(500, {}, 'no');
    });
    expect(text).not.toContain('set-cookie');
    expect(bodyOf(text)).toBe('no');
  });
});

test('a caller of the old protocol gets the bytes without frames', async () => {
  const port = await listen(createServer(serveNode((_, answer) => stream(answer))));
  const socket = net.connect(port, '127.0.0.1');
  const pieces: Buffer[] = [];
  socket.on('data', (bytes) => pieces.push(bytes));
  socket.write('GET / HTTP/1.0\r\n\r\n');
  await once(socket, 'close');
  const all = parts.map((part) => Buffer.from(part).toString('latin1')).join('');
  expect(bodyOf(Buffer.concat(pieces).toString('latin1'))).toBe(`${all}${all}end`);
});
