import { describe, expect, test } from 'vitest';
import { onEachEngine } from '../../../test/engines.ts';
import { FakeClock } from '../../../test/fake-clock.ts';
import { draftOf, giveToken, giveWallet, holdOf } from '../../../test/ledger-kit.ts';
import { createLedger, proveLedger } from '../../billing/index.ts';
import type { Database } from '../../storage/database.ts';
import { deleteOldLogs } from '../cleanup/cleanup.ts';
import { anyRow } from '../log/filter.ts';
import { createRollup } from './rollup.ts';
import { groupedSums, usageSums } from './sums.ts';

const clock = new FakeClock(1_000_000);

async function rollAll(db: Database): Promise<void> {
  const rollup = createRollup({ db, clock, node: 'a', batch: 2 });
  for (let quiet = 0; quiet < 3; ) quiet = (await rollup.step()) === 'done' ? quiet + 1 : 0;
}

/** Quota of every user: as summed, and as the wallets say. */
async function books(db: Database) {
  const sums = await groupedSums(db.read, anyRow, { by: ['user_id'] });
  const wallets = await db.read.selectFrom('wallet').select(['user_id', 'used_quota']).orderBy('user_id').execute();
  const summed = new Map(sums.map(({ user_id, quota }) => [user_id, quota]));
  return wallets.map(({ user_id, used_quota }) => [user_id, summed.get(user_id) ?? 0, used_quota]);
}

onEachEngine((_name, open) => {
  describe('sums beside the ledger', () => {
    test('are what was charged, whenever the sums are made: before, between and after a sweep, its correction and a cleanup', async () => {
      for (const rollAfter of [0, 1, 2, 3]) {
        const db = await open();
        await giveWallet(db, 1, 10_000);
        await giveWallet(db, 2, 10_000);
        const tokens = [
          await giveToken(db, 1, { remain: 0, unlimited: true }),
          await giveToken(db, 2, { remain: 0, unlimited: true }),
        ];
        const [one = 0, two = 0] = tokens;
        const ledger = createLedger({ db, clock });
        const settle = (id: string, user: number, token: number, cost: number, fields = {}) =>
          ledger.settle({ id, cost, now: 1001, draft: draftOf(id, user, token, fields) });
        const steps: (() => Promise<unknown>)[] = [
          async () => {
            for (const [id, user, token] of [
              ['a', 1, one],
              ['b', 2, two],
              ['c', 1, one],
            ] as const) {
              await ledger.hold(holdOf(id, user, token, 100, { floorCost: 30 }));
            }
            await settle('a', 1, one, 60);
          },
          async () => {
            await ledger.dispatch('b');
            await ledger.sweep(1200);
          },
          async () => {
            await settle('b', 2, two, 80, { model: 'other', useTime: 4 });
            await settle('c', 1, one, 45);
          },
        ];
        for (const [index, step] of steps.entries()) {
          await step();
          if (index === rollAfter) await rollAll(db);
          expect([rollAfter, index, await books(db)]).toEqual([
            rollAfter,
            index,
            (await books(db)).map(([user, , used]) => [user, used, used]),
          ]);
        }
        expect((await proveLedger({ db, clock })).checks.filter(({ ok }) => !ok)).toEqual([]);
        expect(await usageSums(db.read, anyRow)).toMatchObject({ calls: 3, quota: 185 });
        expect(await usageSums(db.read, { ...anyRow, userId: 2, model: 'other' })).toMatchObject({ calls: 1, quota: 80 });
        await rollAll(db);
        while ((await deleteOldLogs(db, 2_000_000)) > 0);
        expect(await db.read.selectFrom('log').selectAll().execute()).toEqual([]);
        expect(await books(db)).toEqual([
          [1, 105, 105],
          [2, 80, 80],
        ]);
        expect((await proveLedger({ db, clock })).checks.filter(({ ok }) => !ok)).toEqual([]);
      }
    });
  });
});

onEachEngine((_name, open) => {
  test('a sum that was changed behind the books is named by the proof', async () => {
    const db = await open();
    await giveWallet(db, 1, 100);
    const token = await giveToken(db, 1, { remain: 0, unlimited: true });
    const ledger = createLedger({ db, clock });
    await ledger.hold(holdOf('a', 1, token, 50));
    await ledger.settle({ id: 'a', cost: 40, now: 1001, draft: draftOf('a', 1, token) });
    await rollAll(db);
    await db.transaction((tx) => tx.query.updateTable('usage_day').set({ quota: 41 }).where('cube', '=', 3).execute());
    expect((await proveLedger({ db, clock })).checks.filter(({ ok }) => !ok)).toMatchObject([
      { name: 'used_equals_usage', first_difference: 'user:1: 41 instead of 40' },
    ]);
  });
});
