import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { PageOf } from '@tollgate/contract';

/** One screen of a list. `total` is unknown for the lists that answer a bare array. */
export interface Page<T> {
  items: T[];
  total?: number;
  /** There are more than `total`, or may be. */
  capped?: boolean;
  hasNext: boolean;
  /** Rows of this page were left out: they are too many. */
  cut?: boolean;
}

/**
 * For lists of money, which moves elsewhere: read again when somebody comes back to the page, but not behind a dialog. Its row
 * may have left the page, and what is typed in it would go with the row.
 */
export const fresh = {
  placeholderData: keepPreviousData,
  refetchOnWindowFocus: () => !document.querySelector('[role=dialog]') && 'always',
} as const;

/** What one answer of a search holds at most. */
export const searchSize = 100;

/** A bare array that the server cut to `size` rows and the next one. */
export const pageOfSlice = <T>(rows: T[], size: number): Page<T> => ({ items: rows.slice(0, size), hasNext: rows.length > size });

/** One page (counted from 1) of a list that came whole. */
export function pageOfAll<T>(all: T[], page: number, size: number): Page<T> {
  const items = all.slice((page - 1) * size, page * size);
  return { items, total: all.length, hasNext: page * size < all.length };
}

/** Asks for the next page's first row too: without it a full page does not tell whether it is the last. */
export const peek = 'true';
type Asked = { p: number; page_size: number; peek: typeof peek };

/** One screen of a list. With a filter it is searched: the server answers by the hundred, cut here. */
export function screenQuery<T, Filter extends object>(
  all: readonly string[],
  filter: Filter,
  [page, size]: readonly [page: number, size: number],
  list: (query: Asked, signal: AbortSignal) => Promise<T[]>,
  search: (query: Filter & Asked, signal: AbortSignal) => Promise<T[]>,
) {
  const filtered = isFiltered(filter);
  const block = blockOf(page, size, searchSize);
  return queryOptions({
    queryKey: filtered ? [...all, 'search', filter, block] : [...all, 'list', page, size],
    queryFn: ({ signal }) =>
      filtered
        ? search({ ...filter, p: block, page_size: searchSize, peek }, signal)
        : list({ p: page - 1, page_size: size, peek }, signal),
    select: (rows: T[]): Page<T> => (filtered ? pageOfBlock(rows, searchSize, page, size) : pageOfSlice(rows, size)),
    placeholderData: keepPreviousData,
  });
}

/** How many of the filters narrow anything. */
export const countFilters = (filter: object): number => Object.values(filter).filter((value) => value !== undefined).length;
export const isFiltered = (filter: object): boolean => countFilters(filter) > 0;

/** The block (counted from 0) of `blockSize` rows that holds this page; every page size divides it. */
export const blockOf = (page: number, size: number, blockSize: number): number => Math.floor(((page - 1) * size) / blockSize);

/** One page of a list that is asked for by blocks: its length is known once the last one is seen. */
export function pageOfBlock<T>(block: T[], blockSize: number, page: number, size: number): Page<T> {
  const first = blockOf(page, size, blockSize) * blockSize;
  const start = (page - 1) * size - first;
  const capped = block.length > blockSize;
  return {
    items: block.slice(start, start + size),
    // An empty block may lie far beyond the end.
    total: block.length > 0 || first === 0 ? first + Math.min(block.length, blockSize) : undefined,
    capped,
    hasNext: start + size < block.length,
  };
}

type Counted<T> = Pick<PageOf<T>, 'items' | 'total' | 'total_capped'>;

/** The object form `{items, total}`. */
const pageOfTotal = <T>(answer: Counted<T>, page: number, size: number): Page<T> => ({
  items: answer.items,
  total: answer.total,
  capped: answer.total_capped,
  hasNext: page * size < answer.total || answer.total_capped === true,
});

/** One page of a list that tells its total; `read` asks for it. */
export const totalQuery = <T>(
  key: readonly unknown[],
  [page, size]: readonly [page: number, size: number],
  read: (place: { p: number; page_size: number }, signal: AbortSignal) => Promise<Counted<T>>,
) =>
  queryOptions({
    queryKey: [...key, page, size],
    queryFn: async ({ signal }) => pageOfTotal(await read({ p: page, page_size: size }, signal), page, size),
    placeholderData: keepPreviousData,
  });
