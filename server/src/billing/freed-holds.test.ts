import { expect, test } from 'vitest';
import { onEachEngine } from '../../test/engines.ts';
import { FakeClock } from '../../test/fake-clock.ts';
import { giveToken, giveWallet, holdOf, tokenOf, walletOf } from '../../test/ledger-kit.ts';
import { freeHeld } from './accounts.ts';
import { createLedger } from './ledger.ts';

onEachEngine((_name, open) => {
  test('what a refund takes of holds comes of calls first and of tasks last, and none that is empty stands before another', async () => {
    const db = await open();
    await giveWallet(db, 1, 1000);
    const limited = await giveToken(db, 1, { remain: 300, unlimited: false });
    const unlimited = await giveToken(db, 1, { remain: 7, unlimited: true });
    const ledger = createLedger({ db, clock: new FakeClock(0) });
    const task = { keeper: 'task' } as const;
    for (const hold of [
      holdOf('task', 1, limited, 200, task),
      holdOf('small', 1, unlimited, 50),
      holdOf('large', 1, limited, 80),
    ])
      expect(await ledger.hold(hold)).toEqual({ ok: true });
    const free = (wanted: number) => db.transaction((tx) => tx.perform(freeHeld(1, wanted)));
    const held = async () => {
      const rows = await db.read.selectFrom('hold').select(['id', 'amount']).orderBy('id').execute();
      return Object.fromEntries(rows.map(({ id, amount }) => [id, amount]));
    };
    expect(await free(100)).toBe(100);
    expect(await held()).toEqual({ large: 0, small: 30, task: 200 });
    expect(await free(40)).toBe(40);
    expect(await held()).toEqual({ large: 0, small: 0, task: 190 });
    expect(await free(500)).toBe(190);
    expect(await free(1)).toBe(0);
    expect(await walletOf(db, 1)).toMatchObject({ available: 1000, held: 0 });
    expect(await tokenOf(db, limited)).toMatchObject({ remain: 300, held: 0 });
    expect(await tokenOf(db, unlimited)).toMatchObject({ remain: 7, held: 0 });
  });
});
