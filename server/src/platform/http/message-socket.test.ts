import { once } from 'node:events';
import { createServer } from 'node:http';
import net from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { FakeClock } from '../../../test/fake-clock.ts';
import { listening } from '../../../test/listening.ts';
import { createAskForSocket } from './ask-socket.ts';
import { createGuard } from './guard.ts';
import { type MessageSocket, messageSocket } from './message-socket.ts';
import { createOpenSocket } from './websocket.ts';

const guard = createGuard({ allowPrivate: ['127.0.0.0/8'], rewrite: [] });
const ask = createAskForSocket({ guard, connectTimeoutMs: 10_000 });
/** Of who waits for what does not come. */
const connectTimeoutMs = 500;

/** A server that plays the peer; `greet` says something in the same moment as the handshake. */
async function peer(greet?: string) {
  const server = createServer((_request, response) =>
    response.writeHead(403, { 'x-why': 'no' }).end('{"error":{"message":"no"}}'),
  );
  const sockets = new WebSocketServer({ server, path: '/talk' });
  const connected = new Promise<WebSocket>((resolve) => {
    sockets.on('connection', (socket) => {
      if (greet !== undefined) for (let count = 0; count < 20; count += 1) socket.send(`${greet} ${count}`);
      resolve(socket);
    });
  });
  const port = await listening(server);
  onTestFinished(() => {
    for (const socket of sockets.clients) socket.terminate();
    server.closeAllConnections();
    server.close();
  });
  return { url: new URL(`ws://127.0.0.1:${port}/talk`), connected };
}

const request = (url: URL, signal = new AbortController().signal) => ({
  ...{ url, headers: {}, proxy: undefined, connectTimeoutMs: undefined, signal },
});

interface Side {
  readonly socket: MessageSocket;
  readonly heard: string[];
  readonly closed: Promise<{ code: number; reason: string }>;
  drained: number;
}

async function open(url: URL, clock = new FakeClock(0)): Promise<Side> {
  const opened = await ask(request(url));
  if (opened.kind !== 'open') throw new Error('refused');
  const closing = Promise.withResolvers<{ code: number; reason: string }>();
  const heard: string[] = [];
  const side = { heard, closed: closing.promise, drained: 0 };
  const socket = messageSocket(opened.socket, clock, {
    message: (bytes, isBinary) => heard.push(`${isBinary ? 'binary ' : ''}${bytes}`),
    drained: () => {
      side.drained += 1;
    },
    closed: (code, reason) => closing.resolve({ code, reason }),
  });
  return Object.assign(side, { socket });
}

test('what the peer says in the moment of the handshake is heard, in order', async () => {
  const { url } = await peer('hello');
  const { heard } = await open(url);
  await expect.poll(() => heard.length).toBe(20);
  expect(heard).toEqual(Array.from({ length: 20 }, (_, count) => `hello ${count}`));
});

test('a refused opening comes with its status, headers and body', async () => {
  const { url } = await peer();
  expect(await ask(request(new URL('/elsewhere', url)))).toMatchObject({ kind: 'refused', status: 400 });
});

test('a private address is refused by the guard, a silent one given up in time or when nobody waits any more', async () => {
  const outside = createAskForSocket({ guard: createGuard({ allowPrivate: [], rewrite: [] }), connectTimeoutMs });
  const { url } = await peer();
  await expect(outside(request(url))).rejects.toMatchObject({ kind: 'refused' });
  const silent = createServer();
  silent.on('upgrade', () => undefined);
  const port = await listening(silent);
  onTestFinished(() => void silent.closeAllConnections());
  const address = new URL(`ws://127.0.0.1:${port}/`);
  await expect(ask({ ...request(address), connectTimeoutMs })).rejects.toMatchObject({ kind: 'connect' });
  const leaving = new AbortController();
  const asking = ask({ ...request(address, leaving.signal), connectTimeoutMs: 60_000 });
  leaving.abort();
  await expect(asking).rejects.toMatchObject({ kind: 'connect' });
});

