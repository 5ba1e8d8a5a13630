import type { LogEntry } from '@tollgate/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Console } from './support/console-client.ts';
import { freePort } from './support/free-port.ts';
import { type Gateway, startGateway } from './support/gateway.ts';
import { medianOf } from './support/median.ts';
import { type MockScript, type MockUpstream, startMockUpstream } from './support/mock-upstream.ts';
import { eventually } from './support/wait.ts';

const model = 'gpt-4o-mini';

let upstream: MockUpstream;
let gateway: Gateway;
let root: Console;
let key: string;

beforeAll(async () => {
  upstream = await startMockUpstream();
  gateway = await startGateway({ STREAM_PING_SECONDS: '1' });
  root = await gateway.root();
  await root.addChannel({ base_url: upstream.url, models: model });
  key = (await root.addToken()).key;
});
beforeEach(() => upstream.reset());
afterAll(async () => {
  await gateway.stop();
  await upstream.close();
});

function ask(body: Record<string, unknown>, init: RequestInit = {}, bearer = key): Promise<Response> {
  return fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'hi' }], ...body }),
    ...init,
  });
}

/** The log row of an answer, found by its request id. */
async function rowOf(answer: Response): Promise<LogEntry | undefined> {
  const id = answer.headers.get('x-oneapi-request-id');
  return (await root.logs()).find((row) => row.request_id === id);
}

