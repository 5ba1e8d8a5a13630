import { once } from 'node:events';
import net, { type Socket } from 'node:net';
import tls from 'node:tls';
import { afterEach, describe, expect, test } from 'vitest';
import { certificate, privateKey } from '../../../test/certificate.ts';
import { listening } from '../../../test/listening.ts';
import {
  type BodySink,
  createUpstreamClient,
  type UpstreamCall,
  type UpstreamClient,
  type UpstreamFault,
  type UpstreamRequest,
} from './client.ts';
import { createGuard, type Guard } from './guard.ts';

const guard = createGuard({ allowPrivate: ['127.0.0.0/8'], rewrite: [] });
const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

interface Peer {
  readonly port: number;
  readonly sockets: Socket[];
  /** What came over all connections so far. */
  received(): string;
}

type Make = (listener: (socket: Socket) => void) => net.Server;

/** A server that is told byte by byte what to do. */
async function startPeer(onRequest: (socket: Socket, count: number) => void, make: Make = net.createServer): Promise<Peer> {
  const sockets: Socket[] = [];
  let text = '';
  let count = 0;
  const server = make((socket: Socket) => {
    sockets.push(socket);
    socket.on('error', () => undefined);
    socket.on('data', (bytes) => {
      text += bytes.toString('latin1');
      count += 1;
      onRequest(socket, count);
    });
  });
  const port = await listening(server);
  closers.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return { port, sockets, received: () => text };
}

const secureServer: Make = (listener) => tls.createServer({ cert: certificate, key: privateKey }, listener);

/** Until the test ends. */
function trustOwn(): void {
  tls.setDefaultCACertificates([...tls.getCACertificates('default'), certificate]);
  closers.push(() => tls.setDefaultCACertificates(tls.getCACertificates('bundled')));
}

function startClient(own: Guard = guard, connectTimeoutMs = 1_000): UpstreamClient {
  const client = createUpstreamClient({ guard: own, connectTimeoutMs });
  closers.push(() => client.close());
  return client;
}

interface Answer {
  readonly status: number;
  readonly body: string;
  readonly fault: UpstreamFault | undefined;
}

function request(port: number, more: Partial<UpstreamRequest> = {}): UpstreamRequest {
  return {
    url: new URL(`http://127.0.0.1:${port}/v1/x?y=z`),
    method: 'POST',
    headers: { 'content-type': 'text/plain' },
    body: Buffer.from('ask'),
    firstByteTimeoutMs: 5_000,
    idleTimeoutMs: 5_000,
    ...more,
  };
}

function ask(client: UpstreamClient, wanted: UpstreamRequest, onHead?: (call: UpstreamCall) => void): Promise<Answer> {
  return new Promise((resolve) => {
    let status = 0;
    let body = '';
    const call: UpstreamCall = client.send(wanted, {
      head: (code) => {
        status = code;
        onHead?.(call);
      },
      data: (chunk) => {
        body += chunk.toString('latin1');
      },
      end: () => resolve({ status, body, fault: undefined }),
      fault: (fault) => resolve({ status, body, fault }),
    });
  });
}

const plain = (text: string) => `HTTP/1.1 200 OK\r\ncontent-length: ${text.length}\r\n\r\n${text}`;

