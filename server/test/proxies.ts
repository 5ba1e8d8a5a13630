import { once } from 'node:events';
import { createServer } from 'node:http';
import net, { type Socket } from 'node:net';
import { listening } from './listening.ts';

/** A proxy that notes whom it was asked to reach, and with which credentials. */
export interface TestProxy {
  readonly port: number;
  readonly asked: { readonly place: string; readonly login: string | undefined }[];
  /** Connections from callers that are open now. */
  open(): number;
  close(): void;
}

interface ProxyOptions {
  /** `user:password`; others are refused. */
  readonly login?: string;
  /** Where to go instead of where it is told. */
  readonly everythingTo?: { readonly host: string; readonly port: number };
}

function tracked() {
  const sockets = new Set<Socket>();
  return {
    sockets,
    add(socket: Socket) {
      sockets.add(socket);
      socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
    },
    closeAll() {
      for (const socket of sockets) socket.destroy();
    },
  };
}

function join(left: Socket, right: Socket): void {
  left.pipe(right).pipe(left);
  left.on('close', () => right.destroy());
  right.on('close', () => left.destroy()).on('error', () => left.destroy());
}

/** Speaks CONNECT. */
export async function startConnectProxy({ login, everythingTo }: ProxyOptions = {}): Promise<TestProxy> {
  const asked: TestProxy['asked'] = [];
  const callers = tracked();
  const server = createServer((_, response) => void response.writeHead(405).end());
  server.on('connection', (socket: Socket) => callers.add(socket));
  server.on('connect', (request, socket: Socket) => {
    const [, credentials] = /^Basic (.+)$/.exec(request.headers['proxy-authorization'] ?? '') ?? [];
    const given = credentials === undefined ? undefined : Buffer.from(credentials, 'base64').toString();
    asked.push({ place: request.url ?? '', login: given });
    if (given !== login) return void socket.end('HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n');
    const url = new URL(`http://${request.url}`);
    const to = everythingTo ?? { host: url.hostname, port: Number(url.port || 80) };
    const upstream = net.connect(to, () => {
      socket.write('HTTP/1.1 200 Connection established\r\nvia: 1.1 test\r\n\r\n');
      join(socket, upstream);
    });
    upstream.on('error', () => socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n'));
  });
  const port = await listening(server);
  return {
    ...{ port, asked },
    open: () => callers.sockets.size,
    close: () => {
      callers.closeAll();
      server.close();
    },
  };
}

/** Speaks SOCKS5, by the letter of RFC 1928 and 1929. */
export async function startSocksProxy({ login, everythingTo }: ProxyOptions = {}): Promise<TestProxy> {
  const asked: TestProxy['asked'] = [];
  const callers = tracked();
  const server = net.createServer((socket) => {
    callers.add(socket);
    serveSocks(socket, login, (place, given) => {
      asked.push({ place: `${place.host}:${place.port}`, login: given });
      return everythingTo ?? place;
    }).catch(() => socket.destroy());
  });
  const port = await listening(server);
  return {
    ...{ port, asked },
    open: () => callers.sockets.size,
    close: () => {
      callers.closeAll();
      server.close();
    },
  };
}

interface Place {
  readonly host: string;
  readonly port: number;
}

async function serveSocks(socket: Socket, login: string | undefined, route: (place: Place, login: string | undefined) => Place) {
  const take = reader(socket);
  const [version, count = 0] = await take(2);
  if (version !== 5) throw new Error('not SOCKS5');
  const methods = await take(count);
  const wanted = login === undefined ? 0 : 2;
  if (!methods.includes(wanted)) return void socket.end(Buffer.from([5, 0xff]));
  socket.write(Buffer.from([5, wanted]));
  let given: string | undefined;
  if (login !== undefined) {
    const [, nameLength = 0] = await take(2);
    const name = await take(nameLength);
    const [secretLength = 0] = await take(1);
    given = `${name.toString()}:${(await take(secretLength)).toString()}`;
    if (given !== login) return void socket.end(Buffer.from([1, 1]));
    socket.write(Buffer.from([1, 0]));
  }
  const [, command, , type] = await take(4);
  if (command !== 1) return void socket.end(Buffer.from([5, 7, 0, 1, 0, 0, 0, 0, 0, 0]));
  const host = await hostOf(take, type);
  const port = (await take(2)).readUInt16BE(0);
  const upstream = net.connect(route({ host, port }, given), () => {
    // The bound address as a name, and in two pieces: both are legal.
    socket.write(Buffer.from([5, 0, 0, 3, 4]));
    setImmediate(() => {
      socket.write(Buffer.from([...Buffer.from('here'), 0, 80]));
      join(socket, upstream);
    });
  });
  upstream.on('error', () => socket.end(Buffer.from([5, 5, 0, 1, 0, 0, 0, 0, 0, 0])));
}

async function hostOf(take: (length: number) => Promise<Buffer>, type: number | undefined): Promise<string> {
  if (type === 1) return [...(await take(4))].join('.');
  if (type === 3) return (await take((await take(1))[0] ?? 0)).toString();
  const bytes = await take(16);
  return Array.from({ length: 8 }, (_, k) => bytes.readUInt16BE(k * 2).toString(16)).join(':');
}

function reader(socket: Socket): (length: number) => Promise<Buffer> {
  return async (length) => {
    for (;;) {
      const bytes = length === 0 ? Buffer.alloc(0) : (socket.read(length) as Buffer | null);
      if (bytes !== null) return bytes;
      await once(socket, 'readable');
    }
  };
}
