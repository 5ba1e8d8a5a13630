import os from 'node:os';
import { fileURLToPath } from 'node:url';
import { describe, expect, onTestFinished, test } from 'vitest';
import { openBooks } from '../../e2e/support/books.ts';
import { signIn } from '../../e2e/support/console-client.ts';
import { type Gateway, startGateway } from '../../e2e/support/gateway.ts';
import { ask } from '../../e2e/support/routing.ts';
import { eventually } from '../../e2e/support/wait.ts';
import { findPostgres, startPostgres } from '../../server/test/postgres.ts';
import { withRedis } from '../../server/test/redis.ts';
import { newDatabase } from '../../server/test/template.ts';
import { type Child, startChild } from './children.ts';
import type { LoadOrder, LoadResult } from './load-types.ts';
import { model } from './traffic.ts';

const file = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const timeoutMs = 30_000;
const connections = 32;
const granted = 500_000_000;
const rounds = 3;
const warmMs = 500;
const windowMs = 1_500;
/** Of the throughput by core of a node that is alone. */
const kept = 0.8;
/** With fewer cores everything takes turns on them, and a figure of one round says little (rulings 29). */
const coresNeeded = 4;
const tolerance = os.availableParallelism() >= coresNeeded ? 0 : 0.3;
const secretKey = '00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff';
const bin = findPostgres();
if (bin === undefined) console.log('skipped: no PostgreSQL');

interface Mock {
  readonly pid: number;
  readonly port: number;
}

/** Nodes on a database and a Redis of their own. */
interface Group {
  /** One load on each node: calls answered and seconds of processor time that its threads took. */
  run(durationMs: number): Promise<{ answered: number; seconds: number }>;
  /** Every call was charged once, and the proof is green. */
  check(): Promise<void>;
}

describe.skipIf(bin === undefined || process.platform !== 'linux')('postgres', () => {
  withRedis((startRedis) => {
    test('three nodes on one database answer by core what they answer each on its own', { timeout: 120_000 }, async () => {
      const child = await startChild(undefined, process.execPath, [file('./mock.ts')]);
      onTestFinished(() => child.stop());
      const { port } = JSON.parse(await child.output(/^.*\n/, timeoutMs)) as { port: number };
      const postgres = await startPostgres(bin ?? '');
      onTestFinished(() => postgres.stop());
      const open = async (count: number) => {
        const redis = await startRedis();
        onTestFinished(() => redis.stop());
        const database = await newDatabase(postgres.url, true);
        const env = { DATABASE_URL: `${postgres.url}/${database}`, REDIS_URL: redis.url, SECRET_KEY: secretKey };
        return openGroup(count, env, { pid: child.pid, port });
      };
      const groups = await Promise.all([1, 1, 1, 3].map(open));
      const [apart, together] = [groups.slice(0, -1), groups.slice(-1)];
      const byCore = async (groups: readonly Group[], durationMs: number) => {
        const runs = await Promise.all(groups.map((group) => group.run(durationMs)));
        const sum = (name: 'answered' | 'seconds') => runs.reduce((total, run) => total + run[name], 0);
        return sum('answered') / sum('seconds');
      };
      // Until their code is compiled.
      for (const each of [apart, together]) await byCore(each, 2 * windowMs);
      const ratios: number[] = [];
      for (let round = 0; round < rounds; round += 1) {
        const own = await byCore(apart, windowMs);
        const common = await byCore(together, windowMs);
        ratios.push(common / own);
        console.log(`calls by second of processor time: apart ${Math.round(own)}, together ${Math.round(common)}`);
      }
      const median = ratios.toSorted((a, b) => a - b)[Math.floor(rounds / 2)] ?? 0;
      console.log(`three nodes together keep ${median.toFixed(2)} of their throughput by core`);
      for (const group of groups) await group.check();
      if (tolerance > 0)
        console.log(`judged with ${tolerance * 100} % tolerance: ${os.availableParallelism()} cores, ${coresNeeded} are needed`);
      expect(median).toBeGreaterThanOrEqual(kept * (1 - tolerance));
    });
  });
});

async function openGroup(count: number, env: Record<string, string>, mock: Mock): Promise<Group> {
  const begin = async () => {
    const node = await startGateway(env);
    onTestFinished(() => node.stop());
    return node;
  };
  const first = await begin();
  const nodes = [first, ...(await Promise.all(Array.from({ length: count - 1 }, begin)))];
  const root = await first.root();
  await root.addChannel({ models: model, base_url: `http://127.0.0.1:${mock.port}` });
  await root.setOption('QuotaForNewUser', granted);
  const places: { node: Gateway; key: string }[] = [];
  for (const [index, node] of nodes.entries()) {
    const name = `berta${index}`;
    await root.raw('POST', '/api/user/register', { username: name, password: `${name}-password` });
    const { key } = await (await signIn(first.url, name, `${name}-password`)).addToken();
    await eventually(async () => expect((await ask(node, { model, key })).status).toBe(200));
    places.push({ node, key });
  }
  let answered = places.length;
  return {
    async run(durationMs) {
      const results = await Promise.all(places.map(({ node, key }) => load(node, key, mock, durationMs)));
      for (const each of results) expect([each.totalErrors, each.firstError]).toEqual([0, undefined]);
      for (const each of results) expect(each.answered).toBeGreaterThan(0);
      answered += results.reduce((sum, each) => sum + each.totalAnswered, 0);
      return {
        answered: results.reduce((sum, each) => sum + each.answered, 0),
        seconds: results.reduce((sum, { before, after }) => sum + after.processSeconds - before.processSeconds, 0),
      };
    },
    async check() {
      const books = await openBooks(first);
      try {
        await eventually(async () => expect(await books.openHolds()).toBe(0));
        const charges = [...(await books.charges()).values()];
        expect(charges.filter(({ transfers, logRows }) => transfers !== 1 || logRows !== 1)).toEqual([]);
        expect(charges).toHaveLength(answered);
      } finally {
        await books.close();
      }
      expect(await root.call('GET', '/api/ledger/proof')).toMatchObject({ ok: true });
    },
  };
}

async function load({ url, process: { pid = 0 } }: Gateway, key: string, mock: Mock, durationMs: number): Promise<LoadResult> {
  const order: LoadOrder = {
    ...{ kind: 'json', port: Number(new URL(url).port), keys: [key], withUsageFrame: false },
    ...{ connections, ratePerSecond: 0, warmMs, windowMs: durationMs, watchPid: pid, watchCore: 0, mockPid: mock.pid },
  };
  const generator: Child = await startChild(undefined, process.execPath, [file('./load.ts'), JSON.stringify([order])]);
  try {
    const [result] = JSON.parse(await generator.output(/^\[.*\]$/, timeoutMs)) as [LoadResult];
    return result;
  } finally {
    await generator.stop();
  }
}
