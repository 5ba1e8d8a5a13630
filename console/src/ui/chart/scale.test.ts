import { describe, expect, test } from 'vitest';
import { labelled, stacksOf, ticksFor } from './scale.ts';

describe('the arithmetic of charts', () => {
  test('the parts of a bar stand on each other and end at its sum', () => {
    const series = [
      { name: 'a', values: [3, 0] },
      { name: 'b', values: [2, 5] },
    ];
    expect(stacksOf(series, 2)).toEqual([
      [
        { series: 0, from: 0, to: 3 },
        { series: 1, from: 3, to: 5 },
      ],
      [{ series: 1, from: 0, to: 5 }],
    ]);
  });

  test.each([
    [0, [0, 1]],
    [1, [0, 0.5, 1]],
    [7, [0, 2, 4, 6, 8]],
    [100, [0, 50, 100]],
    [101, [0, 50, 100, 150]],
  ])('the axis for %d has round steps and ends above it', (highest, ticks) => expect(ticksFor(highest)).toEqual(ticks));

  test('calls are counted in whole steps', () => expect(ticksFor(1, 1, 1)).toEqual([0, 1]));

  test('the axis of money is round in dollars', () =>
    expect(ticksFor(3 * 500_000, 500_000)).toEqual([0, 500_000, 1_000_000, 1_500_000]));

  test('few points have labels, the last one always', () => {
    expect(labelled(24, 8)).toEqual([2, 5, 8, 11, 14, 17, 20, 23]);
    expect(labelled(3, 8)).toEqual([0, 1, 2]);
  });
});
