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

/** Proxies refuse an answer whose headers are longer than a page of memory, and this is one of them. */
const longestHeader = 2_048;

/**
 * As the value of a header: what it cannot hold, and the comma between two names, are percent-encoded. Names that have no room
 * are counted at the end: `seed,n,+12 more`.
 */
export function lossesHeader(losses: readonly string[]): string {
  const names = losses.map((name) => name.replace(/[^\x21-\x2b\x2d-\x7e]/gu, encodeURIComponent));
  let length = 0;
  const shown = names.findIndex((name) => {
    length += name.length + 1;
    return length > longestHeader;
  });
  if (shown < 0) return names.join(',');
  return [...names.slice(0, shown), `+${names.length - shown} more`].join(',');
}
