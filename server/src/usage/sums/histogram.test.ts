import { describe, expect, test } from 'vitest';
import { pick } from '../../../test/usage-kit.ts';
import { addDuration, addText, type Histogram, histogramText, percentiles } from './histogram.ts';

describe('histograms of durations', () => {
  test('percentiles are at most 9.1 % beside the true ones', () => {
    for (let seed = 1; seed < 20; seed += 1) {
      const random = pick(seed);
      const durations = Array.from({ length: 1 + random(2000) }, () => 1 + random(10 ** (1 + random(6))));
      const histogram: Histogram = new Map();
      for (const duration of durations) addDuration(histogram, duration);
      const sorted = durations.toSorted((left, right) => left - right);
      const found = percentiles(histogram);
      expect(found.samples).toBe(sorted.length);
      for (const [name, share] of [
        ['p50', 0.5],
        ['p90', 0.9],
        ['p99', 0.99],
      ] as const) {
        const exact = sorted[Math.ceil(sorted.length * share) - 1] ?? 0;
        // Whole milliseconds: half a one more for the rounding.
        expect(Math.abs(found[name] - exact)).toBeLessThanOrEqual(exact * 0.091 + 0.5);
      }
    }
  });

  test('joined texts are sums, and what cannot be read counts as nothing', () => {
    const histogram: Histogram = new Map();
    addText(histogram, '4:2,8:1');
    addText(histogram, `${histogramText(histogram)},,x:1,9:,:3,7:-1`);
    expect(histogramText(histogram)).toBe('4:4,8:2');
    expect(percentiles(new Map())).toEqual({ samples: 0, p50: 0, p90: 0, p99: 0 });
  });
});
