import { once } from 'node:events';
import { createServer } from 'node:http';
import net, { type Socket } from 'node:net';
import * as fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { listening } from '../../../test/listening.ts';
import { createLane, type LaneTimes } from './lane.ts';
import { readLaneHead } from './lane-head.ts';
import type { Answer, ServedRequest } from './served.ts';
import { serveNode } from './served-node.ts';

const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0).reverse()) close();
});

interface Seen {
  readonly way: 'lane' | 'general';
  readonly url: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/** But for the length, which the body says. */
function headersOf({ headers: { 'content-length': _, ...others } }: ServedRequest): Seen['headers'] {
  return others;
}

type Act = (answer: Answer, seen: Seen) => void;
const usual: Act = (answer, { way, url, body }) => answer.whole(200, { 'content-type': 'text/plain' }, `${way} ${url} ${body}`);

/** A server with the short way in front, which answers every request by `act`. */
async function start(act: Act = usual, times?: LaneTimes) {
  const seen: Seen[] = [];
  let handedOver = 0;
  const sockets: Socket[] = [];
  const serve = (way: Seen['way']) => async (request: ServedRequest, answer: Answer) => {
    const bytes = await Promise.resolve(request.body(1_000_000)).catch(() => undefined);
    if (bytes === undefined) return;
    const one = { way, url: request.url, headers: headersOf(request), body: bytes.toString('latin1') };
    seen.push(one);
    act(answer, one);
  };
  const server = createServer(serveNode(serve('general')));
  const [general] = server.listeners('connection') as ((socket: Socket) => void)[];
  const lane = createLane({
    serve: serve('lane'),
    isServed: (path) => path.startsWith('/v1'),
    handOver(socket) {
      handedOver += 1;
      general?.call(server, socket);
    },
    ...(times === undefined ? {} : { times }),
  });
  server
    .removeAllListeners('connection')
    .on('connection', lane.take)
    .on('connection', (socket: Socket) => sockets.push(socket));
  const port = await listening(server);
  closers.push(() => {
    lane.closeAll();
    server.close().closeAllConnections();
  });
  return {
    port,
    seen,
    lane,
    sockets,
    handedOver: () => handedOver,
  };
}

interface Client {
  readonly socket: Socket;
  text(): string;
  /** Waits until so much has come. */
  until(shape: RegExp): Promise<void>;
  closed: Promise<unknown>;
}

function connect(port: number): Client {
  const socket = net.connect(port, '127.0.0.1');
  closers.push(() => socket.destroy());
  socket.setNoDelay(true);
  socket.on('error', () => undefined);
  let text = '';
  let look: (() => void) | undefined;
  socket.on('data', (bytes) => {
    text += bytes.toString('latin1');
    look?.();
  });
  return {
    socket,
    text: () => text,
    until: (shape) =>
      new Promise((resolve) => {
        look = () => {
          if (shape.test(text)) resolve();
        };
        look();
      }),
    closed: once(socket, 'close'),
  };
}

const post = (path: string, body: string, more = '') =>
  `POST ${path} HTTP/1.1\r\nHost: gate.test\r\nContent-Type: text/plain\r\n${more}Content-Length: ${body.length}\r\n\r\n${body}`;

describe('what the short way reads is what the general server reads', () => {
  const name = fc.constantFrom('X-A', 'x-b', 'Accept', 'Authorization', 'x-api-key', "!#$%&'*+-.^_`|~1aZ", 'Date', '__proto__');
  const value = fc.oneof(
    fc.constantFrom('', ' ', '\t', 'a b', ' padded\t ', 'caf\u00e9', 'a:b', 'x'.repeat(3_000)),
    fc.string({ unit: fc.integer({ min: 0x20, max: 0xff }).map((code) => String.fromCharCode(code)), maxLength: 40 }),
  );
  const oddity = fc.constantFrom(
    ...['Transfer-Encoding: chunked', 'Content-Length: 3', 'Content-Length : 4', 'Connection: close', 'Connection: keep-alive'],
    ...['Expect: 100-continue', 'Upgrade: h2c', ' folded: x', 'no-colon', 'x-nul: \0', 'x-cr: a\rb', 'x-lf: a\nb', ': empty'],
    ...['Host: other', 'Te: trailers', 'x y: z', 'Content-Encoding: identity', 'x-del: \x7f'],
  );
  const line = fc.oneof(
    { weight: 5, arbitrary: fc.tuple(name, value).map(([key, text]) => `${key}:${text}`) },
    { weight: 1, arbitrary: oddity },
  );
  const begin = fc.constantFrom(
    ...['POST /v1/x HTTP/1.1', 'POST /v1/x?a=%20b HTTP/1.1', 'POST /v1/x HTTP/1.0', 'GET /v1/x HTTP/1.1', 'POST  /v1/x HTTP/1.1'],
    ...[
      'POST /v1/\u00e9 HTTP/1.1',
      'POST http://h/v1/x HTTP/1.1',
      'POST * HTTP/1.1',
      'post /v1/x HTTP/1.1',
      'POST /v1/x HTTP/1.2',
    ],
    ...['\r\nPOST /v1/x HTTP/1.1', 'POST /v1/x', '\x16\x03\x01'],
  );
  const lineEnd = fc.constantFrom('\r\n', '\r\n', '\r\n', '\r\n', '\n');

  test('over any head, body and cutting: equal, or not served here at all', async () => {
    const { port, seen } = await start();
    const plain = createServer(
      serveNode(async (request, answer) => {
        const bytes = await Promise.resolve(request.body(1_000_000)).catch(() => undefined);
        if (bytes === undefined) return;
        seen.push({ way: 'general', url: request.url, headers: headersOf(request), body: bytes.toString('latin1') });
        answer.whole(200, {}, '');
      }),
    );
    const plainPort = await listening(plain);
    closers.push(() => void plain.close().closeAllConnections());

    const ask = async (to: number, bytes: Buffer, cut: number): Promise<Seen[]> => {
      seen.length = 0;
      const { socket, until, closed } = connect(to);
      await once(socket, 'connect');
      socket.write(bytes.subarray(0, cut));
      if (cut < bytes.length) setImmediate(() => socket.write(bytes.subarray(cut)));
      await Promise.race([until(/^HTTP\/1\.1 [^1]/), closed]);
      socket.destroy();
      return seen.map(({ url, headers, body }) => ({ way: 'lane', url, headers, body }));
    };
    let served = 0;
    const cases = fc.tuple(begin, fc.array(line, { maxLength: 5 }), lineEnd, fc.boolean(), fc.nat());
    await fc.assert(
      fc.asyncProperty(cases, async ([first, lines, end, isUsual, at]) => {
        const start = isUsual ? 'POST /v1/x HTTP/1.1' : first;
        const text = `${[start, 'Host: gate.test', ...lines, 'Content-Length: 4'].join(end)}${end}${end}body`;
        // Whatever came of an odd head, the connection ends: nobody waits for more.
        const bytes = Buffer.from(`${text}\r\n\r\n\0\r\n\r\n`, 'latin1');
        const cut = at % bytes.length;
        const expected = await ask(plainPort, bytes, bytes.length);
        const got = await ask(port, bytes, cut);
        expect(got).toEqual(expected);
        if (typeof readLaneHead(Buffer.from(text, 'latin1')) === 'object') served += 1;
      }),
      { numRuns: 400 },
    );
    expect(served).toBeGreaterThan(40);
  });
});

describe('a head that is known from the request before', () => {
  test('serves the next request of the connection, and another head is read anew', async () => {
    const { port, seen } = await start();
    const { socket, until } = connect(port);
    const asked = ['a', 'bc', 'x'.repeat(30_000), ''];
    for (const [index, body] of asked.entries()) {
      socket.write(post('/v1/x', body));
      await expect.poll(() => seen.length).toBe(index + 1);
    }
    socket.write(post('/v1/y', 'last', 'X-More: 1\r\n'));
    await until(/lane \/v1\/y last$/);
    expect(seen.map(({ way, url, body }) => [way, url, body])).toEqual([
      ...asked.map((body) => ['lane', '/v1/x', body]),
      ['lane', '/v1/y', 'last'],
    ]);
    expect(seen.map(({ headers }) => headers['x-more'])).toEqual([undefined, undefined, undefined, undefined, '1']);
  });

  test('its connection reads into the buffer of all: a runtime that moved these things makes calls slower unseen', async () => {
    const { port, sockets } = await start();
    const { socket, until } = connect(port);
    socket.write(post('/v1/x', 'a'));
    await until(/lane/);
    expect(sockets[0]?.listenerCount('data')).toBe(0);
  });
});

describe('kept connections', () => {
  test('one request after the other, in one piece or byte by byte, and many at once in their order', async () => {
    const { port, seen } = await start();
    const { socket, until, text } = connect(port);
    socket.write(post('/v1/1', 'one'));
    await until(/lane \/v1\/1 one$/);
    for (const byte of Buffer.from(post('/v1/2', 'two'))) socket.write(Buffer.of(byte));
    await until(/lane \/v1\/2 two$/);
    socket.write(post('/v1/3', '3') + post('/v1/4', '4') + post('/v1/5', '5').slice(0, -1));
    await until(/lane \/v1\/4 4$/);
    socket.write('5');
    await until(/lane \/v1\/5 5$/);
    expect(seen.map(({ way }) => way)).toEqual(Array(5).fill('lane'));
    expect(text().match(/HTTP\/1\.1 200 OK/g)).toHaveLength(5);
    expect(text().match(/connection: keep-alive/g)).toHaveLength(5);
  });

  test.each([
    ['another method', 'GET /v1/x HTTP/1.1\r\nhost: x\r\n\r\n'],
    ['a body in chunks', 'POST /v1/x HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n'],
    ['another path', post('/api/x', 'x')],
    ['a long body', post('/v1/x', 'x'.repeat(65_537))],
    ['its last request', post('/v1/x', 'x', 'Connection: close\r\n')],
  ])('%s changes to the general server, with everything that came', async (_, bytes) => {
    const { port, seen } = await start();
    const { socket, until } = connect(port);
    socket.write(post('/v1/first', 'a'));
    await until(/lane \/v1\/first a$/);
    // What follows has come as well, and has not been lost.
    const isLast = bytes.includes('close');
    socket.write(bytes + (isLast ? '' : post('/v1/then', 'b')));
    await until(isLast ? /general \/v1\/x x$/ : /general \/v1\/then b$/);
    expect(seen.map(({ way }) => way)).toEqual(isLast ? ['lane', 'general'] : ['lane', 'general', 'general']);
  });

  test('what comes between an answer and the next look is handed over once, with what had come before', async () => {
    let answerFirst: (() => void) | undefined;
    const { port, seen, handedOver } = await start((answer, one) => {
      if (one.url === '/v1/first') answerFirst = () => usual(answer, one);
      else usual(answer, one);
      if (one.url === '/v1/beside') answerFirst?.();
    });
    const [first, beside] = [connect(port), connect(port)];
    const get = (path: string) => `GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`;
    beside.socket.write(post('/v1/x', 'x'));
    await beside.until(/lane/);
    first.socket.write(post('/v1/first', 'a') + get('/v1/early'));
    await expect.poll(() => seen.length).toBe(2);
    // Both are read in one turn of the loop, in this order: the answer to the first one ends in the turn in which more comes.
    beside.socket.write(post('/v1/beside', 'b'));
    first.socket.write(get('/v1/then'));
    await first.until(/general \/v1\/then $/);
    expect(handedOver()).toBe(1);
    expect(seen.map(({ url }) => url)).toEqual(['/v1/x', '/v1/first', '/v1/beside', '/v1/early', '/v1/then']);
  });

  test('a request that is slow to come is left to the general server', async () => {
    const { port, seen, handedOver } = await start(usual, { patienceMs: 20, idleMs: 60_000, watchMs: 10 });
    const { socket, until } = connect(port);
    const bytes = post('/v1/slow', 'body');
    socket.write(bytes.slice(0, -2));
    await expect.poll(handedOver).toBe(1);
    socket.write(bytes.slice(-2));
    await until(/\/v1\/slow body$/);
    expect(seen.at(-1)?.way).toBe('general');
  });

  test('a connection that asks nothing is closed', async () => {
    const { port } = await start(usual, { patienceMs: 1_000, idleMs: 20, watchMs: 10 });
    await connect(port).closed;
  });

  test('who leaves while being answered is noticed, also by an orderly close', async () => {
    const gone: boolean[] = [];
    const { port, seen } = await start((answer) => answer.onGone(() => gone.push(answer.gone)));
    for (const [index, leave] of (['end', 'destroy', 'resetAndDestroy'] as const).entries()) {
      const { socket } = connect(port);
      socket.write(post('/v1/x', 'x'));
      await expect.poll(() => seen.length).toBe(index + 1);
      socket[leave]();
    }
    await expect.poll(() => gone).toEqual([true, true, true]);
  });

  test('who sends on and on while being answered is not read on', async () => {
    let asked: Answer | undefined;
    const { port, sockets } = await start((answer) => {
      asked = answer;
    });
    const { socket, until } = connect(port);
    socket.write(post('/v1/x', 'x'));
    await expect.poll(() => asked).toBeDefined();
    for (let sent = 0; sent < 50; sent += 1) socket.write(Buffer.alloc(1_000_000, 'x'));
    await expect.poll(() => sockets[0]?.isPaused()).toBe(true);
    expect(sockets[0]?.bytesRead).toBeLessThan(1_000_000);
    // Then it is read, and is no request.
    asked?.whole(200, {}, 'done');
    await until(/doneHTTP\/1\.1 400/);
  });
});

/** What is asked for at /v1/long waits for its answer. */
async function startHolding() {
  const held: Answer[] = [];
  const started = await start((one, seen) => void (seen.url === '/v1/long' ? held.push(one) : usual(one, seen)));
  return { ...started, answer: () => held[0] };
}

describe('the end of the server', () => {
  test('idle connections close, one that is answered says that it is the last and then closes', async () => {
    const { port, lane, answer } = await startHolding();
    const idle = connect(port);
    idle.socket.write(post('/v1/x', 'x'));
    await idle.until(/lane/);
    const busy = connect(port);
    busy.socket.write(post('/v1/long', 'x'));
    await expect.poll(answer).toBeDefined();
    lane.close();
    await idle.closed;
    answer()?.whole(200, {}, 'done');
    await busy.closed;
    expect(busy.text()).toMatch(/connection: close\r\n[\s\S]*done$/);
  });

  test('when the end is announced, who was promised another request gets it, and who was silent for long is ended', async () => {
    const { port, lane, answer } = await startHolding();
    const busy = connect(port);
    busy.socket.write(post('/v1/long', 'x'));
    await expect.poll(answer).toBeDefined();
    answer()?.head(200, {});
    answer()?.write('begun');
    lane.announceEnd();
    answer()?.end('ended');
    await busy.until(/ended/);
    lane.endIdle(60_000);
    busy.socket.write(post('/v1/x', 'x'));
    await busy.closed;
    expect(busy.text()).toMatch(/keep-alive[\s\S]*ended[\s\S]*connection: close\r\n/);
    const silent = connect(port);
    silent.socket.write(post('/v1/x', 'x'));
    await silent.until(/lane/);
    await silent.closed;
    const { closed } = connect(port);
    const ending = setInterval(() => lane.endIdle(1), 5);
    closers.push(() => clearInterval(ending));
    await closed;
  });

  test('what comes over a connection that we have ended is not served: its answer could reach nobody', async () => {
    const { port, lane, seen, sockets } = await start(usual, { patienceMs: 20, idleMs: 300, watchMs: 10 });
    const open = () => {
      const socket = net.connect({ port, host: '127.0.0.1', allowHalfOpen: true });
      closers.push(() => socket.destroy());
      return socket.on('error', () => undefined).resume();
    };
    const idle = open();
    idle.write(post('/v1/x', 'x'));
    await expect.poll(() => seen.length).toBe(1);
    lane.endIdle(0);
    await once(idle, 'end');
    idle.write(post('/v1/late', 'x'));
    lane.announceEnd();
    // The answer to the first one says that it is the last.
    open().write(post('/v1/last', 'x') + post('/v1/behind', 'x'));
    await expect.poll(() => sockets.map(({ destroyed }) => destroyed)).toEqual([true, true]);
    expect(seen.map(({ url }) => url)).toEqual(['/v1/x', '/v1/last']);
  });

  test('and in the end all of them are ended', async () => {
    const { port, lane, seen } = await start(() => undefined);
    const { socket, closed } = connect(port);
    socket.write(post('/v1/x', 'x'));
    await expect.poll(() => seen.length).toBe(1);
    lane.close();
    lane.closeAll();
    await closed;
  });
});

test('an answer that is broken off in the turn of its last part still brings that part, and no end', async () => {
  const { port } = await start((answer) => {
    answer.head(200, {});
    answer.write('the last');
    answer.destroy();
  });
  const { socket, closed, text } = connect(port);
  socket.write('POST /v1/x HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\n\r\n');
  await closed;
  expect(text().slice(text().indexOf('\r\n\r\n') + 4)).toBe('8\r\nthe last\r\n');
});
