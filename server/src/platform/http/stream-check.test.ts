import { createServer, get, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { pipeline } from 'node:stream/promises';
import { constants, createGzip } from 'node:zlib';
import { expect, onTestFinished, test, vi } from 'vitest';
import { expiredCertificate, privateKey } from '../../../test/certificate.ts';
import { listening } from '../../../test/listening.ts';
import { systemClock } from '../clock.ts';
import { createCrypto } from '../crypto.ts';
import { createUpstreamClient } from './client.ts';
import { createGuard } from './guard.ts';
import { askStreamCheck, createStreamCheck, streamCheckPath } from './stream-check.ts';

const crypto = createCrypto(Buffer.alloc(32, 7));
const keys = { clock: systemClock, crypto };

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  const port = await listening(server);
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${port}`;
}

function ask(address: string) {
  const guard = createGuard({ allowPrivate: ['127.0.0.0/8'], rewrite: [] });
  const client = createUpstreamClient({ guard, connectTimeoutMs: 1_000 });
  onTestFinished(() => client.close());
  return askStreamCheck({ ...keys, client }, address);
}

/** Keeps a whole answer back, whatever its head asks for. */
const buffering =
  (inner: string): RequestListener =>
  async (request, response) => {
    const answer = await fetch(`${inner}${request.url}`, { headers: request.headers as Record<string, string> });
    response.writeHead(answer.status, { 'content-type': 'text/event-stream' }).end(await answer.text());
  };

/** Compresses as it goes. */
const zipping =
  (inner: string, flush: number): RequestListener =>
  (request, response) => {
    const zip = createGzip({ flush });
    response.writeHead(200, { 'content-encoding': 'gzip' });
    get(`${inner}${request.url}`, { headers: request.headers }, (answer) => void pipeline(answer, zip, response));
  };

test('events that come as they are sent, and events that somebody kept back until the end', async () => {
  const direct = await serve(createStreamCheck(keys));
  const others = [buffering(direct), zipping(direct, constants.Z_SYNC_FLUSH), zipping(direct, constants.Z_NO_FLUSH)];
  const addresses = [`${direct}/`, ...(await Promise.all(others.map(serve)))];
  expect(await Promise.all(addresses.map((address) => ask(address)))).toEqual(['apart', 'together', 'apart', 'together']);
});

test('nobody there, somebody else there, another installation, or a stream without its end: not reached', async () => {
  const other = await serve(createStreamCheck({ ...keys, crypto: createCrypto(Buffer.alloc(32, 8)) }));
  const page = await serve((_request, response) => void response.end('data: {"at":0}\n\n'.repeat(3)));
  const endless = await serve((_request, response) => {
    const more = () => response.write('x'.repeat(1_000), more);
    more();
  });
  const broken = await serve((_request, response) => void response.destroy());
  const ways = await Promise.all([other, page, endless, broken, 'http://127.0.0.1:1', 'nonsense'].map((address) => ask(address)));
  expect(ways).toEqual(Array.from(ways, () => 'unreached'));
});

test('a certificate that is over is told apart from nobody there', async () => {
  const server = createTlsServer({ key: privateKey, cert: expiredCertificate }, createStreamCheck(keys));
  const port = await listening(server);
  onTestFinished(() => void server.close());
  expect(await ask(`https://127.0.0.1:${port}`)).toBe('expired');
});

test('there is nothing without a ticket, with one that was changed or is old, or by another method', async () => {
  const nowMs = Date.now();
  let atMs = nowMs;
  const seen: string[] = [];
  const real = createStreamCheck({ crypto, clock: { nowMs: () => atMs } });
  const address = await serve((request, response) => {
    seen.push(String(request.headers['x-stream-check']));
    real(request, response);
  });
  expect(await ask(address)).toBe('apart');
  const [ticket = ''] = seen;
  const status = async (headers: Record<string, string>, method = 'GET') =>
    (await fetch(`${address}${streamCheckPath}`, { method, headers })).status;
  expect(await status({ 'x-stream-check': ticket })).toBe(200);
  expect(await status({})).toBe(404);
  expect(await status({ 'x-stream-check': `9${ticket}` })).toBe(404);
  expect(await status({ 'x-stream-check': ticket }, 'POST')).toBe(404);
  atMs = nowMs + 3_600_000;
  expect(await status({ 'x-stream-check': ticket })).toBe(404);
});

test('more than eight at once are not served', async () => {
  const seen: string[] = [];
  const real = createStreamCheck(keys);
  const address = await serve((request, response) => {
    seen.push(String(request.headers['x-stream-check']));
    real(request, response);
  });
  await ask(address);
  // Not over before the last one is asked for.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const headers = { 'x-stream-check': seen[0] ?? '' };
  const answers = await Promise.all(Array.from({ length: 12 }, () => fetch(`${address}${streamCheckPath}`, { headers })));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(8);
  vi.advanceTimersByTime(10_000);
  await Promise.all(answers.map((answer) => answer.text()));
  expect((await fetch(`${address}${streamCheckPath}`, { headers })).status).toBe(200);
});
