import { beforeEach, expect, test } from 'vitest';
import { onEachEngine } from '../../test/engines.ts';
import { FakeClock } from '../../test/fake-clock.ts';
import { draftOf, giveToken, giveWallet, grant, holdOf, tokenOf, walletOf } from '../../test/ledger-kit.ts';
import type { Database } from '../storage/database.ts';
import { createTokenQuota, setTokenQuota, transfer } from './accounts.ts';
import { createLedger } from './ledger.ts';
import { type Signer, writeReceipt } from './receipts.ts';
import { proveLedger } from './reconcile.ts';
import type { Ledger, PriceSnapshot, Usage } from './types.ts';

const clock = new FakeClock(1_000_000);

onEachEngine((_, open) => {
  let db: Database;
  let ledger: Ledger;
  let tokenId: number;

  beforeEach(async () => {
    db = await open();
    ledger = createLedger({ db, clock });
    await giveWallet(db, 1, 1000);
    tokenId = await giveToken(db, 1, { remain: 600, unlimited: false });
  });

  const settle = (id: string, cost: number, fields = {}) =>
    ledger.settle({ id, cost, now: 1001, draft: draftOf(id, 1, tokenId, fields) });
  const counted = () => db.read.selectFrom('channel_charge').select(['channel_id', 'quota']).execute();
  const logs = () => db.read.selectFrom('log').selectAll().orderBy('id').execute();
  const charges = () => db.read.selectFrom('transfer').selectAll().where('kind', '<>', 'grant').orderBy('id').execute();
  const proven = async () => (await proveLedger({ db, clock })).checks.filter((check) => !check.ok);

  test('500 parallel holds on a wallet that affords 100: exactly 100 succeed and nothing goes below 0', async () => {
    await giveWallet(db, 2, 100 * 7);
    const ledgers = [ledger, createLedger({ db, clock }), createLedger({ db, clock })];
    const calls = Array.from({ length: 500 }, (_, index) =>
      (ledgers[index % 3] ?? ledger).hold(holdOf(`p${index}`, 2, 0, 7)).then(async (result) => {
        if (result.ok) await ledger.settle({ id: `p${index}`, cost: 7, now: 1001, draft: draftOf(`p${index}`, 2, 0) });
        return result;
      }),
    );
    const results = await Promise.all(calls);
    expect(results.filter((result) => result.ok)).toHaveLength(100);
    expect(results.filter((result) => !result.ok && result.reason === 'user')).toHaveLength(400);
    expect(await walletOf(db, 2)).toEqual({ available: 0, held: 0, used: 700, count: 100 });
    expect(await proven()).toEqual([]);
  });

  test('a hold moves its amount from available to held, in wallet and token', async () => {
    expect(await ledger.hold(holdOf('a', 1, tokenId, 100))).toEqual({ ok: true });
    expect(await walletOf(db, 1)).toEqual({ available: 900, held: 100, used: 0, count: 0 });
    expect(await tokenOf(db, tokenId)).toEqual({ granted: 600, remain: 500, used: 0, held: 100, status: 1 });
    expect(await proven()).toEqual([]);
  });

  test('a hold beyond the wallet or the token changes nothing and says what is there', async () => {
    expect(await ledger.hold(holdOf('a', 1, 0, 1001))).toEqual({ ok: false, reason: 'user', have: 1000 });
    expect(await ledger.hold(holdOf('b', 1, tokenId, 601))).toEqual({ ok: false, reason: 'token', have: 600 });
    expect(await ledger.hold(holdOf('c', 99, 0, 1))).toEqual({ ok: false, reason: 'user', have: 0 });
    expect(await ledger.hold(holdOf('d', 1, 9999, 1))).toEqual({ ok: false, reason: 'token', have: 0 });
    expect(await walletOf(db, 1)).toEqual({ available: 1000, held: 0, used: 0, count: 0 });
    expect(await db.read.selectFrom('hold').selectAll().execute()).toEqual([]);
  });

  test('the same request id holds once, while it is open and after it was charged', async () => {
    await ledger.hold(holdOf('a', 1, tokenId, 100));
    expect(await ledger.hold(holdOf('a', 1, tokenId, 100))).toMatchObject({ ok: false, reason: 'duplicate' });
    await settle('a', 100);
    expect(await ledger.hold(holdOf('a', 1, tokenId, 100))).toMatchObject({ ok: false, reason: 'duplicate' });
    expect(await walletOf(db, 1)).toMatchObject({ available: 900, held: 0 });
  });

  test('settling gives the difference back and writes transfer, log, the charge on the channel and counters', async () => {
    const channel = await db.transaction((tx) =>
      tx.query
        .insertInto('channel')
        .values({ type: 1, status: 1, name: 'c', created_at: 1, ...blankChannel })
        .returning('id')
        .executeTakeFirstOrThrow(),
    );
    await ledger.hold(holdOf('a', 1, tokenId, 100));
    const result = await settle('a', 60, { channelId: channel.id });
    expect(result).toEqual({ closed: true, collected: 60, shortfall: 0, correction: 0 });
    expect(await walletOf(db, 1)).toEqual({ available: 940, held: 0, used: 60, count: 1 });
    expect(await tokenOf(db, tokenId)).toEqual({ granted: 600, remain: 540, used: 60, held: 0, status: 1 });
    expect(await charges()).toMatchObject([{ from_account: 'user:1', to_account: 'revenue', amount: 60, ref: 'a' }]);
    expect(await logs()).toMatchObject([{ type: 2, quota: 60, shortfall: 0, request_id: 'a', created_at: 1001 }]);
    expect(await counted()).toEqual([{ channel_id: channel.id, quota: 60 }]);
    expect(await proven()).toEqual([]);
  });

  test('settling twice charges once', async () => {
    await ledger.hold(holdOf('a', 1, tokenId, 100));
    await settle('a', 60);
    expect(await settle('a', 60)).toEqual({ closed: false, collected: 0, shortfall: 0, correction: 0 });
    const [first, second] = [await charges(), await logs()];
    expect([first.length, second.length]).toEqual([1, 1]);
    expect(await walletOf(db, 1)).toMatchObject({ available: 940, used: 60 });
  });

  test('a cost above the hold takes what wallet and token still have; the rest is shortfall, never a negative balance', async () => {
    await ledger.hold(holdOf('a', 1, tokenId, 100));
    expect(await settle('a', 5000)).toEqual({ closed: true, collected: 600, shortfall: 4400, correction: 0 });
    expect(await walletOf(db, 1)).toEqual({ available: 400, held: 0, used: 600, count: 1 });
    expect(await logs()).toMatchObject([{ quota: 600, shortfall: 4400 }]);
    expect(await proven()).toEqual([]);
  });

  test('a free call leaves a log row and no transfer', async () => {
    await ledger.hold(holdOf('a', 1, tokenId, 0));
    expect(await settle('a', 0)).toEqual({ closed: true, collected: 0, shortfall: 0, correction: 0 });
    expect(await charges()).toEqual([]);
    expect(await logs()).toMatchObject([{ quota: 0, request_id: 'a' }]);
    expect(await walletOf(db, 1)).toEqual({ available: 1000, held: 0, used: 0, count: 1 });
  });

  test.each([true, false])('a release gives everything back, once (its owner is named: %s)', async (isNamed) => {
    const owner = isNamed ? { userId: 1, tokenId } : undefined;
    await ledger.hold(holdOf('a', 1, tokenId, 100));
    expect(await ledger.release('a', owner)).toBe(true);
    expect(await ledger.release('a', owner)).toBe(false);
    expect(await settle('a', 50)).toMatchObject({ closed: false, collected: 0 });
    expect(await walletOf(db, 1)).toEqual({ available: 1000, held: 0, used: 0, count: 0 });
    expect(await tokenOf(db, tokenId)).toMatchObject({ remain: 600, held: 0 });
    expect(await logs()).toEqual([]);
  });

  test.each(['user', 'token'])('whose hold it is cannot be said wrong, another %s: nothing moves', async (wrong) => {
    const owner = wrong === 'user' ? { userId: 2, tokenId } : { userId: 1, tokenId: 0 };
    await ledger.hold(holdOf('a', 1, tokenId, 100));
    await expect(ledger.extend('a', 1, owner)).rejects.toThrow('another');
    await expect(ledger.checkpoint('a', 5, 2000, owner)).rejects.toThrow('another');
    await expect(ledger.dispatch('a', owner)).rejects.toThrow('another');
    await expect(ledger.release('a', owner)).rejects.toThrow('another');
    expect(await walletOf(db, 1)).toMatchObject({ available: 900, held: 100 });
    expect(await settle('a', 50)).toMatchObject({ closed: true, collected: 50 });
    expect(await proven()).toEqual([]);
  });

  test('another process can close a hold that it did not open', async () => {
    await ledger.hold(holdOf('a', 1, tokenId, 100));
    const other = createLedger({ db, clock });
    expect(await other.dispatch('a')).toBe(true);
    expect(await other.release('a')).toBe(true);
    expect(await ledger.dispatch('a')).toBe(false);
    expect(await walletOf(db, 1)).toMatchObject({ available: 1000, held: 0 });
  });

  test('an extension grows the hold as far as wallet and token reach', async () => {
    await ledger.hold(holdOf('a', 1, tokenId, 100));
    expect(await ledger.extend('a', 500)).toBe(true);
    expect(await ledger.extend('a', 1)).toBe(false);
    expect(await tokenOf(db, tokenId)).toMatchObject({ remain: 0, held: 600 });
    expect(await settle('a', 550)).toMatchObject({ collected: 550 });
    expect(await walletOf(db, 1)).toMatchObject({ available: 450, held: 0, used: 550 });
    expect(await proven()).toEqual([]);
  });

  test('a limited token is exhausted only when nothing remains and nothing is held, and its caches hear of it', async () => {
    await ledger.hold(holdOf('a', 1, tokenId, 300));
    await ledger.hold(holdOf('b', 1, tokenId, 300));
    await settle('a', 300);
    expect(await tokenOf(db, tokenId)).toMatchObject({ remain: 0, held: 300, status: 1 });
    await settle('b', 300);
    expect(await tokenOf(db, tokenId)).toMatchObject({ remain: 0, held: 0, status: 4 });
    const changes = await db.read.selectFrom('change').select(['kind', 'key']).execute();
    expect(changes).toEqual([{ kind: 'token', key: String(tokenId) }]);
  });

  test("an unlimited token's remainder is never touched", async () => {
    const free = await giveToken(db, 1, { remain: 5, unlimited: true });
    await ledger.hold(holdOf('a', 1, free, 100));
    await ledger.settle({ id: 'a', cost: 150, now: 1001, draft: draftOf('a', 1, free) });
    expect(await tokenOf(db, free)).toMatchObject({ remain: 5, used: 150, held: 0, status: 1 });
    expect(await proven()).toEqual([]);
  });

  test.each([
    ['limited', { remain: 50, unlimited: false }],
    ['unlimited', { remain: 50, unlimited: true }],
  ])('a token made %s in flight keeps its arithmetic', async (_, change) => {
    const other = await giveToken(db, 1, { remain: 500, unlimited: change.unlimited === false });
    await ledger.hold(holdOf('a', 1, other, 100));
    await db.transaction((tx) => tx.perform(setTokenQuota(other, change)));
    await ledger.settle({ id: 'a', cost: 70, now: 1001, draft: draftOf('a', 1, other) });
    expect(await walletOf(db, 1)).toMatchObject({ available: 930, used: 70 });
    const token = await tokenOf(db, other);
    expect(token).toMatchObject({ used: 70, held: 0, remain: change.unlimited ? 50 : 80 });
    expect(await proven()).toEqual([]);
  });

  test('deleting user and token in flight loses no settle', async () => {
    await ledger.hold(holdOf('a', 1, tokenId, 100));
    await db.transaction((tx) => tx.query.updateTable('token').set({ deleted_at: 5 }).execute());
    expect(await settle('a', 60)).toMatchObject({ closed: true, collected: 60 });
    expect(await ledger.hold(holdOf('b', 1, tokenId, 1))).toEqual({ ok: false, reason: 'token', have: 0 });
    expect(await walletOf(db, 1)).toMatchObject({ available: 940, held: 0 });
    expect(await proven()).toEqual([]);
  });

  test('a sweep beside other calls books the row that the dead process left, in every script', async () => {
    const draft = draftOf('a', 1, tokenId, { content: '模型倍率 1.00 \u{1F600} "é"\\' });
    await ledger.hold(holdOf('a', 1, tokenId, 100, { draft, floorCost: 7 }));
    await ledger.hold(holdOf('b', 1, tokenId, 100));
    await ledger.dispatch('a');
    const [swept] = await Promise.all([ledger.sweep(1120), settle('b', 5)]);
    expect(swept).toBeGreaterThanOrEqual(1);
    expect((await logs()).find((row) => row.request_id === 'a')).toMatchObject({ content: draft.content, quota: 7 });
    expect(await proven()).toEqual([]);
  });

  test('a sweep leaves living leases alone and releases what was never dispatched', async () => {
    await ledger.hold(holdOf('a', 1, tokenId, 100));
    await ledger.checkpoint('a', 0, 1500);
    expect(await ledger.sweep(1499)).toBe(0);
    expect(await ledger.sweep(1500)).toBe(1);
    expect(await walletOf(db, 1)).toEqual({ available: 1000, held: 0, used: 0, count: 0 });
    expect(await logs()).toEqual([]);
  });

  test.each([
    ['the prompt when nothing was metered', 30, 0, 30],
    ['what was metered when that is more', 30, 75, 75],
    ['never the full hold for our crash', 30, 75, 75],
  ])('a sweep of a dispatched call charges %s', async (_, floorCost, metered, cost) => {
    await ledger.hold(holdOf('a', 1, tokenId, 100, { floorCost }));
    await ledger.dispatch('a');
    if (metered > 0) await ledger.checkpoint('a', metered, 1130);
    expect(await ledger.sweep(2000)).toBe(1);
    expect(await ledger.sweep(2000)).toBe(0);
    expect(await walletOf(db, 1)).toEqual({ available: 1000 - cost, held: 0, used: cost, count: 1 });
    const rows = await logs();
    expect(rows).toMatchObject([{ quota: cost, request_id: 'a', created_at: 2000 }]);
    expect(JSON.parse(rows[0]?.other ?? '')).toEqual({ swept: true });
    expect(await proven()).toEqual([]);
  });

  test.each([
    ['adds what is missing', 80, 50],
    ['gives back what was too much', 10, -20],
    ['changes nothing when the sweep was right', 30, 0],
  ])('a late settle after a sweep %s, at most once', async (_, cost, correction) => {
    // A sweep knows no channel.
    await ledger.hold(holdOf('a', 1, tokenId, 100, { floorCost: 30, draft: draftOf('a', 1, tokenId, { channelId: 0 }) }));
    await ledger.dispatch('a');
    await ledger.sweep(2000);
    expect(await settle('a', cost, { channelId: 7 })).toEqual({ closed: false, collected: cost, shortfall: 0, correction });
    expect(await settle('a', cost)).toEqual({ closed: false, collected: 0, shortfall: 0, correction: 0 });
    expect(await counted()).toEqual([{ channel_id: 7, quota: cost }]);
    expect(await walletOf(db, 1)).toEqual({ available: 1000 - cost, held: 0, used: cost, count: 1 });
    expect(await tokenOf(db, tokenId)).toMatchObject({ remain: 600 - cost, used: cost, held: 0 });
    expect(await logs()).toMatchObject([{ quota: cost, request_id: 'a' }]);
    expect((await charges()).filter((row) => row.ref === 'a:corr')).toHaveLength(correction === 0 ? 0 : 1);
    expect(await proven()).toEqual([]);
  });

  test('a late settle of a call that the sweep released is charged: its answer is delivered', async () => {
    await ledger.hold(holdOf('a', 1, tokenId, 100));
    await ledger.sweep(2000);
    expect(await ledger.hold(holdOf('a', 1, tokenId, 100))).toMatchObject({ reason: 'duplicate' });
    expect(await settle('a', 70)).toEqual({ closed: false, collected: 70, shortfall: 0, correction: 70 });
    expect(await walletOf(db, 1)).toEqual({ available: 930, held: 0, used: 70, count: 1 });
    expect(await logs()).toMatchObject([{ quota: 70, request_id: 'a' }]);
    expect(await proven()).toEqual([]);
  });

  test('several sweepers close each hold once', async () => {
    await Promise.all(Array.from({ length: 300 }, (_, index) => ledger.hold(holdOf(`s${index}`, 1, 0, 1))));
    const others = Array.from({ length: 3 }, () => createLedger({ db, clock }));
    const counts = await Promise.all(others.map((other) => other.sweep(5000)));
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(300);
    expect(await walletOf(db, 1)).toMatchObject({ available: 1000, held: 0 });
  });

  test('a request that cannot be booked fails alone, not the calls that share its commit', async () => {
    await ledger.hold(holdOf('a', 1, tokenId, 10));
    await ledger.hold(holdOf('b', 1, tokenId, 10));
    const wrong = ledger.settle({ id: 'a', cost: 5, now: 1001, draft: draftOf('a', 77, tokenId) });
    const right = settle('b', 5);
    await expect(wrong).rejects.toThrow('another user');
    expect(await right).toMatchObject({ closed: true, collected: 5 });
    expect(await walletOf(db, 1)).toMatchObject({ available: 985, held: 10, used: 5 });
  });

  test('a transfer with the same ref is booked once, and a ref never serves two movements', async () => {
    const request = {
      from: 'user:1',
      to: 'user:2',
      amount: 300,
      kind: 'adjust',
      ref: 'x',
      userId: 1,
      actorId: 1,
      now: 1,
      note: '',
    } as const;
    await giveWallet(db, 2, 0);
    const book = (fields = {}) => db.transaction((tx) => tx.perform(transfer({ ...request, ...fields })));
    expect(await Promise.all([book(), book(), book()])).toContain(true);
    expect(await book()).toBe(false);
    await expect(book({ amount: 301 })).rejects.toThrow('another movement');
    await expect(book({ ref: 'y', amount: 701 })).rejects.toMatchObject({ code: 'insufficient' });
    await expect(book({ ref: 'y', to: 'user:3' })).rejects.toMatchObject({ code: 'no_wallet' });
    expect([await walletOf(db, 1), await walletOf(db, 2)]).toMatchObject([{ available: 700 }, { available: 300 }]);
    expect(await proven()).toEqual([]);
  });

  test('an affiliate account cannot give more than it received', async () => {
    const to = 'user:1:affiliate';
    const move = (fields: object) =>
      db.transaction((tx) => tx.perform(transfer({ ...grant(1, 40, 'i'), from: 'invite', to, ...fields })));
    await move({ kind: 'invite' });
    await expect(move({ from: to, to: 'user:1', amount: 41, ref: 'j' })).rejects.toMatchObject({ code: 'insufficient' });
    await move({ from: to, to: 'user:1', amount: 40, ref: 'k', kind: 'affiliate' });
    expect(await walletOf(db, 1)).toMatchObject({ available: 1040 });
    expect(await proven()).toEqual([]);
  });

  test('an edit of a token that was used meanwhile moves its remainder by what the editor changed', async () => {
    await ledger.hold(holdOf('a', 1, tokenId, 100));
    await settle('a', 100);
    const edit = (remain: number) =>
      db.transaction((tx) => tx.perform(setTokenQuota(tokenId, { remain, unlimited: false, seenRemain: 600 })));
    expect(await edit(600)).toBe(500);
    expect(await edit(650)).toBe(550);
    expect(await tokenOf(db, tokenId)).toMatchObject({ granted: 650, remain: 550, used: 100 });
  });

  test('the proof recomputes receipts and names the first forged or wrong one', async () => {
    const sign: Signer = (text) => String(text.length);
    const usage: Usage = {
      prompt: 10,
      completion: 20,
      cached: 0,
      cacheWrite: 0,
      reasoning: 0,
      source: 'upstream',
      anomaly: false,
    };
    const prove = async () => (await proveLedger({ db, clock, sign })).checks.at(-1);
    for (const [id, cost] of [
      ['a', 50],
      ['b', 49],
    ] as const) {
      await ledger.hold(holdOf(id, 1, tokenId, 100));
      await settle(id, cost, { receipt: writeReceipt(id, price, usage, 50, sign) });
      if (id === 'a') expect(await prove()).toMatchObject({ name: 'receipts_recompute', ok: true });
    }
    expect(await prove()).toMatchObject({ ok: false, first_difference: 'log:2: 49 instead of 50' });
    await db.transaction((tx) => tx.query.updateTable('log').set({ receipt: '{"hmac":"1"}' }).where('id', '=', 2).execute());
    expect(await prove()).toMatchObject({ ok: false, first_difference: 'log:2: malformed' });
  });

  test('the proof names the first row that differs', async () => {
    await db.transaction((tx) => tx.query.updateTable('wallet').set({ available: 999 }).where('user_id', '=', 1).execute());
    const proof = await proveLedger({ db, clock });
    expect(proof.ok).toBe(false);
    expect(proof.checks.find((check) => !check.ok)).toMatchObject({
      name: 'wallet_equals_transfers',
      first_difference: 'user:1: 999 instead of 1000',
    });
  });
});

const price: PriceSnapshot = {
  ...{ version: 1, model: 'm', group: 'default', kind: 'token', specialGroup: false, quotaPerUnit: 500_000 },
  ...{ modelRatioNano: 1e9, completionRatioNano: 2e9, cacheRatioNano: 1e9, cacheWriteRatioNano: 1e9 },
  ...{ callPriceNano: 0, groupRatioNano: 1e9 },
};

const blankChannel = {
  key_sealed: '',
  key_hmac: '',
  key_hint: '',
  openai_organization: '',
  test_model: '',
  weight: 0,
  priority: 0,
  test_time: 0,
  response_time_ms: 0,
  base_url: '',
  other: '',
  balance: 0,
  balance_updated_at: 0,
  models: '',
  group_names: '',
  model_mapping: '',
  status_code_mapping: '',
  auto_ban: 0,
  other_info: '',
  tag: '',
  setting: '',
  param_override: '',
  header_override: '',
};

test('a new token starts with its whole grant', () => {
  expect(createTokenQuota({ remain: 5, unlimited: false })).toMatchObject({ granted_quota: 5, remain_quota: 5, used_quota: 0 });
});
