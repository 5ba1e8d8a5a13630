import { expect } from 'vitest';
import { proveLedger } from '../src/billing/index.ts';
import { proveSums } from '../src/billing/prove-sums.ts';
import type { Clock } from '../src/platform/clock.ts';
import type { Database } from '../src/storage/database.ts';
import { tokenOf, walletOf } from './ledger-kit.ts';
import type { LedgerWorker } from './ledger-worker.ts';

const exhausted = 4;

/** The stored rows of one worker's user are what its model says. */
export async function compare(db: Database, worker: LedgerWorker): Promise<void> {
  const { model, userId } = worker;
  expect(await walletOf(db, userId)).toEqual({
    available: model.available,
    held: model.held(),
    used: model.used,
    count: model.requests,
  });
  expect(model.available + model.held()).toBe(model.received - model.used);
  for (const [index, id] of worker.tokenIds().entries()) {
    const { granted, remain, used, held, exhausted: ended } = model.token(index);
    expect(await tokenOf(db, id)).toEqual({ granted, remain, used, held, status: ended ? exhausted : 1 });
  }
  const holds = await db.read
    .selectFrom('hold')
    .select(['id', 'amount', 'checkpoint_cost', 'dispatched', 'lease_until'])
    .where('user_id', '=', userId)
    .execute();
  expect(new Map(holds.map((row) => [row.id, row.amount]))).toEqual(
    new Map([...model.holds].map(([id, hold]) => [id, hold.amount])),
  );
  const logs = await db.read.selectFrom('log').select(['request_id', 'quota']).where('user_id', '=', userId).execute();
  const text = (id: string, quota: number): string => `${id}: ${quota}`;
  expect(logs.map((row) => text(row.request_id, row.quota)).sort()).toEqual(
    model.log.map((row) => text(row.id, row.quota)).sort(),
  );
  const corrections = await db.read
    .selectFrom('transfer')
    .select(({ fn }) => ['ref', fn.countAll<number>().as('count')])
    .where('user_id', '=', userId)
    .groupBy('ref')
    .execute();
  expect(corrections.filter((row) => row.count !== 1)).toEqual([]);
}

/** All invariants of the ledger page that hold over the whole database. */
export async function prove(db: Database, clock: Clock): Promise<void> {
  const proof = await proveLedger({ db, clock });
  expect(proof.checks.filter((check) => !check.ok)).toEqual([]);
  // As of a ledger that is too large for one statement.
  expect(await proveSums(db, 100)).toEqual(new Map());
}