async function direct(body: Record<string, unknown>): Promise<Buffer> {
  const answer = await fetch(`${upstream.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model, messages: [{ role: 'user', content: 'hi' }], ...body }),
  });
  return Buffer.from(await answer.arrayBuffer());
}

/** What an upstream may say of itself, and what would act on a browser or on other calls. */
const headersOfUpstream = {
  ...{
    'set-cookie': 'sid=1',
    server: 'vendor',
    via: '1.1 vendor',
    location: 'https://vendor.example/',
    link: '</a>; rel=preload',
  },
  ...{
    'access-control-allow-origin': 'https://vendor.example',
    'content-security-policy': "default-src 'none'",
    'strict-transport-security': 'max-age=1',
  },
  ...{
    'openai-organization': 'org-secret',
    'openai-project': 'proj',
    'anthropic-organization-id': 'org',
    'x-request-id': 'theirs',
  },
  ...{ 'x-ratelimit-remaining-requests': '7', 'cf-ray': 'abc', 'x-oneapi-request-id': 'theirs', 'www-authenticate': 'Basic' },
};

describe('headers of an upstream end at the gateway', () => {
  const messages = (stream: boolean) =>
    fetch(`${gateway.url}/v1/messages`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify({ model, stream, max_tokens: 9, messages: [{ role: 'user', content: 'hi' }] }),
    });

  test.each([
    ['a whole answer', {}, () => ask({})],
    ['a stream', {}, () => ask({ stream: true })],
    ['an answer told anew', {}, () => messages(false)],
    ['a stream told anew', {}, () => messages(true)],
    ['a refusal', { status: 400 }, () => ask({})],
    ['a redirect', { status: 302 }, () => ask({})],
  ] as const)('%s', async (_what, script, call) => {
    upstream.script(() => ({ ...script, headers: headersOfUpstream }));
    const answer = await call();
    await answer.arrayBuffer();
    const told = Object.entries(headersOfUpstream).filter(([name, value]) => answer.headers.get(name)?.includes(value));
    expect(told).toEqual([]);
    expect(answer.headers.getSetCookie()).toEqual([]);
  });
});

describe('passthrough', () => {
  test('a whole answer arrives byte for byte', async () => {
    const answer = await ask({});
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(await direct({}));
  });

  test.each<MockScript>([{}, { eol: 'crlf' }, { commentEvery: 2 }, { chunks: 40, chunkDelayMs: 1 }])(
    'a stream arrives byte for byte, without the usage frame that only we asked for: %j',
    async (script) => {
      upstream.script(() => script);
      const answer = await ask({ stream: true });
      expect(Buffer.from(await answer.arrayBuffer()).toString()).toBe((await direct({ stream: true })).toString());
      expect(upstream.requests()[0]?.json.stream_options).toEqual({ include_usage: true });
      expect((await rowOf(answer))?.prompt_tokens).toBe(20);
    },
  );

  test('a caller who asks for the usage frame gets it', async () => {
    const options = { stream: true, stream_options: { include_usage: true } };
    const text = await (await ask(options)).text();
    expect(text).toBe((await direct(options)).toString());
    expect(text).toContain('"usage":{');
  });

  test('a caller who asks for usage gets a frame with our count when the upstream sends none', async () => {
    upstream.script(() => ({ usage: 'missing' }));
    const answer = await ask({ stream: true, stream_options: { include_usage: true } });
    const frames = (await answer.text()).trim().split('\n\n');
    expect(frames.at(-1)).toBe('data: [DONE]');
    const { usage } = JSON.parse(frames.at(-2)?.replace(/^data: /, '') ?? '{}') as { usage: Record<string, number> };
    const row = await rowOf(answer);
    expect(usage).toMatchObject({ prompt_tokens: row?.prompt_tokens, completion_tokens: row?.completion_tokens });
  });

  test('all other bytes of the request stay as they came', async () => {
    const body = `{ "zeta": 1.0, "model" : "${model}",  "messages":[{"role":"user","content":"\\u00e9 \u00e9"}], "api_key":"steal", "metadata":{"a":1} }`;
    await ask({}, { body });
    expect(upstream.requests()[0]?.body.toString()).toBe(body.replace(', "api_key":"steal"', ''));
  });

  test('an answer that came compressed against our request is read and charged', async () => {
    upstream.script(() => ({ gzip: true }));
    for (const stream of [false, true]) {
      const answer = await ask({ stream });
      expect(answer.status).toBe(200);
      expect(await answer.text()).toContain('Hello');
      expect(await rowOf(answer)).toMatchObject({ prompt_tokens: 20, is_stream: stream });
    }
  });
});

describe('what is charged', () => {
  test('usage of the upstream: (20 + 7 x 4) x 0.075 = 3.6 is 4', async () => {
    const answer = await ask({});
    await answer.text();
    expect(await rowOf(answer)).toMatchObject({ prompt_tokens: 20, completion_tokens: 7, quota: 4, type: 2 });
  });

  test('an answer without usage is counted locally and says so', async () => {
    upstream.script(() => ({ usage: 'missing' }));
    for (const stream of [false, true]) {
      const answer = await ask({ stream });
      await answer.text();
      const row = await rowOf(answer);
      expect(row?.completion_tokens).toBeGreaterThan(5);
      expect(JSON.parse(row?.other ?? '{}')).toMatchObject({ usage_source: 'counted' });
    }
  });

  test.each([false, true])('an answer of as many tokens as it may have says so, streamed: %s', async (stream) => {
    const answer = await ask({ stream, max_tokens: 2 });
    await answer.text();
    const row = await rowOf(answer);
    expect(await root.call('GET', `/api/log/${row?.id}/receipt`)).toMatchObject({ cut: 'length', state: 'ok' });
  });

  test('absurd figures are clamped and flagged', async () => {
    upstream.script(() => ({ usage: 'absurd' }));
    const answer = await ask({ max_tokens: 100 });
    await answer.text();
    const row = await rowOf(answer);
    expect(row?.completion_tokens).toBeLessThanOrEqual(121);
    expect(JSON.parse(row?.other ?? '{}')).toMatchObject({ usage_anomaly: true });
  });

  test.each(['fin', 'rst', 'clean'] as const)(
    'a stream cut in the middle (%s) charges what arrived and never forges an end',
    async (cut) => {
      upstream.script(() => ({ chunks: 30, chunkDelayMs: 3, cutAtByte: 4_000, cut }));
      const answer = await ask({ stream: true });
      const text = await answer.text();
      const row = await rowOf(answer);
      expect(text).not.toContain('[DONE]');
      expect(text).toContain('stream_response_error');
      expect(row?.completion_tokens).toBeGreaterThan(5);
      expect(row?.completion_tokens).toBeLessThan(31);
      expect(JSON.parse(row?.other ?? '{}')).toMatchObject({ cut: true, cut_by: 'upstream_broke_off' });
    },
  );

  test('a caller who leaves in mid-stream is charged for what was delivered, and the upstream is cancelled at once', async () => {
    upstream.script(() => ({ chunks: 1000, chunkDelayMs: 5 }));
    const mostLeavingMs = 50;
    const left: Response[] = [];
    const leave = async () => {
      const known = upstream.requests().length;
      const leaving = new AbortController();
      const answer = await ask({ stream: true }, { signal: leaving.signal });
      const reader = answer.body?.getReader();
      await reader?.read();
      const leftAtMs = performance.timeOrigin + performance.now();
      leaving.abort();
      await expect.poll(() => upstream.requests()[known]?.aborted, { interval: 5 }).toBe(true);
      await reader?.read().catch(() => undefined);
      left.push(answer);
      return (upstream.requests()[known]?.endedAtMs ?? Number.POSITIVE_INFINITY) - leftAtMs;
    };
    expect(await medianOf(leave, (ms) => ms >= mostLeavingMs)).toBeLessThan(mostLeavingMs);
    for (const answer of left) {
      await expect
        .poll(() => rowOf(answer), { timeout: 5_000 })
        .toMatchObject({ is_stream: true, prompt_tokens: expect.any(Number) });
      expect((await rowOf(answer))?.completion_tokens).toBeLessThan(200);
    }
  });

  test('aborted streams leave the pool usable', async () => {
    upstream.script(() => ({ chunks: 1000, chunkDelayMs: 5 }));
    const leaveEarly = async () => {
      const leaving = new AbortController();
      const answer = await ask({ stream: true }, { signal: leaving.signal });
      await answer.body?.getReader().read();
      leaving.abort();
    };
    await Promise.all(Array.from({ length: 50 }, leaveEarly));
    upstream.script(() => ({}));
    expect((await ask({})).status).toBe(200);
  });

  test('a refused call costs nothing and holds nothing', async () => {
    upstream.script(() => ({ status: 400 }));
    const before = await root.self();
    expect((await ask({})).status).toBe(400);
    expect((await root.self()).quota).toBe(before.quota);
    expect(await root.call('GET', '/api/ledger/proof')).toMatchObject({ ok: true });
  });
});

describe('while the upstream is silent', () => {
  test('comments keep the stream open, and the answer follows them unharmed', async () => {
    upstream.script(() => ({ chunks: 1, chunkDelayMs: 1_600 }));
    const text = await (await ask({ stream: true })).text();
    expect(text).toContain(': PING\n\n');
    expect(text.replaceAll(': PING\n\n', '').trimEnd().endsWith('data: [DONE]')).toBe(true);
  });
});

describe('two channels, the first one dead', () => {
  const deaths: [string, MockScript | 'refused'][] = [
    ['refused', 'refused'],
    ['reset', { fault: 'reset' }],
    ['500', { status: 500 }],
    ['429', { status: 429, retryAfter: '60' }],
    ['hang', { fault: 'hang' }],
    ['error in 200', { errorIn200: true }],
  ];

  test.each(deaths)('%s: every call succeeds, one charge, both channels are named', async (name, death) => {
    const deadUpstream = await startMockUpstream();
    const base_url = death === 'refused' ? `http://127.0.0.1:${await freePort()}` : deadUpstream.url;
    if (death !== 'refused') deadUpstream.script(() => death);
    const retried = `retried-${name.replaceAll(' ', '-')}`;
    await root.setOption('ModelPrice', { [retried]: 0.002 });
    const setting = JSON.stringify({ first_byte_timeout_ms: 1_000 });
    const dead = await root.addChannel({ base_url, models: retried, priority: 10, setting });
    const alive = await root.addChannel({ base_url: upstream.url, models: retried, priority: 0 });
    const before = (await root.self()).quota;
    for (const stream of [false, true]) {
      const answer = await ask({ model: retried, stream });
      const text = await answer.text();
      expect(answer.status).toBe(200);
      expect(text).toContain('Hello');
      const row = await rowOf(answer);
      // Who asked to be left alone for a while is not asked again.
      const asked = name === '429' && stream ? [alive] : [dead, alive];
      expect(JSON.parse(row?.other ?? '{}')).toMatchObject({ admin_info: { use_channel: asked.map(({ id }) => String(id)) } });
      expect(row?.channel).toBe(alive.id);
    }
    expect(before - (await root.self()).quota).toBe(2 * 1_000);
    await deadUpstream.close();
  });

  test('a 400 is not retried, the upstream text reaches the caller with the request id', async () => {
    upstream.script(() => ({
      status: 400,
      body: { error: { message: 'bad field', type: 'invalid_request_error', param: 'x', code: 'bad' } },
    }));
    const answer = await ask({});
    const id = answer.headers.get('x-oneapi-request-id');
    expect(await answer.json()).toEqual({
      error: { message: `bad field (request id: ${id})`, type: 'invalid_request_error', param: 'x', code: 'bad' },
    });
    expect(upstream.requests()).toHaveLength(1);
  });

  test('a final 429 says so in our words, with our own Retry-After', async () => {
    upstream.script(() => ({ status: 429, retryAfter: '86400' }));
    const answer = await ask({});
    expect(answer.status).toBe(429);
    expect(answer.headers.get('retry-after')).toBe('60');
    expect(await answer.text()).toContain('当前分组上游负载已饱和');
  });

  test("the channel's key never reaches a caller, whatever the upstream says", async () => {
    const secret = 'planted-secret-key-0123456789';
    await root.addChannel({ base_url: upstream.url, models: 'leaky', key: secret });
    // Words of the error with which the mock ends a stream.
    await root.addChannel({ base_url: upstream.url, models: 'leaky-later', key: 'mid-stream' });
    await root.setOption('ModelPrice', { leaky: 0.002, 'leaky-later': 0.002 });
    upstream.script(() => ({
      status: 401,
      body: { error: { message: `Incorrect API key provided: ${secret} or sk-abcdefghijkl`, type: 'x' } },
    }));
    let text = '';
    // Channel and price reach the running node a moment later.
    await eventually(async () => {
      text = await (await ask({ model: 'leaky' })).text();
      expect(text).toContain('Incorrect API key');
    });
    expect(text).not.toContain(secret);
    expect(text).not.toContain('sk-abcdefghijkl');
    expect(gateway.output()).not.toContain(secret);
    upstream.script(() => ({ errorAfterChunks: 1 }));
    expect(await (await ask({ model: 'leaky-later', stream: true })).text()).toContain('mock failure in ***');
  });
});

