import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Console } from './support/console-client.ts';
import { type Gateway, startGateway } from './support/gateway.ts';
import { type MockUpstream, startMockUpstream } from './support/mock-upstream.ts';

const model = 'gpt-4o-mini';
/** Served by an upstream of another dialect; changed on their way by the vendor's rules. */
const models = [model, 'claude-fuzz', 'gpt-5-fuzz'];
const runs = 1_000;

let upstream: MockUpstream;
let gateway: Gateway;
let root: Console;
let key: string;

beforeAll(async () => {
  upstream = await startMockUpstream();
  gateway = await startGateway();
  root = await gateway.root();
  await root.addChannel({ base_url: upstream.url, models: `${model},gpt-5-fuzz` });
  await root.addChannel({ base_url: upstream.url, models: 'claude-fuzz', type: 14 });
  await root.setOption('SelfUseModeEnabled', true);
  key = (await root.addToken()).key;
});
afterAll(async () => {
  await gateway.stop();
  await upstream.close();
});

const valid = { model, messages: [{ role: 'user', content: 'hi' }] };
const wrongField = fc.record(
  {
    model: fc.oneof(fc.string(), fc.constant(model), fc.jsonValue()),
    messages: fc.oneof(fc.constant(valid.messages), fc.jsonValue()),
    stream: fc.jsonValue(),
    stream_options: fc.jsonValue(),
    max_tokens: fc.oneof(fc.integer(), fc.double(), fc.jsonValue()),
    max_completion_tokens: fc.jsonValue(),
    n: fc.oneof(fc.integer(), fc.jsonValue()),
    system: fc.jsonValue(),
    tools: fc.jsonValue(),
    tool_choice: fc.jsonValue(),
    response_format: fc.jsonValue(),
    thinking: fc.jsonValue(),
    generationConfig: fc.jsonValue(),
    input: fc.oneof(fc.string(), fc.jsonValue()),
    prompt: fc.oneof(fc.string(), fc.jsonValue()),
    query: fc.jsonValue(),
    documents: fc.jsonValue(),
    contents: fc.jsonValue(),
    __proto__: fc.jsonValue(),
  },
  { requiredKeys: [] },
);
const bodies = fc.oneof(
  fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
  fc.json().map((text) => Buffer.from(text)),
  wrongField.map((fields) => Buffer.from(JSON.stringify(fields))),
  wrongField.map((fields) => Buffer.from(JSON.stringify({ ...valid, ...fields }))),
  fc
    .tuple(fc.constantFrom(...models), fc.boolean(), fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()))
    .map(([name, stream, fields]) => Buffer.from(JSON.stringify({ ...valid, ...fields, stream, model: name }))),
  fc
    .tuple(fc.constantFrom(...models), fc.constantFrom('\n', '\u0000', '\\x', '\\u12'))
    .map(([name, text]) => Buffer.from(`{"model":"${name}","messages":[{"role":"user","content":"${text}"}]}`)),
  fc.nat(400).map((cut) => Buffer.from(JSON.stringify({ ...valid, text: 'x'.repeat(300) })).subarray(0, cut)),
  fc.constant(Buffer.from(`{"model":"${model}","model":"other","messages":[]}`)),
  fc.constant(Buffer.from(`{"messages":${'['.repeat(5_000)}`)),
);
const chat = '/v1/chat/completions';
/** Half of the calls go to the door that most callers use. */
const paths = fc.oneof(
  fc.constant(chat),
  fc.constantFrom(
    ...['/v1/completions', '/v1/responses', '/v1/messages', '/v1/embeddings', '/v1/moderations', '/v1/rerank'],
    ...['/v1/images/generations', '/v1/images/edits', '/v1/audio/speech', '/v1/audio/transcriptions'],
    ...[`/v1beta/models/${model}:generateContent`, `/v1beta/models/${model}:streamGenerateContent?alt=sse`],
  ),
);
const encodings = fc.constantFrom(undefined, undefined, undefined, 'gzip', 'br', 'zstd', 'nonsense');

