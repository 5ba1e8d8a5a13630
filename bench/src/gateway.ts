import { randomBytes } from 'node:crypto';
import http from 'node:http';
import { json } from 'node:stream/consumers';
import { setTimeout as pause } from 'node:timers/promises';
import { type Console, signIn } from '../../e2e/support/console-client.ts';
import { freePort } from '../../e2e/support/free-port.ts';
import { startGateway } from '../../e2e/support/gateway.ts';
import { pin } from './children.ts';
import { type BenchOptions, UsageError } from './options.ts';
import { model, question } from './traffic.ts';

export interface BenchGateway {
  readonly port: number;
  readonly pid: number;
  readonly dataDir: string;
  readonly durability: string;
  readonly start: Start;
  /** Fresh keys for one run, one of each user, so that its log rows can be counted. */
  newKeys(name: string): Promise<string[]>;
  /** How late the loop ran in the slowest hundredth since the last look, in milliseconds; in a soak only. */
  loopDelayP99Ms(): Promise<number>;
  /** Type-2 rows of the keys of that name; after a long soak as the sums of the log tell them. */
  logRows(name: string): Promise<number>;
  /** The ledger's proof; undefined when it is green, else the first check that failed. */
  proofFault(): Promise<string | undefined>;
  stop(): Promise<void>;
}

/** What the first comers wait for, in milliseconds. */
export interface Start {
  /** From the process to its port, on a new database. */
  readonly listeningMs: number;
  /** Of calls one after the other, before any other. */
  readonly firstCallMs: number;
  readonly tenthCallMs: number;
}

const newline = 0x0a;
const lookMs = 5_000;
/** That of an hour is exported in six minutes; once a log is larger than memory, an export brings some 20,000 rows a second. */
const mostExportedMinutes = 90;
const proofMs = 30 * 60_000;
const plenty = 1e12;

interface Proof {
  readonly ok: boolean;
  readonly checks: readonly { name: string; ok: boolean; detail: string; first_difference?: string }[];
}

/**
 * The real server with one channel to the mock: key check, hold, settle and log row on, as an operator runs it. `main`: another
 * program than the built one.
 */
export async function startBenchGateway(
  { engine, soakMinutes, coalesceMs, users }: Pick<BenchOptions, 'engine' | 'soakMinutes' | 'coalesceMs' | 'users'>,
  core: number | undefined,
  upstreamPort: number,
  main?: string,
): Promise<BenchGateway> {
  const metricsPort = soakMinutes > 0 ? await freePort() : 0;
  const metrics: Record<string, string> = soakMinutes > 0 ? { METRICS_PORT: String(metricsPort) } : {};
  const startedMs = performance.now();
  const gateway = await startGateway({ ...environment(engine), ...metrics }, main);
  const listeningMs = performance.now() - startedMs;
  try {
    const pid = gateway.process.pid ?? 0;
    if (core !== undefined) pin(pid, core);
    const root = await gateway.root();
    // More than a soak of a day spends.
    await root.call('PUT', '/api/user/', { id: root.userId, quota: plenty });
    const setting = coalesceMs > 0 ? { setting: JSON.stringify({ coalesce_ms: coalesceMs }) } : {};
    await root.addChannel({ models: model, base_url: `http://127.0.0.1:${upstreamPort}`, ...setting });
    const callers =
      users === 1
        ? [root]
        : await inTurn(Array.from({ length: users }), (_, index) => newUser(gateway.url, root, `user${index}`));
    const port = Number(new URL(gateway.url).port);
    const times = await firstCalls(port, (await root.addToken({ name: 'first' })).key, upstreamPort);
    return {
      port,
      pid,
      dataDir: gateway.dataDir,
      durability: engine === 'sqlite' ? 'WAL, synchronous=FULL (fsync at every commit)' : "the server's own setting",
      start: { listeningMs, firstCallMs: times[0] ?? 0, tenthCallMs: times[9] ?? 0 },
      newKeys: (name) => inTurn(callers, async (caller) => (await caller.addToken({ name })).key),
      loopDelayP99Ms: () => readLoopDelay(metricsPort),
      logRows: (name) => (soakMinutes > mostExportedMinutes ? countSummed(callers, name) : countRows(gateway.url, root, name)),
      proofFault: () => readProof(gateway.url, root),
      stop: gateway.stop,
    };
  } catch (error) {
    await gateway.stop();
    throw error;
  }
}

/** One after the other: each is some work for the gateway. */
async function inTurn<From, To>(all: readonly From[], make: (one: From, index: number) => Promise<To>): Promise<To[]> {
  const made: To[] = [];
  for (const [index, one] of all.entries()) made.push(await make(one, index));
  return made;
}

