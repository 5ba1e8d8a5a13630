import { randomBytes } from 'node:crypto';
import type { Console } from '../../e2e/support/console-client.ts';
import { startGateway } from '../../e2e/support/gateway.ts';
import { pin } from './children.ts';
import { freePort } from './nginx.ts';
import { type BenchOptions, UsageError } from './options.ts';
import { model } from './traffic.ts';

export interface BenchGateway {
  readonly port: number;
  readonly pid: number;
  readonly dataDir: string;
  readonly durability: string;
  /** A fresh key of its own for one run, so that its log rows can be counted. */
  newKey(name: string): Promise<string>;
  /** How late the loop ran in the slowest hundredth since the last look, in milliseconds; in a soak only. */
  loopDelayP99Ms(): Promise<number>;
  /** Type-2 rows of the key of that name. */
  logRows(name: string): Promise<number>;
  /** The ledger's proof; undefined when it is green, else the first check that failed. */
  proofFault(): Promise<string | undefined>;
  stop(): Promise<void>;
}

const newline = 0x0a;
const lookMs = 5_000;
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
  { engine, soakMinutes, coalesceMs }: Pick<BenchOptions, 'engine' | 'soakMinutes' | 'coalesceMs'>,
  core: number | undefined,
  upstreamPort: number,
  main?: string,
): Promise<BenchGateway> {
  const metricsPort = soakMinutes > 0 ? await freePort() : 0;
  const metrics: Record<string, string> = soakMinutes > 0 ? { METRICS_PORT: String(metricsPort) } : {};
  const gateway = await startGateway({ ...environment(engine), ...metrics }, main);
  try {
    const pid = gateway.process.pid ?? 0;
    if (core !== undefined) pin(pid, core);
    const root = await gateway.root();
    // More than a soak of a day spends.
    await root.call('PUT', '/api/user/', { id: root.userId, quota: plenty });
    const setting = coalesceMs > 0 ? { setting: JSON.stringify({ coalesce_ms: coalesceMs }) } : {};
    await root.addChannel({ models: model, base_url: `http://127.0.0.1:${upstreamPort}`, ...setting });
    return {
      port: Number(new URL(gateway.url).port),
      pid,
      dataDir: gateway.dataDir,
      durability: engine === 'sqlite' ? 'WAL, synchronous=FULL (fsync at every commit)' : "the server's own setting",
      newKey: async (name) => (await root.addToken({ name })).key,
      loopDelayP99Ms: () => readLoopDelay(metricsPort),
      logRows: (name) => countRows(gateway.url, root, name),
      proofFault: () => readProof(root),
      stop: gateway.stop,
    };
  } catch (error) {
    await gateway.stop();
    throw error;
  }
}

function environment(engine: BenchOptions['engine']): Record<string, string> {
  const common = { NODE_ENV: 'production', SECRET_KEY: randomBytes(32).toString('hex'), SQLITE_SYNCHRONOUS: 'FULL' };
  if (engine === 'sqlite') return { ...common, DATABASE_URL: '' };
  const url = process.env.DATABASE_URL ?? '';
  if (url === '') throw new UsageError('--engine postgres needs DATABASE_URL: an empty database that the run may fill');
  return { ...common, DATABASE_URL: url };
}

/** Lists count no further than people page: the export has every row, a line each. */
async function countRows(url: string, root: Console, name: string): Promise<number> {
  const answer = await fetch(`${url}/api/log/export?format=ndjson&type=2&token_name=${name}`, { headers: root.headers });
  if (!answer.ok || answer.body === null) throw new Error(`the log's export answered ${answer.status}`);
  let rows = 0;
  for await (const bytes of answer.body) for (const byte of bytes) if (byte === newline) rows += 1;
  return rows;
}

const loopDelay = /^nodejs_eventloop_lag_p99_seconds (\S+)$/m;

async function readLoopDelay(port: number): Promise<number> {
  const answer = await fetch(`http://127.0.0.1:${port}/metrics`, { signal: AbortSignal.timeout(lookMs) });
  return Number(loopDelay.exec(await answer.text())?.[1]) * 1000;
}

async function readProof(root: Console): Promise<string | undefined> {
  const proof = await root.call<Proof>('GET', '/api/ledger/proof');
  if (proof.ok) return undefined;
  const failed = proof.checks.find((check) => !check.ok);
  return `${failed?.name}: ${failed?.first_difference ?? failed?.detail}`;
}
