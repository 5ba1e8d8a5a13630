import { expect, test } from 'vitest';
import { createApiKit } from '../../test/api-kit.ts';
import { onEachEngine } from '../../test/engines.ts';
import { FakeClock } from '../../test/fake-clock.ts';
import { draftOf, giveToken, giveWallet, grant, holdOf, walletOf } from '../../test/ledger-kit.ts';
import { transfer } from './accounts.ts';
import { adjustBalance } from './adjust.ts';
import { createLedger } from './ledger.ts';
import { proveLedger } from './reconcile.ts';

const clock = new FakeClock(1_000_000);

onEachEngine((_, open) => {
  test('an adjustment books the difference once, in either direction, and nothing when there is none', async () => {
    const db = await open();
    await giveWallet(db, 1, 500);
    const set = (wanted: number) => db.transaction((tx) => tx.perform(adjustBalance({ userId: 1, wanted, actorId: 9, now: 5 })));
    expect(await set(800)).toEqual({ before: 500, after: 800 });
    expect(await set(800)).toEqual({ before: 800, after: 800 });
    expect(await set(0)).toEqual({ before: 800, after: 0 });
    expect(await set(800)).toEqual({ before: 0, after: 800 });
    const rows = await db.read.selectFrom('transfer').selectAll().where('kind', '=', 'adjust').orderBy('id').execute();
    expect(rows.map((row) => [row.from_account, row.to_account, row.amount, row.actor_id])).toEqual([
      ['adjust', 'user:1', 300, 9],
      ['user:1', 'adjust', 800, 9],
      ['adjust', 'user:1', 800, 9],
    ]);
    expect((await proveLedger({ db, clock })).ok).toBe(true);
  });

  test('the same adjustment of two users, and another one of the same moment, are movements of their own', async () => {
    const db = await open();
    for (const userId of [1, 2]) await giveWallet(db, userId, 500);
    const { version } = await db.read.selectFrom('wallet').select('version').where('user_id', '=', 1).executeTakeFirstOrThrow();
    const set = (userId: number, wanted: number, seen: object) =>
      db.transaction((tx) => tx.perform(adjustBalance({ userId, wanted, ...seen, actorId: 9, now: 5 })));
    const thought = { seen: 500, seenVersion: version };
    for (const userId of [1, 2]) expect(await set(userId, 600, {})).toEqual({ before: 500, after: 600 });
    for (const userId of [1, 2]) expect(await set(userId, 550, thought)).toEqual({ before: 600, after: 650 });
    for (const userId of [1, 2]) expect(await set(userId, 540, thought)).toEqual({ before: 650, after: 690 });
    for (const userId of [1, 2]) expect(await set(userId, 550, thought)).toEqual({ before: 690, after: 690 });
    expect(await db.read.selectFrom('transfer').select('id').where('kind', '=', 'adjust').execute()).toHaveLength(6);
  });

  test('impossible balances and users without a wallet are refused and change nothing', async () => {
    const db = await open();
    await giveWallet(db, 1, 500);
    const set = (userId: number, wanted: number) =>
      db.transaction((tx) => tx.perform(adjustBalance({ userId, wanted, actorId: 9, now: 5 })));
    for (const wanted of [-1, 1.5, Number.NaN, 2 ** 53]) await expect(set(1, wanted)).rejects.toThrow('Not a balance');
    await expect(set(2, 10)).rejects.toThrow('no wallet');
    expect(await walletOf(db, 1)).toEqual({ available: 500, held: 0, used: 0, count: 0 });
  });

  test('a wallet never holds more, with what is set aside, than a number can hold exactly', async () => {
    const db = await open();
    await giveWallet(db, 1, 1000);
    const ledger = createLedger({ db, clock });
    await ledger.hold(holdOf('a', 1, 0, 100));
    const room = Number.MAX_SAFE_INTEGER - 1000;
    const give = (amount: number, ref: string) => db.transaction((tx) => tx.perform(transfer(grant(1, amount, ref))));
    await expect(give(room + 1, 'x')).rejects.toMatchObject({ code: 'invalid' });
    expect(await give(room, 'y')).toBe(true);
    await ledger.settle(settleOf('a', 0, 0));
    expect(await walletOf(db, 1)).toMatchObject({ available: Number.MAX_SAFE_INTEGER, held: 0 });
    expect((await proveLedger({ db, clock })).checks.filter((check) => !check.ok)).toEqual([]);
  });

  test('in self-use mode the owner has enough again, once over all nodes, and everybody else what they were given', async () => {
    const kit = await createApiKit(await open());
    const { db } = kit;
    const { topups, settings } = kit.deps;
    const [owner, alice] = [await kit.root(), await kit.user('alice')];
    const left = async () => [(await walletOf(db, owner.id)).available, (await walletOf(db, alice.id)).available];
    const low = { userId: owner.id, wanted: 49_999_999, actorId: owner.id, now: 5 };
    await db.transaction((tx) => tx.perform(adjustBalance(low)));
    await topups.upkeep();
    expect(await left()).toEqual([49_999_999, 0]);
    await settings.save([{ key: 'SelfUseModeEnabled', value: 'true' }]);
    await Promise.all([topups.upkeep(), topups.upkeep()]);
    await db.transaction((tx) => tx.perform(adjustBalance({ ...low, wanted: 50_000_000 })));
    await topups.upkeep();
    expect(await left()).toEqual([50_000_000, 0]);
    const logs = db.read.selectFrom('log').select('content').where('user_id', '=', owner.id).where('content', 'like', '自用%');
    expect(await logs.execute()).toEqual([{ content: '自用模式自动补充额度 ＄100.000002 额度' }]);
    expect((await proveLedger({ db, clock })).ok).toBe(true);
  });

  test('adjustments, grants and calls at once lose nothing: the books stay green', async () => {
    const db = await open();
    await giveWallet(db, 1, 1000);
    const ledger = createLedger({ db, clock });
    const work = Array.from({ length: 30 }, (_, index) => [
      db.transaction((tx) => tx.perform(adjustBalance({ userId: 1, wanted: 1000 + index, actorId: 9, now: 5 }))),
      db.transaction((tx) => tx.perform(transfer(grant(1, 7, `more:${index}`)))),
      ledger.hold(holdOf(`h${index}`, 1, 0, 10)).then(() => ledger.settle(settleOf(`h${index}`, 0, 3))),
    ]).flat();
    await Promise.all(work);
    expect(await walletOf(db, 1)).toMatchObject({ held: 0, used: 90, count: 30 });
    expect((await proveLedger({ db, clock })).checks.filter((check) => !check.ok)).toEqual([]);
  });

  test('by what an editor saw, thirty at once beside grants and calls: each moves its own difference, whatever came meanwhile', async () => {
    const db = await open();
    await giveWallet(db, 1, 1000);
    const ledger = createLedger({ db, clock });
    const edit = (wanted: number) => adjustBalance({ userId: 1, wanted, seen: 1000, actorId: 9, now: 5 });
    const work = Array.from({ length: 30 }, (_, index) => [
      db.transaction((tx) => tx.perform(edit(1005))),
      db.transaction((tx) => tx.perform(transfer(grant(1, 7, `more:${index}`)))),
      ledger.hold(holdOf(`h${index}`, 1, 0, 10)).then(() => ledger.settle(settleOf(`h${index}`, 0, 3))),
    ]).flat();
    await Promise.all(work);
    expect(await walletOf(db, 1)).toMatchObject({ available: 1000 + 30 * (5 + 7 - 3), held: 0, used: 90 });
    await db.transaction((tx) => tx.perform(edit(0)));
    expect(await walletOf(db, 1)).toMatchObject({ available: 270 });
    expect((await proveLedger({ db, clock })).checks.filter((check) => !check.ok)).toEqual([]);
  });

  test('a settle tells when its token was last used, and never takes the time back', async () => {
    const db = await open();
    await giveWallet(db, 1, 1000);
    const tokenId = await giveToken(db, 1, { remain: 0, unlimited: true });
    const ledger = createLedger({ db, clock });
    const accessed = async () =>
      (await db.read.selectFrom('token').select('accessed_at').where('id', '=', tokenId).executeTakeFirstOrThrow()).accessed_at;
    const call = async (id: string, cost: number, now: number) => {
      await ledger.hold(holdOf(id, 1, tokenId, 10));
      const held = await accessed();
      await ledger.settle({ ...settleOf(id, tokenId, cost), now });
      return held;
    };
    expect(await call('a', 3, 2000)).toBe(0);
    expect(await call('free', 0, 3000)).toBe(2000);
    await call('late', 1, 2500);
    expect(await accessed()).toBe(3000);
  });
});

function settleOf(id: string, tokenId: number, cost: number) {
  return { id, cost, now: 1001, draft: draftOf(id, 1, tokenId) };
}
