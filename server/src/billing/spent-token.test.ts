import { expect, test } from 'vitest';
import { onEachEngine } from '../../test/engines.ts';
import { FakeClock } from '../../test/fake-clock.ts';
import { giveToken, giveWallet, holdOf, tokenOf, walletOf } from '../../test/ledger-kit.ts';
import { createLedger } from './ledger.ts';

onEachEngine((_name, open) => {
  test('who comes with a token that has nothing left, and nothing held, hears so and ends it, whatever the call costs', async () => {
    const db = await open();
    await giveWallet(db, 1, 1000);
    const [empty, held] = [
      await giveToken(db, 1, { remain: 0, unlimited: false }),
      await giveToken(db, 1, { remain: 100, unlimited: false }),
    ];
    const ledger = createLedger({ db, clock: new FakeClock(0) });
    expect(await ledger.hold(holdOf('a', 1, empty, 0))).toEqual({ ok: false, reason: 'exhausted', have: 0 });
    expect(await tokenOf(db, empty)).toMatchObject({ remain: 0, held: 0, status: 4 });
    expect(await ledger.hold(holdOf('b', 1, held, 100))).toEqual({ ok: true });
    expect(await ledger.hold(holdOf('c', 1, held, 1))).toEqual({ ok: false, reason: 'token', have: 0 });
    expect(await tokenOf(db, held)).toMatchObject({ remain: 0, held: 100, status: 1 });
    expect(await walletOf(db, 1)).toMatchObject({ available: 900, held: 100 });
  });
});