describe('who may call', () => {
  const refusals: [string, () => Promise<Response>, number, string][] = [
    ['no key', () => ask({}, { headers: {} }), 401, '未提供令牌'],
    ['unknown key', () => ask({}, {}, 'sk-0123456789012345678901234567890123456789'), 401, '无效的令牌'],
    [
      'unknown model',
      () => ask({ model: 'nobody-serves-this' }),
      503,
      '当前分组 default 下对于模型 nobody-serves-this 无可用渠道',
    ],
  ];
  test.each(refusals)('%s', async (_name, call, status, text) => {
    const answer = await call();
    const body = (await answer.json()) as { error: { message: string; type: string } };
    expect(answer.status).toBe(status);
    expect(body.error.message).toContain(text);
    expect(body.error.message).toContain(`(request id: ${answer.headers.get('x-oneapi-request-id')})`);
    expect(body.error.type).toBe('new_api_error');
  });

  test('a model without a price is refused before any upstream is contacted', async () => {
    await root.addChannel({ base_url: upstream.url, models: 'unpriced-model' });
    const answer = await ask({ model: 'unpriced-model' });
    expect(answer.status).toBe(500);
    expect(await answer.text()).toContain('模型 unpriced-model 倍率或价格未配置');
    expect(upstream.requests()).toHaveLength(0);
  });

  test('a token bound to other models, other addresses or an expiry in the past is refused', async () => {
    const limited = await root.addToken({ model_limits_enabled: true, model_limits: 'other-model' });
    expect(await (await ask({}, {}, limited.key)).text()).toContain('该令牌无权访问模型');
    const elsewhere = await root.addToken({ allow_ips: '10.0.0.0/8' });
    expect(await (await ask({}, {}, elsewhere.key)).text()).toContain('您的 IP 不在令牌允许访问的列表中');
    const expired = await root.addToken({ expired_time: 1_700_000_000 });
    expect(await (await ask({}, {}, expired.key)).text()).toContain('该令牌已过期');
  });

  test('a revoked token stops working at once', async () => {
    const token = await root.addToken();
    expect((await ask({}, {}, token.key)).status).toBe(200);
    await root.call('DELETE', `/api/token/${token.id}/`);
    await expect.poll(async () => (await ask({}, {}, token.key)).status, { timeout: 1_500 }).toBe(401);
  });

  test('a limited token pays from its own quota and is exhausted by it', async () => {
    const token = await root.addToken({ unlimited_quota: false, remain_quota: 1_000 });
    await root.setOption('ModelPrice', { 'retried-500': 0.002, leaky: 0.002, capped: 0.002 });
    await root.addChannel({ base_url: upstream.url, models: 'capped' });
    expect((await ask({ model: 'capped' }, {}, token.key)).status).toBe(200);
    const second = await ask({ model: 'capped' }, {}, token.key);
    expect([401, 403]).toContain(second.status);
  });

  test('the list of models is what the key may call', async () => {
    const answer = await fetch(`${gateway.url}/v1/models`, { headers: { authorization: `Bearer ${key}` } });
    const { object, data } = (await answer.json()) as { object: string; data: { id: string }[] };
    expect(object).toBe('list');
    expect(data.map(({ id }) => id)).toContain(model);
    const one = await fetch(`${gateway.url}/v1/models/nothing`, { headers: { authorization: `Bearer ${key}` } });
    expect([one.status, (await one.json()) as object]).toMatchObject([404, { error: { code: 'model_not_found' } }]);
  });
});
