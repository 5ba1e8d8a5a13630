const maxSamples = 4_000_000;

/** Collects latencies of one window, in milliseconds; beyond the bound they are not kept. */
export interface Latencies {
  add(ms: number): void;
  /** The value below which `share` of all samples lie; 0 without samples. */
  percentile(share: number): number;
}

export function createLatencies(): Latencies {
  let samples = new Float64Array(65_536);
  let count = 0;
  let sorted = false;
  return {
    add(ms) {
      if (count === maxSamples) return;
      if (count === samples.length) {
        const larger = new Float64Array(samples.length * 2);
        larger.set(samples);
        samples = larger;
      }
      samples[count++] = ms;
      sorted = false;
    },
    percentile(share) {
      if (!sorted) samples.subarray(0, count).sort();
      sorted = true;
      return count === 0 ? 0 : (samples[Math.min(count - 1, Math.ceil(count * share) - 1)] ?? 0);
    },
  };
}
