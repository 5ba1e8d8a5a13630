import { createServer, type LookupFunction } from 'node:net';
import { afterEach, expect, test } from 'vitest';
import { startWeb } from '../../../e2e/support/stand-ins/web.ts';
import { createCrypto } from '../platform/crypto.ts';
import { createUpstreamClient } from '../platform/http/client.ts';
import { createGuard } from '../platform/http/guard.ts';
import { createSystemClient } from '../platform/http/system-client.ts';
import { readPreferences, settingText, shownSetting } from './preferences.ts';
import { createWebhookWay } from './ways/webhook.ts';

const names = new Map<string, string>();
/** A name server whose answers change. */
const lookup: LookupFunction = (name, _options, callback) => {
  const address = names.get(name);
  if (address === undefined) callback(Object.assign(new Error('unknown'), { code: 'ENOTFOUND' }), []);
  else callback(null, [{ address, family: 4 }]);
};

const closing: (() => unknown)[] = [];
afterEach(async () => {
  names.clear();
  for (const close of closing.splice(0).reverse()) await close();
});

const crypto = createCrypto(Buffer.alloc(32, 7));
const message = { type: 't', title: { zh: 'a', en: 'b' }, content: { zh: 'c', en: 'd' }, values: [], link: '' };
const parcel = { id: 'x', message, createdAt: 1 };

function client(rewrite: readonly string[] = [], allowPrivate: readonly string[] = []) {
  const made = createUpstreamClient({ guard: createGuard({ allowPrivate, rewrite }, lookup), connectTimeoutMs: 1_000 });
  closing.push(() => made.close());
  return createSystemClient(made);
}

const secret = 'hook-secret';
function recipient(url: string) {
  const input = {
    webhook_url: 'https://hook.test/',
    webhook_secret: secret,
    notification_email: '',
    accept_unset_model_ratio_model: false,
  };
  const text = settingText({ ...input, subscriptions: {}, quota_warning_threshold: 1 }, '', {
    crypto,
    userId: 7,
    hasWorker: false,
  });
  expect(shownSetting(text)).not.toContain(secret);
  return { userId: 7, email: '', preferences: { ...readPreferences(text), webhook_url: url } };
}

test.each([
  'http://127.0.0.1/',
  'http://10.0.0.1/',
  'http://169.254.169.254/',
  'http://[::1]/',
  'http://0x7f000001/',
  'https://a.test:6379/',
])('nothing goes to %s, whatever channels may reach', async (url) => {
  const way = createWebhookWay({ crypto, outside: client(), http: client([], ['127.0.0.0/8']), worker: () => undefined });
  await expect(way.send(parcel, recipient(url))).rejects.toMatchObject({ message: 'refused', isFinal: true });
});

test('a redirect into a private network is not followed', async () => {
  const inner = await startWeb(() => ({ body: 'inner' }));
  const hook = await startWeb(() => ({ status: 302, headers: { location: inner.origin } }));
  closing.push(inner.close, hook.close);
  const way = createWebhookWay({
    crypto,
    outside: client([`hook.test=${hook.origin}`]),
    http: client(),
    worker: () => undefined,
  });
  await expect(way.send(parcel, recipient('https://hook.test/in'))).rejects.toMatchObject({ message: 'redirect', isFinal: true });
  expect([hook.received.length, inner.received.length]).toEqual([1, 0]);
});

test('a name that led outside and leads inside now is refused at the connection', async () => {
  let connections = 0;
  const inner = createServer((socket) => {
    connections += 1;
    socket.destroy();
  }).listen(80, '127.0.0.1');
  inner.on('error', () => undefined);
  closing.push(() => inner.close());
  const way = createWebhookWay({ crypto, outside: client(), http: client(), worker: () => undefined });
  names.set('hook.test', '192.0.2.1');
  await expect(way.send(parcel, recipient('http://hook.test/in'))).rejects.toMatchObject({ message: 'refused' });
  // A public address at which nobody answers here: it is not refused, it is not reached.
  names.set('hook.test', '240.0.0.1');
  await expect(way.send(parcel, recipient('http://hook.test/in'))).rejects.toMatchObject({ message: 'refused' });
  names.set('hook.test', '127.0.0.1');
  await expect(way.send(parcel, recipient('http://hook.test/in'))).rejects.toMatchObject({ message: 'refused' });
  expect(connections).toBe(0);
});

test('through the worker only https goes, with the secret beside the signature', async () => {
  const worker = await startWeb(() => ({ status: 200 }));
  closing.push(worker.close);
  const parts = {
    crypto,
    outside: client(),
    http: client([], ['127.0.0.0/8']),
    worker: () => ({ url: worker.origin, key: 'k' }),
  };
  const way = createWebhookWay(parts);
  await way.send(parcel, recipient('https://hook.test/in'));
  const order = JSON.parse(worker.received[0]?.body ?? '');
  expect(order).toMatchObject({
    url: 'https://hook.test/in',
    key: 'k',
    method: 'POST',
    headers: { authorization: `Bearer ${secret}` },
  });
  expect(order.headers['x-webhook-signature']).toMatch(/^[0-9a-f]{64}$/);
  await expect(way.send(parcel, recipient('http://hook.test/in'))).rejects.toMatchObject({ message: 'refused' });
});
