import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { onEachEngine } from '../../test/engines.ts';
import { FakeClock } from '../../test/fake-clock.ts';
import { giveToken, giveWallet, holdOf, walletOf } from '../../test/ledger-kit.ts';
import { plainPrice } from '../../test/plain-price.ts';
import { createLedger, LedgerUnavailable, openOutbox, proveLedger } from '../billing/index.ts';
import type { Log } from '../platform/log.ts';
import type { Call } from './call.ts';
import { createSettler, type SettlerParts } from './settle.ts';

function callOf(id: string, userId: number, tokenId: number): Call {
  return {
    id,
    key: { tokenId, tokenName: 'token', user: { id: userId, username: 'user' } },
    model: 'gpt-4o-mini',
    group: 'default',
    price: plainPrice,
    isStream: true,
    startedMonotonicMs: 0,
    ip: '',
    snapshot: { options: { LogConsumeEnabled: true } },
  } as unknown as Call;
}

const usage = { prompt: 10, completion: 20, cached: 0, cacheWrite: 0, reasoning: 0, source: 'upstream', anomaly: false } as const;
const outcome = { usage, channelId: 1, tried: [1], firstByteMs: 5, upstreamModel: undefined };

function quietLog() {
  const log = { fatal: vi.fn(), error: vi.fn(), warn: vi.fn(), info: vi.fn(), debug: vi.fn() };
  return log as typeof log & Log;
}

/** A lease so short that there is one attempt each. */
function settlerOf(parts: Pick<SettlerParts, 'ledger' | 'outbox'>, log: Log = quietLog()) {
  return createSettler({ ...parts, log, clock: new FakeClock(1_000_000), sign: () => 'signed', leaseSeconds: 0.02 });
}

const unavailable = () => Promise.reject(new LedgerUnavailable('out'));

test('a settle that the ledger and the outbox both refuse is told of, and the caller is not kept for ever', async () => {
  const log = quietLog();
  const full = { add: () => Promise.reject(new Error('full')) };
  await settlerOf({ ledger: { settle: unavailable, release: unavailable }, outbox: full }, log).settle(
    callOf('c', 1, 1),
    outcome,
  );
  expect(log.error).toHaveBeenCalledTimes(2);
});

test('an outbox that had no room for a moment is asked again', async () => {
  const add = vi.fn(async () => undefined).mockRejectedValueOnce(new Error('full'));
  const log = quietLog();
  await settlerOf({ ledger: { settle: unavailable, release: unavailable }, outbox: { add } }, log).settle(
    callOf('c', 1, 1),
    outcome,
  );
  expect(add.mock.calls).toEqual(Array(2).fill([expect.objectContaining({ id: 'c', cost: 30 })]));
  expect(log.error).toHaveBeenCalledTimes(1);
});

test('a settle that works goes nowhere else', async () => {
  const add = vi.fn();
  const settle = async () => ({ closed: true, collected: 30, shortfall: 0, correction: 0 });
  await settlerOf({ ledger: { settle, release: unavailable }, outbox: { add } }).settle(callOf('c', 1, 1), outcome);
  expect(add).not.toHaveBeenCalled();
});

test('a ledger that does not answer at all does not hold the caller: the outbox takes the settle', async () => {
  const add = vi.fn(async () => undefined);
  const silent = () => new Promise<never>(() => undefined);
  const settler = settlerOf({ ledger: { settle: silent, release: silent }, outbox: { add } });
  await settler.settle(callOf('c', 1, 1), outcome);
  expect(add).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ id: 'c', cost: 30 }));
});

test('who waits for a release is not kept while the database is out, and it is released as soon as that is back', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const release = vi.fn(unavailable as () => Promise<boolean>);
  const parts = { ledger: { settle: unavailable, release }, outbox: { add: async () => undefined }, sign: () => '' };
  const clock = { nowMs: () => Date.now(), monotonicMs: () => performance.now() };
  const released = vi.fn();
  const settler = createSettler({ ...parts, clock, log: quietLog(), leaseSeconds: 120 });
  void settler.release(callOf('c', 1, 1)).then(released);
  await vi.advanceTimersByTimeAsync(10_000);
  expect(released).toHaveBeenCalledOnce();
  release.mockResolvedValue(true);
  await vi.advanceTimersByTimeAsync(10_000);
  const { length } = release.mock.calls;
  expect(await release.mock.results[length - 1]?.value).toBe(true);
  await vi.advanceTimersByTimeAsync(120_000);
  expect(release).toHaveBeenCalledTimes(length);
});

onEachEngine((_engine, open) => {
  async function openCall(id: string) {
    const db = await open();
    const clock = new FakeClock(1_000_000);
    const ledger = createLedger({ db, clock });
    await giveWallet(db, 1, 1000);
    const tokenId = await giveToken(db, 1, { remain: 0, unlimited: true });
    await ledger.hold(holdOf(id, 1, tokenId, 100));
    const folder = mkdtempSync(join(tmpdir(), 'tollgate-outbox-'));
    const outbox = await openOutbox({ path: join(folder, 'outbox'), ledger });
    onTestFinished(async () => {
      await outbox.close();
      rmSync(folder, { recursive: true });
    });
    return { db, clock, ledger, tokenId, outbox };
  }

  test('a settle that a failing ledger would not take is charged by the replay', async () => {
    const { db, clock, tokenId, outbox } = await openCall('a');
    await settlerOf({ ledger: { settle: unavailable, release: unavailable }, outbox }).settle(callOf('a', 1, tokenId), outcome);
    expect(await walletOf(db, 1)).toMatchObject({ held: 100, used: 0 });
    expect(outbox.size()).toBe(1);
    await outbox.replay();
    expect(await walletOf(db, 1)).toEqual({ available: 970, held: 0, used: 30, count: 1 });
    expect(await proveLedger({ db, clock })).toMatchObject({ ok: true });
  });

  test('a settle whose answer was lost after COMMIT is charged once, not again by the replay', async () => {
    const { db, ledger, tokenId, outbox } = await openCall('b');
    const commits: Promise<unknown>[] = [];
    const settle: typeof ledger.settle = (request) => {
      commits.push(ledger.settle(request));
      return unavailable();
    };
    await settlerOf({ ledger: { settle, release: unavailable }, outbox }).settle(callOf('b', 1, tokenId), outcome);
    await Promise.all(commits);
    expect(await walletOf(db, 1)).toMatchObject({ held: 0, used: 30 });
    expect(outbox.size()).toBe(1);
    await outbox.replay();
    expect(await walletOf(db, 1)).toEqual({ available: 970, held: 0, used: 30, count: 1 });
  });
});