test(`${runs} bad bodies: a clear JSON error, never a stack, never a 500, and the books stay right`, async () => {
  await fc.assert(
    fc.asyncProperty(bodies, paths, encodings, async (body, path, encoding) => {
      const answer = await fetch(gateway.url + path, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, ...(encoding === undefined ? {} : { 'content-encoding': encoding }) },
        body: new Uint8Array(body),
      });
      const text = await answer.text();
      if (answer.status === 200) return;
      // Paths that the upstream does not offer answer as it does.
      expect([400, 403, 404, 503], `${path} ${text}`).toContain(answer.status);
      const { error } = JSON.parse(text) as { error: { message: string; type: string } };
      expect(error.message).toMatch(/\(request id: \w+\)$/);
      expect(text).not.toMatch(/\bat .+:\d+:\d+|node:|TypeError/);
    }),
    { numRuns: runs, seed: 20_261_120 },
  );
  expect(await root.call('GET', '/api/ledger/proof')).toMatchObject({ ok: true });
});

test('names that all objects have are names like any others', async () => {
  for (const name of ['constructor', '__proto__', 'toString']) {
    const odd: [string, string][] = [
      ['/v1/images/generations', `{"model":"${name}","prompt":"a cat","size":"1x1"}`],
      ['/v1/images/generations', `{"model":"${model}","prompt":"a cat","size":"${name}","quality":"${name}"}`],
      ['/v1/responses', `{"model":"claude-fuzz","input":"hi","${name}":1}`],
      [chat, JSON.stringify({ ...valid, model: name })],
    ];
    for (const [path, body] of odd) {
      const headers = { authorization: `Bearer ${key}` };
      const { status } = await fetch(gateway.url + path, { method: 'POST', headers, body });
      expect([200, 404, 503], `${path} ${body}`).toContain(status);
    }
  }
});

test('odd paths and methods get a JSON error', async () => {
  const odd: [string, string, number][] = [
    ['GET', '/v1/chat/completions', 404],
    ['POST', '/v1/nothing', 404],
    ['POST', '/v1/chat%2fcompletions', 404],
    ['POST', '//v1/chat/completions', 404],
    ['POST', '/chat/completions', 404],
    ['GET', '/models', 404],
    ['DELETE', '/assets/index.js', 404],
    ['POST', '/v1/embeddings', 400],
    ['POST', '/v1/files', 501],
    ['GET', '/api/nothing', 404],
  ];
  for (const [method, path, status] of odd) {
    const answer = await fetch(gateway.url + path, { method, headers: { authorization: `Bearer ${key}` } });
    expect([path, answer.status]).toEqual([path, status]);
    expect(await answer.json()).toHaveProperty('error.message');
    // A page of another site reads it as well, but nothing of the console's.
    expect(answer.headers.get('access-control-allow-origin')).toBe(path.startsWith('/api') ? null : '*');
  }
  expect((await fetch(`${gateway.url}/chat/completions`, { method: 'OPTIONS' })).status).toBe(204);
  const page = await fetch(`${gateway.url}/models`, { headers: { authorization: 'Bearer of-a-proxy' } });
  expect(page.headers.get('content-type')).toMatch(/html/);
});

test('a body over the limit is refused without reading it all', async () => {
  const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: new Uint8Array(17 * 1024 * 1024),
  }).catch(() => undefined);
  if (answer !== undefined) expect(answer.status).toBe(413);
  expect((await fetch(`${gateway.url}/api/status`)).status).toBe(200);
});

test('a defect that nobody waits for stands in the log and ends no stream', async () => {
  const defect = `process.once('SIGUSR2',()=>{Promise.reject(new Error('nobody waits'))})`;
  const own = await startGateway({ NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(defect)}` });
  try {
    const user = await own.root();
    await user.addChannel({ base_url: upstream.url, models: model });
    upstream.script([{ chunks: 20, chunkDelayMs: 20 }]);
    const answer = await fetch(own.url + chat, {
      method: 'POST',
      headers: { authorization: `Bearer ${(await user.addToken()).key}` },
      body: JSON.stringify({ ...valid, stream: true }),
    });
    own.process.kill('SIGUSR2');
    expect(await answer.text()).toMatch(/\[DONE\]\s*$/);
    await expect.poll(own.output).toContain('nobody waits');
  } finally {
    await own.stop();
  }
});
