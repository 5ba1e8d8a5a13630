const setSize = 5;
const mostSets = 3;

/**
 * The median of five figures; while that is in doubt of ten, then of fifteen. One figure may meet a moment in which the
 * machine does something else, and so may most of five.
 */
export async function medianOf(measure: () => Promise<number>, isInDoubt: (median: number) => boolean): Promise<number> {
  const figures: number[] = [];
  let median = Number.NaN;
  for (let set = 0; set < mostSets && (set === 0 || isInDoubt(median)); set += 1) {
    for (let count = 0; count < setSize; count += 1) figures.push(await measure());
    median = figures.toSorted((a, b) => a - b)[Math.floor(figures.length / 2)] ?? Number.NaN;
  }
  return median;
}
