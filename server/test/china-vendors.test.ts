import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { WebSocketServer } from 'ws';
import type { Console } from '../../e2e/support/console-client.ts';
import { type Gateway, startGateway } from '../../e2e/support/gateway.ts';
import { postJson } from '../../e2e/support/post-json.ts';
import { listening } from './listening.ts';

type Json = Record<string, unknown>;

const fixtures = new URL('../../wire/fixtures/', import.meta.url);
const fixture = (name: string) => readFileSync(new URL(name, fixtures), 'utf8');
/** The vendors' streams, whole answers and errors are those that the laws of the dialects run over. */
const vendors = [
  { type: 15, model: 'ERNIE-4.0-8K', dialect: 'baidu-chat', key: 'id|secret', refusal: 'token-invalid', status: 401 },
  { type: 16, model: 'chatglm_pro', dialect: 'zhipu-invoke', key: 'id.secret', refusal: 'too-many', status: 429 },
  { type: 18, model: 'SparkDesk-v3.5', dialect: 'spark-chat', key: 'app|secret|key', refusal: 'parameters', status: 400 },
  { type: 21, model: 'library', dialect: 'library-ask', key: 'k', refusal: 'refused', status: 404 },
  { type: 23, model: 'hunyuan-pro', dialect: 'tencent-chat', key: '1|id|secret', refusal: 'parameter', status: 400 },
  { type: 37, model: 'dify-app', dialect: 'dify-chat', key: 'app-k', refusal: 'in-200', status: 503 },
] as const;

let upstream: Server;
let sockets: WebSocketServer;
let gateway: Gateway;
let key = '';
let root: Console;
const channels = new Map<number, number>();
/** Answers of this name are given. */
let scene = 'text';

/** What the vendor at this place answers; undefined = nobody is there. */
function answerTo(path: string, body: Json): { readonly type: string; readonly text: string } | undefined {
  const json = 'application/json';
  if (path.startsWith('/oauth/2.0/token?')) return { type: json, text: '{"access_token":"24.token","expires_in":2592000}' };
  const dialect = places.find(([place]) => place.test(path))?.[1];
  if (dialect === undefined) return undefined;
  if (scene !== 'text') return { type: json, text: fixture(`${dialect}/${scene}.error.json`) };
  const isStream = [body.stream, body.Stream, body.incremental, body.response_mode === 'streaming'].includes(true);
  if (!isStream) return { type: json, text: fixture(`${dialect}/text.json`) };
  return { type: 'text/event-stream', text: fixture(`${dialect}/text.sse`) };
}

const places: readonly (readonly [RegExp, string])[] = [
  [/^\/rpc\/2\.0\/ai_custom\/v1\/wenxinworkshop\/chat\/completions_pro\?access_token=24\.token$/, 'baidu-chat'],
  [/^\/api\/paas\/v3\/model-api\/chatglm_pro\/(sse-)?invoke$/, 'zhipu-invoke'],
  [/^\/api\/library\/ask$/, 'library-ask'],
  [/^\/$/, 'tencent-chat'],
  [/^\/v1\/chat-messages$/, 'dify-chat'],
];

beforeAll(async () => {
  upstream = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const answer = answerTo(request.url ?? '', text === '' ? {} : (JSON.parse(text) as Json));
    response.writeHead(answer === undefined ? 404 : 200, { 'content-type': answer?.type ?? 'text/plain' }).end(answer?.text);
  });
  sockets = new WebSocketServer({ server: upstream });
  sockets.on('connection', (socket) => {
    socket.once('message', () => {
      const frames =
        scene === 'text' ? fixture('spark-chat/text.sse').split('\n\n') : [`data: ${fixture(`spark-chat/${scene}.error.json`)}`];
      for (const frame of frames.filter((each) => each !== '')) socket.send(frame.slice('data: '.length));
      socket.close(1000);
    });
  });
  const address = `127.0.0.1:${await listening(upstream)}`;
  gateway = await startGateway();
  root = await gateway.root();
  await root.call('PUT', '/api/option/', { key: 'SelfUseModeEnabled', value: 'true' });
  await root.call('PUT', '/api/option/', { key: 'RetryTimes', value: '0' });
  for (const { type, model, key: secret } of vendors) {
    const { id } = await root.addChannel({
      type,
      models: model,
      key: secret,
      base_url: `http://${address}`,
      other: type === 21 ? 'lib-1' : '',
    });
    channels.set(type, id);
  }
  key = (await root.addToken()).key;
});

