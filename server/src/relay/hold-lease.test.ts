import { expect, onTestFinished, test, vi } from 'vitest';
import { onEachEngine } from '../../test/engines.ts';
import { FakeClock } from '../../test/fake-clock.ts';
import { giveToken, giveWallet, holdOf, walletOf } from '../../test/ledger-kit.ts';
import { plainPrice } from '../../test/plain-price.ts';
import { createLedger, LedgerUnavailable, proveLedger } from '../billing/index.ts';
import type { Call } from './call.ts';
import { HoldLease } from './hold-lease.ts';
import type { RelayParts } from './parts.ts';

onEachEngine((_engine, open) => {
  /** A running call whose prompt is 10 tokens, and whose hold covers that and 1,000 of answer. A token costs one. */
  async function running({ wallet = 100_000, capIsCallers = false, isTold = true } = {}) {
    const db = await open();
    const clock = new FakeClock(1_000_000);
    const ledger = createLedger({ db, clock });
    await giveWallet(db, 1, wallet);
    const tokenId = await giveToken(db, 1, { remain: 0, unlimited: true });
    await ledger.hold(holdOf('a', 1, tokenId, 1_100, { floorCost: 10 }));
    const call = {
      ...{ id: 'a', key: { tokenId, user: { id: 1 } }, price: plainPrice },
      ...{ promptCeiling: 10, promptEstimate: 10, completionCap: 1_000, capIsCallers },
    } as unknown as Call;
    const env = { HOLD_LEASE_SECONDS: 120, HOLD_CHECKPOINT_SECONDS: 5 };
    const lease = new HoldLease({ ledger, clock, env, log: { warn: vi.fn() } } as unknown as RelayParts, call);
    await lease.dispatch();
    const billed = isTold ? call : { ...call, capIsCallers: false };
    return { db, clock, ledger, meter: (tokens: number) => lease.renew(1_000, tokens, billed) };
  }

  test('a hold grows by as much as was said, however fast that came', async () => {
    const { db, meter } = await running();
    expect(await meter(799)).toBeUndefined();
    expect((await walletOf(db, 1)).held).toBe(1_100);
    expect(await meter(800)).toBeUndefined();
    expect((await walletOf(db, 1)).held).toBe(2_100);
    expect(await meter(30_000)).toBeUndefined();
    expect((await walletOf(db, 1)).held).toBeGreaterThanOrEqual(30_000);
  });

  test('who cannot pay for what was said is stopped, and one who has not used up the hold is not', async () => {
    const { meter } = await running({ wallet: 1_200 });
    expect(await meter(999)).toBeUndefined();
    expect(await meter(1_000)).toMatchObject({ code: 'stream_quota_exhausted' });
  });

  test('a hold for a cap that its upstream was not told grows like any other', async () => {
    const { db, clock, ledger, meter } = await running({ capIsCallers: true, wallet: 4_000, isTold: false });
    expect(await meter(3_000)).toBeUndefined();
    expect((await walletOf(db, 1)).held).toBeGreaterThanOrEqual(3_000);
    expect(await meter(30_000)).toMatchObject({ code: 'stream_quota_exhausted' });
    await ledger.sweep(10_000);
    expect(await proveLedger({ db, clock })).toMatchObject({ ok: true });
  });

  test.each([
    ['what was metered', false, 3_000, 3_010],
    ["of an answer within its caller's limit no more than that", true, 3_000, 1_010],
    ['the prompt where nothing was said', false, 0, 10],
  ])('a sweep books %s', async (_, capIsCallers, tokens, cost) => {
    const { db, clock, ledger, meter } = await running({ capIsCallers });
    await meter(tokens);
    await ledger.sweep(10_000);
    expect(await walletOf(db, 1)).toEqual({ available: 100_000 - cost, held: 0, used: cost, count: 1 });
    expect(await proveLedger({ db, clock })).toMatchObject({ ok: true });
  });
});

test('a lease is due after many tokens', () => {
  const env = { HOLD_LEASE_SECONDS: 120, HOLD_CHECKPOINT_SECONDS: 5 };
  const lease = new HoldLease({ clock: new FakeClock(0), env } as unknown as RelayParts, { completionCap: 1 } as Call);
  const now = new FakeClock(0).monotonicMs();
  expect([lease.isDue(now, 1_999), lease.isDue(now, 2_000), lease.isDue(now + 5_000, 0)]).toEqual([false, true, true]);
});

test('a stream begins although the database was out for some seconds, and is told soon when it stays out', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const clock = { nowMs: () => Date.now(), monotonicMs: () => performance.now() };
  const begun = async (outMs: number) => {
    const backMs = performance.now() + outMs;
    const dispatch = async () => {
      if (performance.now() < backMs) throw new LedgerUnavailable('out');
      return true;
    };
    const call = { id: 'a', key: { tokenId: 1, user: { id: 1 } } } as unknown as Call;
    const lease = new HoldLease({ ledger: { dispatch }, clock, log: { warn: vi.fn() } } as unknown as RelayParts, call);
    const outcome = Promise.race([lease.dispatch(), new Promise((resolve) => setTimeout(resolve, 5_000, 'still waits'))]);
    await vi.advanceTimersByTimeAsync(5_000);
    return outcome;
  };
  expect([await begun(0), await begun(3_000), await begun(60_000)]).toEqual([true, true, false]);
});

test('a database that does not answer whether a hold may grow is waited for as long as a caller waits', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const call = { id: 'a', key: { tokenId: 1, user: { id: 1 } } } as unknown as Call;
  const ledger = { extend: () => new Promise<boolean>(() => undefined) };
  const lease = new HoldLease({ ledger, clock: new FakeClock(0) } as unknown as RelayParts, call);
  const outcome = Promise.race([lease.extend(1), new Promise((resolve) => setTimeout(resolve, 5_000, 'still waits'))]);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(await outcome).toBe(false);
});
