import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http';
import { gzipSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import { inUse } from '../../../../wire/test/in-use.ts';
import { listening } from '../../../test/listening.ts';
import { createUpstreamClient } from './client.ts';
import { createGuard } from './guard.ts';
import { mediaTypeOf } from './media-type.ts';
import { createUserFetch, type UserFetchParts } from './user-fetch.ts';

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

async function startServer(listener: RequestListener): Promise<string> {
  const server: Server = createServer(listener);
  const port = await listening(server);
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${port}`;
}

const png = Buffer.from('\x89PNG\r\n\x1a\nrest', 'latin1');
const picture: RequestListener = (_, response) => void response.writeHead(200, { 'content-type': 'image/png' }).end(png);

/** A fetcher for whom a.test is the given server; nothing else is exempt from the rules. */
async function fetcher(listener: RequestListener, own: Partial<UserFetchParts> = {}) {
  const origin = await startServer(listener);
  const guard = createGuard({ allowPrivate: [], rewrite: [`a.test=${origin}`] });
  const outside = createUpstreamClient({ guard, connectTimeoutMs: 1_000 });
  const upstream = createUpstreamClient({
    guard: createGuard({ allowPrivate: ['127.0.0.0/8'], rewrite: [] }),
    connectTimeoutMs: 1_000,
  });
  closers.push(() => Promise.all([outside.close(), upstream.close()]));
  return { fetchFile: createUserFetch({ outside, upstream, maxBytes: 1024 * 1024, ...own }), origin };
}

test('a file in pieces of a byte costs its bytes while it comes, and comes whole', async () => {
  const file = Buffer.concat([png, Buffer.alloc(200_000, 'x')]);
  let finish = () => undefined as unknown;
  const { origin } = await fetcher((_, response) => {
    response.writeHead(200, { 'content-type': 'image/png' });
    response.flushHeaders();
    // As chunks of a byte, many in one write.
    response.socket?.write(Array.from(file, (byte) => `1\r\n${String.fromCharCode(byte)}\r\n`).join(''), 'latin1');
    finish = () => response.end();
  });
  const client = createUpstreamClient({
    guard: createGuard({ allowPrivate: [], rewrite: [`a.test=${origin}`] }),
    connectTimeoutMs: 1_000,
  });
  closers.push(() => client.close());
  const before = inUse();
  const come = Promise.withResolvers<number>();
  let size = 0;
  const fetchFile = createUserFetch({
    outside: {
      send: (asking, sink) =>
        client.send(asking, {
          ...sink,
          data(piece) {
            sink.data(piece);
            size += piece.length;
            if (size === file.length) setImmediate(() => come.resolve(inUse() - before));
          },
        }),
    },
    upstream: client,
    maxBytes: 1024 * 1024,
  });
  const fetched = fetchFile('http://a.test/x');
  expect(await come.promise).toBeLessThan(30 * file.length);
  finish();
  expect((await fetched).bytes.equals(file)).toBe(true);
});

test('a picture comes with its type; no credential and no cookie goes out', async () => {
  let heard: IncomingMessage | undefined;
  const { fetchFile } = await fetcher((request, response) => {
    heard = request;
    response.writeHead(200, { 'content-type': 'image/PNG; charset=x' }).end(png);
  });
  expect(await fetchFile('http://a.test/x?y=1')).toEqual({ mediaType: 'image/png', bytes: png });
  expect(heard).toMatchObject({ method: 'GET', url: '/x?y=1' });
  expect(Object.keys(heard?.headers ?? {}).sort()).toEqual(['accept', 'accept-encoding', 'connection', 'host', 'user-agent']);
});

describe('an address is judged before anything is sent', () => {
  test.each([
    ['no address', 'picture.png', 'it is no address'],
    ['a very long one', `http://a.test/${'x'.repeat(9_000)}`, 'it is no address'],
    ['another scheme', 'file:///etc/passwd', 'only http and https'],
    ['inline data', 'data:image/png;base64,AA==', 'only http and https'],
    ['credentials', 'http://u:p@a.test/', 'credentials'],
    ['another port', 'http://a.test:22/', 'only the ports'],
    ['a loopback address', 'http://127.0.0.1/', 'not allowed'],
    ['a private one', 'http://10.0.0.1/', 'not allowed'],
    ['a metadata address', 'http://169.254.169.254/latest/meta-data/', 'not allowed'],
    ['an address in disguise', 'http://0x7f000001/', 'not allowed'],
    ['a private one of the sixth version', 'http://[::ffff:10.0.0.1]/', 'not allowed'],
    ['a name of this machine', 'http://localhost/', 'not allowed'],
  ])('%s', async (_, url, reason) => {
    const { fetchFile } = await fetcher(picture);
    await expect(fetchFile(url)).rejects.toThrow(reason);
  });

  test('what channels may reach is not what users may reach', async () => {
    const { fetchFile, origin } = await fetcher(picture);
    await expect(fetchFile(origin)).rejects.toThrow('only the ports');
  });
});

describe('redirects', () => {
  const redirecting: RequestListener = (request, response) => {
    const left = Number(request.url?.slice(1));
    if (left === 0) return picture(request, response as never);
    response.writeHead(302, { location: `/${left - 1}` }).end();
  };

  test('three are followed, a fourth is not', async () => {
    const { fetchFile } = await fetcher(redirecting);
    expect((await fetchFile('http://a.test/3')).mediaType).toBe('image/png');
    await expect(fetchFile('http://a.test/4')).rejects.toThrow('redirects more than 3 times');
  });

  test.each([
    ['http://127.0.0.1/', 'not allowed'],
    ['http://a.test:6379/', 'only the ports'],
    ['file:///etc/passwd', 'only http and https'],
    ['http://u:p@a.test/', 'credentials'],
    ['http://[', 'no address'],
  ])('one to %s is judged like a first address', async (location, reason) => {
    const { fetchFile } = await fetcher((_, response) => void response.writeHead(302, { location }).end());
    await expect(fetchFile('http://a.test/')).rejects.toThrow(reason);
  });
});

