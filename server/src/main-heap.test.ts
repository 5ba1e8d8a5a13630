import { expect, test } from 'vitest';
import { createGrowth } from './main-heap.ts';

test('a heap that is collected often may grow further, until it is collected seldom again', () => {
  const told: number[] = [];
  const noteCollection = createGrowth((percent) => void told.push(percent));
  const at = (...seconds: number[]) => {
    for (const second of seconds) noteCollection(second * 1000);
    return told.splice(0);
  };
  // A start, then streams.
  expect(at(0, 1, 60, 120, 180)).toEqual([]);
  // Bodies.
  expect(at(200, 200.2)).toEqual([]);
  expect(at(200.4)).toEqual([200]);
  expect(at(200.8, 201)).toEqual([]);
  expect(at(230)).toEqual([50]);
});
