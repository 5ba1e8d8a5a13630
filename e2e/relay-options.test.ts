import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { listening } from '../server/test/listening.ts';
import { startConnectProxy, startSocksProxy } from '../server/test/proxies.ts';
import type { Console } from './support/console-client.ts';
import { type Gateway, startGateway } from './support/gateway.ts';
import { jsonAnswer } from './support/mock/dialect.ts';
import { type MockUpstream, startMockUpstream } from './support/mock-upstream.ts';
import { postJson } from './support/post-json.ts';

type Json = Record<string, unknown>;

const picture = Buffer.from('\x89PNG\r\n\x1a\na picture', 'latin1');
/** The web as callers see it: `web.test`, and the operator's worker on the same server. */
let web: { readonly port: number; readonly asked: string[]; readonly orders: Json[]; close(): void };
let upstream: MockUpstream;
let gateway: Gateway;
let root: Console;
let key: string;

async function serveWeb(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  web.asked.push(`${request.method} ${request.url}`);
  if (request.method === 'POST') web.orders.push(JSON.parse(Buffer.concat(chunks).toString()) as Json);
  if (request.url === '/page') response.writeHead(200, { 'content-type': 'text/html' }).end('a page with secrets');
  else if (request.url === '/slow.png')
    setTimeout(() => response.writeHead(200, { 'content-type': 'image/png' }).end(picture), 600);
  else if (request.url === '/inside') response.writeHead(302, { location: 'http://127.0.0.1/' }).end();
  else response.writeHead(200, { 'content-type': 'image/png' }).end(picture);
}

