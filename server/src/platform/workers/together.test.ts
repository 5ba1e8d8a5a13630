import { expect, test } from 'vitest';
import { createGatherings } from './together.ts';

const settled = () => new Promise(setImmediate);

test('a change is answered when every worker has taken it over or has died', async () => {
  const told: number[] = [];
  const gatherings = createGatherings(
    (_kind, round) => void told.push(round),
    () => [1, 2, 3],
  );
  const had: string[] = [];
  void gatherings.catchUp().then(() => had.push('first'));
  void gatherings.catchUp().then(() => had.push('second'));
  expect(told).toEqual([1, 2]);
  for (const worker of [1, 2]) gatherings.caughtUp(worker, 2);
  gatherings.caughtUp(3, 1);
  await settled();
  expect(had).toEqual([]);
  gatherings.gone(3);
  await settled();
  expect(had).toEqual(['second']);
  gatherings.caughtUp(1, 1);
  gatherings.gone(2);
  await settled();
  expect(had).toEqual(['second', 'first']);
});
