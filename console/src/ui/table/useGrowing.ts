import { useEffect, useState } from 'react';

/** About a screen of rows, and few enough to be drawn within a frame or two. */
export const rowsAtOnce = 20;

interface Grown<T> {
  rows: readonly T[];
  count: number;
}

/** How many of these rows are drawn at first: all that were there before, else a screen of them. */
function startOf<T extends { id: number }>(rows: readonly T[], before: Grown<T>): number {
  const known = new Set(before.rows.map(({ id }) => id));
  const added = rows.filter(({ id }) => !known.has(id)).length;
  return added > rowsAtOnce ? rowsAtOnce : before.count + added;
}

/**
 * How many rows of a long table are drawn by now: a screen of them at once, the others a frame later and a part at a time, so
 * that neither a click nor the wheel waits for a hundred rows.
 */
export function useGrowing<T extends { id: number }>(rows: readonly T[]): number {
  const [grown, setGrown] = useState<Grown<T>>({ rows, count: rowsAtOnce });
  let { count } = grown;
  if (grown.rows !== rows) {
    count = startOf(rows, grown);
    setGrown({ rows, count });
  }
  useEffect(() => {
    if (count >= rows.length) return;
    // No transition: one that is still open when other rows come would be judged by the rows before, and grow no further.
    const frame = requestAnimationFrame(() => setGrown((now) => ({ ...now, count: Math.max(now.count, count + rowsAtOnce) })));
    return () => cancelAnimationFrame(frame);
  }, [count, rows]);
  return count;
}
