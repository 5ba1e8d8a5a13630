import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { logType, tokenStatus } from '@tollgate/contract';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { proveLedger } from '../server/src/billing/index.ts';
import { systemClock } from '../server/src/platform/clock.ts';
import type { Database } from '../server/src/storage/database.ts';
import { openDatabase } from '../server/src/storage/open.ts';
import { sampleCalls } from './demo/calls.ts';
import { tokens } from './demo/plan.ts';
import { createRandom } from './demo/random.ts';
import { type DemoSummary, seedDemo } from './demo-seed.ts';

/** A Friday afternoon; the history must fit any other moment as well. */
const now = Date.parse('2025-03-14T15:30:00Z') / 1000;
const dataDir = mkdtempSync(path.join(os.tmpdir(), 'tollgate-demo-test-'));
const secretKey = 'ab'.repeat(32);
let summary: DemoSummary;
let db: Database;

beforeAll(async () => {
  summary = await seedDemo({ dataDir, secretKey, rootPassword: 'tollgate-demo', upstreamUrl: 'http://127.0.0.1:9', now });
  const worksModule = new URL('../server/src/billing/works.ts', import.meta.url);
  db = await openDatabase({ url: undefined, dataDir, synchronous: 'NORMAL', worksModule });
}, 60_000);
afterAll(async () => {
  await db.close();
  rmSync(dataDir, { recursive: true, force: true });
});

test('the books of the demo prove themselves, with about 4,000 charged calls and no open hold', async () => {
  const proof = await proveLedger({ db, clock: systemClock });
  expect(proof.checks.filter((check) => !check.ok)).toEqual([]);
  const rows = await db.read.selectFrom('log').select(['created_at', 'quota']).where('type', '=', logType.consume).execute();
  expect(rows.length).toBe(summary.calls);
  expect(rows.length).toBeGreaterThan(3_900);
  expect(rows.every(({ quota }) => quota > 0)).toBe(true);
  expect(await db.read.selectFrom('hold').select('id').execute()).toEqual([]);
});

test('the log stands in the order of time, spans the month and ends before now', async () => {
  const rows = await db.read.selectFrom('log').select('created_at').orderBy('id').execute();
  const times = rows.map((row) => row.created_at);
  expect(times).toEqual([...times].sort((left, right) => left - right));
  expect(now - (times[0] ?? now)).toBeGreaterThan(29 * 86_400);
  expect(times.at(-1)).toBeLessThan(now);
});

test('tokens show every state, channels and users more than one', async () => {
  const statuses = async (table: 'token' | 'channel' | 'users') =>
    new Set((await db.read.selectFrom(table).select('status').execute()).map(({ status }) => status));
  expect(await statuses('token')).toEqual(new Set(Object.values(tokenStatus)));
  expect(await statuses('channel')).toEqual(new Set([1, 2, 3]));
  expect(await statuses('users')).toEqual(new Set([1, 2]));
  expect(await db.read.selectFrom('token').select('id').execute()).toHaveLength(tokens.length);
});

test('the logs of drawings and tasks have rows of every kind that ended well and badly', async () => {
  const rows = await db.read.selectFrom('task').select(['platform', 'status', 'closed_at']).execute();
  expect(new Set(rows.map(({ platform }) => platform))).toEqual(new Set(['mj', 'suno', 'video']));
  expect(new Set(rows.map(({ status }) => status))).toEqual(new Set(['SUCCESS', 'FAILURE']));
  expect(rows.every(({ closed_at }) => closed_at > 0)).toBe(true);
});

test('whenever the demo starts, its calls lie in the past, in order, and belong to tokens that were in use', () => {
  for (const hour of [0, 4, 9, 23]) {
    for (const day of [0, 1, 2, 3, 4, 5, 6]) {
      const start = now + day * 86_400 + hour * 3_600;
      const calls = sampleCalls(500, start, createRandom(7));
      expect(calls).toHaveLength(500);
      expect(Math.max(...calls.map(({ endedAt }) => endedAt))).toBeLessThan(start);
      expect(calls.every(({ token }) => token.owner !== 'operations')).toBe(true);
    }
  }
});

test('the same seed gives the same history', () => {
  expect(sampleCalls(50, now, createRandom(1))).toEqual(sampleCalls(50, now, createRandom(1)));
  expect(sampleCalls(50, now, createRandom(1))).not.toEqual(sampleCalls(50, now, createRandom(2)));
});
