import { expect, test, vi } from 'vitest';
import { onSqlite } from '../../test/engines.ts';
import { FakeClock } from '../../test/fake-clock.ts';
import { giveToken, giveWallet, walletOf } from '../../test/ledger-kit.ts';
import { plainPrice } from '../../test/plain-price.ts';
import { createLedger, LedgerUnavailable } from '../billing/index.ts';
import type { Call } from './call.ts';
import type { Pass } from './call-limits.ts';
import type { RelayParts } from './parts.ts';
import { Turns } from './realtime-turns.ts';
import { createSettler } from './settle.ts';

onSqlite((_engine, open) => {
  /** A session of user 1, who has 1,000. A token costs one. */
  async function session(pass?: Partial<Pass>) {
    const db = await open();
    const clock = new FakeClock(1_000_000);
    const ledger = createLedger({ db, clock });
    await giveWallet(db, 1, 1_000);
    const tokenId = await giveToken(db, 1, { remain: 0, unlimited: true });
    const log = { warn: vi.fn(), error: vi.fn() };
    const env = { HOLD_LEASE_SECONDS: 120, HOLD_CHECKPOINT_SECONDS: 5 };
    const settler = createSettler({ ledger, clock, log, sign: () => '', leaseSeconds: 120 } as unknown as Parameters<
      typeof createSettler
    >[0]);
    const enter = vi.fn(() => undefined);
    const options = { PreConsumedQuota: 10, UsagePromptFactor: 1, LogConsumeEnabled: true };
    const now = { options, key: { tokenId, tokenName: 't', user: { id: 1, username: 'u' } } };
    const common = { limiter: { enter }, node: 'n', hasSpace: () => true, snapshot: () => now };
    const parts = { ledger, clock, settler, env, log, ...common } as unknown as RelayParts;
    const { key } = now;
    const base = {
      ...{ id: 's', ip: '', key, model: 'rt', group: 'default', isStream: true, snapshot: { options } },
      ...{ price: plainPrice, promptCeiling: 0, promptEstimate: 0, completionCap: 0, capIsCallers: false },
      ...{ reach: { media: false, lasting: false }, startedMonotonicMs: 0, startedAt: 0, pass },
    } as unknown as Call;
    const turns = new Turns(parts, base, async () => now.key as unknown as Call['key']);
    return { db, clock, ledger, turns, now, enter };
  }

  test('a turn whose begin its upstream tells twice, or again after its end, is held for and charged once', async () => {
    const { db, clock, ledger, turns } = await session();
    await turns.prepare();
    await turns.begin('resp_1');
    await turns.begin('resp_1');
    turns.heard(40, 0);
    const usage = { prompt: 3, completion: 4, cached: 0, cacheWrite: 0, reasoning: 0, anomaly: false };
    await turns.done('resp_1', { usage });
    await turns.begin('resp_1');
    await turns.end('caller');
    await ledger.sweep(clock.nowMs() / 1000 + 3_600);
    expect(await walletOf(db, 1)).toMatchObject({ available: 993, held: 0, used: 7 });
  });

  test('a database that is away for a moment, when a turn begins or between two, ends no conversation', async () => {
    const { db, ledger, turns } = await session();
    const away = () => Promise.reject(new LedgerUnavailable('out'));
    await turns.prepare();
    for (const responseId of ['resp_1', 'resp_2']) {
      vi.spyOn(ledger, 'dispatch').mockImplementationOnce(away);
      await turns.begin(responseId);
      await turns.done(responseId, { usage: undefined });
      vi.spyOn(ledger, 'hold').mockImplementationOnce(away);
      await turns.prepare();
    }
    expect((await walletOf(db, 1)).held).toBeGreaterThan(0);
  });

  test('a conversation is not opened while the database is away', async () => {
    const { ledger, turns } = await session();
    vi.spyOn(ledger, 'hold').mockImplementationOnce(() => Promise.reject(new LedgerUnavailable('out')));
    await expect(turns.prepare()).rejects.toThrow('out');
  });

  test('a turn that grows sets aside what it is held for, so that day and month have no room for it twice', async () => {
    const reserve = vi.fn();
    const { db, turns } = await session({ reserve });
    await turns.prepare();
    await turns.begin('resp_1');
    const { held } = await walletOf(db, 1);
    expect(reserve).toHaveBeenLastCalledWith(held);
    turns.said('resp_1', held * 4, 0);
    expect(await turns.renew(1_000)).toBeUndefined();
    expect(await walletOf(db, 1)).toMatchObject({ held: 2 * held });
    expect(reserve).toHaveBeenLastCalledWith(2 * held);
  });

  test('an answer that ends while another one is renewed is over, and not one that cannot be paid', async () => {
    const { ledger, turns } = await session();
    for (const responseId of ['resp_1', 'resp_2']) await turns.begin(responseId);
    for (const responseId of ['resp_1', 'resp_2']) turns.said(responseId, 400, 0);
    const { extend } = ledger;
    const usage = { prompt: 3, completion: 4, cached: 0, cacheWrite: 0, reasoning: 0, anomaly: false };
    vi.spyOn(ledger, 'extend').mockImplementationOnce(async (...asked) => {
      await turns.done('resp_2', { usage });
      return extend(...asked);
    });
    expect(await turns.renew(1_000)).toBeUndefined();
  });

  test('what was written down took no longer than that, however long its session has lasted', async () => {
    const { db, clock, turns } = await session();
    clock.advanceMs(1_800_000);
    turns.heard(0, 480);
    await turns.transcribed({ kind: 'transcribed', itemId: 'item_1/0', usage: undefined, seconds: undefined, textBytes: 40 });
    expect(await db.read.selectFrom('log').select(['use_time', 'completion_tokens']).execute()).toEqual([
      { use_time: 0, completion_tokens: 10 },
    ]);
  });

  test('a later turn takes its place under the limits of now, not under those that the session began with', async () => {
    const { turns, now, enter } = await session();
    const limits = { quota_day: 1 };
    await turns.begin('resp_1');
    await turns.done('resp_1', undefined);
    now.key = { ...now.key, user: { ...now.key.user, limits } as typeof now.key.user };
    now.options = { ...now.options, PreConsumedQuota: 20 };
    await turns.begin('resp_2');
    expect(enter).toHaveBeenCalledExactlyOnceWith(expect.objectContaining(now));
  });

  test('a turn that is refused its place is neither charged nor shown, though it was over by then', async () => {
    const { db, turns, enter } = await session();
    const usage = { prompt: 3, completion: 4, cached: 0, cacheWrite: 0, reasoning: 0, anomaly: false };
    await turns.begin('resp_1');
    await turns.done('resp_1', { usage });
    enter.mockImplementation(() => {
      throw new Error('too many');
    });
    await expect(turns.begin('resp_2')).rejects.toThrow('too many');
    // What waits behind it is looked at, too, before the session ends.
    await expect(turns.done('resp_2', { usage })).rejects.toThrow('too many');
    await turns.end('ours');
    await expect(turns.begin('resp_3')).rejects.toThrow();
    expect(await walletOf(db, 1)).toMatchObject({ available: 993, held: 0, used: 7 });
  });
});