async function startWeb(): Promise<typeof web> {
  const server = createServer((request, response) => void serveWeb(request, response));
  const port = await listening(server);
  return {
    ...{ port, asked: [], orders: [] },
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

const message = {
  ...{ id: 'msg_1', type: 'message', role: 'assistant', model: 'm', stop_reason: 'end_turn', stop_sequence: null },
  content: [
    { type: 'thinking', thinking: 'let me see', signature: 's' },
    { type: 'text', text: 'yes' },
  ],
  usage: { input_tokens: 30, output_tokens: 9 },
};

beforeAll(async () => {
  web = await startWeb();
  upstream = await startMockUpstream({ dialects: [['POST /messages', () => jsonAnswer(200, message)]] });
  gateway = await startGateway({ EGRESS_REWRITE: `web.test=http://127.0.0.1:${web.port}` });
  root = await gateway.root();
  key = (await root.addToken()).key;
  await root.setOption('SelfUseModeEnabled', true);
});
afterAll(async () => {
  await gateway.stop();
  await upstream.close();
  web.close();
});
beforeEach(() => {
  upstream.reset();
  web.asked.length = 0;
  web.orders.length = 0;
});

let models = 0;
/** A model of its own for each test, so that only the test's channels serve it. */
const newModel = (prefix = 'model') => {
  models += 1;
  return `${prefix}-${models}`;
};
const addChannel = (model: string, more: Json = {}) => {
  const { setting, ...others } = more;
  return root.addChannel({
    ...{ base_url: upstream.url, models: model, ...others },
    ...(setting === undefined ? {} : { setting: JSON.stringify(setting) }),
  });
};
const call = (path: string, body: Json, own = key) => postJson(gateway.url + path, own, body);
const chat = (body: Json) => call('/v1/chat/completions', { messages: [{ role: 'user', content: 'hi' }], ...body });
const seeing = (model: string, ...urls: string[]) => ({
  model,
  messages: [{ role: 'user', content: urls.map((url) => ({ type: 'image_url', image_url: { url } })) }],
});
const errorOf = async (answer: Response) => [answer.status, ((await answer.json()) as { error: Json }).error] as const;
const proof = () => root.call('GET', '/api/ledger/proof');
const lastLog = async (model: string) => {
  const [row] = await root.logs(`type=2&model_name=${model}`);
  return { ...row, other: JSON.parse(row?.other ?? '{}') as Json };
};

describe('media by address', () => {
  test('goes inline to an upstream that takes none, fetched once however many channels are tried', async () => {
    const model = newModel();
    await addChannel(model, { type: 14, priority: 2, name: 'sick' });
    await addChannel(model, { type: 14, priority: 1, name: 'well' });
    upstream.script([{ status: 500 }]);
    const answer = await chat(seeing(model, 'http://web.test/a.png', 'http://web.test/a.png'));
    expect(answer.status).toBe(200);
    expect(web.asked).toEqual(['GET /a.png']);
    const source = { type: 'base64', media_type: 'image/png', data: picture.toString('base64') };
    for (const { json } of upstream.requests()) {
      expect(json.messages).toMatchObject([
        {
          content: [
            { type: 'image', source },
            { type: 'image', source },
          ],
        },
      ]);
    }
    expect(upstream.requests()).toHaveLength(2);
  });

  test('a second channel whose request takes its time is asked although the first one has failed meanwhile', async () => {
    const model = newModel();
    await addChannel(model, { priority: 2, setting: { hedge_ms: 50 } });
    await addChannel(model, { type: 14, priority: 1 });
    upstream.script(({ path }) => (path.endsWith('/messages') ? undefined : { status: 500, delayMs: 300 }));
    expect((await chat(seeing(model, 'http://web.test/slow.png'))).status).toBe(200);
    expect(upstream.requests().map(({ path }) => path)).toEqual(['/v1/chat/completions', '/v1/messages']);
    expect(await proof()).toMatchObject({ ok: true });
  });

  test.each([
    ['a page', 'http://web.test/page', 'no picture'],
    ['an address inside', 'http://127.0.0.1/', 'not allowed'],
    ['a way inside', 'http://web.test/inside', 'not allowed'],
    ['a strange port', 'http://web.test:22/', 'only the ports'],
  ])('%s is the caller’s error: no upstream is asked, nothing is charged', async (_, url, reason) => {
    const model = newModel();
    await addChannel(model, { type: 14, name: 'one' });
    await addChannel(model, { type: 14, name: 'two' });
    const before = (await root.self()).quota;
    const [status, error] = await errorOf(await chat(seeing(model, url)));
    expect([status, error]).toMatchObject([
      400,
      { code: 'media_unavailable', message: expect.stringContaining(reason) as string },
    ]);
    expect(error.message).not.toContain('secrets');
    expect(upstream.requests()).toHaveLength(0);
    expect((await root.self()).quota).toBe(before);
    expect(await proof()).toMatchObject({ ok: true });
  });

  test('is fetched by the operator’s worker where there is one', async () => {
    const model = newModel();
    await addChannel(model, { type: 14 });
    await root.setOption('WorkerUrl', `http://127.0.0.1:${web.port}/work`);
    await root.setOption('WorkerValidKey', 'worker-key');
    expect((await chat(seeing(model, 'https://elsewhere.example/a.png'))).status).toBe(200);
    expect(web.orders).toEqual([
      { url: 'https://elsewhere.example/a.png', key: 'worker-key', method: 'GET', headers: {}, body: null },
    ]);
    expect(await errorOf(await chat(seeing(model, 'http://web.test/a.png')))).toMatchObject([400, { code: 'media_unavailable' }]);
    await root.setOption('WorkerUrl', '');
  });
});

describe('settings of a channel', () => {
  test('thinking_to_content: of an upstream of another dialect, and streamed from one of the same', async () => {
    const crossed = newModel();
    await addChannel(crossed, { type: 14, setting: { thinking_to_content: true } });
    const whole = (await (await chat({ model: crossed })).json()) as { choices: unknown[] };
    expect(whole.choices).toMatchObject([{ message: { content: '<think>\nlet me see\n</think>\nyes' } }]);

    const same = newModel();
    await addChannel(same, { setting: { thinking_to_content: true } });
    upstream.script([{ text: 'yes of course', reasoning: 'let me see', promptTokens: 11, completionTokens: 7 }]);
    const stream = await (await chat({ model: same, stream: true })).text();
    const contents = [...stream.matchAll(/"content":("(?:[^"\\]|\\.)*")/g)].map(([, text]) => JSON.parse(text ?? '""') as string);
    expect(contents.join('')).toBe('<think>\nlet me see\n</think>\nyes of course');
    expect(stream).not.toMatch(/reasoning_content|"usage"/);
    expect(stream).toMatch(/data: \[DONE\]\n\n$/);
    expect(upstream.requests().at(-1)?.json).toMatchObject({ stream_options: { include_usage: true } });
    expect(await lastLog(same)).toMatchObject({ prompt_tokens: 11, completion_tokens: 7, other: { usage_source: 'upstream' } });
  });

  test('force_format: the plain shape, whatever the vendor adds', async () => {
    const model = newModel();
    await addChannel(model, { setting: { force_format: true } });
    upstream.script([{ text: 'one two' }]);
    const stream = await (await chat({ model, stream: true, stream_options: { include_usage: true } })).text();
    const chunks = [...stream.matchAll(/^data: (\{.*\})$/gm)].map(([, json]) => JSON.parse(json ?? '') as Json);
    for (const chunk of chunks) expect(chunk).toMatchObject({ object: 'chat.completion.chunk', model });
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { completion_tokens: 2 } });
  });

  test('coalesce_ms: the same bytes in fewer pieces, up to where a stream is cut', async () => {
    const [apart, together] = [newModel(), newModel()];
    await addChannel(apart);
    await addChannel(together, { setting: { coalesce_ms: 20 } });
    for (const script of [
      { chunks: 60, chunkDelayMs: 3 },
      { chunks: 60, chunkDelayMs: 3, cutAtByte: 8_000, cut: 'fin' },
    ] as const) {
      const read = async (model: string) => {
        upstream.script(() => script);
        const startedMs = performance.now();
        const answer = await chat({ model, stream: true });
        const pieces: Uint8Array[] = [];
        for await (const piece of answer.body ?? []) pieces.push(piece);
        const text = Buffer.concat(pieces).toString().replaceAll(model, 'm');
        return { pieces: pieces.length, text: text.replaceAll(/request id: \w+/g, ''), tookMs: performance.now() - startedMs };
      };
      const [one, other] = [await read(apart), await read(together)];
      expect(other.text).toBe(one.text);
      // The head's piece, one each 20 ms, and what waits for the charge.
      expect(other.pieces).toBeLessThanOrEqual(other.tookMs / 20 + 4);
      expect(other.pieces).toBeLessThan(script.chunks);
    }
    expect(await proof()).toMatchObject({ ok: true });
  });

  test('system_prompt stands before the caller’s in every dialect; the caller is not told', async () => {
    const model = newModel();
    await addChannel(model, { setting: { system_prompt: 'Be brief.' } });
    const own = {
      messages: [
        { role: 'system', content: 'own' },
        { role: 'user', content: 'hi' },
      ],
    };
    await chat({ model, ...own });
    await call('/v1/messages', { model, max_tokens: 9, system: 'own', messages: [{ role: 'user', content: 'hi' }] });
    const [first, second] = upstream.requests().map(({ json }) => json.messages);
    expect(first).toEqual([
      { role: 'system', content: 'Be brief.\n\nown' },
      { role: 'user', content: 'hi' },
    ]);
    expect(JSON.stringify(second)).toMatch(/Be brief\..*own/);
  });

  test('status codes are mapped, also of an upstream of another dialect', async () => {
    const model = newModel();
    await addChannel(model, { type: 14, status_code_mapping: '{"404":"400"}' });
    upstream.script([{ status: 404, body: { type: 'error', error: { type: 'not_found_error', message: 'no such model' } } }]);
    expect(await errorOf(await chat({ model }))).toMatchObject([
      400,
      { message: expect.stringContaining('no such model') as string },
    ]);
    expect(upstream.requests()).toHaveLength(1);
  });

  test('overrides reach the body and the head of a request that crosses', async () => {
    const model = newModel();
    await addChannel(model, {
      ...{ type: 14, model_mapping: JSON.stringify({ [model]: 'middle', middle: 'last' }) },
      ...{ param_override: '{"temperature":0.25,"stream":true}', header_override: '{"X-Own":"mine"}' },
    });
    expect((await chat({ model })).status).toBe(200);
    const [request] = upstream.requests();
    expect(request?.json).toMatchObject({ model: 'last', temperature: 0.25 });
    expect(request?.json.stream).not.toBe(true);
    expect(request?.headers['x-own']).toBe('mine');
    expect((await lastLog(model)).other).toMatchObject({ is_model_mapped: true, upstream_model_name: 'last' });
  });
});

test('an effort in a model’s name is sent as one and stands in the log', async () => {
  await addChannel('o3-mini-high');
  expect((await chat({ model: 'o3-mini-high' })).status).toBe(200);
  expect(upstream.requests().at(-1)?.json).toMatchObject({ model: 'o3-mini', reasoning_effort: 'high' });
  expect((await lastLog('o3-mini-high')).other).toMatchObject({ reasoning_effort: 'high' });
});

test('a caller with a low cap pays for the thinking that a name asks for', async () => {
  const model = 'claude-3-7-sonnet-20250219-thinking';
  await addChannel(model, { type: 14 });
  upstream.script([{ body: { ...message, usage: { input_tokens: 30, output_tokens: 900 } } }]);
  expect((await chat({ model, max_tokens: 1 })).status).toBe(200);
  expect(upstream.requests().at(-1)?.json).toMatchObject({ max_tokens: 1280, thinking: { budget_tokens: 1024 } });
  expect(await lastLog(model)).toMatchObject({ completion_tokens: 900 });
  expect(await proof()).toMatchObject({ ok: true });
});

test('untouched bytes: the operator’s switch', async () => {
  const model = newModel();
  await addChannel(model, { model_mapping: JSON.stringify({ [model]: 'other' }), param_override: '{"seed":1}' });
  await root.setOption('global.pass_through_request_enabled', true);
  const body = `{"model" : "${model}", "stream":true,"messages":[{"role":"user","content":"\\u0068i"}], "unknown":1.50 }`;
  const send = () =>
    fetch(`${gateway.url}/v1/chat/completions`, { method: 'POST', headers: { authorization: `Bearer ${key}` }, body });
  const sent = async () => {
    await (await send()).text();
    return upstream.requests().at(-1)?.body.toString();
  };
  await expect.poll(sent, { timeout: 10_000 }).toBe(body);
  await root.setOption('global.pass_through_request_enabled', false);
});

test('a word of the operator’s list is refused before anything is held or asked', async () => {
  const model = newModel();
  await addChannel(model);
  await root.setOption('SensitiveWords', 'forbidden\n敏感词');
  const forbidden = async () => errorOf(await chat({ model, messages: [{ role: 'user', content: 'FORBIDDEN' }] }));
  const refusal = [
    400,
    { code: 'sensitive_words_detected', message: expect.stringContaining('sensitive words detected') as string },
  ];
  await expect.poll(forbidden, { timeout: 10_000 }).toMatchObject(refusal);
  const asked = upstream.requests().length;
  const messages = await call('/v1/messages', { model, max_tokens: 9, messages: [{ role: 'user', content: '这是敏感词' }] });
  expect([messages.status, await messages.json()]).toMatchObject([400, { type: 'error' }]);
  for (const [path, body] of [
    ['/v1/images/generations', { prompt: 'forbidden' }],
    ['/v1/embeddings', { input: ['fine', 'a Forbidden word'] }],
    ['/v1/rerank', { query: 'q', documents: ['forbidden'] }],
  ] as const) {
    expect([path, ...(await errorOf(await call(path, { model, ...body })))]).toMatchObject([path, ...refusal]);
  }
  expect(upstream.requests()).toHaveLength(asked);
  await root.setOption('SensitiveWords', '');
});

test('a text with a bare line break is refused where it has to be read, and holds nothing', async () => {
  const model = newModel('gpt-5');
  await addChannel(model);
  const before = (await root.self()).quota;
  const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
    ...{ method: 'POST', headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' } },
    body: `{"model":"${model}","messages":[{"role":"user","content":"one\ntwo"}],"max_tokens":9}`,
  });
  expect(await errorOf(answer)).toMatchObject([400, { message: expect.stringContaining('must be escaped') as string }]);
  expect([(await root.self()).quota, upstream.requests()]).toEqual([before, []]);
});

