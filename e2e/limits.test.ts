import type { Token, TokenPolicy } from '@tollgate/contract';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { workingRoutes } from '../server/test/relay-routes.ts';
import type { Console } from './support/console-client.ts';
import { gatewayOn, onEachEngine } from './support/engine.ts';
import type { Gateway } from './support/gateway.ts';
import { type MockUpstream, startMockUpstream } from './support/mock-upstream.ts';
import { sideBySide } from './support/side-by-side.ts';
import { eventually } from './support/wait.ts';

const model = 'gpt-4o-mini';
/** A request that each protocol accepts. */
const bodies: Readonly<Record<string, object>> = {
  'openai-chat': { model, messages: [{ role: 'user', content: 'hi' }] },
  'openai-completions': { model, prompt: 'hi' },
  'openai-responses': { model, input: 'hi' },
  'responses-compact': { model, input: 'hi' },
  decisions: { model, input: 'hi', questions: [{ type: 'predicate', instructions: 'a greeting?' }] },
  'anthropic-messages': { model, max_tokens: 9, messages: [{ role: 'user', content: 'hi' }] },
  'gemini-generate': { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] },
  'gemini-embed': { content: { parts: [{ text: 'hi' }] } },
  'gemini-batch-embed': { requests: [{ content: { parts: [{ text: 'hi' }] } }] },
  embeddings: { model, input: 'hi' },
  moderations: { model, input: 'hi' },
  rerank: { model, query: 'hi', documents: ['a'] },
  images: { model, prompt: 'hi' },
  speech: { model, input: 'hi', voice: 'alloy' },
  drawing: { prompt: 'hi', base64: 'AA', base64Array: ['AA'], sourceBase64: 'AA', targetBase64: 'AA' },
  music: { prompt: 'hi' },
  videos: { model: 'sora-2', prompt: 'hi' },
};
const forms: ReadonlySet<string> = new Set(['image-edits', 'image-variations', 'transcriptions', 'translations']);
/** Held by tests of their own: they are no single requests. */
const elsewhere: ReadonlySet<string> = new Set(['realtime', 'drawing-follow-up']);

function form(): FormData {
  const data = new FormData();
  data.set('model', model);
  data.set('prompt', 'hi');
  data.set('file', new Blob([new Uint8Array(100)], { type: 'audio/wav' }), 'a.wav');
  data.set('image', new Blob([new Uint8Array(100)], { type: 'image/png' }), 'a.png');
  return data;
}

type Limits = Partial<TokenPolicy>;
/** One limit each, and what is left to be refused after one call. */
const limits: Readonly<Record<string, Limits>> = {
  rpm: { rpm: 1 },
  tpm: { tpm: 1 },
  rpd: { rpd: 1 },
  quota_day: { quota_day: 1 },
  quota_month: { quota_month: 1 },
  'the token’s own window': {
    rate_limit_enabled: true,
    rate_limit_count: 1,
    rate_limit_period: 60,
    rate_limit_message: '慢一点',
  },
};
const ofMoney: ReadonlySet<string> = new Set(['quota_day', 'quota_month']);
const free: ReadonlySet<string> = new Set(['tpm', ...ofMoney]);
/** In UTC, as money is limited. */
const today = () => new Date().toISOString().slice(0, 10);
const routesAtATime = 5;
const plain = { unlimited_quota: true, remain_quota: 0, expired_time: -1 };

