import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { Socket } from 'node:net';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { listening } from '../../../test/listening.ts';
import type { UpstreamCall, UpstreamFault, UpstreamRequest } from './client.ts';
import { createGuard } from './guard.ts';
import { createSystemClient } from './system-client.ts';
import { byScheme, createOpenSocket } from './websocket.ts';

let server: Server;
let sockets: WebSocketServer;
let address: URL;
/** What a connected client meets; set by each test. */
let serve: (socket: WebSocket, first: string) => void = () => undefined;
let opened: { url: string; headers: Record<string, unknown> }[] = [];

beforeEach(async () => {
  opened = [];
  serve = () => undefined;
  server = createServer((_request, response) => response.writeHead(426).end());
  sockets = new WebSocketServer({ server, path: '/chat' });
  sockets.on('connection', (socket, { url = '', headers }) => {
    opened.push({ url, headers });
    socket.once('message', (message) => serve(socket, String(message)));
  });
  address = new URL(`ws://127.0.0.1:${await listening(server)}/chat?signed=yes`);
});

afterEach(async () => {
  for (const socket of sockets.clients) socket.terminate();
  sockets.close();
  server.closeAllConnections();
  server.close();
  await once(server, 'close');
});

interface Heard {
  status: number;
  text: string;
  fault?: UpstreamFault;
  call: UpstreamCall;
}

const open = createOpenSocket({ guard: createGuard({ allowPrivate: ['127.0.0.0/8'], rewrite: [] }), connectTimeoutMs: 2_000 });

/** Asks and gathers what the sink hears until it is over, or until `until` says so. */
function ask(more: Partial<UpstreamRequest> = {}, until?: (heard: Heard) => boolean, openSocket = open): Promise<Heard> {
  return new Promise((resolve) => {
    const heard: Heard = { status: 0, text: '', call: { sent: false, pause() {}, resume() {}, abort() {} } };
    const step = () => until?.(heard) === true && resolve(heard);
    heard.call = openSocket(
      {
        url: address,
        method: 'POST',
        headers: { 'content-type': 'application/json', 'user-agent': 'tollgate' },
        body: Buffer.from('{"q":"你好"}'),
        firstByteTimeoutMs: 2_000,
        idleTimeoutMs: 2_000,
        ...more,
      },
      {
        head(status) {
          heard.status = status;
        },
        data(chunk) {
          heard.text += chunk.toString();
          step();
        },
        end: () => resolve(heard),
        fault(fault) {
          heard.fault = fault;
          resolve(heard);
        },
      },
    );
  });
}

test('the body is the first message, and each message comes back as one event', async () => {
  serve = (socket, first) => {
    socket.send(first);
    socket.send('{\n"a":1}');
    socket.close(1000);
  };
  const { status, text, fault } = await ask();
  expect({ status, text, fault }).toEqual({
    status: 200,
    text: 'data: {"q":"你好"}\n\ndata: {\ndata: "a":1}\n\n',
    fault: undefined,
  });
  expect(opened).toMatchObject([{ url: '/chat?signed=yes', headers: { 'user-agent': 'tollgate' } }]);
  expect(opened[0]?.headers).not.toHaveProperty('content-type');
});

test('short calls go over a socket where the address says so', async () => {
  serve = (socket, first) => {
    socket.send(first);
    socket.close(1000);
  };
  const http = createSystemClient(byScheme({ send: () => expect.unreachable('not by HTTP') }, open));
  expect(await http.request({ url: address, method: 'POST', body: '{"q":1}' })).toEqual({
    status: 200,
    text: 'data: {"q":1}\n\n',
  });
});

test('a refused opening is an answer with its status and body', async () => {
  sockets.options.path = '/elsewhere';
  const { status, text, fault } = await ask();
  expect({ status, text, fault }).toEqual({ status: 400, text: 'Bad Request', fault: undefined });
});

test('a connection that is cut is a fault, not an end', async () => {
  serve = (socket) => socket.send('1', () => socket.terminate());
  const { text, fault } = await ask();
  expect(text).toBe('data: 1\n\n');
  expect(fault?.kind).toBe('reset');
});

test('a close before any message is a fault', async () => {
  serve = (socket) => socket.close(1000);
  expect((await ask()).fault?.kind).toBe('reset');
});

test('a message longer than the bound is a fault', async () => {
  serve = (socket) => socket.send(Buffer.alloc(4 * 1024 * 1024 + 1, 0x20));
  expect((await ask()).fault).toMatchObject({ kind: 'protocol', message: 'WS_ERR_UNSUPPORTED_MESSAGE_LENGTH' });
});

test('silence has a bound before the first message and between messages', async () => {
  expect((await ask({ firstByteTimeoutMs: 30 })).fault?.kind).toBe('timeout');
  serve = (socket) => socket.send('1');
  const { text, fault } = await ask({ idleTimeoutMs: 30 });
  expect(text).toBe('data: 1\n\n');
  expect(fault?.kind).toBe('timeout');
});

test('a caller that reads on late is no silence of the upstream, whatever had come by then', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  serve = (socket) => {
    const { _socket: connection } = socket as unknown as { _socket: Socket };
    connection.cork();
    for (const part of ['first', 'second']) socket.send(part);
    connection.uncork();
  };
  const heard = await ask({}, ({ call, text }) => {
    if (!text.includes('second')) call.pause();
    return text.includes('second');
  });
  vi.advanceTimersByTime(60_000);
  expect(heard.fault).toBeUndefined();
  heard.call.resume();
  vi.advanceTimersByTime(2_000);
  expect(heard.fault?.kind).toBe('timeout');
});

test('nobody at the address is a connection fault', async () => {
  const nobody = createServer();
  const port = await listening(nobody);
  nobody.close();
  await once(nobody, 'close');
  expect((await ask({ url: new URL(`ws://127.0.0.1:${port}/`) })).fault?.kind).toBe('connect');
});

test('the guard refuses private places for sockets, too', async () => {
  const guarded = createOpenSocket({ guard: createGuard({ allowPrivate: [], rewrite: [] }), connectTimeoutMs: 2_000 });
  expect((await ask({}, undefined, guarded)).fault?.kind).toBe('refused');
  const named = new URL(address);
  named.hostname = 'localhost';
  expect((await ask({ url: named }, undefined, guarded)).fault?.kind).toBe('refused');
  expect(opened).toEqual([]);
});

test('a given up call closes its socket, and its sink hears nothing more', async () => {
  const closed = new Promise<void>((resolve) => {
    serve = (socket) => {
      socket.on('close', () => resolve());
      socket.send('1');
    };
  });
  const heard = await ask({}, ({ text }) => text !== '');
  heard.call.abort();
  await closed;
  expect(heard).toMatchObject({ text: 'data: 1\n\n' });
  expect(heard.fault).toBeUndefined();
});
