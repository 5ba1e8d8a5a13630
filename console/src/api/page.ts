/** One screen of a list. `total` is unknown for the lists that answer a bare array. */
export interface Page<T> {
  items: T[];
  total?: number;
  hasNext: boolean;
}

/** A bare array that the server cut to `size`: a full page may have a successor, a short one has none. */
export const pageOfSlice = <T>(items: T[], size: number): Page<T> => ({ items, hasNext: items.length >= size });

/** One page (counted from 1) of a list that came whole. */
export function pageOfAll<T>(all: T[], page: number, size: number): Page<T> {
  const items = all.slice((page - 1) * size, page * size);
  return { items, total: all.length, hasNext: page * size < all.length };
}

/** The object form `{items, total}`. */
export const pageOfTotal = <T>(answer: { items: T[]; total: number }, page: number, size: number): Page<T> => ({
  items: answer.items,
  total: answer.total,
  hasNext: page * size < answer.total,
});
