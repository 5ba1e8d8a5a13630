/** Pseudo-random numbers that are the same in every demo. */
export interface Random {
  /** In [0, 1). */
  next(): number;
  /** Whole number in [min, max]. */
  between(min: number, max: number): number;
  /** Around `median`, always above 0, with a long tail upwards as sizes of texts have it. */
  size(median: number): number;
  /** One of the entries, by weight. */
  pick<T>(entries: readonly (readonly [T, number])[]): T;
}

/** The mulberry32 generator: 32 bits of state are plenty for a picture. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    between: (min, max) => min + Math.floor(next() * (max - min + 1)),
    size: (median) => Math.max(1, Math.round(median * Math.exp((next() + next() + next() - 1.5) * 1.6))),
    pick(entries) {
      const total = entries.reduce((sum, [, weight]) => sum + weight, 0);
      let rest = next() * total;
      for (const [value, weight] of entries) {
        rest -= weight;
        if (rest < 0) return value;
      }
      throw new RangeError('nothing to pick from');
    },
  };
}
