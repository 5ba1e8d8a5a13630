import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { listening } from '../server/test/listening.ts';
import { signIn } from './support/console-client.ts';
import { startGateway } from './support/gateway.ts';
import { startMockUpstream } from './support/mock-upstream.ts';
import { ofTest } from './support/of-test.ts';
import { postJson } from './support/post-json.ts';
import { talkTo } from './support/responses-socket.ts';
import { addServing } from './support/routing.ts';

const model = 'gpt-4o-mini';

test('F-32: bodies that would take more than their share of the memory are told to come back, others are served', async () => {
  const upstream = await ofTest(startMockUpstream());
  const gateway = await ofTest(startGateway({ MAX_BODIES_MB: '1' }));
  const root = await gateway.root();
  await addServing(root, { base_url: upstream.url, models: model });
  const { key } = await root.addToken();
  const ask = (chars: number) => postJson(`${gateway.url}/v1/chat/completions`, key, padded(chars));
  const refused = Promise.withResolvers<void>();
  upstream.script(({ id }) => (id === 1 ? { until: refused.promise } : {}));
  const first = ask(700_000);
  await upstream.waitFor(({ id }) => id === 1);
  const second = await ask(700_000);
  expect([second.status, second.headers.get('retry-after')]).toEqual([503, '1']);
  expect(await second.json()).toMatchObject({ error: { code: 'overloaded' } });
  expect((await ask(1_000)).status).toBe(200);
  refused.resolve();
  expect((await first).status).toBe(200);
  expect((await ask(700_000)).status).toBe(200);
  await expect.poll(async () => (await root.logs('type=5')).map(({ content }) => content)).toEqual(['服务繁忙，请稍后再试']);
});

/** A gateway with little room, and somebody without money. */
async function withIdler() {
  const upstream = await ofTest(startMockUpstream());
  const gateway = await ofTest(startGateway({ MAX_BODIES_MB: '1' }));
  const root = await gateway.root();
  await addServing(root, { base_url: upstream.url, models: model });
  const password = 'correct-horse-9';
  await root.call('POST', '/api/user/', { username: 'penniless', password });
  const idler = await (await signIn(gateway.url, 'penniless', password)).addToken();
  return { gateway, root, idler };
}

test('bodies that one user begins and never sends keep no other user out', async () => {
  const { gateway, root, idler } = await withIdler();
  const { key } = await root.addToken();
  const { hostname, port } = new URL(gateway.url);
  const told: string[] = [];
  // There is room for ten of them.
  for (let number = 0; number < 11; number += 1) {
    const socket = connect(Number(port), hostname).on('error', () => undefined);
    onTestFinished(() => void socket.destroy());
    socket.once('data', (bytes) => void told.push(bytes.toString('latin1')));
    const lines = ['POST /v1/chat/completions HTTP/1.1', 'host: a', `authorization: Bearer ${idler.key}`];
    socket.write([...lines, 'content-type: application/json', 'content-length: 104000', '', '{'].join('\r\n'));
  }
  await expect.poll(() => told).toHaveLength(1);
  expect((await postJson(`${gateway.url}/v1/chat/completions`, key, padded(200_000))).status).toBe(200);
  await expect.poll(() => told).toHaveLength(3);
  for (const answer of told) expect(answer).toMatch(/^HTTP\/1.1 503 .*retry-after: 1.*"overloaded"/s);
});

test('what a conversation over a socket keeps makes room for any call, and its caller is told to say it again', async () => {
  const { gateway, root, idler } = await withIdler();
  const { turn } = talkTo(gateway, idler.key);
  const prepare = (input: string, previous_response_id?: string) =>
    turn({ model, store: false, generate: false, input, ...(previous_response_id && { previous_response_id }) });
  const first = (await prepare('x'.repeat(700_000))).response.id;
  const second = (await prepare('y', first)).response.id;
  const { key } = await root.addToken();
  expect((await postJson(`${gateway.url}/v1/chat/completions`, key, padded(700_000))).status).toBe(200);
  expect(await prepare('z', second)).toMatchObject({ error: { code: 'previous_response_not_found' } });
});

const padded = (chars: number) => ({ model, max_tokens: 9, messages: [{ role: 'user', content: 'x'.repeat(chars) }] });

