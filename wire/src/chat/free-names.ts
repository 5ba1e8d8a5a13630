/**
 * Finds names that nothing else has: the one that is wished for, or that with the first free number behind it. `taken` only
 * grows, so that no number is looked at twice, however many wish for the same.
 */
export function createFreeNames(taken = new Set<string>()): (wished: string) => string {
  const next = new Map<string, number>();
  return (wished) => {
    let name = wished;
    let number = next.get(wished) ?? 1;
    for (; taken.has(name); number += 1) name = `${wished}_${number}`;
    next.set(wished, number);
    taken.add(name);
    return name;
  };
}
