import { afterAll, beforeAll, expect, test } from 'vitest';
import { openBooks } from './support/books.ts';
import type { Console } from './support/console-client.ts';
import { gatewayOn, onEachEngine, onPostgres } from './support/engine.ts';
import { type Gateway, startGateway } from './support/gateway.ts';
import { postJson } from './support/post-json.ts';
import { startTaskUpstream, type TaskUpstream } from './support/task-upstream.ts';
import { eventually } from './support/wait.ts';

const env = { TASK_POLL_SECONDS: '1', HOLD_LEASE_SECONDS: '2', HOLD_SWEEP_SECONDS: '1', HOLD_CHECKPOINT_SECONDS: '1' };
const price = 50_000;
const cycles = process.env.TOLLGATE_SOAK === '1' ? 40 : 4;

interface Row {
  readonly mj_id: string;
  readonly status: string;
}

async function prepare(gateway: Gateway, upstream: TaskUpstream): Promise<{ root: Console; key: string }> {
  const root = await gateway.root();
  await root.addChannel({ type: 2, name: 'drawings', base_url: upstream.url, models: 'mj_imagine', key: 'mj-key-12345678' });
  const { key } = await root.addToken({ name: 'tasks' });
  return { root, key };
}

function imagine(gateway: Gateway, key: string): Promise<Response> {
  return postJson(`${gateway.url}/mj/submit/imagine`, key, { prompt: 'a cat' });
}

/** Soon nothing is held; every drawing that succeeded was charged once, and nothing else was. */
async function booksAgree(gateway: Gateway, drawn: number): Promise<void> {
  const root = await gateway.root();
  const books = await openBooks(gateway);
  try {
    await eventually(async () => expect(await books.openHolds()).toBe(0), 20_000);
    const charges = [...(await books.charges()).values()];
    expect(charges).toEqual(Array.from({ length: drawn }, () => ({ transfers: 1, logRows: 1 })));
  } finally {
    await books.close();
  }
  expect(await root.call('GET', '/api/ledger/proof')).toMatchObject({ ok: true });
}

onEachEngine((engine, _open, kit) => {
  let upstream: TaskUpstream;
  let gateway: Gateway;
  let root: Console;
  let key: string;
  let drawn = 0;

  beforeAll(async () => {
    upstream = await startTaskUpstream();
    gateway = await gatewayOn(kit, env);
    ({ root, key } = await prepare(gateway, upstream));
  });
  afterAll(async () => {
    await gateway?.stop();
    await upstream?.close();
  });
  const dieAndComeBack = async () => {
    await gateway.kill();
    gateway = await startGateway(gateway.env);
  };
  const statusesOf = async (names: readonly string[]) => {
    const rows = await root.call<Row[]>('GET', '/api/mj/self?p=0&page_size=100');
    return rows.filter(({ mj_id }) => names.includes(mj_id)).map(({ status }) => status);
  };

  test('a process that dies between a submit and its answer: the hold is given back, the drawing is a failure', async () => {
    const before = (await root.self()).quota;
    upstream.onSubmit({ silent: true });
    const cut = imagine(gateway, key).catch(() => undefined);
    await upstream.submitted(1);
    expect((await root.self()).quota).toBe(before - price);
    await dieAndComeBack();
    await cut;
    root = await gateway.root();
    await eventually(async () => {
      const rows = await root.call<Row[]>('GET', '/api/mj/self?p=0&page_size=100');
      expect(rows).toMatchObject([{ mj_id: '', status: 'FAILURE', progress: '100%' }]);
    }, 15_000);
    await booksAgree(gateway, drawn);
    expect((await root.self()).quota).toBe(before);
  }, 60_000);

  test('a slow submit is not given up while its process lives', async () => {
    upstream.onSubmit({ afterMs: 5_000, body: { code: 1, description: 'ok', result: 'slow' } });
    expect(await (await imagine(gateway, key)).json()).toMatchObject({ code: 1, result: 'slow' });
    upstream.set('slow', { id: 'slow', status: 'SUCCESS' });
    await eventually(async () => expect(await statusesOf(['slow'])).toEqual(['SUCCESS']));
    drawn += 1;
    await booksAgree(gateway, drawn);
  }, 60_000);

  test(
    'a process that dies around its polls, again and again: every drawing is charged once',
    async () => {
      const names: string[] = [];
      for (let cycle = 0; cycle < cycles; cycle += 1) {
        const { result } = (await (await imagine(gateway, key)).json()) as { result: string };
        names.push(result);
        upstream.set(result, { status: 'SUCCESS', progress: '100%' });
        await eventually(() => expect(upstream.pollTimes.get(result)?.length ?? 0).toBeGreaterThan(0), 15_000);
        // From before the answer was read to after it was booked.
        await new Promise((resolve) => setTimeout(resolve, (cycle % 8) * 6));
        await dieAndComeBack();
      }
      drawn += cycles;
      await booksAgree(gateway, drawn);
      root = await gateway.root();
      expect(await statusesOf(names)).toEqual(names.map(() => 'SUCCESS'));
      console.log(`${engine}: ${cycles} kills around polls`);
    },
    cycles * 30_000,
  );
});

onPostgres((_engine, _open, kit) => {
  test('two nodes on one database: each drawing is asked about once per period', async () => {
    const upstream = await startTaskUpstream();
    const first = await gatewayOn(kit, env);
    const { key } = await prepare(first, upstream);
    const { DATA_DIR: _, ...shared } = first.env;
    const second = await startGateway(shared);
    const count = 20;
    for (let k = 0; k < count; k += 1) {
      const answer = await imagine(k % 2 === 0 ? first : second, key);
      // The other node may not have heard of key and channel yet.
      if (answer.status !== 200) k -= 1;
      else await answer.arrayBuffer();
    }
    await eventually(() => {
      expect(upstream.pollTimes.size).toBe(count);
      for (const times of upstream.pollTimes.values()) expect(times.length).toBeGreaterThanOrEqual(4);
    }, 30_000);
    for (const [id, times] of upstream.pollTimes) {
      const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
      // A late look makes the gap after it shorter; two nodes that both asked would halve the mean.
      const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length;
      expect([id, mean > 800, Math.min(...gaps) > 300]).toEqual([id, true, true]);
    }
    upstream.finishAll();
    await booksAgree(first, count);
    await Promise.all([first.stop(), second.stop()]);
    await upstream.close();
  }, 90_000);
});