test('F-32: files that calls name by address are held within the same share', async () => {
  const picture = Buffer.alloc(600_000);
  const web = createServer((_, response) => response.writeHead(200, { 'content-type': 'image/png' }).end(picture));
  const port = await listening(web);
  onTestFinished(() => void web.close());
  const upstream = await ofTest(startMockUpstream());
  const gateway = await ofTest(startGateway({ MAX_BODIES_MB: '1', EGRESS_REWRITE: `web.test=http://127.0.0.1:${port}` }));
  const root = await gateway.root();
  // It takes pictures inline only.
  await addServing(root, { base_url: upstream.url, models: model, type: 14 });
  const { key } = await root.addToken();
  const content = [{ type: 'image_url', image_url: { url: 'http://web.test/a.png' } }];
  const ask = () =>
    postJson(`${gateway.url}/v1/chat/completions`, key, { model, max_tokens: 9, messages: [{ role: 'user', content }] });
  const refused = Promise.withResolvers<void>();
  upstream.script(({ id }) => (id === 1 ? { until: refused.promise } : {}));
  const first = ask();
  await upstream.waitFor(({ id }) => id === 1);
  const second = await ask();
  expect([second.status, second.headers.get('retry-after')]).toEqual([503, '1']);
  expect(await second.json()).toMatchObject({ error: { code: 'overloaded' } });
  refused.resolve();
  expect((await first).status).not.toBe(503);
  expect((await ask()).status).not.toBe(503);
  expect(upstream.requests()).toHaveLength(2);
});

test('F-32: a form that came packed counts as what it unpacked to', async () => {
  const upstream = await startMockUpstream();
  onTestFinished(() => upstream.close());
  const gateway = await startGateway({ MAX_BODIES_MB: '1' });
  onTestFinished(() => gateway.stop());
  const root = await gateway.root();
  await addServing(root, { base_url: upstream.url, models: 'whisper-1' });
  const { key } = await root.addToken();
  // Random bytes at its beginning: what packs better than twenty to one is refused.
  const sound = Buffer.concat([randomBytes(50_000), Buffer.alloc(650_000)]);
  const ask = async (pack: (form: Buffer) => Buffer, encoding: string) => {
    const form = new FormData();
    form.set('model', 'whisper-1');
    form.set('file', new File([sound], 'a.wav'));
    const whole = new Response(form);
    const body = new Uint8Array(pack(Buffer.from(await whole.arrayBuffer())));
    const type = whole.headers.get('content-type') ?? '';
    const headers = { authorization: `Bearer ${key}`, 'content-type': type, 'content-encoding': encoding };
    return fetch(`${gateway.url}/v1/audio/transcriptions`, { method: 'POST', headers, body });
  };
  const plain = () => ask((form) => form, 'identity');
  const refused = Promise.withResolvers<void>();
  upstream.script(({ id }) => ({ body: { text: 'hi' }, ...(id === 1 && { until: refused.promise }) }));
  const first = ask(gzipSync, 'gzip');
  await upstream.waitFor(({ id }) => id === 1);
  expect((await plain()).status).toBe(503);
  refused.resolve();
  expect((await first).status).toBe(200);
  expect((await plain()).status).toBe(200);
});

test('F-32: a large answer keeps its room until its caller has taken it: however many ask for one and read nothing, memory has its bound', async () => {
  const content = 'x'.repeat(20 * 1024 * 1024);
  const choices = [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }];
  const usage = { prompt_tokens: 9, completion_tokens: 9, total_tokens: 18 };
  const answer = JSON.stringify({ id: 'a', object: 'chat.completion', created: 1, model, choices, usage });
  const upstream = createServer((request, response) => {
    request.resume().on('end', () => response.writeHead(200, { 'content-type': 'application/json' }).end(answer));
  });
  const address = `http://127.0.0.1:${await listening(upstream)}`;
  onTestFinished(() => void upstream.close().closeAllConnections());
  // Beyond the 4 MiB of its own each takes 16, or 20.
  const gateway = await startGateway({ MAX_BODIES_MB: '42' });
  onTestFinished(() => gateway.stop());
  const root = await gateway.root();
  await addServing(root, { base_url: address, models: model });
  const { key } = await root.addToken();
  const body = JSON.stringify({ model, max_tokens: 9, messages: [{ role: 'user', content: 'hi' }] });
  const { hostname, port } = new URL(gateway.url);
  /** Asks, and reads no more than where the answer begins. */
  const askAndStop = async () => {
    const socket = connect(Number(port), hostname).on('error', () => undefined);
    onTestFinished(() => void socket.destroy());
    const lines = ['POST /v1/chat/completions HTTP/1.1', 'host: a', `authorization: Bearer ${key}`];
    const more = ['content-type: application/json', `content-length: ${body.length}`, '', body];
    socket.write([...lines, ...more].join('\r\n'));
    const [bytes] = (await once(socket, 'data')) as [Buffer];
    socket.pause();
    return { socket, status: Number(bytes.toString('latin1').split(' ')[1]) };
  };
  const asked: Awaited<ReturnType<typeof askAndStop>>[] = [];
  for (let number = 0; number < 6; number += 1) asked.push(await askAndStop());
  expect(asked.map(({ status }) => status)).toEqual([200, 200, 503, 503, 503, 503]);
  asked[0]?.socket.resume();
  await expect.poll(async () => (await askAndStop()).status, { timeout: 20_000 }).toBe(200);
  asked[1]?.socket.destroy();
  await expect.poll(async () => (await askAndStop()).status, { timeout: 20_000 }).toBe(200);
});
