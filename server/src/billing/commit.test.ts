import { expect, test } from 'vitest';
import { systemClock } from '../platform/clock.ts';
import type { Database } from '../storage/database.ts';
import { createCommitter } from './commit.ts';
import type { Waiting } from './queue.ts';
import { type PackedBatch, packResult, unpackBatch } from './works-packed.ts';
import { deferred } from './works-types.ts';

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