describe('connections', () => {
  test('one connection carries one call after the other, and never two at once', async () => {
    const peer = await startPeer((socket, count) => socket.write(plain(`answer ${count}`)));
    const client = startClient();
    expect(await ask(client, request(peer.port))).toMatchObject({ status: 200, body: 'answer 1' });
    expect(await ask(client, request(peer.port))).toMatchObject({ body: 'answer 2' });
    expect(peer.sockets).toHaveLength(1);
    await Promise.all([ask(client, request(peer.port)), ask(client, request(peer.port))]);
    expect(peer.sockets).toHaveLength(2);
    expect(peer.received().split('\r\n\r\n')[0]).toBe(
      `POST /v1/x?y=z HTTP/1.1\r\nhost: 127.0.0.1:${peer.port}\r\nconnection: keep-alive\r\ncontent-type: text/plain\r\ncontent-length: 3`,
    );
  });

  test('pools do not share connections', async () => {
    const peer = await startPeer((socket) => socket.write(plain('x')));
    const client = startClient();
    for (const pool of ['1', '2', '1']) await ask(client, request(peer.port, { pool }));
    expect(peer.sockets).toHaveLength(2);
  });

  test('an answer that is followed by more than was asked for is the last one of its connection', async () => {
    const peer = await startPeer((socket) => socket.write(plain('x') + plain('poison')));
    const client = startClient();
    expect(await ask(client, request(peer.port))).toMatchObject({ body: 'x', fault: undefined });
    expect(await ask(client, request(peer.port))).toMatchObject({ body: 'x' });
    expect(peer.sockets).toHaveLength(2);
  });

  test('bytes that come later, unasked, end the connection before it is used again', async () => {
    const peer = await startPeer((socket) => socket.write(plain('x')));
    const client = startClient();
    await ask(client, request(peer.port));
    const [first] = peer.sockets;
    if (first === undefined) throw new Error('no connection');
    first.write(plain('poison'));
    await once(first, 'close');
    expect(await ask(client, request(peer.port))).toMatchObject({ body: 'x', fault: undefined });
  });

  test('an answer before the end of its request leaves a connection that nobody uses again', async () => {
    const large = Buffer.alloc(32 * 1024 * 1024, 'x');
    const peer = await startPeer((socket) => socket.pause().write(plain('enough')));
    const client = startClient();
    expect(await ask(client, request(peer.port, { body: large }))).toMatchObject({ body: 'enough', fault: undefined });
    expect(await ask(client, request(peer.port))).toMatchObject({ body: 'enough' });
    expect(peer.sockets).toHaveLength(2);
  });

  test('large bodies go both ways in one piece', async () => {
    const text = 'abcdefghij'.repeat(100_000);
    let size = 0;
    const peer = await startPeer(() => undefined);
    const client = startClient();
    const answer = ask(client, request(peer.port, { body: Buffer.from(text) }));
    while (peer.sockets.length === 0) await new Promise((resolve) => setImmediate(resolve));
    peer.sockets[0]?.on('data', (bytes) => {
      size += bytes.length;
      if (size > text.length) peer.sockets[0]?.end(`HTTP/1.1 200 OK\r\n\r\n${text}`);
    });
    expect((await answer).body).toBe(text);
    expect(peer.received()).toContain(`\r\n\r\n${text}`);
  });

  test('TLS: the name is checked, sessions and connections are kept', async () => {
    const peer = await startPeer((socket) => socket.write(plain('secret')), secureServer);
    const url = new URL(`https://127.0.0.1:${peer.port}/`);
    const strange = await ask(startClient(), request(peer.port, { url }));
    expect(strange).toMatchObject({ status: 0, fault: { kind: 'reset' } });
    trustOwn();
    const client = startClient();
    for (const _ of [1, 2])
      expect(await ask(client, request(peer.port, { url }))).toMatchObject({ body: 'secret', fault: undefined });
    expect(peer.sockets).toHaveLength(1);
    const elsewhere: Guard = {
      target: () => ({
        origin: `https://other.test:${peer.port}`,
        lookup: (_, options, callback) =>
          options.all === true ? callback(null, [{ address: '127.0.0.1', family: 4 }]) : callback(null, '127.0.0.1', 4),
      }),
    };
    expect(await ask(startClient(elsewhere), request(peer.port, { url }))).toMatchObject({ fault: { kind: 'reset' } });
  });
});