async function newUser(url: string, root: Console, username: string): Promise<Console> {
  const password = randomBytes(12).toString('base64url');
  await root.call('POST', '/api/user/', { username, password });
  const user = await signIn(url, username, password);
  await root.call('PUT', '/api/user/', { id: user.userId, quota: plenty });
  return user;
}

function environment(engine: BenchOptions['engine']): Record<string, string> {
  const common = { NODE_ENV: 'production', SECRET_KEY: randomBytes(32).toString('hex'), SQLITE_SYNCHRONOUS: 'FULL' };
  if (engine === 'sqlite') return { ...common, DATABASE_URL: '' };
  const url = process.env.DATABASE_URL ?? '';
  if (url === '') throw new UsageError('--engine postgres needs DATABASE_URL: an empty database that the run may fill');
  return { ...common, DATABASE_URL: url };
}

/** What each of ten calls takes. The upstream is asked first, so that it and the caller are warm. */
async function firstCalls(port: number, key: string, upstreamPort: number): Promise<number[]> {
  const agent = new http.Agent({ keepAlive: true });
  const call = async (to: number) => {
    const startedMs = performance.now();
    await post(to, key, agent);
    return performance.now() - startedMs;
  };
  const times: number[] = [];
  try {
    for (let index = 0; index < 10; index += 1) await call(upstreamPort);
    for (let index = 0; index < 10; index += 1) times.push(await call(port));
  } finally {
    agent.destroy();
  }
  return times;
}

function post(port: number, key: string, agent: http.Agent): Promise<void> {
  const { path, body } = question('json');
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json', 'content-length': body.length };
  return new Promise((resolve, reject) => {
    const request = http.request({ host: '127.0.0.1', port, path, method: 'POST', headers, agent, timeout: lookMs }, (answer) => {
      const isRight = answer.statusCode === 200;
      answer.resume().once('end', () => (isRight ? resolve() : reject(new Error(`the first calls got ${answer.statusCode}`))));
    });
    request.once('timeout', () => request.destroy(new Error('the first calls were not answered in time')));
    request.once('error', reject).end(body);
  });
}

/** Lists count no further than people page: the export has every row, a line each. */
async function countRows(url: string, root: Console, name: string): Promise<number> {
  const answer = await fetch(`${url}/api/log/export?format=ndjson&type=2&token_name=${name}`, { headers: root.headers });
  if (!answer.ok || answer.body === null) throw new Error(`the log's export answered ${answer.status}`);
  let rows = 0;
  for await (const bytes of answer.body) for (const byte of bytes) if (byte === newline) rows += 1;
  return rows;
}

/** Of what is read here. */
interface Summed {
  readonly totals: { readonly calls: number };
  readonly unsummed: number;
  readonly refresh_seconds: number;
}

/**
 * Of a log whose export takes as long as the soak. The sums count each row once, and the answer says how many it lacks as long as
 * very many are not summed yet; that the rows are all there, and charge what was taken, is what the proof adds up in the log itself.
 */
export async function countSummed(callers: readonly Pick<Console, 'call'>[], name: string): Promise<number> {
  // The week to the next hour: a soak has a day at most.
  const path = `/api/data/self/dashboard?granularity=day&token_name=${name}`;
  const deadlineMs = performance.now() + proofMs;
  const own = await inTurn(callers, async (caller) => {
    for (;;) {
      const { totals, unsummed, refresh_seconds: seconds } = await caller.call<Summed>('GET', path);
      if (unsummed === 0) return totals.calls;
      if (performance.now() > deadlineMs) throw new Error(`${unsummed} rows of the log are not summed yet`);
      await pause(seconds * 1000);
    }
  });
  return own.reduce((sum, calls) => sum + calls, 0);
}

const loopDelay = /^nodejs_eventloop_lag_p99_seconds (\S+)$/m;

async function readLoopDelay(port: number): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${port}/metrics`, { signal: AbortSignal.timeout(lookMs) });
  return Number(loopDelay.exec(await answer.text())?.[1]) * 1000;
}

/** Not by fetch, which gives up after five minutes: the proof of a soak of hours takes longer. */
async function readProof(url: string, { headers }: Console): Promise<string | undefined> {
  const answer = await new Promise<http.IncomingMessage>((resolve, reject) => {
    http
      .get(`${url}/api/ledger/proof`, { headers, agent: false, signal: AbortSignal.timeout(proofMs) }, resolve)
      .once('error', reject);
  });
  const { success, message, data: proof } = (await json(answer)) as { success: boolean; message: string; data?: Proof };
  if (!success || proof === undefined) throw new Error(`the proof answered ${answer.statusCode}: ${message}`);
  if (proof.ok) return undefined;
  const failed = proof.checks.find((check) => !check.ok);
  return `${failed?.name}: ${failed?.first_difference ?? failed?.detail}`;
}
