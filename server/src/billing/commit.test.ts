import { expect, test } from 'vitest';
import { systemClock } from '../platform/clock.ts';
import type { Database } from '../storage/database.ts';
import { DatabaseError, type DatabaseErrorKind } from '../storage/errors.ts';
import { createCommitter } from './commit.ts';
import type { Waiting } from './queue.ts';
import { type PackedBatch, packResult, unpackBatch } from './works-packed.ts';
import { deferred, type Operation } from './works-types.ts';

const waiting = (operation: Operation, answered: string[]): Waiting => ({
  operation,
  ...{ queuedMs: 0, arrival: 0, state: 'queued' },
  resolve: () => void answered.push(operation.id),
  reject: () => void answered.push(`not ${operation.id}`),
});

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
  const asking = (id: string, userId: number) => waiting({ kind: 'release', id, userId, tokenId: 0 }, answered);
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

test.each<[DatabaseErrorKind, readonly string[]]>([
  ['unknown', ['held']],
  ['unavailable', []],
])('a hold that failed as %s is refused; one that may have been made is given back', async (kind, released) => {
  const seen: string[] = [];
  const db = { run: () => Promise.reject(new DatabaseError(kind, '', 'out')) } as unknown as Database;
  const committer = createCommitter({ db, clock: systemClock, releaseAbandoned: (id) => void seen.push(id) });
  const answered: string[] = [];
  const hold: Operation = {
    ...{ kind: 'hold', id: 'held', userId: 1, tokenId: 0, amount: 5, floorCost: 0, node: 'n', now: 1, leaseUntil: 2 },
    ...{ context: '{}', note: { id: '', content: '' }, keeper: '' },
  };
  await committer.commit([waiting(hold, answered), waiting({ kind: 'release', id: 'other', userId: 1, tokenId: 0 }, answered)]);
  expect(answered).toEqual(['not held', 'not other']);
  expect(seen).toEqual(released);
});
