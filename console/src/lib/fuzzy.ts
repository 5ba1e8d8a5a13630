/**
 * How well `query` fits `text`, smaller is better; undefined when its characters do not occur in this order. Case, spaces,
 * and the signs that join the words of a name do not count.
 */
export function fuzzyRank(query: string, text: string): number | undefined {
  const wanted = fold(query);
  const name = fold(text);
  const at = name.indexOf(wanted);
  if (at >= 0) return at === 0 ? 0 : 1;
  let from = 0;
  let gaps = 0;
  for (const sign of wanted) {
    const next = name.indexOf(sign, from);
    if (next < 0) return undefined;
    if (next > from) gaps += 1;
    from = next + sign.length;
  }
  return 1 + gaps;
}

const fold = (text: string): string => text.toLowerCase().replaceAll(/[\s\-_./:]+/g, '');

/** Whether `query` stands in `text`, by the same reading. */
export const contains = (text: string, query: string): boolean => fold(text).includes(fold(query));

/** Those that fit, best first; equally good ones keep their order. An empty query keeps all. */
export function fuzzyFilter<T>(rows: readonly T[], query: string, textOf: (row: T) => string): T[] {
  if (fold(query) === '') return [...rows];
  return rows
    .map((row) => ({ row, rank: fuzzyRank(query, textOf(row)) }))
    .filter(({ rank }) => rank !== undefined)
    .sort((left, right) => (left.rank ?? 0) - (right.rank ?? 0))
    .map(({ row }) => row);
}
