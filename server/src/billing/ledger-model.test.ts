import fc from 'fast-check';
import { expect, test } from 'vitest';
import { onEachEngine } from '../../test/engines.ts';
import { FakeClock } from '../../test/fake-clock.ts';
import { type Fault, faultyDatabase, faultyWorks } from '../../test/faulty-database.ts';
import { type Command, rounds } from '../../test/ledger-commands.ts';
import { compare, prove } from '../../test/ledger-compare.ts';
import { draftOf, giveWallet, holdOf, walletOf } from '../../test/ledger-kit.ts';
import { LedgerWorker } from '../../test/ledger-worker.ts';
import type { Database } from '../storage/database.ts';
import { createLedger } from './ledger.ts';

const clock = new FakeClock(1_000_000);
const timeout = 120_000;
const minimumOperations = 10_000;
type Script = readonly (readonly (readonly Command[])[])[];

/** A fault in one of eight commits: inside the transaction, or with the answer lost after it. */
const faults: fc.Arbitrary<(Fault | undefined)[]> = fc.array(
  fc.oneof(
    { arbitrary: fc.constant(undefined), weight: 7 },
    {
      arbitrary: fc.oneof(
        fc.constant<Fault>('answer lost'),
        fc.record({ statement: fc.integer({ min: -1, max: 10 }), when: fc.constantFrom('before' as const, 'after' as const) }),
      ),
      weight: 1,
    },
  ),
  { minLength: 64, maxLength: 64 },
);

onEachEngine((engine, open) => {
  test('any sequence of commands by parallel workers does what the model does', { timeout }, async () => {
    const db = await open();
    const play = player(db, db);
    const property = fc.asyncProperty(rounds({ rounds: 4, workers: 4, length: 60 }), play.run);
    await fc.assert(property, { numRuns: 20, endOnFailure: true });
    console.log(`${engine}: ${play.operations()} ledger operations against the model`);
    expect(play.operations()).toBeGreaterThanOrEqual(minimumOperations);
  });

  test('faults at any statement, and lost answers, change nothing of it', { timeout }, async () => {
    const db = await open({ worksModule: faultyWorks });
    let plan: (Fault | undefined)[] = [];
    let commits = 0;
    const next = (): Fault | undefined => {
      commits += 1;
      return plan[commits % Math.max(1, plan.length)];
    };
    const play = player(
      faultyDatabase(db, () => undefined),
      faultyDatabase(db, next),
    );
    const property = fc.asyncProperty(rounds({ rounds: 4, workers: 3, length: 30 }), faults, (script, drawn) => {
      plan = drawn;
      return play.run(script);
    });
    await fc.assert(property, { numRuns: 6, endOnFailure: true });
    console.log(`${engine}: ${play.operations()} ledger operations with faults`);
  });

  test('processes that work on the same hold at once keep the books right', { timeout }, async () => {
    const db = await open();
    const users = [1, 2, 3];
    for (const userId of users) await giveWallet(db, userId, 100_000);
    const [first, second, third] = [createLedger({ db, clock }), createLedger({ db, clock }), createLedger({ db, clock })];
    let charged = 0;
    for (let round = 0; round < 15; round += 1) {
      const ids = Array.from({ length: 12 }, (_, index) => ({ id: `race-${round}-${index}`, userId: users[index % 3] ?? 1 }));
      await Promise.all(ids.map(({ id, userId }) => first.hold(holdOf(id, userId, 0, 50, { floorCost: 5 }))));
      const calls = ids.flatMap(({ id, userId }) => {
        const settle = { id, cost: 30, now: 1001, draft: draftOf(id, userId, 0) };
        return [first.extend(id, 20), second.settle(settle), third.settle(settle), second.extend(id, 7), third.dispatch(id)];
      });
      const results = await Promise.all([...calls, first.sweep(5000), third.sweep(5000)]);
      charged += ids.length;
      expect(results).toHaveLength(calls.length + 2);
    }
    await Promise.all([first, second, third].map((ledger) => ledger.sweep(9000)));
    const wallets = await Promise.all(users.map((userId) => walletOf(db, userId)));
    expect(wallets.reduce((sum, wallet) => sum + wallet.held, 0)).toBe(0);
    expect(wallets.reduce((sum, wallet) => sum + wallet.used, 0)).toBe(30 * charged);
    await prove(db, clock);
  });

  test('workers that share wallets never overspend them, and every charge is in the books once', { timeout }, async () => {
    const db = await open();
    const users = [1, 2];
    for (const userId of users) await giveWallet(db, userId, 5000);
    const ledgers = Array.from({ length: 4 }, () => createLedger({ db, clock }));
    const [costs] = fc.sample(fc.array(fc.nat(90), { minLength: 600, maxLength: 600 }), 1);
    const collected = new Map(users.map((userId) => [userId, 0]));
    let refused = 0;
    await Promise.all(
      (costs ?? []).map(async (cost, index) => {
        const userId = users[index % users.length] ?? 0;
        const id = `shared-${index}`;
        const ledger = ledgers[index % ledgers.length] ?? createLedger({ db, clock });
        if (!(await ledger.hold(holdOf(id, userId, 0, 40))).ok) {
          refused += 1;
          return;
        }
        const result = await ledger.settle({ id, cost, now: 1001, draft: draftOf(id, userId, 0) });
        collected.set(userId, (collected.get(userId) ?? 0) + result.collected);
      }),
    );
    expect(refused).toBeGreaterThan(0);
    for (const userId of users) {
      const used = collected.get(userId) ?? 0;
      expect(await walletOf(db, userId)).toMatchObject({ available: 5000 - used, held: 0, used });
    }
    await prove(db, clock);
  });
});

/** Plays scripts with fresh users on one database. */
function player(db: Database, ledgerDb: Database): { run(script: Script): Promise<void>; operations(): number } {
  let operations = 0;
  let users = 0;
  const count = (): void => {
    operations += 1;
  };
  return {
    operations: () => operations,
    async run(script) {
      const time = { now: 10_000 };
      const workers: LedgerWorker[] = [];
      for (const _ of script[0] ?? []) {
        users += 1;
        const worker = new LedgerWorker({ db, ledgerDb, clock, userId: users, time, count });
        await worker.start();
        workers.push(worker);
      }
      await playRounds(db, workers, script, time);
    },
  };
}

/** Workers play a round at the same time; then everybody waits for one sweep, and the rows are compared. */
async function playRounds(db: Database, workers: readonly LedgerWorker[], script: Script, time: { now: number }): Promise<void> {
  for (const round of script) {
    await Promise.all(workers.map((worker, index) => worker.play(round[index] ?? [])));
    time.now += 50;
    const expected = workers.reduce((sum, worker) => sum + worker.model.sweep(time.now), 0);
    const sweepers = [createLedger({ db, clock }), createLedger({ db, clock })];
    const closed = await Promise.all(sweepers.map((sweeper) => sweeper.sweep(time.now)));
    expect(closed.reduce((sum, part) => sum + part, 0)).toBe(expected);
    for (const worker of workers) await compare(db, worker);
    await prove(db, clock);
  }
  // Nothing stays held for ever.
  time.now += 10_000;
  for (const worker of workers) worker.model.sweep(time.now);
  await createLedger({ db, clock }).sweep(time.now);
  for (const worker of workers) {
    expect(worker.model.held()).toBe(0);
    await compare(db, worker);
  }
}
