import { expect, test } from 'vitest';
import { createCollection } from './main-heap.ts';

const megabyte = 1 << 20;

test('a heap is collected by the clock where it has grown, and left to the runtime where it is large', () => {
  let used = 30 * megabyte;
  let collections = 0;
  const turn = createCollection(
    () => used,
    () => {
      collections += 1;
      used = 25 * megabyte;
    },
  );
  const after = (megabytes: number) => {
    used = megabytes * megabyte;
    turn();
    return collections;
  };
  expect([after(30), after(26), after(32), after(33), after(40), after(97), after(96)]).toEqual([1, 1, 1, 2, 3, 3, 4]);
  // The runtime came first.
  expect([after(10), after(17), after(18)]).toEqual([4, 4, 5]);
});
