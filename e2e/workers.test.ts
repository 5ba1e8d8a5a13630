import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { openBooks } from './support/books.ts';
import { booksAgree } from './support/books-agree.ts';
import { signIn } from './support/console-client.ts';
import { gatewayOn, onEachEngine } from './support/engine.ts';
import { type Gateway, startGateway } from './support/gateway.ts';
import { startMixedLoad } from './support/mixed-load.ts';
import { startMockUpstream } from './support/mock-upstream.ts';
import { ofTest } from './support/of-test.ts';
import { ask } from './support/routing.ts';
import { eventually } from './support/wait.ts';

const workers = 3;
const model = 'per-call';
/** 0.002 dollars. */
const price = 0.002;
const priceQuota = 1_000;
const affordable = 100;
const limit = 50;
/** No request takes so long, except one that nobody answers. */
const silentMs = 30_000;
const env = { WORKERS: String(workers), HOLD_LEASE_SECONDS: '2', HOLD_SWEEP_SECONDS: '1', HOLD_CHECKPOINT_SECONDS: '1' };

/** The processes that this one has started. */
function childrenOf(gateway: Gateway): number[] {
  const { pid } = gateway.process;
  return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .split(' ')
    .filter((text) => text !== '')
    .map(Number);
}

onEachEngine((engine, _open, kit) => {
  test(`${workers} workers behind one port are one server: money, limits and changes, and the death of one of them`, async () => {
    const upstream = await ofTest(startMockUpstream());
    const gateway = await ofTest(gatewayOn(kit, env));
    expect(childrenOf(gateway)).toHaveLength(workers);
    const root = await gateway.root();
    await root.addChannel({ base_url: upstream.url, models: model });
    await root.setOption('ModelPrice', { [model]: price });
    await root.setOption('QuotaForNewUser', affordable * priceQuota);
    const { key } = await root.addToken();
    const parallel = async (count: number, using: string) => {
      const answers = await Promise.all(Array.from({ length: count }, () => ask(gateway, { model, key: using })));
      return answers.map(({ status }) => status);
    };
    // What was changed is in force at once, whichever of them takes the call.
    expect(new Set(await parallel(30, key))).toEqual(new Set([200]));

    await root.raw('POST', '/api/user/register', { username: 'spender', password: 'spender-password' });
    const spender = await signIn(gateway.url, 'spender', 'spender-password');
    const spent = await spender.addToken();
    upstream.reset();
    const outcomes = await parallel(300, spent.key);
    expect(outcomes.filter((status) => status === 200)).toHaveLength(affordable);
    expect(outcomes.filter((status) => status === 403)).toHaveLength(300 - affordable);
    expect(upstream.requests()).toHaveLength(affordable);
    // A charge that the database was too busy for is booked from the outbox.
    const spentAll = { quota: 0, used_quota: affordable * priceQuota, request_count: affordable };
    await eventually(async () => expect(await spender.self()).toMatchObject(spentAll));

    const limited = await root.addToken({ name: 'limited', rpm: limit });
    const admitted = await parallel(2 * limit, limited.key);
    expect(admitted.filter((status) => status === 200)).toHaveLength(limit);
    expect(admitted.filter((status) => status === 429)).toHaveLength(limit);

    const caller = (stream: boolean) => ({ key, model, stream });
    const load = startMixedLoad({ url: gateway.url, callers: [true, false, true, false, true, false].map(caller) });
    for (let kill = 0; kill < workers; kill += 1) {
      await load.answered(20);
      const before = childrenOf(gateway);
      const victim = before[kill % before.length];
      if (victim === undefined) throw new Error('there is no worker to kill');
      process.kill(victim, 'SIGKILL');
      await load.answered(20);
      await eventually(() => {
        expect(childrenOf(gateway)).not.toContain(victim);
        expect(childrenOf(gateway)).toHaveLength(workers);
      });
    }
    await load.stop();
    // Whoever is not answered because a worker died hears of it.
    expect(load.seen.filter(({ ms }) => ms > silentMs)).toEqual([]);
    await booksAgree(gateway, root);
    const books = await openBooks(gateway);
    const charges = await books.charges();
    await books.close();
    expect(load.seen.filter(({ id, gotBytes }) => gotBytes && !charges.has(id))).toEqual([]);
    console.log(`${engine}: ${load.seen.length} calls, ${workers} workers killed, ${charges.size} charged`);

    const second = startGateway({ ...env, PORT: new URL(gateway.url).port });
    await expect(second).rejects.toThrow('EADDRINUSE');
    await gateway.end();
    expect(gateway.process.exitCode).toBe(0);
  });
});
