import { expect, test } from 'vitest';
import { onEachEngine } from '../../test/engines.ts';
import { FakeClock } from '../../test/fake-clock.ts';
import { giveWallet, holdOf, walletOf } from '../../test/ledger-kit.ts';
import { cutLeases } from './hold-leases.ts';
import { createLedger } from './ledger.ts';

const seconds = 120;
const day = 86_400;

onEachEngine((_engine, open) => {
  test('a hold of a process that died with its clock a day ahead is swept a lease after the clock was set back', async () => {
    const db = await open();
    const ledger = createLedger({ db, clock: new FakeClock(1_000_000) });
    await giveWallet(db, 1, 1000);
    await ledger.hold(holdOf('dead', 1, 0, 100, { leaseUntil: 1000 + day + seconds }));
    await ledger.hold(holdOf('alive', 1, 0, 10, { leaseUntil: 1000 + day + seconds }));
    await ledger.hold(holdOf('usual', 1, 0, 1, { leaseUntil: 1000 + seconds }));
    await ledger.hold(holdOf('task', 1, 0, 5, { leaseUntil: 1000 + day, keeper: 'task' }));
    await cutLeases(db, { now: 1000, seconds });
    expect(await ledger.sweep(1000)).toBe(0);
    expect(await ledger.checkpoint('alive', 0, 1060 + seconds)).toBe(true);
    await cutLeases(db, { now: 1000 + seconds, seconds });
    expect(await ledger.sweep(1000 + seconds)).toBe(2);
    const left = await db.read.selectFrom('hold').select(['id', 'lease_until']).orderBy('id').execute();
    expect(left).toEqual([
      { id: 'alive', lease_until: 1060 + seconds },
      { id: 'task', lease_until: 1000 + day },
    ]);
    expect(await walletOf(db, 1)).toMatchObject({ available: 985, held: 15 });
  });

  test('clocks that differ by less than a minute, as those of two machines do, shorten no lease', async () => {
    const db = await open();
    const ledger = createLedger({ db, clock: new FakeClock(1_000_000) });
    await giveWallet(db, 1, 1000);
    await ledger.hold(holdOf('a', 1, 0, 100, { leaseUntil: 1060 + seconds }));
    await cutLeases(db, { now: 1000, seconds });
    expect(await db.read.selectFrom('hold').select('lease_until').execute()).toEqual([{ lease_until: 1060 + seconds }]);
  });
});
