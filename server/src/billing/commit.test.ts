import { expect, test } from 'vitest';
import { systemClock } from '../platform/clock.ts';
import type { Database } from '../storage/database.ts';
import { DatabaseError } from '../storage/errors.ts';
import { createCommitter } from './commit.ts';
import type { Waiting } from './queue.ts';
import { type PackedBatch, packResult, unpackBatch } from './works-packed.ts';
import { deferred, type Operation } from './works-types.ts';

test('who calls while a lane waits for the locked wallet goes behind it, without a transaction to find it locked', async () => {
  const runs: string[] = [];
  let unlock: () => void = () => undefined;
  const locked = new Promise<void>((resolve) => {
    unlock = resolve;
  });
  const run = async (_work: string, packed: PackedBatch) => {
    const { operations, locks } = unpackBatch(packed);
    runs.push(`${locks} ${operations.map(({ id }) => id).join(' ')}`);
    const isOut = operations.some(({ userId }) => userId === 1) && locks === 'skip';
    if (locks === 'wait') await locked;
    return operations.map(({ userId }) => packResult(isOut && userId === 1 ? deferred : true));
  };
  const db = { run } as unknown as Database;
  const committer = createCommitter({ db, clock: systemClock, releaseAbandoned: () => undefined });
  const answered: string[] = [];
  const asking = (id: string, userId: number): Waiting => ({
    operation: { kind: 'release', id, userId, tokenId: 0 },
    ...{ queuedMs: 0, arrival: 0, state: 'queued' },
    resolve: () => void answered.push(id),
    reject: () => void answered.push(`not ${id}`),
  });
  await committer.commit([asking('a', 1), asking('b', 2)]);
  await new Promise((resolve) => setImmediate(resolve));
  await committer.commit([asking('c', 1), asking('d', 2)]);
  await committer.commit([asking('e', 1)]);
  expect(runs).toEqual(['skip a b', 'wait a', 'skip d']);
  unlock();
  await committer.flush();
  expect(runs.slice(3)).toEqual(['wait c e']);
  expect(answered).toEqual(['b', 'd', 'a', 'c', 'e']);
});

test('on a full disk those who come are refused at once, and those who end get the last room', async () => {
  const runs: string[] = [];
  const run = async (_work: string, packed: PackedBatch, closes: boolean) => {
    const { operations } = unpackBatch(packed);
    runs.push(`${closes} ${operations.map(({ id }) => id).join(' ')}`);
    if (!closes) throw new DatabaseError('full', 'SQLITE_FULL', 'database or disk is full');
    return operations.map(() => packResult(true));
  };
  const committer = createCommitter({
    db: { run } as unknown as Database,
    clock: systemClock,
    releaseAbandoned: () => undefined,
  });
  const answered: string[] = [];
  const asking = (operation: Operation): Waiting => ({
    operation,
    ...{ queuedMs: 0, arrival: 0, state: 'queued' },
    resolve: () => void answered.push(operation.id),
    reject: () => void answered.push(`not ${operation.id}`),
  });
  const holdOf = (id: string): Operation => ({
    ...{ kind: 'hold', id, userId: 1, tokenId: 0, amount: 1, floorCost: 0, node: 'n', now: 1, leaseUntil: 2 },
    ...{ context: '', note: { id: '', content: '' }, keeper: '' },
  });
  const releaseOf = (id: string): Operation => ({ kind: 'release', id, userId: 1, tokenId: 0 });
  await committer.commit([holdOf('a'), releaseOf('b'), releaseOf('c')].map(asking));
  await committer.commit([asking(holdOf('d'))]);
  expect(runs).toEqual(['false a b c', 'true b c', 'false d']);
  expect(answered).toEqual(['not a', 'b', 'c', 'not d']);
});
