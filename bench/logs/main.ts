import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import type { Console } from '../../e2e/support/console-client.ts';
import { type Gateway, startGateway } from '../../e2e/support/gateway.ts';
import { makeUpkeep } from '../../e2e/support/log-upkeep.ts';
import { combinations, dashboards, type Look } from './queries.ts';
import { seededLog, seedLog } from './seed.ts';

/**
 * The log at full size: seeds a database, starts the real server on it, and measures pages, sums, dashboards and an export
 * over HTTP. `node bench/logs/main.ts [--rows 10000000] [--runs 12] [--dir keep-it-here]`; a kept directory is used again.
 */
const { values } = parseArgs({
  options: {
    rows: { type: 'string', default: '10000000' },
    runs: { type: 'string', default: '12' },
    dir: { type: 'string' },
  },
});
const runs = Number(values.runs);
const exportRows = 1_000_000;
/** Issue: milliseconds for nineteen of twenty, rows per second. */
const limits = { page: 200, stat: 300, dashboard: 300, inserts: 5_000 } as const;

async function main(): Promise<void> {
  const dir = values.dir ?? (await mkdtemp(path.join(os.tmpdir(), 'tollgate-logs-')));
  const file = path.join(dir, 'tollgate.db');
  try {
    await startGateway({ DATA_DIR: dir }).then(({ kill }) => kill());
    if (seededLog(file).rows === 0) {
      const { rate, lastRate } = seedLog(file, Number(values.rows), Math.floor(Date.now() / 1000));
      say('inserts', `${Math.round(rate)} rows/s, the last tenth ${Math.round(lastRate)} (asked for: ${limits.inserts})`);
    }
    const { postings, sums } = await makeUpkeep(dir, (text) => console.log(text));
    say('upkeep', `postings ${Math.round(postings)} s, sums ${Math.round(sums)} s`);
    const { rows, newestId, end } = seededLog(file);
    say('rows', String(rows));
    const gateway = await startGateway({ DATA_DIR: dir });
    try {
      await measure(gateway, { rows, newestId, end });
    } finally {
      await gateway.kill();
    }
  } finally {
    if (values.dir === undefined) await rm(dir, { recursive: true, force: true });
  }
}

async function measure(
  gateway: Gateway,
  { rows, newestId, end }: { rows: number; newestId: number; end: number },
): Promise<void> {
  const root = await gateway.root();
  const load = os.loadavg()[0] ?? 0;
  say('machine', `${os.availableParallelism()} processors, load ${load.toFixed(1)}`);
  const looks = combinations({ runs, end, newestId });
  await report('pages', limits.page, root, looks, (query) => `/api/log/?${query}`);
  await report('sums', limits.stat, root, looks, (query) => `/api/log/stat?${query}`);
  await report('dashboards', limits.dashboard, root, dashboards({ runs, end }), (query) => `/api/data/dashboard?${query}`);
  const found = [{ name: 'search by content', paths: Array.from({ length: runs }, (_, run) => `keyword=none${run}`) }];
  await report('search', limits.page, root, found, (query) => `/api/log/search?${query}`);
  const before = residentMb(gateway);
  const { lines, seconds, mostMb } = await exported(gateway, root, rows);
  say('export', `${lines} rows in ${seconds.toFixed(1)} s, ${before} MB before, at most ${mostMb.join(', ')} MB in each tenth`);
}

/** One line per look, the slowest last, and one for all of them. */
async function report(
  what: string,
  limitMs: number,
  root: Console,
  looks: readonly Look[],
  path: (query: string) => string,
): Promise<void> {
  const all: number[] = [];
  const lines: { p95: number; text: string }[] = [];
  for (const { name, paths } of looks) {
    const tookMs: number[] = [];
    for (const query of paths) tookMs.push(await timed(root, path(query)));
    all.push(...tookMs);
    lines.push({ p95: at(tookMs, 0.95), text: `  ${name}: ${spread(tookMs)}` });
  }
  for (const { text } of lines.sort((left, right) => left.p95 - right.p95)) console.log(text);
  say(what, `${spread(all)} (asked for: ${limitMs} ms for nineteen of twenty)`);
}

async function timed(root: Console, path: string): Promise<number> {
  const startedMs = performance.now();
  await root.call('GET', path);
  return performance.now() - startedMs;
}

function at(tookMs: readonly number[], share: number): number {
  const sorted = [...tookMs].sort((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
}

function spread(tookMs: readonly number[]): string {
  const ms = (share: number) => at(tookMs, share).toFixed(0);
  return `p50 ${ms(0.5)}, p95 ${ms(0.95)}, longest ${ms(1)} ms of ${tookMs.length}`;
}

async function exported(
  gateway: Gateway,
  root: Console,
  rows: number,
): Promise<{ lines: number; seconds: number; mostMb: number[] }> {
  const leaving = new AbortController();
  const startedMs = performance.now();
  const answer = await fetch(`${gateway.url}/api/log/export?format=ndjson`, { headers: root.headers, signal: leaving.signal });
  let lines = 0;
  const wanted = Math.min(exportRows, rows);
  const mostMb = Array.from({ length: 10 }, () => 0);
  for await (const chunk of answer.body ?? []) {
    for (const byte of chunk) if (byte === 10) lines += 1;
    const tenth = Math.min(9, Math.floor((10 * lines) / wanted));
    mostMb[tenth] = Math.max(mostMb[tenth] ?? 0, residentMb(gateway));
    if (lines >= wanted) break;
  }
  leaving.abort();
  return { lines, seconds: (performance.now() - startedMs) / 1000, mostMb };
}

/** From the operating system's books (Linux). */
function residentMb({ process: child }: Gateway): number {
  const status = readFileSync(`/proc/${child.pid}/status`, 'utf8');
  return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1024);
}

function say(what: string, figures: string): void {
  console.log(`${what}: ${figures}`);
}

await main();
