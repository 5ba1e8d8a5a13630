import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { chat, clientDialect, type JsonObject, upstreamDialect } from '@tollgate/wire';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type WebSocket, WebSocketServer } from 'ws';
import { createGuard } from '../platform/http/guard.ts';
import { createOpenSocket } from '../platform/http/websocket.ts';
import type { UpstreamCallFacts } from './call.ts';
import type { SignTools } from './sign.ts';
import { xunfei } from './xunfei.ts';

const spark = upstreamDialect('spark-chat');
const openai = clientDialect('openai-chat');
if (spark === undefined || openai === undefined) throw new Error('a dialect is missing');
const open = createOpenSocket({ guard: createGuard({ allowPrivate: ['127.0.0.0/8'], rewrite: [] }), connectTimeoutMs: 2_000 });
const nowMs = Date.UTC(2026, 10, 20, 12);
const tools: SignTools = {
  nowMs,
  token: () => Promise.reject(new Error('no token wanted')),
  post: () => Promise.reject(new Error('no exchange wanted')),
};

let sockets: WebSocketServer;
let base = '';
let asked: JsonObject[] = [];
let speak: (socket: WebSocket) => void = () => undefined;

/** Opens for whoever proves the secret, as the vendor does. */
function isProven(path: string, host: string): boolean {
  const { pathname, searchParams } = new URL(path, 'ws://any');
  const fields = Buffer.from(searchParams.get('authorization') ?? '', 'base64').toString();
  const origin = `host: ${host}\ndate: ${searchParams.get('date')}\nGET ${pathname} HTTP/1.1`;
  const signature = createHmac('sha256', 'the-secret').update(origin).digest('base64');
  return fields.includes('api_key="the-key"') && fields.includes(`signature="${signature}"`);
}

beforeEach(async () => {
  asked = [];
  sockets = new WebSocketServer({
    port: 0,
    host: '127.0.0.1',
    verifyClient: ({ req }, done) => done(isProven(req.url ?? '', req.headers.host ?? ''), 401, 'HMAC signature does not match'),
  });
  sockets.on('connection', (socket) => {
    socket.once('message', (message) => {
      asked.push(JSON.parse(String(message)) as JsonObject);
      speak(socket);
    });
  });
  await once(sockets, 'listening');
  base = `ws://127.0.0.1:${(sockets.address() as AddressInfo).port}`;
});

afterEach(async () => {
  for (const socket of sockets.clients) socket.terminate();
  sockets.close();
  await once(sockets, 'close');
});

/** A question in the OpenAI dialect, all the way to the vendor and back. */
async function ask(key: string): Promise<{ status: number; text: string }> {
  const channel = { id: 1, baseUrl: base, key, organization: '', other: '' };
  const call: UpstreamCallFacts = { channel, model: 'SparkDesk-v3.5', stream: true, protocol: 'spark-chat' };
  const decoded = openai?.decodeRequest({
    model: 'x',
    stream: true,
    messages: [{ role: 'user', content: '你好' }],
    max_tokens: 9,
  });
  if (decoded?.ok !== true || spark === undefined || openai === undefined) throw new Error('not understood');
  const { body } = spark.encodeRequest(decoded.request, { model: call.model, defaultMaxTokens: 100 });
  const place = xunfei.paths['spark-chat'];
  const path = typeof place === 'function' ? place(call) : '';
  const bytes = Buffer.from(JSON.stringify(xunfei.adapt?.(body, call)));
  const signed = await xunfei.sign?.({ ...call, url: new URL(path), headers: {}, body: bytes }, tools);
  const context = { id: 'answer', model: 'x', created: 1, wantsUsage: true, promptEstimate: 1 };
  const tap = chat.createCrossingTap(spark.createDecoder(), openai.createEncoder(context), { swallowUsage: false });
  return new Promise((resolve, reject) => {
    let status = 0;
    let text = '';
    const request = { url: signed?.url ?? new URL(base), method: 'POST', headers: {}, body: bytes } as const;
    open(
      { ...request, firstByteTimeoutMs: 2_000, idleTimeoutMs: 2_000 },
      {
        head(code) {
          status = code;
        },
        data(chunk) {
          text += status === 200 ? (tap.push(chunk)?.toString() ?? '') : chunk.toString();
        },
        end() {
          if (status === 200) text += tap.end().closing({ prompt: 0, completion: 0 })?.toString() ?? '';
          resolve({ status, text });
        },
        fault: reject,
      },
    );
  });
}

const frame = (status: number, content: string) =>
  JSON.stringify({
    header: { code: 0, message: 'Success', sid: 's', status },
    payload: {
      choices: { status, seq: status, text: [{ content, role: 'assistant', index: 0 }] },
      ...(status === 2 ? { usage: { text: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 } } } : {}),
    },
  });

test('an answer crosses from the signed socket to a client of another dialect, with its usage', async () => {
  speak = (socket) => {
    for (const [status, content] of [
      [0, '我'],
      [1, '是星火'],
      [2, '🙂'],
    ] as const)
      socket.send(frame(status, content));
    socket.close(1000);
  };
  const { status, text } = await ask('the-app|the-secret|the-key');
  expect(status).toBe(200);
  const chunks = text.split('\n\n').flatMap((line) => (line.startsWith('data: {') ? [JSON.parse(line.slice(6))] : []));
  expect(chunks.map((chunk) => chunk.choices[0]?.delta?.content ?? '').join('')).toBe('我是星火🙂');
  expect(chunks.at(-1)?.usage).toMatchObject({ prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 });
  expect(text.endsWith('data: [DONE]\n\n')).toBe(true);
  expect(asked).toEqual([
    {
      header: { app_id: 'the-app' },
      parameter: { chat: { domain: 'generalv3.5', max_tokens: 9 } },
      payload: { message: { text: [{ role: 'user', content: '你好' }] } },
    },
  ]);
});

test('a wrong secret is refused at the opening, with the vendor’s status and words', async () => {
  expect(await ask('the-app|another|the-key')).toEqual({ status: 401, text: 'HMAC signature does not match' });
  expect(asked).toEqual([]);
});
