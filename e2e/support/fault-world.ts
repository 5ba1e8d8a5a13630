import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect } from 'vitest';
import { findPostgres, startPostgres, type TestPostgres } from '../../server/test/postgres.ts';
import type { TestRedis } from '../../server/test/redis.ts';
import { type Books, openBooks } from './books.ts';
import { type Console, signIn } from './console-client.ts';
import { type FaultProxy, startFaultProxy } from './fault-proxy.ts';
import { type Gateway, startGateway } from './gateway.ts';
import { type MixedLoad, type Seen, startMixedLoad } from './mixed-load.ts';
import { type MockUpstream, startMockUpstream } from './mock-upstream.ts';
import { allServe } from './nodes.ts';
import { eventually } from './wait.ts';

/** A node with the network between it and the others. */
export interface FaultNode {
  readonly gateway: Gateway;
  readonly database: FaultProxy;
  readonly redis: FaultProxy;
  readonly root: Console;
  /** Sets the clock of its machine. */
  setClock(aheadMs: number): Promise<void>;
}

interface FaultUser {
  readonly name: string;
  readonly console: Console;
  readonly key: string;
}

/** Three nodes under load, each with a network and a clock of its own, and what they share. */
export interface FaultWorld {
  readonly nodes: readonly FaultNode[];
  /** Who calls all nodes. */
  readonly shared: readonly FaultUser[];
  /** Who calls one node alone, in the order of the nodes. */
  readonly own: readonly FaultUser[];
  readonly upstream: MockUpstream;
  readonly postgres: TestPostgres;
  /** Of the database, past the proxies. */
  readonly databaseUrl: string;
  readonly redis: TestRedis;
  readonly books: Books;
  /** Callers on each node; `times` as many as usual. */
  startLoad(times?: number): NodesLoad;
  /** Ends the load; soon nothing is held or waits, and every call is one of: answered and charged, refused and not charged, cut and charged. */
  settle(load: NodesLoad): Promise<void>;
  /** Ends whatever a test has broken or left running. */
  heal(): Promise<void>;
  close(): Promise<void>;
}

export interface NodesLoad {
  readonly of: readonly MixedLoad[];
  /** Resolves when each of these nodes has answered so many more. */
  answered(more: number, nodes?: readonly number[]): Promise<void>;
}

export const perCall = 'per-call';
/** Twenty pieces in a second, priced by their tokens. */
export const slow = 's20i50';
/** The same for twenty seconds. */
export const long = 's400i50';
export const leaseSeconds = 4;
export const sweepSeconds = 1;
export const drainSeconds = 20;
/** A busy machine comes late to its sweep. */
const lateSeconds = 15;
export const granted = 500_000_000;
const pauseMs = 40;
const connections = 80;
const secretKey = '00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff';
const env = {
  SECRET_KEY: secretKey,
  HOLD_LEASE_SECONDS: `${leaseSeconds}`,
  HOLD_SWEEP_SECONDS: `${sweepSeconds}`,
  HOLD_CHECKPOINT_SECONDS: '1',
  DRAIN_SECONDS: `${drainSeconds}`,
  NODE_OPTIONS: `--import=${fileURLToPath(new URL('./movable-clock.ts', import.meta.url))}`,
};