onEachEngine((_engine, _open, kit) => {
  let upstream: MockUpstream;
  let gateway: Gateway;
  let root: Console;
  let tokens = 0;

  beforeAll(async () => {
    upstream = await startMockUpstream();
    gateway = await gatewayOn(kit);
    root = await gateway.root();
    await root.setOption('ModelRatio', { [model]: 1000 });
    await root.addChannel({ base_url: upstream.url, models: `${model},sora-2` });
    const drawings = 'mj_imagine,mj_shorten,mj_describe,mj_blend,mj_upload,swap_face';
    await root.addChannel({ type: 5, base_url: upstream.url, models: drawings });
    await root.addChannel({ type: 36, base_url: upstream.url, models: 'suno_music,suno_lyrics' });
    // A channel serves within a second of its saving.
    const { key } = await root.addToken({ name: 'looks' });
    const models = () => fetch(`${gateway.url}/v1/models`, { headers: { authorization: `Bearer ${key}` } });
    await eventually(async () => expect(await (await models()).text()).toContain('suno_music'));
  });
  beforeEach(() => upstream.reset());
  afterAll(async () => {
    await gateway.stop();
    await upstream.close();
  });

  const ask = (key: string, protocol: string, path: string, signal?: AbortSignal) =>
    fetch(gateway.url + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
      body: forms.has(protocol) ? form() : JSON.stringify(bodies[protocol]),
      signal: signal ?? null,
    });
  /** Looked for by a name of its own: the list of all of them is long. */
  const newToken = async (policy: Limits) => {
    tokens += 1;
    const input = { ...plain, name: `limited-${tokens}-`, ...policy };
    await root.call('POST', '/api/token/', input);
    const [token] = await root.call<Token[]>('GET', `/api/token/search?keyword=${input.name}`);
    if (token === undefined) throw new Error(`${input.name} was not made`);
    return { ...input, id: token.id, key: `sk-${token.key}` };
  };
  /** The answer to a token's second call, which its limit has no room for. Whether the upstream offers the path does not matter. */
  const secondCall = async (name: string, policy: Limits, protocol: string, path: string): Promise<Response> => {
    const day = today();
    const isMoney = ofMoney.has(name);
    const { key, ...made } = await newToken(isMoney ? {} : policy);
    const first = await (isMoney ? ask(key, 'openai-chat', '/v1/chat/completions') : ask(key, protocol, path));
    if (isMoney) expect([first.status, await first.text()]).toEqual([200, expect.stringContaining('usage')]);
    // What may cost more than there is room for would not have been let in at all.
    if (isMoney) await root.call('PUT', '/api/token/', { ...made, ...policy });
    const second = await ask(key, protocol, path);
    if (!isMoney || day === today()) return second;
    // What was spent before midnight is none of today's.
    await second.text();
    return secondCall(name, policy, protocol, path);
  };

  test('no route escapes a limit, whoever it was set for', async () => {
    const routes = workingRoutes(model).filter(({ protocol }) => !elsewhere.has(protocol));
    expect(routes.length).toBeGreaterThanOrEqual(19);
    for (const [name, policy] of Object.entries(limits)) {
      await sideBySide(routes, routesAtATime, async ({ path, protocol, counts }) => {
        // It has no tokens and no quota to be limited.
        if (counts === true && free.has(name)) return;
        const refused = await secondCall(name, policy, protocol, path);
        expect([name, path, refused.status]).toEqual([name, path, 429]);
        expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
        const text = await refused.text();
        expect(text).toContain(policy.rate_limit_message ?? (ofMoney.has(name) ? '消费限额' : '请求次数过多'));
      });
    }
  }, 240_000);

  test('a call that no day has room for is not told to wait', async () => {
    const { key } = await newToken({ quota_day: 3_000_000 });
    const chat = (more: object) =>
      fetch(`${gateway.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}` },
        body: JSON.stringify({ ...bodies['openai-chat'], ...more }),
      });
    const told = async (answer: Response) => {
      const [wait, again] = ['retry-after', 'x-should-retry'].map((name) => answer.headers.get(name));
      return { status: answer.status, wait, again, text: await answer.text() };
    };
    const never = { status: 429, wait: null, again: 'false', text: expect.stringContaining('等待也无法通过') as string };
    expect(await told(await chat({ max_tokens: 100_000 }))).toEqual(never);
    expect(await told(await chat({ messages: [{ role: 'user', content: 'long '.repeat(5_000) }] }))).toEqual(never);
    // A shorter answer is given instead where its caller asked for no length.
    expect(await told(await chat({}))).toMatchObject({ status: 200 });
  });

  test('no route escapes the limit of calls at the same time', async () => {
    await root.setOption('ModelRatio', { [model]: 0.001 });
    // What the one kind of upstream does not offer the other does.
    const other = await root.addChannel({ type: 47, base_url: `${upstream.url}/v1`, models: model });
    upstream.script(() => ({ fault: 'hang' }));
    const leaving = new AbortController();
    const waiting: Promise<string>[] = [];
    for (const { path, protocol, counts } of workingRoutes(model).filter((route) => !elsewhere.has(route.protocol))) {
      // Counting waits for nobody.
      if (counts === true) continue;
      const { key } = await newToken({ concurrency: 1 });
      const before = upstream.requests().length;
      const first = ask(key, protocol, path, leaving.signal).then((answer) => answer.text());
      waiting.push(first.catch(() => 'left'));
      const asked = upstream.waitFor(() => upstream.requests().length > before).then(() => 'asked');
      expect([path, await Promise.race([asked, first])]).toEqual([path, 'asked']);
      const refused = await ask(key, protocol, path);
      expect([path, refused.status]).toEqual([path, 429]);
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
      await refused.text();
    }
    leaving.abort();
    expect(await Promise.all(waiting)).toEqual(waiting.map(() => 'left'));
    await root.call('DELETE', `/api/channel/${other.id}`);
  }, 120_000);

  test('limits of the user and of the group hold beside those of the token', async () => {
    const { key } = await root.addToken({ name: 'plain' });
    const chat = () => ask(key, 'openai-chat', '/v1/chat/completions');
    const answer = await chat();
    expect(answer.headers.get('x-ratelimit-limit-requests')).toBeNull();
    await root.setOption('GroupLimits', { default: { rpm: 3 } });
    // The plan's window begins with the first call that meets it.
    await eventually(async () => expect((await chat()).headers.get('x-ratelimit-limit-requests')).toBe('3'));
    const statuses = [];
    for (let k = 0; k < 3; k += 1) statuses.push((await chat()).status);
    expect(statuses).toEqual([200, 200, 429]);
    await root.setOption('GroupLimits', {});
    await eventually(async () => expect((await chat()).status).toBe(200));
  });

  test('slots for calls at the same time are given back, however a call ends', async () => {
    const { key } = await root.addToken({ name: 'two at once', concurrency: 2 });
    const chat = (signal?: AbortSignal) =>
      fetch(`${gateway.url}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}` },
        body: JSON.stringify({ ...bodies['openai-chat'], stream: true }),
        ...(signal === undefined ? {} : { signal }),
      });
    upstream.script(() => ({ fault: 'hang' }));
    const leaving = new AbortController();
    const hanging = [chat(leaving.signal), chat(leaving.signal)].map((call) => call.catch(() => undefined));
    await upstream.waitFor(() => upstream.requests().length >= 2);
    expect((await chat()).status).toBe(429);
    leaving.abort();
    await Promise.all(hanging);
    upstream.script(() => ({}));
    // Who leaves before the answer began gives its upstream a few seconds to say whether it took the call.
    await eventually(async () => {
      const answer = await chat();
      await answer.text();
      expect(answer.status).toBe(200);
    }, 10_000);
    upstream.script(() => ({ status: 400 }));
    for (let k = 0; k < 5; k += 1) expect((await chat()).status).toBe(400);
  });
});
