import { createServer, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import net from 'node:net';
import tls from 'node:tls';
import { afterEach, describe, expect, test } from 'vitest';
import { WebSocketServer } from 'ws';
import { certificate, privateKey } from '../../../test/certificate.ts';
import { listening } from '../../../test/listening.ts';
import { startConnectProxy, startSocksProxy, type TestProxy } from '../../../test/proxies.ts';
import {
  createUpstreamClient,
  type UpstreamCall,
  type UpstreamClient,
  type UpstreamFault,
  type UpstreamRequest,
} from './client.ts';
import { createGuard } from './guard.ts';
import { isProxyAddress } from './proxy.ts';
import { createOpenSocket } from './websocket.ts';

const guard = createGuard({ allowPrivate: ['127.0.0.0/8'], rewrite: [] });
const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

function kept<T extends { close(): unknown }>(part: T): T {
  closers.push(() => part.close());
  return part;
}

function startClient(own = guard, connectTimeoutMs = 1_000): UpstreamClient {
  return kept(createUpstreamClient({ guard: own, connectTimeoutMs }));
}

const hello: RequestListener = (request, response) =>
  void response.end(`${request.method} ${request.url} ${request.headers.host}`);

async function startPlace(listener: RequestListener = hello, isSecure = false): Promise<number> {
  const server = isSecure ? createSecureServer({ cert: certificate, key: privateKey }, listener) : createServer(listener);
  const port = await listening(server);
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return port;
}

interface Heard {
  status: number;
  body: string;
  fault: UpstreamFault | undefined;
}

function ask(client: Pick<UpstreamClient, 'send'>, url: string, more: Partial<UpstreamRequest>): Promise<Heard> {
  return new Promise((resolve) => {
    const heard: Heard = { status: 0, body: '', fault: undefined };
    client.send(
      {
        ...{ url: new URL(url), method: 'POST', headers: {}, body: Buffer.from('ask') },
        ...{ firstByteTimeoutMs: 3_000, idleTimeoutMs: 3_000, ...more },
      },
      {
        head: (status) => {
          heard.status = status;
        },
        data: (chunk) => {
          heard.body += chunk.toString('latin1');
        },
        end: () => resolve(heard),
        fault: (fault) => resolve({ ...heard, fault }),
      },
    );
  });
}

const starters = { http: startConnectProxy, socks5: startSocksProxy } as const;
const kinds = ['http', 'socks5'] as const;

describe.each(kinds)('through a proxy of the kind %s', (kind) => {
  const start = async (options?: Parameters<typeof startConnectProxy>[0]) => kept(await starters[kind](options));
  const address = ({ port }: TestProxy, login = '') => `${kind}://${login}127.0.0.1:${port}`;

  test('a call reaches its place, which sees nothing of it; the connection is kept', async () => {
    const port = await startPlace();
    const proxy = await start();
    const client = startClient();
    for (const path of ['/one', '/two']) {
      expect(await ask(client, `http://127.0.0.1:${port}${path}`, { proxy: address(proxy) })).toEqual({
        ...{ status: 200, body: `POST ${path} 127.0.0.1:${port}`, fault: undefined },
      });
    }
    expect(proxy.asked).toEqual([{ place: `127.0.0.1:${port}`, login: undefined }]);
  });

  test('TLS is between us and the place: the proxy reads nothing, and a wrong name is refused', async () => {
    tls.setDefaultCACertificates([...tls.getCACertificates('default'), certificate]);
    closers.push(() => tls.setDefaultCACertificates(tls.getCACertificates('bundled')));
    const port = await startPlace(hello, true);
    const proxy = await start({ everythingTo: { host: '127.0.0.1', port } });
    const client = startClient();
    expect(await ask(client, `https://127.0.0.1:${port}/`, { proxy: address(proxy) })).toMatchObject({ status: 200 });
    const foreign = createGuard({ allowPrivate: [], rewrite: [`place.test=https://wrong.test:${port}`] });
    const both = { target: (url: URL) => (url.hostname === 'place.test' ? foreign.target(url) : guard.target(url)) };
    const wrong = await ask(startClient(both), 'https://place.test/', { proxy: address(proxy) });
    expect(wrong).toMatchObject({ status: 0, fault: { kind: 'reset' } });
    expect(proxy.asked.at(-1)?.place).toBe(`wrong.test:${port}`);
  });

  test('names are left to the proxy, unless they are private from here', async () => {
    const port = await startPlace();
    const proxy = await start({ everythingTo: { host: '127.0.0.1', port } });
    const client = startClient();
    const unknown = await ask(client, 'http://nobody-knows.invalid/', { proxy: address(proxy) });
    expect(unknown).toMatchObject({ status: 200, fault: undefined });
    expect(proxy.asked.map(({ place }) => place)).toEqual(['nobody-knows.invalid:80']);
    const only = createGuard({ allowPrivate: [`127.0.0.1:${proxy.port}`], rewrite: [] });
    for (const url of ['http://localhost/', 'http://10.0.0.1/', 'http://169.254.169.254/']) {
      expect(await ask(startClient(only), url, { proxy: address(proxy) })).toMatchObject({ fault: { kind: 'refused' } });
    }
    expect(proxy.asked).toHaveLength(1);
  });

  test('credentials go to the proxy alone; wrong ones are a fault that does not repeat them', async () => {
    let headers: string[] = [];
    const port = await startPlace((request, response) => {
      headers = request.rawHeaders;
      response.end('x');
    });
    const proxy = await start({ login: 'us er:p@ss' });
    const client = startClient();
    const url = `http://127.0.0.1:${port}/`;
    expect(await ask(client, url, { proxy: address(proxy, 'us%20er:p%40ss@') })).toMatchObject({ status: 200 });
    expect(proxy.asked[0]?.login).toBe('us er:p@ss');
    expect(headers.join(' ').toLowerCase()).not.toContain('proxy');
    for (const login of ['', 'us%20er:wrong@']) {
      const { fault } = await ask(client, url, { proxy: address(proxy, login) });
      expect(fault?.kind).toBe('connect');
      expect(fault?.message).not.toMatch(/wrong|p@ss/);
    }
  });

  test('streams both ways, with back-pressure, and an abort reaches the place', async () => {
    const megabyte = Buffer.alloc(1024 * 1024, 'm');
    let received = 0;
    let isGone = false;
    const port = await startPlace((request, response) => {
      request.on('data', (chunk: Buffer) => {
        received += chunk.length;
      });
      request.on('end', () => {
        for (let k = 0; k < 64; k += 1) response.write(megabyte);
      });
      response.on('close', () => {
        isGone = true;
      });
    });
    const proxy = await start();
    let size = 0;
    await new Promise<void>((resolve) => {
      const call: UpstreamCall = startClient().send(
        {
          ...{ url: new URL(`http://127.0.0.1:${port}/`), method: 'POST', headers: {}, body: Buffer.alloc(3_000_000) },
          ...{ firstByteTimeoutMs: 3_000, idleTimeoutMs: 3_000, proxy: address(proxy) },
        },
        {
          head: () => undefined,
          data: (chunk) => {
            size += chunk.length;
            if (size < 8 * megabyte.length) return;
            call.abort();
            resolve();
          },
          end: resolve,
          fault: () => resolve(),
        },
      );
    });
    await expect.poll(() => isGone).toBe(true);
    expect(received).toBe(3_000_000);
    await expect.poll(() => proxy.open()).toBe(0);
  });

  test('a place that cannot be reached, a silent proxy and one that is no proxy are told apart from answers', async () => {
    const proxy = await start();
    const dead = await startPlace();
    for (const close of closers.splice(-1)) await close();
    const url = `http://127.0.0.1:${dead}/`;
    expect((await ask(startClient(), url, { proxy: address(proxy) })).fault?.kind).toBe('connect');
    const silent = net.createServer((socket) => void socket.on('error', () => undefined));
    const port = await listening(silent);
    closers.push(() => silent.close());
    expect((await ask(startClient(guard, 150), url, { proxy: `${kind}://127.0.0.1:${port}` })).fault?.kind).toBe('connect');
    const rude = net.createServer((socket) => void socket.on('error', () => undefined).end('SSH-2.0-nonsense\r\n'));
    const other = await listening(rude);
    closers.push(() => rude.close());
    expect((await ask(startClient(), url, { proxy: `${kind}://127.0.0.1:${other}` })).fault?.kind).toMatch(/connect|protocol/);
  });

  test('a socket opens through it', async () => {
    const server = createServer();
    const sockets = new WebSocketServer({ server });
    sockets.on(
      'connection',
      (socket) => void socket.once('message', (message) => socket.send(`got ${String(message)}`, () => socket.close())),
    );
    const port = await listening(server);
    closers.push(() => {
      sockets.close();
      server.close();
    });
    const proxy = await start();
    const openSocket = createOpenSocket({ guard, connectTimeoutMs: 1_000 });
    const url = `ws://127.0.0.1:${port}/`;
    const heard = await ask({ send: openSocket }, url, { proxy: address(proxy) });
    expect(heard).toMatchObject({ status: 200, body: 'data: got ask\n\n' });
    expect(proxy.asked).toHaveLength(1);
    const refused = await ask({ send: openSocket }, url, { proxy: `${kind}://127.0.0.1:1` });
    expect(refused.fault?.kind).toBe('connect');
  });
});

describe('a proxy itself', () => {
  test('must pass the guard, by address and by name', async () => {
    const strict = startClient(createGuard({ allowPrivate: [], rewrite: [] }));
    for (const proxy of ['http://127.0.0.1:7890', 'socks5://localhost:1080', 'http://169.254.169.254', 'socks5://10.0.0.1']) {
      expect(await ask(strict, 'http://nobody-knows.invalid/', { proxy })).toMatchObject({ fault: { kind: 'refused' } });
    }
  });

  test('whose address is wrong fails the call instead of being left out', async () => {
    const port = await startPlace();
    for (const proxy of ['ftp://127.0.0.1', 'socks4://127.0.0.1', '7', 'http://', 'http://u%zz@127.0.0.1']) {
      const { fault, status } = await ask(startClient(), `http://127.0.0.1:${port}/`, { proxy });
      expect([proxy, fault?.kind === undefined ? 'served' : 'failed', status]).toEqual([proxy, 'failed', 0]);
      expect(fault?.message).not.toContain('zz');
    }
  });

  test('calls of different proxies share no connection', async () => {
    const port = await startPlace();
    const client = startClient();
    const [one, two] = [kept(await startConnectProxy()), kept(await startConnectProxy())];
    for (const { port: at } of [one, two, one]) {
      await ask(client, `http://127.0.0.1:${port}/`, { proxy: `http://127.0.0.1:${at}` });
    }
    await ask(client, `http://127.0.0.1:${port}/`, {});
    expect([one.asked.length, two.asked.length]).toEqual([1, 1]);
  });

  test('is an address of three schemes', () => {
    const good = ['http://a:1', 'https://u:p@a', 'socks5://[::1]:1080', 'socks5h://a', 'a:8080'];
    expect(good.map(isProxyAddress)).toEqual(good.map(() => true));
    const bad = ['ftp://a', 'socks4://a', 'http://', '://', ''];
    expect(bad.map(isProxyAddress)).toEqual(bad.map(() => false));
  });

  test('that is itself reached over TLS', async () => {
    tls.setDefaultCACertificates([...tls.getCACertificates('default'), certificate]);
    closers.push(() => tls.setDefaultCACertificates(tls.getCACertificates('bundled')));
    const plain = kept(await startConnectProxy());
    const secure = tls.createServer({ cert: certificate, key: privateKey }, (socket) => {
      const inner = net.connect(plain.port, '127.0.0.1');
      socket
        .on('error', () => inner.destroy())
        .pipe(inner)
        .on('error', () => socket.destroy())
        .pipe(socket);
    });
    const proxy = `https://127.0.0.1:${await listening(secure)}`;
    closers.push(() => secure.close());
    const client = startClient();
    const port = await startPlace();
    expect(await ask(client, `http://127.0.0.1:${port}/`, { proxy })).toMatchObject({ status: 200, fault: undefined });
    const inner = await startPlace(hello, true);
    expect(await ask(client, `https://127.0.0.1:${inner}/`, { proxy })).toMatchObject({ status: 200, fault: undefined });
    await client.close();
  });
});