describe('faults', () => {
  test.each([
    ['a refused connection', 'connect', (socket: Socket) => socket.destroy(), true],
    ['a connection that is closed', 'reset', (socket: Socket) => socket.end(), false],
    ['a reset', 'reset', (socket: Socket) => socket.resetAndDestroy(), false],
    [
      'an answer that breaks off',
      'reset',
      (socket: Socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nx'),
      false,
    ],
    ['something else than HTTP', 'protocol', (socket: Socket) => socket.write('SSH-2.0-x\r\n\r\n'), false],
    [
      'a broken chunk',
      'protocol',
      (socket: Socket) => socket.write('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzz\r\n'),
      false,
    ],
  ])('%s is told as %s', async (_, kind, act, isClosed) => {
    const peer = await startPeer((socket) => void act(socket));
    const port = isClosed ? await closedPort() : peer.port;
    expect((await ask(startClient(), request(port))).fault?.kind).toBe(kind);
  });

  test('silence before the answer and within it ends in a time-out; a slow reader does not', async () => {
    const peer = await startPeer(
      (socket, count) => void (count < 3 && socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nx')),
    );
    const client = startClient();
    const impatient = request(peer.port, { idleTimeoutMs: 100 });
    const ended: string[] = [];
    const reading = await new Promise<UpstreamCall>((resolve) => {
      const stuck = ask(client, impatient, (call) => {
        call.pause();
        resolve(call);
      });
      void stuck.then(({ body, fault }) => ended.push(`slow reader: ${body} ${fault?.kind}`));
    });
    // Two whole time-outs of others pass: the one whose reader is slow has outlived its own.
    const silent = await ask(client, impatient);
    expect(silent).toMatchObject({ status: 200, body: 'x', fault: { kind: 'timeout' } });
    const mute = await ask(client, request(peer.port, { firstByteTimeoutMs: 100 }), () => ended.push('mute'));
    expect(mute).toMatchObject({ status: 0, fault: { kind: 'timeout' } });
    expect(ended).toEqual([]);
    reading.resume();
    await expect.poll(() => ended).toEqual(['slow reader: x timeout']);
  });

  test('a connection that does not come about in time is a fault of connecting', async () => {
    const nowhere: Guard = { target: (url) => ({ origin: url.origin, lookup: () => undefined }) };
    const url = new URL('http://nowhere.test/');
    expect((await ask(startClient(nowhere, 100), request(0, { url }))).fault?.kind).toBe('connect');
  });

  test('a kept connection that its server closed is not used again', async () => {
    const peer = await startPeer((socket) => socket.write(plain('x')));
    const client = startClient();
    await ask(client, request(peer.port));
    const [first] = peer.sockets;
    if (first === undefined) throw new Error('no connection');
    first.end();
    await once(first, 'close');
    expect(await ask(client, request(peer.port))).toMatchObject({ body: 'x', fault: undefined });
    expect(peer.sockets).toHaveLength(2);
  });

  test.each([
    ['a line break in a value', { a: 'b\r\nc: d' }],
    ['a blank in a name', { 'a b': 'c' }],
    ['a coding of the body', { 'transfer-encoding': 'chunked' }],
    ['a character that is no byte', { a: '\u20ac' }],
  ])('%s of a header is not sent', async (_, headers) => {
    const peer = await startPeer((socket) => socket.write(plain('x')));
    expect((await ask(startClient(), request(peer.port, { headers }))).fault?.kind).toBe('protocol');
    expect(peer.received()).toBe('');
  });

  test('closing the client tells everybody who waits', async () => {
    const peer = await startPeer(() => undefined);
    const client = startClient();
    const waiting = ask(client, request(peer.port));
    await client.close();
    expect((await waiting).fault?.kind).toBe('reset');
  });
});

describe('the caller decides', () => {
  test('an aborted call closes its connection, and the sink hears nothing more', async () => {
    const peer = await startPeer((socket) => socket.write('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nx'));
    let heard = 0;
    const hear = (count: number) => {
      heard += count;
    };
    const call: UpstreamCall = startClient().send(request(peer.port), {
      head: () => {
        heard += 1;
        call.abort();
        call.abort();
      },
      data: () => hear(10),
      end: () => hear(100),
      fault: () => hear(1_000),
    });
    while (peer.sockets.length === 0) await new Promise((resolve) => setImmediate(resolve));
    await once(peer.sockets[0] as Socket, 'close');
    expect(heard).toBe(1);
  });

  test.each([
    ['http', net.createServer],
    ['https', secureServer],
  ] as const)(
    'who is named at the head reads the body: bytes that are lent first, a copy of those it does not take (%s)',
    async (scheme, make) => {
      const pieces = ['take a', 'leave b', 'take c', 'leave d'];
      const body = pieces.map((piece) => `${piece.length.toString(16)}\r\n${piece}\r\n`).join('');
      const peer = await startPeer(
        (socket) => socket.write(`HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n${body}0\r\n\r\n`),
        make,
      );
      const taken: string[] = [];
      const kept: Buffer[] = [];
      const unexpected = () => taken.push('unexpected');
      await new Promise<void>((resolve, reject) => {
        const reader: BodySink = {
          lent(bytes, from, to) {
            const piece = bytes.toString('latin1', from, to);
            if (piece.startsWith('take')) taken.push(piece);
            return piece.startsWith('take');
          },
          data: (bytes) => void kept.push(bytes),
          ...{ end: resolve, fault: reject },
        };
        trustOwn();
        startClient().send(request(peer.port, { url: new URL(`${scheme}://127.0.0.1:${peer.port}/`) }), {
          head: () => reader,
          data: unexpected,
          end: unexpected,
          fault: reject,
        });
      });
      expect([taken, kept.map(String)]).toEqual([
        ['take a', 'take c'],
        ['leave b', 'leave d'],
      ]);
    },
  );

  test('aborting a call that has ended leaves the connection to the next one', async () => {
    const peer = await startPeer((socket) => socket.write(plain('x')));
    const client = startClient();
    let first: UpstreamCall | undefined;
    await ask(client, request(peer.port), (call) => {
      first = call;
    });
    const second = ask(client, request(peer.port));
    first?.abort();
    first?.pause();
    expect(await second).toMatchObject({ body: 'x', fault: undefined });
    expect(peer.sockets).toHaveLength(1);
  });

  test('a paused call stops the upstream; resumed, it gets every byte', async () => {
    const megabyte = 'm'.repeat(1024 * 1024);
    const count = 24;
    const peer = await startPeer((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${megabyte.length * count}\r\n\r\n`);
      for (let index = 0; index < count; index += 1) socket.write(megabyte);
    });
    let size = 0;
    let held = 0;
    await new Promise<void>((resolve) => {
      const call: UpstreamCall = startClient().send(request(peer.port), {
        head: () => {
          call.pause();
          setTimeout(() => {
            held = size;
            call.resume();
          }, 300);
        },
        data: (chunk) => {
          size += chunk.length;
        },
        end: resolve,
        fault: () => resolve(),
      });
    });
    expect(held).toBeLessThanOrEqual(65_536);
    expect(size).toBe(megabyte.length * count);
  });
});

async function closedPort(): Promise<number> {
  const server = net.createServer();
  const port = await listening(server);
  server.close();
  await once(server, 'close');
  return port;
}
