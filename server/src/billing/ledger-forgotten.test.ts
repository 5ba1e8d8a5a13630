import { beforeEach, expect, test } from 'vitest';
import { onEachEngine } from '../../test/engines.ts';
import { FakeClock } from '../../test/fake-clock.ts';
import { draftOf, forgetHold, giveToken, giveUser, giveWallet, holdOf, tokenOf, walletOf } from '../../test/ledger-kit.ts';
import type { Database } from '../storage/database.ts';
import { createLedger, type ForgottenCall } from './ledger.ts';
import { proveLedger } from './reconcile.ts';
import type { Ledger } from './types.ts';

const clock = new FakeClock(1_000_000);
const closedBefore = { closed: false, collected: 0, shortfall: 0, correction: 0 };

onEachEngine((_, open) => {
  let db: Database;
  let ledger: Ledger;
  let tokenId: number;
  let told: ForgottenCall[];

  beforeEach(async () => {
    db = await open();
    told = [];
    ledger = createLedger({ db, clock, onForgotten: (call) => told.push(call) });
    await giveUser(db, 1);
    await giveWallet(db, 1, 1000);
    tokenId = await giveToken(db, 1, { remain: 600, unlimited: false });
  });

  const call = (id: string, cost: number, fields = {}) => ({
    ...{ id, cost, now: 1001 },
    draft: draftOf(id, 1, tokenId, { tokenName: 't', receipt: '', ...fields }),
  });
  const begin = async (id: string) => {
    expect(await ledger.hold(holdOf(id, 1, tokenId, 100))).toEqual({ ok: true });
    await forgetHold(db, id);
  };
  const logs = () => db.read.selectFrom('log').select(['request_id', 'token_id', 'quota', 'shortfall']).execute();
  const charges = () =>
    db.read.selectFrom('transfer').select(['ref', 'from_account', 'to_account', 'amount']).where('kind', '<>', 'grant').execute();
  const proven = async () => (await proveLedger({ db, clock })).checks.filter((check) => !check.ok);

  test('a call whose hold the database forgot is charged when it ends, once, and it is told', async () => {
    await begin('a');
    expect(await ledger.settle(call('a', 70))).toEqual({ ...closedBefore, collected: 70, forgotten: 'charged' });
    expect(await charges()).toEqual([{ ref: 'a', from_account: 'user:1', to_account: 'revenue', amount: 70 }]);
    expect(await logs()).toEqual([{ request_id: 'a', token_id: tokenId, quota: 70, shortfall: 0 }]);
    expect(await walletOf(db, 1)).toEqual({ available: 930, held: 0, used: 70, count: 1 });
    expect(await tokenOf(db, tokenId)).toEqual({ granted: 600, remain: 530, used: 70, held: 0, status: 1 });
    const another = createLedger({ db, clock });
    expect([await ledger.settle(call('a', 70)), await another.settle(call('a', 70))]).toEqual([closedBefore, closedBefore]);
    expect(told).toEqual([{ requestId: 'a', userId: 1, cost: 70, collected: 70, isCharged: true }]);
    expect(await proven()).toEqual([]);
  });

  test('as far as there is something: the rest is shortfall, and is not asked for again', async () => {
    await begin('a');
    const owed = { ...closedBefore, collected: 600, shortfall: 100, forgotten: 'charged' };
    expect(await ledger.settle(call('a', 700))).toEqual(owed);
    expect(await tokenOf(db, tokenId)).toMatchObject({ remain: 0, used: 600, status: 4 });
    const poor = await giveToken(db, 1, { remain: 0, unlimited: false });
    const nothing = { ...call('b', 50), draft: draftOf('b', 1, poor, { tokenName: 't', receipt: '' }) };
    // In one commit: no movement is there that would refuse the second.
    const both = await Promise.all([ledger.settle(nothing), ledger.settle(nothing)]);
    expect(both).toEqual([{ ...closedBefore, shortfall: 50, forgotten: 'charged' }, closedBefore]);
    await db.transaction((tx) => tx.query.updateTable('token').set({ unlimited_quota: 1 }).where('id', '=', poor).execute());
    expect(await ledger.settle(nothing)).toEqual(closedBefore);
    expect((await logs()).map(({ request_id, quota, shortfall }) => [request_id, quota, shortfall])).toEqual([
      ['a', 600, 100],
      ['b', 0, 50],
    ]);
  });

  test('settled by two nodes at once, beside other calls, it is charged once', async () => {
    await Promise.all(['a', 'b', 'c'].map(begin));
    await ledger.hold(holdOf('d', 1, tokenId, 100));
    const another = createLedger({ db, clock });
    const ids = ['a', 'b', 'a', 'c', 'd', 'b', 'a', 'd'];
    const results = await Promise.all(ids.flatMap((id) => [ledger, another].map((each) => each.settle(call(id, 10)))));
    expect(results.filter(({ forgotten }) => forgotten === 'charged')).toHaveLength(3);
    expect(results.filter(({ closed }) => closed)).toHaveLength(1);
    expect((await charges()).map(({ ref }) => ref).sort()).toEqual(['a', 'b', 'c', 'd']);
    expect(await walletOf(db, 1)).toEqual({ available: 960, held: 0, used: 40, count: 4 });
    expect(await proven()).toEqual([]);
  });

  test('nobody pays for a user whom the database forgot, also when the number is another one’s by now', async () => {
    expect(await ledger.settle({ ...call('a', 70), draft: draftOf('a', 99, 0) })).toEqual({
      ...{ ...closedBefore, shortfall: 70, forgotten: 'unknown user' },
    });
    expect(await ledger.settle(call('b', 30, { username: 'somebody else' }))).toMatchObject({ forgotten: 'unknown user' });
    expect(told.map(({ requestId, isCharged }) => [requestId, isCharged])).toEqual([
      ['a', false],
      ['b', false],
    ]);
    expect([await charges(), await logs()]).toEqual([[], []]);
    expect(await walletOf(db, 1)).toEqual({ available: 1000, held: 0, used: 0, count: 0 });
  });

  test('a token that was forgotten does not matter, and whose number it is by now does not pay', async () => {
    await giveUser(db, 2);
    await giveWallet(db, 2, 500);
    const others = await giveToken(db, 2, { remain: 400, unlimited: false });
    for (const [id, forgotten] of [['a', 12_345] as const, ['b', others] as const]) {
      const draft = draftOf(id, 1, forgotten, { tokenName: 't', receipt: '' });
      expect(await ledger.settle({ id, cost: 20, now: 1001, draft })).toMatchObject({ collected: 20, forgotten: 'charged' });
    }
    expect(await logs()).toMatchObject([{ token_id: 0 }, { token_id: 0 }]);
    expect(await tokenOf(db, others)).toMatchObject({ remain: 400, used: 0 });
    expect(await walletOf(db, 1)).toMatchObject({ available: 960, used: 40 });
    expect(await proven()).toEqual([]);
  });

  test('what a sweep closed is not forgotten: also when it gave all back, a late end is one correction', async () => {
    for (const id of ['a', 'b']) await ledger.hold(holdOf(id, 1, tokenId, 100, { floorCost: 5 }));
    await ledger.dispatch('b');
    expect(await ledger.sweep(2000)).toBe(2);
    expect(await ledger.settle(call('a', 0))).toEqual(closedBefore);
    expect(await ledger.settle(call('b', 9))).toEqual({ ...closedBefore, collected: 9, correction: 4 });
    for (const id of ['a', 'b']) expect(await ledger.settle(call(id, 50))).toEqual(closedBefore);
    expect(told).toEqual([]);
    expect(await walletOf(db, 1)).toMatchObject({ available: 991, used: 9 });
  });

  test('texts that were written with forgotten calls are written again', async () => {
    const draft = { shared: '{"username":"user1"}', own: '{"ip":"","prompt":1}' };
    const notes = () => db.read.selectFrom('hold_note').select('content').execute();
    await ledger.hold(holdOf('a', 1, tokenId, 100, { draft }));
    await forgetHold(db, 'a');
    await db.transaction((tx) => tx.query.deleteFrom('hold_note').execute());
    await ledger.settle(call('a', 1));
    await ledger.hold(holdOf('b', 1, tokenId, 100, { draft }));
    expect(await notes()).toEqual([{ content: draft.shared }]);
  });
});