describe('an answer is bounded', () => {
  const secret = 'inner secret';
  test.each<[string, RequestListener, string]>([
    ['a status', (_, response) => void response.writeHead(404, { 'content-type': 'image/png' }).end(secret), 'status 404'],
    [
      'a page',
      (_, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end(secret),
      'no picture, sound or PDF',
    ],
    ['a type in doubt', (_, response) => void response.writeHead(200).end(secret), 'no picture, sound or PDF'],
    [
      'compression',
      (_, response) =>
        void response.writeHead(200, { 'content-type': 'image/png', 'content-encoding': 'gzip' }).end(gzipSync(png)),
      'compressed',
    ],
    [
      'an announced size',
      (_, response) => void response.writeHead(200, { 'content-type': 'image/png', 'content-length': '99999999' }).write('x'),
      'larger than 1 MB',
    ],
    [
      'a size that was not announced',
      (_, response) => void response.writeHead(200, { 'content-type': 'image/png' }).end(Buffer.alloc(1024 * 1024 + 1)),
      'larger than 1 MB',
    ],
    ['a break', (_, response) => void response.destroy(), 'cannot be reached'],
  ])('%s', async (_, listener, reason) => {
    const { fetchFile } = await fetcher(listener);
    const error = await fetchFile('http://a.test/').then(
      () => new Error('accepted'),
      (fault: Error) => fault,
    );
    expect(error.message).toContain(reason);
    expect(error.message).not.toContain(secret);
  });

  test('in time, redirects and slow bodies included', async () => {
    const { fetchFile } = await fetcher(
      (request, response) => {
        if (request.url === '/slow') response.writeHead(200, { 'content-type': 'image/png' }).write('x');
        else response.writeHead(302, { location: '/slow' }).end();
      },
      { timeoutMs: 300 },
    );
    const begun = performance.now();
    await expect(fetchFile('http://a.test/')).rejects.toThrow('it took too long');
    expect(performance.now() - begun).toBeLessThan(2_000);
  });

  test('and by who does not want it any more', async () => {
    const gone = new AbortController();
    const { fetchFile } = await fetcher((_, response) => {
      response.writeHead(200, { 'content-type': 'image/png' }).write('x');
      response.on('close', () => closed.resolve());
      gone.abort();
    });
    const closed = Promise.withResolvers<void>();
    await expect(fetchFile('http://a.test/', undefined, gone.signal)).rejects.toThrow('it took too long');
    await closed.promise;
  });

  test('64 are fetched at once, the rest in turn', async () => {
    let running = 0;
    let most = 0;
    const open: (() => void)[] = [];
    const { fetchFile } = await fetcher((request, response) => {
      running += 1;
      most = Math.max(most, running);
      const answer = () => {
        running -= 1;
        picture(request, response as never);
      };
      open.push(answer);
      if (open.length >= 64) for (const each of open.splice(0)) each();
    });
    const all = await Promise.all(Array.from({ length: 128 }, () => fetchFile('http://a.test/')));
    expect([all.length, most]).toEqual([128, 64]);
  });
});

describe('through the worker', () => {
  test('it is asked as the contract says, and its answer is the file', async () => {
    let order: unknown;
    const { fetchFile, origin } = await fetcher(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk as Buffer);
      order = [request.method, request.url, JSON.parse(Buffer.concat(chunks).toString())];
      picture(request, response as never);
    });
    const worker = { url: `${origin}/work`, key: 'k' };
    expect(await fetchFile('https://elsewhere.example/a.png', worker)).toEqual({ mediaType: 'image/png', bytes: png });
    expect(order).toEqual([
      'POST',
      '/work',
      { url: 'https://elsewhere.example/a.png', key: 'k', method: 'GET', headers: {}, body: null },
    ]);
  });

  test('plain http, a redirect and an error page are refused', async () => {
    const { fetchFile, origin } = await fetcher(
      (_, response) => void response.writeHead(302, { location: 'http://127.0.0.1/', 'content-type': 'image/png' }).end(),
    );
    const worker = { url: origin, key: 'k' };
    await expect(fetchFile('http://elsewhere.example/', worker)).rejects.toThrow('only https');
    await expect(fetchFile('https://elsewhere.example/', worker)).rejects.toThrow('status 302');
  });
});

test('files whose server does not know them are known by their first bytes', () => {
  const type = (text: string, said = 'application/octet-stream') => mediaTypeOf(said, Buffer.from(text, 'latin1'));
  expect(type('\xff\xd8\xff\xe0')).toBe('image/jpeg');
  expect(type('RIFF\0\0\0\0WAVEfmt ')).toBe('audio/wav');
  expect(type('RIFF\0\0\0\0WEBPVP8 ', '')).toBe('image/webp');
  expect(type('%PDF-1.7')).toBe('application/pdf');
  expect(type('<html>')).toBeUndefined();
  expect(type('%PDF-1.7', 'text/html')).toBeUndefined();
  expect(type('x', 'image/jpg')).toBe('image/jpeg');
  expect(type('x', 'image/png/../x')).toBeUndefined();
});