afterAll(async () => {
  await gateway.stop();
  for (const socket of sockets.clients) socket.terminate();
  upstream.closeAllConnections();
  upstream.close();
  await once(upstream, 'close');
});

beforeEach(() => {
  scene = 'text';
});

async function ask(path: string, body: Json): Promise<{ status: number; text: string }> {
  const answer = await postJson(gateway.url + path, key, body);
  return { status: answer.status, text: await answer.text() };
}

const messages = [{ role: 'user', content: '你好' }];
/** What a vendor says in this scene, as its own fixture has it. */
const said: Readonly<Record<string, string>> = {
  'baidu-chat': '您好，我是文心一言。🙂',
  'zhipu-invoke': '作为一个语言模型，你好😀',
  'spark-chat': '我是讯飞星火🙂',
  'library-ask': '见文档第三节。',
  'tencent-chat': '你好！有什么可以帮你？😀',
  'dify-chat': '你好，有什么可以帮您？',
};

describe.each(vendors)('type $type', ({ type, model, dialect, refusal, status }) => {
  test('answers at once', async () => {
    const answer = await ask('/v1/chat/completions', { model, messages });
    expect([answer.status, answer.text]).toMatchObject([200, expect.stringContaining(said[dialect] ?? '?')]);
    const { choices, usage } = JSON.parse(answer.text);
    expect(choices[0]).toMatchObject({ message: { role: 'assistant', content: said[dialect] }, finish_reason: 'stop' });
    // One vendor tells no usage: what it is charged stands in the log alone.
    if (dialect !== 'library-ask') expect(usage.total_tokens).toBeGreaterThan(0);
  });

  test('answers in a stream', async () => {
    const answer = await ask('/v1/chat/completions', { model, messages, stream: true, stream_options: { include_usage: true } });
    expect([answer.status, answer.text]).toMatchObject([200, expect.stringMatching(/data: \[DONE\]\n\n$/)]);
    const chunks = answer.text.split('\n\n').flatMap((line) => (line.startsWith('data: {') ? [JSON.parse(line.slice(6))] : []));
    expect(chunks.map(({ choices }) => choices[0]?.delta?.content ?? '').join('')).toBe(said[dialect]);
    expect(chunks.at(-1)?.usage?.total_tokens).toBeGreaterThan(0);
  });

  test('answers who speaks another dialect', async () => {
    const answer = await ask('/v1/messages', { model, messages, max_tokens: 50 });
    expect([answer.status, answer.text]).toMatchObject([200, expect.stringContaining('"type":"message"')]);
    expect(JSON.parse(answer.text).content).toEqual([expect.objectContaining({ type: 'text', text: said[dialect] })]);
  });

  test('is tested as it is asked', async () => {
    const { body } = await root.raw('GET', `/api/channel/test/${channels.get(type)}?model=${model}`);
    const nil = { success: false, message: 'usage is nil' };
    expect(body).toMatchObject(dialect === 'library-ask' ? nil : { success: true });
  });

  test('an error that came with status 200 has the status that it stands for', async () => {
    scene = refusal;
    for (const stream of [false, true]) {
      const answer = await ask('/v1/chat/completions', { model, messages, stream });
      expect([stream, answer.status, answer.text]).toEqual([stream, status, expect.stringMatching(/^\{"error":/)]);
    }
  });
});
