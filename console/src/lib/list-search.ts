import { intParam, type RawSearch } from './search.ts';

export const pageSizes = [10, 20, 50, 100] as const;

/** The part of a list's URL that every list has. Pages count from 1. */
export interface ListSearch {
  p?: number;
  size?: number;
}

export function readListSearch(raw: RawSearch): ListSearch {
  const size = intParam(raw.size, 1, 100);
  const page = intParam(raw.p, 2, 100_000);
  return { p: page, size: pageSizes.some((known) => known === size) ? size : undefined };
}