/** Starts everything. `close` ends it. */
export async function openFaultWorld(startRedis: () => Promise<TestRedis>): Promise<FaultWorld> {
  const folder = await mkdtemp(path.join(tmpdir(), 'tollgate-faults-'));
  const [postgres, redis, upstream] = await Promise.all([
    startPostgres(findPostgres() ?? '', connections),
    startRedis(),
    startMockUpstream({ maxRecords: 1_000_000 }),
  ]);
  const databaseUrl = `${postgres.url}/postgres`;
  const begin = async (index: number): Promise<FaultNode> => {
    const [database, bus] = await Promise.all([startFaultProxy(databaseUrl), startFaultProxy(redis.url)]);
    const clockFile = path.join(folder, `clock-${index}`);
    const own = { DATABASE_URL: database.url, REDIS_URL: bus.url, CLOCK_SKEW_FILE: clockFile };
    const gateway = await startGateway({ ...env, ...own });
    return {
      ...{ gateway, database, redis: bus },
      root: await gateway.root(),
      async setClock(aheadMs) {
        await writeFile(clockFile, String(aheadMs));
        gateway.process.kill('SIGUSR2');
      },
    };
  };
  const first = await begin(0);
  const nodes = [first, ...(await Promise.all([begin(1), begin(2)]))];
  await offerModels(first.root, upstream.url);
  await first.root.setOption('QuotaForNewUser', granted);
  const users: FaultUser[] = [];
  for (const name of ['anna', 'clara', 'berta0', 'berta1', 'berta2']) {
    await first.root.raw('POST', '/api/user/register', { username: name, password: `${name}-password` });
    const console = await signIn(first.gateway.url, name, `${name}-password`);
    users.push({ name, console, key: (await console.addToken()).key });
  }
  const gateways = nodes.map(({ gateway }) => gateway);
  for (const { key } of users) for (const model of [perCall, slow]) await allServe(gateways, { model, key });
  const shared = users.slice(0, 2);
  const own = users.slice(2);
  const books = await openBooks({ env: { DATABASE_URL: databaseUrl }, dataDir: '' });
  let current = books;
  const running = new Set<NodesLoad>();
  const world = {
    ...{ nodes, shared, own, upstream, postgres, databaseUrl, redis },
    get books() {
      return current;
    },
    startLoad(times = 1) {
      const load = startNodesLoad(nodes, shared, own, times);
      running.add(load);
      return load;
    },
    async settle(load: NodesLoad) {
      running.delete(load);
      await Promise.all(load.of.map((each) => each.stop()));
      // A crash of the database ends this connection as well.
      await current.close().catch(() => undefined);
      current = await openBooks({ env: { DATABASE_URL: databaseUrl }, dataDir: '' });
      await comeToRest(
        world,
        load.of.flatMap(({ seen }) => seen),
      );
    },
    async heal() {
      for (const { database, redis: bus } of nodes) for (const proxy of [database, bus]) proxy.heal();
      for (const { gateway } of nodes) gateway.process.kill('SIGCONT');
      await Promise.all([...running].flatMap((load) => load.of.map((each) => each.stop())));
      running.clear();
    },
    async close() {
      // How a node ends is asked by tests of its own.
      await Promise.all(gateways.map((gateway) => gateway.kill()));
      await Promise.all(gateways.map((gateway) => gateway.stop()));
      await current.close();
      await Promise.all(nodes.flatMap(({ database, redis: bus }) => [database.close(), bus.close()]));
      await Promise.all([postgres.stop(), redis.stop(), upstream.close(), rm(folder, { recursive: true, force: true })]);
    },
  };
  return world;
}

/** The models of this world, each with its price. */
export async function offerModels(root: Console, upstreamUrl: string): Promise<void> {
  await root.addChannel({ base_url: upstreamUrl, models: `${perCall},${slow},${long}` });
  await root.setOption('ModelPrice', { [perCall]: 0.0002 });
  await root.setOption('ModelRatio', { [slow]: 1, [long]: 1 });
}

function startNodesLoad(
  nodes: readonly FaultNode[],
  shared: readonly FaultUser[],
  own: readonly FaultUser[],
  times: number,
): NodesLoad {
  const [anna = '', clara = ''] = shared.map(({ key }) => key);
  const callersOf = (berta = '') => [
    { key: anna, model: perCall, stream: false },
    { key: berta, model: perCall, stream: true },
    { key: berta, model: slow, stream: true },
    { key: clara, model: slow, stream: true },
  ];
  const of = nodes.map(({ gateway }, index) =>
    startMixedLoad({
      url: gateway.url,
      callers: Array.from({ length: times }, () => callersOf(own[index]?.key)).flat(),
      pauseMs,
    }),
  );
  return {
    of,
    async answered(more, which = [...nodes.keys()]) {
      await Promise.all(which.map((index) => of[index]?.answered(more)));
    },
  };
}

async function comeToRest({ nodes, upstream, books }: FaultWorld, seen: readonly Seen[]): Promise<void> {
  await eventually(async () => expect(await books.openHolds()).toBe(0), (leaseSeconds + sweepSeconds + lateSeconds) * 1_000);
  for (const { gateway } of nodes) {
    await eventually(async () => expect((await stat(path.join(gateway.dataDir, 'outbox'))).size).toBe(0));
    await eventually(async () => expect(await readiness(gateway)).toEqual({ status: 200, reasons: [] }));
    expect(gateway.process.exitCode).toBe(null);
  }
  const charges = await books.charges();
  for (const [id, { transfers, logRows }] of charges) expect([id, transfers, logRows]).toEqual([id, 1, 1]);
  expect(seen.filter(({ isWhole, gotBytes, id }) => (isWhole || gotBytes) && !charges.has(id))).toEqual([]);
  const refused = seen.filter(({ status }) => status >= 400);
  expect(refused.filter(({ id }) => charges.has(id))).toEqual([]);
  for (const { text } of refused) expect(errorCode(text)).toMatch(/^[a-z_]+$/);
  expect(charges.size).toBeLessThanOrEqual(upstream.requests().length);
  expect(await (nodes[0] as FaultNode).root.call('GET', '/api/ledger/proof')).toMatchObject({ ok: true });
}

/** The stable code that a caller was told; '' for anything that is no error of ours. */
export function errorCode(text: string): string {
  try {
    return String((JSON.parse(text) as { error?: { code?: string } }).error?.code ?? '');
  } catch {
    return '';
  }
}

export async function readiness({ url }: Gateway): Promise<{ status: number; reasons: readonly string[] }> {
  const answer = await fetch(`${url}/readyz`);
  const { reasons = [] } = (await answer.json()) as { reasons?: string[] };
  return { status: answer.status, reasons };
}