test('a handshake has its time in all, however it drips, and so has the body of a refusal', async () => {
  const dripping = async (begin: string) => {
    const server = net.createServer((socket) => {
      socket.on('error', () => undefined).write(begin);
      const drip = setInterval(() => socket.write('x'), 20);
      socket.on('close', () => clearInterval(drip));
    });
    const port = await listening(server);
    onTestFinished(() => void server.close());
    return new URL(`ws://127.0.0.1:${port}/`);
  };
  const url = await dripping('HTTP/1.1 101 Switching\r\nx-drip: ');
  const times = { firstByteTimeoutMs: 60_000, idleTimeoutMs: 60_000 };
  const heard = new Promise((fault) => {
    const sink = { head: () => undefined, data() {}, end() {}, fault };
    createOpenSocket({ guard, connectTimeoutMs })({ url, method: 'POST', headers: {}, body: undefined, ...times }, sink);
  });
  const late = { kind: 'connect', message: 'the handshake took too long' };
  await expect(ask({ ...request(url), connectTimeoutMs })).rejects.toMatchObject(late);
  expect(await heard).toMatchObject(late);
  const refusing = await dripping('HTTP/1.1 403 No\r\ncontent-length: 60000\r\n\r\n');
  expect(await ask(request(refusing))).toMatchObject({ kind: 'refused', status: 403 });
}, 15_000);

test('who reads less than is sent holds the sender back; what waited is told once', async () => {
  const { url, connected } = await peer();
  const side = await open(url);
  const other = await connected;
  other.pause();
  const piece = Buffer.alloc(1024 * 1024);
  let isReady = true;
  let sent = 0;
  for (; isReady && sent < 100; sent += 1) isReady = side.socket.send(piece, true);
  expect(isReady).toBe(false);
  expect(side.drained).toBe(0);
  other.resume();
  await expect.poll(() => side.drained).toBe(1);
});

test('a peer that answers no ping is gone, one that does is not', async () => {
  const clock = new FakeClock(0);
  const { url, connected } = await peer();
  const side = await open(url, clock);
  const other = await connected;
  for (let beat = 0; beat < 5; beat += 1) {
    clock.advanceMs(21_000);
    const pinged = once(other, 'ping');
    side.socket.tick();
    await pinged;
    // Frames come in order: when this one is answered, the answer to the first one was heard.
    other.ping();
    await once(other, 'pong');
    expect(side.socket.isOpen).toBe(true);
  }
  other.pause();
  side.socket.tick();
  clock.advanceMs(46_000);
  side.socket.tick();
  expect((await side.closed).code).toBe(1006);
});

test('a peer whose message is long on its way is not gone, either way', async () => {
  const clock = new FakeClock(0);
  const { url, connected } = await peer();
  const side = await open(url, clock);
  const raw = ((await connected) as unknown as { _socket: net.Socket })._socket;
  const later = async () => {
    await new Promise((resolve) => setTimeout(resolve, 20));
    clock.advanceMs(30_000);
    side.socket.tick();
    expect(side.socket.isOpen).toBe(true);
  };
  // No ping is answered in the middle of the message, whose head says 300 bytes.
  raw.pause();
  raw.write(Buffer.from([0x81, 126, 1, 44]));
  for (let part = 0; part < 3; part += 1) {
    await later();
    raw.write('x'.repeat(100));
  }
  await expect.poll(() => side.heard).toEqual(['x'.repeat(300)]);

  side.socket.send(Buffer.alloc(60_000_000), true);
  for (let part = 0; part < 3; part += 1) {
    await later();
    raw.write(Buffer.from([0x81, 1, 0x78]));
    const wanted = raw.bytesRead + 10_000_000;
    raw.resume();
    while (raw.bytesRead < wanted) await once(raw, 'data');
    raw.pause();
  }
});

test('codes that must not be sent become 1011, reasons stay within their bound', async () => {
  for (const [code, sent] of [
    [1006, 1011],
    [1005, 1011],
    [999, 1011],
    [1013, 1013],
    [4000, 4000],
  ] as const) {
    const { url, connected } = await peer();
    const side = await open(url);
    const closing = once(await connected, 'close');
    side.socket.close(code, '因'.repeat(100));
    const [got, reason] = (await closing) as [number, Buffer];
    expect([got, reason.toString()]).toEqual([sent, '因'.repeat(41)]);
  }
});
