import { expect, test } from 'vitest';
import { onEachEngine } from '../../test/engines.ts';
import { FakeClock } from '../../test/fake-clock.ts';
import { type Fault, faultyDatabase, faultyWorks } from '../../test/faulty-database.ts';
import { draftOf, giveToken, giveUser, giveWallet, holdOf, tokenOf, walletOf } from '../../test/ledger-kit.ts';
import type { Database } from '../storage/database.ts';
import { createLedger } from './ledger.ts';
import { proveLedger } from './reconcile.ts';
import type { Ledger } from './types.ts';
import { batchWork } from './works.ts';

const clock = new FakeClock(1_000_000);
/** More than any batch of one operation has. */
const maxStatements = 20;

interface Case {
  name: string;
  /** Brings a fresh request into the state before the step. */
  prepare(ledger: Ledger, id: string, userId: number, tokenId: number): Promise<unknown>;
  step(ledger: Ledger, id: string, userId: number, tokenId: number): Promise<unknown>;
  /** The step may be repeated by a caller who does not know how it ended. */
  repeatable: boolean;
  /** used_quota after the step failed and everything was recovered, with and without a repetition. */
  used: { done: number; undone: number };
}

const settle = (ledger: Ledger, id: string, userId: number, tokenId: number): Promise<unknown> =>
  ledger.settle({ id, cost: 70, now: 1001, draft: draftOf(id, userId, tokenId, { tokenName: 't' }) });
const hold = (ledger: Ledger, id: string, userId: number, tokenId: number): Promise<unknown> =>
  ledger.hold(holdOf(id, userId, tokenId, 100, { floorCost: 30 }));
const dispatched = async (ledger: Ledger, id: string, userId: number, tokenId: number): Promise<void> => {
  await hold(ledger, id, userId, tokenId);
  await ledger.dispatch(id);
};

const cases: Case[] = [
  { name: 'hold', prepare: async () => undefined, step: hold, repeatable: true, used: { done: 0, undone: 0 } },
  { name: 'dispatch', prepare: hold, step: (ledger, id) => ledger.dispatch(id), repeatable: true, used: { done: 30, undone: 0 } },
  {
    name: 'checkpoint',
    prepare: dispatched,
    step: (ledger, id) => ledger.checkpoint(id, 55, 1200),
    repeatable: true,
    used: { done: 55, undone: 30 },
  },
  {
    name: 'extend',
    prepare: dispatched,
    step: (ledger, id) => ledger.extend(id, 40),
    repeatable: false,
    used: { done: 30, undone: 30 },
  },
  { name: 'settle', prepare: dispatched, step: settle, repeatable: true, used: { done: 70, undone: 30 } },
  { name: 'release', prepare: hold, step: (ledger, id) => ledger.release(id), repeatable: true, used: { done: 0, undone: 0 } },
  { name: 'sweep', prepare: dispatched, step: (ledger) => ledger.sweep(5000), repeatable: true, used: { done: 30, undone: 30 } },
  {
    name: 'late settle',
    prepare: async (ledger, id, userId, tokenId) => {
      await dispatched(ledger, id, userId, tokenId);
      await ledger.sweep(5000);
    },
    step: settle,
    repeatable: true,
    used: { done: 70, undone: 30 },
  },
  {
    name: 'settle of what the database forgot',
    prepare: async () => undefined,
    step: settle,
    repeatable: true,
    used: { done: 70, undone: 0 },
  },
];

onEachEngine((_, open) => {
  test.each(cases)('$name: a crash before or after any statement leaves the ledger right after recovery', async (each) => {
    const db = await open({ worksModule: faultyWorks });
    const faults: Fault[] = [
      'answer lost',
      { statement: -1, when: 'before' },
      ...Array.from({ length: maxStatements }, (__, index) => index).flatMap((statement): Fault[] => [
        { statement, when: 'before' },
        { statement, when: 'after' },
      ]),
    ];
    let hits = 0;
    let userId = 0;
    for (const fault of faults) {
      for (const repeat of each.repeatable ? [false, true] : [false]) {
        userId += 1;
        const hit = await crashOnce(db, each, userId, fault, repeat);
        hits += hit ? 1 : 0;
      }
    }
    // Reading, deciding and writing are several statements: the faults did happen.
    expect(hits).toBeGreaterThan(each.repeatable ? 16 : 8);
    const proof = await proveLedger({ db, clock });
    expect(proof.checks.filter((check) => !check.ok)).toEqual([]);
  });
});

/** Returns whether the fault happened at all. */
async function crashOnce(db: Database, each: Case, userId: number, fault: Fault, repeat: boolean): Promise<boolean> {
  const id = `${each.name}-${userId}`;
  await giveUser(db, userId);
  await giveWallet(db, userId, 1000);
  const tokenId = await giveToken(db, userId, { remain: 500, unlimited: false });
  await each.prepare(createLedger({ db: faultyDatabase(db, () => undefined), clock }), id, userId, tokenId);
  let pending: Fault | undefined = fault;
  const failing = createLedger({
    db: faultyDatabase(db, (work) => {
      if (work !== batchWork) return undefined;
      const now = pending;
      pending = undefined;
      return now;
    }),
    clock,
  });
  const failed = await each.step(failing, id, userId, tokenId).then(
    () => false,
    () => true,
  );
  const done = !failed || fault === 'answer lost' || repeat;
  // The process is gone; the next one repeats what its caller repeats, then sweeps.
  const next = createLedger({ db: faultyDatabase(db, () => undefined), clock });
  if (failed && repeat) await each.step(next, id, userId, tokenId);
  await next.sweep(10_000);
  const used = done ? each.used.done : each.used.undone;
  expect({ fault, repeat, ...(await walletOf(db, userId)) }).toMatchObject({ available: 1000 - used, held: 0, used });
  expect(await tokenOf(db, tokenId)).toMatchObject({ remain: 500 - used, held: 0, used, granted: 500 });
  return failed;
}
