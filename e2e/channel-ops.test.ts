import type { Channel, ChannelJobs, Envelope } from '@tollgate/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Console } from './support/console-client.ts';
import { gatewayOn, onEachEngine } from './support/engine.ts';
import type { Gateway } from './support/gateway.ts';
import { type MockUpstream, startMockUpstream } from './support/mock-upstream.ts';
import { postJson } from './support/post-json.ts';

/** A credential that must never come back; nothing else in these tests looks like it. */
const marker = 'planted-7f3a9c51-upstream-credential';
const model = 'gpt-4o-mini';
type Answer = Envelope & Record<string, unknown>;

onEachEngine((_engine, _open, kit) => {
  describe('operations on channels', () => {
    let upstream: MockUpstream;
    let gateway: Gateway;
    let root: Console;
    /** Everything the console received. */
    let received = '';

    beforeAll(async () => {
      upstream = await startMockUpstream();
      gateway = await gatewayOn(kit, { LOG_LEVEL: 'debug', UPSTREAM_FIRST_BYTE_TIMEOUT_MS: '1000' });
      root = await gateway.root();
    });
    beforeEach(() => upstream.reset());
    afterAll(async () => {
      await gateway.stop();
      await upstream.close();
    });

    const act = async (method: string, path: string, body?: unknown): Promise<{ status: number; body: Answer }> => {
      const answer = await root.raw(method, path, body);
      received += JSON.stringify(answer);
      return { status: answer.status, body: answer.body as Answer };
    };
    const add = (fields: object = {}): Promise<Channel> =>
      root.addChannel({ base_url: upstream.url, key: marker, models: model, ...fields });
    const channel = async ({ id }: Channel): Promise<Channel> => (await act('GET', `/api/channel/${id}`)).body.data as Channel;
    const testOf = async ({ id }: Channel, query = '') => (await act('GET', `/api/channel/test/${id}${query}`)).body;

    describe('test', () => {
      test('a test is the relay’s own request; it is measured, logged, and charges nothing', async () => {
        const made = await add({
          model_mapping: `{"${model}":"real-name"}`,
          param_override: '{"top_p":0.5}',
          header_override: '{"X-Region":"eu","Authorization":"Token {api_key}"}',
          openai_organization: 'org-1',
        });
        const quota = (await root.self()).quota;
        const answer = await testOf(made, `?model=${model}`);
        expect(answer).toEqual({ success: true, message: '', time: expect.any(Number), data: { time: answer.time } });
        const [request] = upstream.requests();
        expect(request).toMatchObject({
          path: '/v1/chat/completions',
          headers: { authorization: `Token ${marker}`, 'x-region': 'eu', 'openai-organization': 'org-1' },
          json: { model: 'real-name', messages: [{ role: 'user', content: 'hi' }], max_tokens: 10, top_p: 0.5, stream: false },
        });
        const after = await channel(made);
        expect(after.response_time).toBeGreaterThan(0);
        expect(after.test_time).toBeGreaterThan(1_700_000_000);
        const [row] = await root.logs(`type=2&channel=${made.id}`);
        expect(row).toMatchObject({
          ...{ content: '模型测试', token_name: '模型测试', model_name: model, quota: 0, username: 'root' },
          ...{ prompt_tokens: 20, completion_tokens: 7 },
        });
        expect(JSON.parse(row?.other ?? '{}')).toMatchObject({ test: true, would_cost: expect.any(Number) });
        expect((await root.self()).quota).toBe(quota);
        expect((await act('GET', '/api/ledger/proof')).body.data).toMatchObject({ ok: true });
      });

      test('the model is the asked one, else the test model, else the first; embeddings go to their endpoint', async () => {
        const made = await add({ models: 'first-model,text-embedding-3-small', test_model: 'o3-mini' });
        await testOf(made);
        await act('PUT', '/api/channel/', { id: made.id, test_model: '' });
        await testOf(made);
        await testOf(made, '?model=text-embedding-3-small');
        await testOf(made, '?model=gemini-pro');
        await testOf(made, '?model=claude-thinking');
        expect(
          upstream
            .requests()
            .map(({ path, json }) => [path, json.model, json.max_tokens ?? json.max_completion_tokens ?? json.input]),
        ).toEqual([
          ['/v1/chat/completions', 'o3-mini', 10],
          ['/v1/chat/completions', 'first-model', 10],
          ['/v1/embeddings', 'text-embedding-3-small', ['hello world']],
          ['/v1/chat/completions', 'gemini-pro', 300],
          ['/v1/chat/completions', 'claude-thinking', undefined],
        ]);
        expect(upstream.requests()[0]?.json).toHaveProperty('max_completion_tokens', 10);
      });

      test('failures say what the upstream said, with their time, and leave the time of the test, but none that the channel takes to answer', async () => {
        const made = await add();
        upstream.script([
          { status: 401, body: { error: { message: `Incorrect API key: ${marker}`, type: 'x', code: 'invalid_api_key' } } },
          { status: 503, body: 'plain words' },
          { usage: 'missing' },
          { errorIn200: true },
          { body: '<html>' },
        ]);
        const messages: string[] = [];
        for (let k = 0; k < 5; k += 1) {
          const { success, message, time } = await testOf(made);
          expect([success, typeof time]).toEqual([false, 'number']);
          messages.push(message);
        }
        expect(messages).toEqual([
          'status code 401: Incorrect API key: ***',
          'status code 503: plain words',
          'usage is nil',
          'status code 502: mock failure in a 200',
          'status code 502: bad response body',
        ]);
        const after = await channel(made);
        expect([after.test_time > 0, after.response_time]).toEqual([true, 0]);
        upstream.script([{ fault: 'reset' }, { fault: 'hang' }]);
        expect((await testOf(made)).message).toMatch(/^reset: /);
        expect((await testOf(made)).message).toMatch(/^timeout: /);
      });

      test('types that have no test say so', async () => {
        const texts: [number, string][] = [
          [2, 'midjourney channel test is not supported'],
          [5, 'midjourney plus channel test is not supported!!!'],
          [36, 'suno channel test is not supported'],
        ];
        for (const [type, message] of texts) {
          const answer = await testOf(await add({ type, models: 'some-model' }));
          expect(answer).toMatchObject({ success: false, message, time: expect.any(Number) });
        }
        expect(upstream.requests()).toEqual([]);
        expect(await act('GET', '/api/channel/test/999999')).toMatchObject({ status: 404, body: { message: '渠道不存在' } });
      });
    });

    test('a call for a type that is not spoken yet gets an error that names it', async () => {
      await add({ type: 36, models: 'planned-model' });
      await root.setOption('ModelRatio', { 'planned-model': 1 });
      const { key } = await root.addToken();
      const ask = () =>
        postJson(`${gateway.url}/v1/chat/completions`, key, {
          model: 'planned-model',
          messages: [{ role: 'user', content: 'hi' }],
        });
      const named = { error: { message: expect.stringContaining('invalid api type: 36, adaptor is nil') } };
      // The price reaches the running node a moment later.
      await expect.poll(async () => (await ask()).json(), { timeout: 5_000 }).toMatchObject(named);
      expect(upstream.requests()).toEqual([]);
    });

    describe('balance', () => {
      test.each([1, 8, 10, 12, 13, 20, 40, 43])('type %i: asked with the key, stored and answered', async (type) => {
        const base_url = type === 8 ? `${upstream.url}/v1/chat/completions` : upstream.url;
        const made = await add({ type, base_url });
        const answer = (await act('GET', `/api/channel/update_balance/${made.id}/`)).body;
        expect(answer).toEqual({ success: true, message: '', balance: 99.5, data: { balance: 99.5 } });
        const after = await channel(made);
        expect(after.balance).toBe(99.5);
        expect(after.balance_updated_time).toBeGreaterThan(1_700_000_000);
        const credential = type === 10 ? { 'api-key': marker } : { authorization: `Bearer ${marker}` };
        expect(upstream.requests()[0]?.headers).toMatchObject(credential);
      });

      test('types without a balance and answers without one are refused with their texts', async () => {
        const none = await add({ type: 25 });
        expect((await act('GET', `/api/channel/update_balance/${none.id}`)).body).toMatchObject({
          success: false,
          message: '尚未实现',
        });
        const made = await add();
        upstream.script([
          { status: 403, body: { error: { message: `no access for ${marker}` } } },
          { body: 'words' },
          { body: {} },
          { body: {} },
        ]);
        const message = async () => (await act('GET', `/api/channel/update_balance/${made.id}`)).body.message;
        expect(await message()).toBe('status code 403: no access for ***');
        expect(await message()).toBe('the answer is not JSON');
        expect(await message()).toBe('hard_limit_usd is missing');
        expect((await channel(made)).balance_updated_time).toBe(0);
      });
    });

    describe('model lists', () => {
      test('of a stored channel, at the place and in the shape of its type', async () => {
        const names = ['gpt-4o-mini', 'gpt-4o', 'mock-model'];
        for (const [type, path] of [
          [1, '/v1/models'],
          [4, '/v1/models'],
          [14, '/v1/models?limit=1000'],
          [24, '/v1beta/openai/models'],
        ] as const) {
          upstream.reset();
          const made = await add({ type });
          upstream.script(() => (type === 24 ? { body: { data: [{ id: 'models/gemini-x' }] } } : undefined));
          expect((await act('GET', `/api/channel/fetch_models/${made.id}`)).body.data).toEqual(
            type === 24 ? ['gemini-x'] : names,
          );
          const [request] = upstream.requests();
          expect(request?.path).toBe(path);
          if (type === 14) expect(request?.headers).toMatchObject({ 'x-api-key': marker, 'anthropic-version': '2023-06-01' });
        }
        const made = await add();
        upstream.script([{ body: 'no json' }, { body: { data: 7 } }, { status: 500 }, { fault: 'reset' }]);
        const message = async () => (await act('GET', `/api/channel/fetch_models/${made.id}`)).body.message;
        expect(await message()).toBe('解析响应失败: not JSON');
        expect(await message()).toBe('解析响应失败: data is not a list');
        expect(await message()).toBe('status code 500: mock status 500');
        expect(await message()).toMatch(/^reset: /);
      });

      test('of a channel that is not stored yet, with its first key', async () => {
        const fetchList = (body: object) => act('POST', '/api/channel/fetch_models', body);
        const good = { base_url: upstream.url, type: 1, key: `${marker}\nsecond-key` };
        expect((await fetchList(good)).body.data).toContain('mock-model');
        expect(upstream.requests()[0]?.headers.authorization).toBe(`Bearer ${marker}`);
        for (const wrong of [
          {},
          { ...good, key: ' ' },
          { ...good, type: 9999 },
          { ...good, base_url: 'ftp://x' },
          { ...good, type: 3, base_url: '' },
        ]) {
          expect(await fetchList(wrong)).toMatchObject({ status: 400, body: { success: false, message: 'Invalid request' } });
        }
        upstream.script([{ status: 401 }, { fault: 'reset' }]);
        expect(await fetchList(good)).toMatchObject({
          status: 500,
          body: { success: false, message: 'status code 401: mock status 401' },
        });
        expect(await fetchList(good)).toMatchObject({ status: 500, body: { message: expect.stringMatching(/^reset: /) } });
      });

      test('a diff counts names by what they are mapped to, and is applied in one step', async () => {
        const made = await add({ models: 'gpt-4o,alias,lost', model_mapping: '{"alias":"mock-model"}' });
        const path = `/api/channel/models_diff/${made.id}`;
        const diff = { new: ['gpt-4o-mini'], existing: ['gpt-4o', 'alias'], gone: ['lost'] };
        expect((await act('GET', path)).body.data).toEqual(diff);
        const applied = await act('POST', path, { add: diff.new, remove: diff.gone });
        expect(applied.body.data).toMatchObject({ models: 'gpt-4o,alias,gpt-4o-mini', key: '' });
        expect((await act('GET', path)).body.data).toMatchObject({ new: [], gone: [] });
      });
    });

    test('the dialects of an upstream are those that answer or refuse in their own shape', async () => {
      const made = await add();
      const types = async () => (await act('GET', `/api/channel/test_upstream/${made.id}`)).body.data;
      expect(await types()).toEqual({ client_types: ['openai-models', 'openai-chat', 'openai-embeddings'] });
      upstream.script(({ path }) => {
        if (path === '/v1/messages')
          return { status: 401, body: { type: 'error', error: { type: 'authentication_error', message: 'no' } } };
        if (path === '/v1beta/models')
          return { status: 403, body: { error: { code: 403, status: 'PERMISSION_DENIED', message: 'no' } } };
        if (path === '/api/status') return { body: { success: true, message: '', data: { version: '1' } } };
        return { status: 404, body: { error: { message: 'nothing here' } } };
      });
      expect(await types()).toEqual({ client_types: ['claude', 'gemini', 'one-api'] });
      upstream.script(() => ({ fault: 'reset' }));
      const refused = await act('GET', `/api/channel/test_upstream/${made.id}`);
      expect(refused.body).toMatchObject({ success: false, message: expect.stringMatching(/^reset: /) });
    });

    test('an address without its key gets no call at all, and no key of before', async () => {
      const elsewhere = await startMockUpstream();
      const made = await add({ type: 1 });
      await act('PUT', '/api/channel/', { id: made.id, base_url: elsewhere.url });
      const missing = '请填写渠道名称和渠道密钥！';
      for (const path of ['test', 'update_balance', 'fetch_models', 'models_diff', 'test_upstream']) {
        expect((await act('GET', `/api/channel/${path}/${made.id}`)).body).toMatchObject({ success: false, message: missing });
      }
      expect((await act('POST', `/api/channel/copy/${made.id}`)).body.message).toBe(missing);
      expect([...upstream.requests(), ...elsewhere.requests()]).toEqual([]);
      await elsewhere.close();
    });

    test('runs over all channels show their progress and refuse a second start', async () => {
      const refused = Promise.withResolvers<void>();
      upstream.script(({ method }) => (method === 'POST' ? { until: refused.promise } : undefined));
      expect((await act('GET', '/api/channel/test')).body).toEqual({ success: true, message: '' });
      expect((await act('GET', '/api/channel/test')).body).toEqual({ success: false, message: '测试已在运行中' });
      refused.resolve();
      expect((await act('GET', '/api/channel/update_balance')).body).toEqual({ success: true, message: '' });
      const state = async () => (await act('GET', '/api/channel/jobs')).body.data as ChannelJobs;
      await expect.poll(state, { timeout: 30_000 }).toMatchObject({ test: { running: false }, balance: { running: false } });
      const { test: tests, balance } = await state();
      expect(tests.done).toBe(tests.total);
      expect(tests.results.some(({ success }) => success)).toBe(true);
      expect(balance.results.find(({ balance: left }) => left === 99.5)?.success).toBe(true);
    });

    test('nothing that was received or logged held the upstream credential', async () => {
      await act('GET', '/api/channel/?page_size=100&tag_mode=false');
      await act('GET', '/api/log/?p=1&page_size=100');
      await act('GET', '/api/audit/?page_size=100');
      expect(received.length).toBeGreaterThan(10_000);
      expect(received).not.toContain(marker);
      expect(gateway.output()).not.toContain(marker);
    });
  });

  test('a server that is told to stop in the middle of a run ends in time', async () => {
    const upstream = await startMockUpstream({ defaults: { fault: 'hang' } });
    const gateway = await gatewayOn(kit);
    const root = await gateway.root();
    await root.addChannel({ base_url: upstream.url });
    await root.call('GET', '/api/channel/test');
    await upstream.waitFor(() => true);
    const stopped = new Promise<number | null>((resolve) => gateway.process.once('exit', resolve));
    gateway.process.kill('SIGTERM');
    expect(await stopped).toBe(0);
    await gateway.stop();
    await upstream.close();
  });
});