describe.each([
  ['http', startConnectProxy],
  ['socks5', startSocksProxy],
] as const)('a %s proxy', (kind, start) => {
  test('carries all calls of its channel, and no others', async () => {
    const proxy = await start({ login: 'user:pass' });
    const model = newModel();
    // A name that nobody but the proxy knows.
    const inner = await start({
      login: 'user:pass',
      everythingTo: { host: '127.0.0.1', port: Number(new URL(upstream.url).port) },
    });
    const address = ({ port }: { port: number }) => `${kind}://user:pass@127.0.0.1:${port}`;
    const { id } = await addChannel(model, { base_url: 'http://only-the-proxy.invalid', setting: { proxy: address(inner) } });
    expect((await chat({ model })).status).toBe(200);
    expect(await (await chat({ model, stream: true })).text()).toMatch(/\[DONE\]/);
    expect((await root.raw('GET', `/api/channel/test/${id}?model=${model}`)).body).toMatchObject({ success: true });
    expect((await root.raw('GET', `/api/channel/fetch_models/${id}`)).body).toMatchObject({ success: true });
    expect(new Set(inner.asked.map(({ place }) => place))).toEqual(new Set(['only-the-proxy.invalid:80']));
    expect(proxy.asked).toHaveLength(0);
    const refused = newModel();
    await addChannel(refused, { setting: { proxy: `${kind}://user:wrong@127.0.0.1:${proxy.port}` } });
    const [status, error] = await errorOf(await chat({ model: refused }));
    expect([status >= 500, JSON.stringify(error)]).toEqual([true, expect.not.stringContaining('wrong')]);
    expect(gateway.output()).not.toMatch(/user:(pass|wrong)/);
    proxy.close();
    inner.close();
  });
});
