import { expect, test } from 'vitest';
import { onEachEngine } from '../../test/engines.ts';
import { FakeClock } from '../../test/fake-clock.ts';
import { draftOf, giveToken, giveWallet, holdOf, walletOf } from '../../test/ledger-kit.ts';
import { createLedger } from './ledger.ts';
import { proveLedger } from './reconcile.ts';
import { batchWork } from './works.ts';
import { type PackedResult, packBatch, unpackResult } from './works-packed.ts';
import type { Operation } from './works-types.ts';

const clock = new FakeClock(1_000_000);

onEachEngine((_, open) => {
  test('a settle in the same commit as the sweep of its hold is booked as if there were no sweep, whichever came first', async () => {
    const db = await open();
    const ledger = createLedger({ db, clock });
    await giveWallet(db, 1, 1000);
    const tokenId = await giveToken(db, 1, { remain: 600, unlimited: false });
    for (const id of ['a', 'b']) await ledger.hold(holdOf(id, 1, tokenId, 100, { floorCost: 30 }));
    await ledger.dispatch('b');
    const sweepOf = (id: string): Operation => ({ kind: 'sweep', id, userId: 1, tokenId, now: 2000 });
    const settleOf = (id: string): Operation => {
      const draft = draftOf(id, 1, tokenId);
      return { kind: 'settle', id, userId: 1, tokenId, cost: 70, now: 1001, draft };
    };
    const operations = [sweepOf('a'), settleOf('a'), settleOf('b'), sweepOf('b')];
    const results = await db.run<PackedResult[]>(batchWork, packBatch({ operations, locks: 'wait' }));
    const settled = { closed: true, collected: 70, shortfall: 0, correction: 0 };
    expect(results.map(unpackResult)).toEqual([false, settled, settled, false]);
    expect(await walletOf(db, 1)).toEqual({ available: 860, held: 0, used: 140, count: 2 });
    const logs = await db.read.selectFrom('log').selectAll().orderBy('id').execute();
    expect(logs.map(({ request_id, quota }) => [request_id, quota])).toEqual([
      ['a', 70],
      ['b', 70],
    ]);
    expect((await proveLedger({ db, clock })).checks.filter((check) => !check.ok)).toEqual([]);
  });

  test.each([
    ['wallet', 250, 1000],
    ['token', 1000, 250],
  ] as const)(
    'what is given back in a commit is there for what follows in it, and what is taken is not: of the %s',
    async (reason, quota, remain) => {
      const db = await open();
      const ledger = createLedger({ db, clock });
      await giveWallet(db, 1, quota);
      const tokenId = await giveToken(db, 1, { remain, unlimited: false });
      for (const id of ['a', 'b']) await ledger.hold(holdOf(id, 1, tokenId, 100));
      const settle = (id: string, cost: number): Operation => {
        return { kind: 'settle', id, userId: 1, tokenId, cost, now: 1001, draft: draftOf(id, 1, tokenId) };
      };
      const hold = (id: string, amount: number): Operation => {
        const held = {
          amount,
          floorCost: 0,
          node: '',
          now: 1001,
          leaseUntil: 1100,
          context: '{}',
          note: { id: '', content: '' },
        };
        return { kind: 'hold', id, userId: 1, tokenId, keeper: '', ...held };
      };
      const operations = [settle('a', 10), settle('b', 220), hold('c', 15), hold('d', 6), hold('e', 5)];
      const results = await db.run<PackedResult[]>(batchWork, packBatch({ operations, locks: 'wait' }));
      expect(results.map(unpackResult)).toEqual([
        { closed: true, collected: 10, shortfall: 0, correction: 0 },
        { closed: true, collected: 220, shortfall: 0, correction: 0 },
        { ok: true },
        { ok: false, reason: reason === 'wallet' ? 'user' : 'token', have: 5 },
        { ok: true },
      ]);
      expect(await walletOf(db, 1)).toEqual({ available: quota - 250, held: 20, used: 230, count: 2 });
      expect((await proveLedger({ db, clock })).checks.filter((check) => !check.ok)).toEqual([]);
    },
  );
});
