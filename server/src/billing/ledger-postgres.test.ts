import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { channelRow, storeChannels } from '../../test/channel-rows.ts';
import { type Cut, startCuttingProxy } from '../../test/cutting-proxy.ts';
import { onPostgres } from '../../test/engines.ts';
import { FakeClock } from '../../test/fake-clock.ts';
import { heldOpen, lockWaits } from '../../test/held-open.ts';
import { prove } from '../../test/ledger-compare.ts';
import { draftOf, giveWallet, grant, holdOf, walletOf } from '../../test/ledger-kit.ts';
import { rollAll, rollupOn } from '../../test/usage-kit.ts';
import { transfer } from './accounts.ts';
import { createLedger } from './ledger.ts';

const clock = new FakeClock(1_000_000);
const cutKinds: Cut[] = ['before', 'after'];

onPostgres((_, open, kit) => {
  test('a connection that is cut during COMMIT charges once, whether or not the COMMIT arrived', async () => {
    const place = await kit.place();
    const proxy = await startCuttingProxy(place.url ?? '');
    const direct = await open({ place });
    const db = await open({ place: { url: proxy.url, dataDir: '' } });
    await giveWallet(direct, 1, 10_000);
    const ledger = createLedger({ db, clock });
    const rounds = 15;
    for (let index = 0; index < rounds; index += 1) {
      const id = `cut-${index}`;
      const cut = cutKinds[index % 2] ?? 'after';
      proxy.cutNextCommit(cut);
      expect(await ledger.hold(holdOf(id, 1, 0, 50))).toEqual({ ok: true });
      proxy.cutNextCommit(cut);
      expect(await ledger.extend(id, 20)).toBe(true);
      proxy.cutNextCommit(cut);
      const settled = await ledger.settle({ id, cost: 30, now: 1001, draft: draftOf(id, 1, 0) });
      expect(settled).toEqual({ closed: true, collected: 30, shortfall: 0, correction: 0 });
    }
    expect(proxy.cuts()).toBe(3 * rounds);
    expect(await walletOf(direct, 1)).toEqual({ available: 10_000 - 30 * rounds, held: 0, used: 30 * rounds, count: rounds });
    await prove(direct, clock);
    await db.close();
    await proxy.close();
  });

  test.each(cutKinds)('an interactive transaction cut %s its COMMIT happens once', async (cut) => {
    const place = await kit.place();
    const proxy = await startCuttingProxy(place.url ?? '');
    const direct = await open({ place });
    const db = await open({ place: { url: proxy.url, dataDir: '' } });
    await giveWallet(direct, 1, 100);
    proxy.cutNextCommit(cut);
    const results = await db.transaction((tx) => tx.perform(transfer(grant(1, 7, 'gift'))));
    expect([results, proxy.cuts()]).toEqual([true, 1]);
    expect(await walletOf(direct, 1)).toMatchObject({ available: 107 });
    await db.close();
    await proxy.close();
  });

  test('F-11: four nodes sweep 5,000 expired holds at once while their calls settle late: each is closed once and costs what it should', async () => {
    const place = await kit.place();
    const nodes = await Promise.all(Array.from({ length: 4 }, async () => createLedger({ db: await open({ place }), clock })));
    const db = await open({ place });
    const [first] = nodes as [ReturnType<typeof createLedger>];
    const users = Array.from({ length: 20 }, (_, index) => index + 1);
    for (const userId of users) await giveWallet(db, userId, 100_000);
    const holds = Array.from({ length: 5_000 }, (_, index) => ({ id: `hold-${index}`, userId: 1 + (index % users.length) }));
    for (let start = 0; start < holds.length; start += 2_500) {
      const part = holds.slice(start, start + 2_500);
      await Promise.all(part.map(({ id, userId }) => first.hold(holdOf(id, userId, 0, 20, { floorCost: 5 }))));
      await Promise.all(part.map(({ id }) => first.dispatch(id)));
    }
    const late = holds.filter((_, index) => index % 10 === 0);
    const settles = late.map(({ id, userId }) => first.settle({ id, cost: 8, now: 2000, draft: draftOf(id, userId, 0) }));
    await Promise.all([...nodes.map((node) => node.sweep(2000)), ...settles]);
    // A row that another sweeper had locked is left to the next turn.
    await first.sweep(2000);
    const { rows } = await sql<{ n: number }>`SELECT COUNT(*) AS n FROM hold`.execute(db.read);
    expect(Number(rows[0]?.n)).toBe(0);
    for (const userId of users) {
      const own = holds.filter((hold) => hold.userId === userId).length;
      const ownLate = late.filter((hold) => hold.userId === userId).length;
      const used = 5 * own + 3 * ownLate;
      expect(await walletOf(db, userId)).toEqual({ available: 100_000 - used, held: 0, used, count: own });
    }
    await prove(db, clock);
  });

  test('a late charge while the rows of its sweep go for ever: it comes too late, and nothing counts twice', async () => {
    const db = await open();
    await giveWallet(db, 1, 1000);
    const ledger = createLedger({ db, clock });
    await ledger.hold(holdOf('late', 1, 0, 100, { floorCost: 30 }));
    await ledger.dispatch('late');
    await ledger.sweep(2000);
    await rollAll(rollupOn(db));
    const rest = { row_count: 1, shortfall: 0, prompt_tokens: 10, completion_tokens: 20, last_at: 2000 };
    const frozen = await heldOpen(db, async ({ query }) => {
      await query.deleteFrom('swept').execute();
      await query.deleteFrom('log').execute();
      await query
        .insertInto('log_compaction')
        .values({ user_id: 1, quota: 30, ...rest })
        .execute();
    });
    const late = ledger.settle({ id: 'late', cost: 70, now: 2100, draft: draftOf('late', 1, 0) });
    await expect.poll(() => lockWaits(db)).toBeGreaterThan(0);
    await frozen.end();
    expect(await late).toEqual({ closed: false, collected: 0, shortfall: 0, correction: 0 });
    expect(await walletOf(db, 1)).toMatchObject({ available: 970, used: 30 });
    await prove(db, clock);
  });

  test('a wallet locked by somebody else does not stop the other wallets', async () => {
    const db = await open();
    await giveWallet(db, 1, 100);
    await giveWallet(db, 2, 100);
    const ledger = createLedger({ db, clock });
    const frozen = await heldOpen(db, ({ query }) =>
      query.updateTable('wallet').set({ version: 9 }).where('user_id', '=', 1).execute(),
    );
    const hot = ledger.hold(holdOf('hot', 1, 0, 10));
    const others = Array.from({ length: 20 }, (_, index) => ledger.hold(holdOf(`other-${index}`, 2, 0, 1)));
    expect((await Promise.all(others)).every((result) => result.ok)).toBe(true);
    await frozen.end();
    expect(await hot).toEqual({ ok: true });
    await prove(db, clock);
  });

  test('a channel that somebody else changes keeps no charge on it waiting', async () => {
    const db = await open();
    await giveWallet(db, 1, 100);
    await storeChannels(db, [channelRow(1)]);
    const ledger = createLedger({ db, clock });
    const frozen = await heldOpen(db, ({ query }) => query.updateTable('channel').set({ name: 'new' }).execute());
    await ledger.hold(holdOf('call', 1, 0, 10));
    const settled = await ledger.settle({ id: 'call', cost: 7, now: 1001, draft: { ...draftOf('call', 1, 0), channelId: 1 } });
    expect(settled).toMatchObject({ closed: true, collected: 7 });
    await frozen.end();
    await prove(db, clock);
  });
});
