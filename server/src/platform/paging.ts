/** One page of a list. */
export interface ListPage {
  /** Counts from 0. */
  p: number;
  page_size: number;
  /** The first row of the next page comes along, so that a full page is known to be the last one. */
  peek?: boolean;
}

/** Which rows of the list these are. */
export const rowsOf = ({ p, page_size: size, peek }: ListPage): { limit: number; offset: number } => ({
  limit: peek ? size + 1 : size,
  offset: p * size,
});
