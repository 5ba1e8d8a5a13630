import type { LogEntry, PageOf, Token } from '@tollgate/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Console, signIn } from './support/console-client.ts';
import { gatewayOn, onEachEngine } from './support/engine.ts';
import type { Gateway } from './support/gateway.ts';
import { type MockUpstream, startMockUpstream } from './support/mock-upstream.ts';

const model = 'per-call';
/** 0.002 dollars = 1,000 quota. */
const price = 0.002;
const cost = 1_000;
const parallel = 50;
const rounds = 10;
const password = 'spender-password';

onEachEngine((_engine, _open, kit) => {
  let upstream: MockUpstream;
  let gateway: Gateway;
  let root: Console;
  let users = 0;

  beforeAll(async () => {
    upstream = await startMockUpstream();
    gateway = await gatewayOn(kit, { RATE_LIMIT_FACTOR: '0' });
    root = await gateway.root();
    await root.addChannel({ base_url: upstream.url, models: model });
    await root.setOption('ModelPrice', { [model]: price });
    await root.setOption('QuotaForNewUser', 1_000_000);
  });
  afterAll(async () => {
    expect(await root.call('GET', '/api/ledger/proof')).toMatchObject({ ok: true });
    await gateway.stop();
    await upstream.close();
  });

  /** A user of its own with a key. */
  async function spender(): Promise<{ console: Console; key: string; name: string }> {
    users += 1;
    const name = `spender${users}`;
    await root.call('POST', '/api/user/', { username: name, password });
    const created = await signIn(gateway.url, name, password);
    await root.call('PUT', '/api/user/', { id: created.userId, quota: 1_000_000 });
    const { key } = await created.addToken();
    return { console: created, key, name };
  }

  const chat = (key: string, stream: boolean) =>
    fetch(`${gateway.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
      body: JSON.stringify({ model, stream, messages: [{ role: 'user', content: 'hi' }] }),
    });
  const charges = async (filter: string) => {
    const rows = await root.logs(`type=2&${filter}`);
    return rows.reduce((sum, row) => sum + row.quota, 0);
  };
  /** Streams of this key, the last of which has reached the upstream. */
  const begin = async (key: string) => {
    const before = upstream.requests().length;
    const streams = Array.from({ length: parallel }, () => chat(key, true));
    await upstream.waitFor(() => upstream.requests().length >= before + parallel);
    return streams;
  };
  const endWhole = async (streams: Promise<Response>[]) => {
    const ended = await Promise.all(streams.map(async (stream) => (await (await stream).text()).endsWith('data: [DONE]\n\n')));
    expect(ended).toEqual(streams.map(() => true));
  };

  test('edits of a balance while its calls settle: each call is charged once, each edit takes effect, nothing is lost', async () => {
    upstream.script(() => ({ delayMs: 20 }));
    const { console, key } = await spender();
    for (let round = 0; round < rounds; round += 1) {
      const wanted = 500_000 + round * 10_000;
      const calls = Array.from({ length: parallel }, () => chat(key, round % 2 === 0));
      const edits = Array.from({ length: 10 }, () => root.call('PUT', '/api/user/', { id: console.userId, quota: wanted }));
      const answers = await Promise.all(calls);
      expect(await Promise.all(answers.map(async (one) => [one.status, (await one.text()).length > 0]))).toEqual(
        calls.map(() => [200, true]),
      );
      await Promise.all(edits);
      const { quota } = await console.self();
      // An edit sets what is there at its moment; what was held then comes back or is charged afterwards.
      expect(quota).toBeGreaterThanOrEqual(wanted - parallel * cost);
      expect(quota).toBeLessThanOrEqual(wanted + parallel * cost);
    }
    const { used_quota, request_count } = await console.self();
    expect([used_quota, request_count]).toEqual([rounds * parallel * cost, rounds * parallel]);
  });

  test('edits of a key’s quota while its calls settle: each call is charged once, and what was granted stays accounted for', async () => {
    upstream.script(() => ({ delayMs: 20 }));
    const { console, name } = await spender();
    const { key, id } = await console.addToken({ unlimited_quota: false, remain_quota: 1_000_000 });
    let served = 0;
    for (let round = 0; round < rounds; round += 1) {
      const wanted = 200_000 + round * 10_000;
      const calls = Array.from({ length: parallel }, () => chat(key, round % 2 === 0));
      const edit = { id, name: 'edited', remain_quota: wanted };
      const edits = Array.from({ length: 10 }, () => console.call('PUT', '/api/token/', edit));
      const answers = await Promise.all(calls);
      await Promise.all(answers.map((answer) => answer.text()));
      await Promise.all(edits);
      // Whoever waited for the edits longer than two seconds was refused, and is not charged.
      expect(answers.filter(({ status }) => status !== 200 && status !== 503)).toEqual([]);
      served += answers.filter(({ status }) => status === 200).length;
      const { remain_quota } = await console.call<Token>('GET', `/api/token/${id}/`);
      expect(remain_quota).toBeGreaterThanOrEqual(wanted - parallel * cost);
      expect(remain_quota).toBeLessThanOrEqual(wanted + parallel * cost);
    }
    const total = served * cost;
    expect(served).toBeGreaterThanOrEqual(parallel);
    expect(await console.call<Token>('GET', `/api/token/${id}/`)).toMatchObject({ used_quota: total, unlimited_quota: false });
    expect((await console.self()).used_quota).toBe(total);
    expect(await root.call<PageOf<LogEntry>>('GET', `/api/log/?p=1&page_size=1&type=2&username=${name}`)).toMatchObject({
      total: served,
    });
    // What was granted is what remains, what was used and what is held: the proof at the end.
  });

  test('a deleted token loses no settle: every stream ends, is charged once, and no other begins, ten times over', async () => {
    upstream.script(() => ({ chunks: 10, chunkDelayMs: 20 }));
    const { console, name } = await spender();
    for (let round = 1; round <= rounds; round += 1) {
      const { key, id } = await console.addToken({ name: `round-${round}` });
      const streams = await begin(key);
      await console.call('DELETE', `/api/token/${id}/`);
      await endWhole(streams);
      expect((await chat(key, false)).status).toBe(401);
      expect(await charges(`username=${name}&token_name=round-${round}`)).toBe(parallel * cost);
      expect((await console.self()).used_quota).toBe(round * parallel * cost);
    }
  }, 150_000);

  test('a deleted user loses no settle: every stream ends, is charged once, and no other begins, ten times over', async () => {
    upstream.script(() => ({ chunks: 10, chunkDelayMs: 20 }));
    let next = spender();
    for (let round = 1; round <= rounds; round += 1) {
      const { console, key, name } = await next;
      const streams = await begin(key);
      await root.call('DELETE', `/api/user/${console.userId}`);
      // Its password takes its time, beside the streams.
      if (round < rounds) next = spender();
      await endWhole(streams);
      expect((await chat(key, false)).status).toBe(401);
      expect(await charges(`username=${name}`)).toBe(parallel * cost);
    }
  }, 150_000);
});
