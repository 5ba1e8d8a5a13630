import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createConsoleFiles, createPreloads, frames, paymentForms } from './console-files.ts';

const shop = { PayAddress: 'https://pay.example/submit', EpayId: '1', EpayKey: 'k' };

test('forms may leave the site only where payments are taken', () => {
  expect(paymentForms(shop)).toEqual(['https://pay.example', 'https:']);
  expect(paymentForms({ ...shop, EpayKey: '' })).toEqual([]);
  expect(paymentForms({ ...shop, EpayId: '' })).toEqual([]);
  expect(paymentForms({ ...shop, PayAddress: '' })).toEqual([]);
  expect(paymentForms({ ...shop, PayAddress: 'data:x' })).toEqual([]);
});

const nothing = { Chats: [], HomePageContent: '', About: '', TurnstileCheckEnabled: false, TelegramOAuthEnabled: false };

test('in a frame stand the sites that the operator named, by https, and those of doors that are open', () => {
  expect(frames(nothing)).toEqual([]);
  const links = [
    'https://chat.example/app/#/?settings={"key":"{key}"}',
    'http://plain.example/#{key}',
    'ama://k={key}',
    'https://{key}.example/#',
    'https://a.example;script-src%20*/#',
    "https://b.example,'unsafe-inline'/#",
    'https://*/#',
  ];
  const Chats = links.map((link, index) => ({ [`chat ${index}`]: link }));
  const named = {
    ...nothing,
    Chats,
    HomePageContent: ' https://www.home.example:8443/a?b ',
    About: '<a href="https://c.example">c</a>',
  };
  expect(frames(named)).toEqual([
    'https://chat.example',
    'https://www.chat.example',
    'https://home.example:8443',
    'https://www.home.example:8443',
  ]);
  expect(frames({ ...nothing, TurnstileCheckEnabled: true, TelegramOAuthEnabled: true })).toEqual([
    'https://challenges.cloudflare.com',
    'https://oauth.telegram.org',
  ]);
  const many = Array.from({ length: 50 }, (_, index) => ({ [`chat ${index}`]: `https://chat-${index}.example/#{key}` }));
  expect(frames({ ...nothing, Chats: many })).toEqual(['https:']);
});

test('addresses without a page of their own lead to the page that has what they had', () => {
  const serve = createConsoleFiles('/nowhere', { scriptHosts: () => [] });
  const former = ['/sign-up?aff=a1B2&x=?', '/sign-in', '/console', '/console/token?p=2', '/console/personal'];
  const none = ['/chat/1', '/console//evil.example', '/console/a/b', '/console/', '/sign-up/x'];
  const answers = ['/chat', '/personal?a=1', ...former, ...none].map((url) => {
    let told: unknown;
    const response = {
      writeHead(status: number, { location }: Record<string, unknown>) {
        told = [status, location];
        return response;
      },
      end: () => response,
    };
    serve({ url, method: 'GET', headers: {} } as never, response as never);
    return told;
  });
  expect(answers).toEqual([
    [302, '/chat/0'],
    [302, '/setting?a=1'],
    [302, '/register?aff=a1B2&x=?'],
    [302, '/login'],
    [302, '/detail'],
    [302, '/token?p=2'],
    [302, '/setting'],
    ...none.map(() => [404, undefined]),
  ]);
});

test('a page names the files that it will ask for, and no other page does', () => {
  const preloadsOf = createPreloads({
    '/user': ['/assets/a.js'],
    '/user/edit/$id': ['/assets/a.js', '/assets/b.js'],
    '/setting': ['/assets/c.js'],
    '/setting?tab=system': ['/assets/d.js'],
    '/about': [],
  });
  expect(preloadsOf('/user?p=2')).toBe('</assets/a.js>; rel=modulepreload');
  expect(preloadsOf('/user/edit/7')).toBe('</assets/a.js>; rel=modulepreload, </assets/b.js>; rel=modulepreload');
  expect(preloadsOf('/setting?tab=system')).toContain('d.js');
  expect(preloadsOf('/setting?tab=nothing')).toContain('c.js');
  for (const url of ['/', '/about', '/user/edit', '/user/edit/7/8', '/nowhere', '//', '/%'])
    expect(preloadsOf(url)).toBeUndefined();
});

test('a page is packed for those who take it so', () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'tollgate-console-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  writeFileSync(path.join(folder, 'index.html'), '<!doctype html>');
  writeFileSync(path.join(folder, 'index.html.gz'), 'packed');
  const serve = createConsoleFiles(folder, { scriptHosts: () => [] });
  const isPacked = (encodings: string) => {
    const headers: Record<string, unknown> = {};
    const response = { writeHead: (_: number, given: object) => Object.assign(headers, given), end: () => undefined };
    serve({ url: '/', method: 'GET', headers: { 'accept-encoding': encodings } } as never, response as never);
    return headers['content-encoding'] === 'gzip';
  };
  for (const encodings of ['gzip', 'gzip, deflate, br', 'br;q=1.0, GZIP;q=0.8', 'deflate,gzip; q=0.01'])
    expect(isPacked(encodings)).toBe(true);
  for (const encodings of ['', 'identity', 'gzip;q=0', 'br, gzip ; q=0.000, identity', 'not-gzip'])
    expect(isPacked(encodings)).toBe(false);
});

test('an asset that is not there is told as everywhere under /api and /v1', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'tollgate-console-'));
  writeFileSync(path.join(folder, 'index.html'), '<!doctype html>');
  const server = createServer(createConsoleFiles(folder, { scriptHosts: () => [] })).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.close();
    rmSync(folder, { recursive: true });
  });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const answer = await fetch(`http://127.0.0.1:${port}/assets/old-1.js?x=1`);
  expect([answer.status, answer.headers.get('content-type')]).toEqual([404, 'application/json']);
  expect(await answer.json()).toEqual({
    error: { message: 'Invalid URL (GET /assets/old-1.js)', type: 'invalid_request_error', param: '', code: '' },
  });
});
