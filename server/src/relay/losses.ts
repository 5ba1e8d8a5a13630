/**
 * Names of what one side's dialect could not say. Callers and upstreams choose some of them, since members that nobody
 * knows are lost by their names.
 */

const mostLosses = 64;
const longestName = 64;

/** Each name once; so many at most, and so long. */
export function distinctLosses(left: readonly string[], right: readonly string[] = []): readonly string[] {
  if (left.length === 0 && right.length === 0) return left;
  const names = new Set<string>();
  for (const name of [...left, ...right]) {
    names.add(name.slice(0, longestName).toWellFormed());
    if (names.size === mostLosses) break;
  }
  return [...names];
}

/** As the value of a header: what it cannot hold, and the comma between two names, are percent-encoded. */
export function lossesHeader(losses: readonly string[]): string {
  return losses.map((name) => name.replace(/[^\x21-\x2b\x2d-\x7e]/gu, encodeURIComponent)).join(',');
}
