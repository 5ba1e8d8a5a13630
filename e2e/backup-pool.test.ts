import type { LogEntry, Receipt, RouteExplanation, RouteRecord } from '@tollgate/contract';
import { expect, test } from 'vitest';
import { booksAgree } from './support/books-agree.ts';
import { type Console, signIn } from './support/console-client.ts';
import { gatewayOn, onEachEngine } from './support/engine.ts';
import type { Gateway } from './support/gateway.ts';
import { type MockUpstream, startMockUpstream } from './support/mock-upstream.ts';
import { eventually } from './support/wait.ts';

const model = 'per-call';
/** 0.002 dollars = 1,000 quota; times 1.5 = 1,500. */
const price = 0.002;
const ordinary = 1_000;
const raised = 1_500;
const tag = 'burst';

onEachEngine((_engine, _open, kit) => {
  let upstream: MockUpstream;
  let gateway: Gateway;
  let root: Console;

  /** One ordinary channel, which fails, and one of the pool in a group that nobody may use. */
  async function begin({ hasOrdinary = true } = {}): Promise<void> {
    upstream = await startMockUpstream();
    upstream.script(({ path }) => (path.startsWith('/main/') ? { status: 500 } : {}));
    gateway = await gatewayOn(kit);
    root = await gateway.root();
    await root.setOption('ModelPrice', { [model]: price });
    await root.setOption('BackupPoolTag', tag);
    if (hasOrdinary) await root.addChannel({ base_url: `${upstream.url}/main`, models: model });
    await root.addChannel({ base_url: `${upstream.url}/pool`, models: model, group: 'pool', tag });
  }

  async function finish(): Promise<void> {
    await booksAgree(gateway, root);
    await gateway.stop();
    await upstream.close();
  }

  const chat = (key: string, more: object = {}) =>
    fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: 'hi' }], ...more }),
    });
  const poolCalls = () => upstream.requests().filter(({ path }) => path.startsWith('/pool/')).length;

  async function spenderWith(quota: number): Promise<{ self: Console; key: string }> {
    await root.setOption('QuotaForNewUser', quota);
    await root.raw('POST', '/api/user/register', { username: 'spender', password: 'spender-password' });
    const self = await signIn(gateway.url, 'spender', 'spender-password');
    return { self, key: (await self.addToken({ backup_pool_enabled: true })).key };
  }

  test('when every ordinary channel failed, the pool answers those who want it, at its price, and the log says so', async () => {
    await begin();
    const plain = await root.addToken({ name: 'plain' });
    const refused = await chat(plain.key);
    expect(refused.status).toBe(500);
    await refused.text();
    expect([poolCalls(), await root.logs()]).toEqual([0, []]);

    const { key, id } = await root.addToken({ name: 'burst', backup_pool_enabled: true });
    for (const stream of [false, true]) {
      const answer = await chat(key, { stream });
      expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('choices')]);
    }
    await eventually(async () => expect(await root.logs()).toHaveLength(2));
    for (const row of await root.logs()) await expectRaised(row);
    expect(poolCalls()).toBe(2);

    const mine = await root.call<RouteExplanation>('POST', '/api/route/explain', { model, token_id: id });
    expect(mine.backup).toMatchObject({ ratio: 1.5, channels: [{ in: true }] });
    const others = await root.call<RouteExplanation>('POST', '/api/route/explain', { model, token_id: plain.id });
    expect(others.backup).toBeUndefined();
    await finish();
  });

  async function expectRaised(row: LogEntry): Promise<void> {
    expect([row.quota, row.content]).toEqual([raised, '模型价格 0.002，分组倍率 1.00，突发备用号池倍率 1.50']);
    expect(JSON.parse(row.other)).toMatchObject({ backup_pool: true, backup_pool_ratio: 1.5 });
    const receipt = await root.call<Receipt>('GET', `/api/log/${row.id}/receipt`);
    expect(receipt).toMatchObject({ surcharge: '1.5', recomputed: raised, cost: raised, collected: raised, state: 'ok' });
    const route = await root.call<RouteRecord>('GET', `/api/log/${row.id}/route`);
    expect(route.backup).toMatchObject({ ratio: 1.5, channels: [{ name: 'upstream' }] });
    expect(route.attempts.at(-1)).toMatchObject({ status: 200, error: '' });
    expect(route.attempts.at(-1)?.channel_id).toBe(route.backup?.channels[0]?.channel_id);
  }

  test('where no ordinary channel serves the model the pool is asked at once; who did not choose it hears that there is none', async () => {
    await begin({ hasOrdinary: false });
    const { key } = await root.addToken({ name: 'plain' });
    expect((await chat(key)).status).toBe(503);
    const wants = await root.addToken({ name: 'burst', backup_pool_enabled: true });
    expect((await chat(wants.key)).status).toBe(200);
    await eventually(async () => expect((await root.logs()).map(({ quota }) => quota)).toEqual([raised]));
    await root.setOption('BackupPoolTag', '');
    await eventually(async () => expect((await chat(wants.key)).status).toBe(503));
    await finish();
  });

  test('a caller who cannot pay the pool is not served by it, and what the caller did wrong is not tried there', async () => {
    await begin();
    const { self, key } = await spenderWith(raised - 1);
    expect((await chat(key)).status).toBe(500);
    expect(poolCalls()).toBe(0);
    await eventually(async () => expect(await self.self()).toMatchObject({ quota: raised - 1, used_quota: 0 }));
    upstream.script(({ path }) => (path.startsWith('/main/') ? { status: 400 } : {}));
    const wants = await root.addToken({ name: 'burst', backup_pool_enabled: true });
    expect((await chat(wants.key)).status).toBe(400);
    expect(poolCalls()).toBe(0);
    await finish();
  });

  test('50 at once against a wallet for 10 of the pool: each answer was paid in full, nothing else was', async () => {
    await begin();
    const { self, key } = await spenderWith(10 * raised);
    await root.setOption('RetryTimes', 0);
    const answers = await Promise.all(Array.from({ length: 50 }, () => chat(key)));
    const served = answers.filter(({ status }) => status === 200).length;
    for (const answer of answers) await answer.text();
    expect(served).toBeLessThanOrEqual(10);
    expect(poolCalls()).toBe(served);
    await eventually(async () =>
      expect(await self.self()).toMatchObject({ quota: 10 * raised - served * raised, used_quota: served * raised }),
    );
    // What the others had set aside came back: the rest can be spent one by one.
    for (let left = 10 - served; left > 0; left -= 1) expect((await chat(key)).status).toBe(200);
    expect((await chat(key)).status).not.toBe(200);
    expect((await self.self()).used_quota + ordinary).toBeGreaterThan(10 * raised);
    await finish();
  });
});
