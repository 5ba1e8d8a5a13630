import { rowExpandingFeature, rowSelectionFeature, tableFeatures } from '@tanstack/react-table';
import type { ReactNode } from 'react';

export const features = tableFeatures({ rowSelectionFeature, rowExpandingFeature });

/** Of a row on wide screens. */
export const rowHeightPx = 36;

/** One column for both faces of a table: a column on wide screens, a place on the card on phones. */
export interface Column<T> {
  id: string;
  header: () => string;
  cell: (row: T) => ReactNode;
  /** Numbers stand at the end. */
  end?: boolean;
  /** Long texts are cut with an ellipsis. */
  clip?: boolean;
  /** Takes what width the other columns leave. */
  fill?: boolean;
  /**
   * Rows can be sorted by it: rows of a lower rank come first in both directions. What has no value is of a higher rank, and
   * so is what is counted in another unit.
   */
  sortBy?: (row: T) => readonly [rank: number, value: number | string];
  /** Cannot be put away. */
  fixed?: boolean;
  /** Default `line`; may depend on the row. */
  card?: CardPlace | ((row: T) => CardPlace);
}

/** `title` heads the card, `corner` stands opposite, `line` has its own labelled line, `actions` end it. */
export type CardPlace = 'title' | 'corner' | 'line' | 'actions' | 'none';

export interface Selection {
  ids: ReadonlySet<number>;
  onChange(ids: ReadonlySet<number>): void;
}

/** What a list query is doing, in the words of TanStack Query. */
export interface LoadState {
  isPending: boolean;
  isFetching: boolean;
  /** The rows are still those of another page or other filters. */
  isPlaceholderData?: boolean;
  error: Error | null;
  refetch(): unknown;
}

/** The id of a column, with `-` before it where the greatest come first; undefined = as the list is. */
export interface Sorting {
  by: string | undefined;
  onChange(by: string | undefined): void;
  /** `sortParts` of `SortHeader.tsx`, which most lists do without. */
  parts: SortParts;
}

interface SortParts {
  Header<T>(props: { column: Column<T>; sorting: Sorting }): ReactNode;
  Select<T>(props: { columns: readonly Column<T>[]; sorting: Sorting }): ReactNode;
}

/** Where the browser keeps how wide the columns of a table were, in px. */
export const widthsKey = (label: string): string => `widths:${label}`;

export const cellClass = <T>(column: Column<T>): string | undefined =>
  [column.end && 'end', column.clip && 'clip', column.fill && 'fill', column.card === 'actions' && 'actions']
    .filter(Boolean)
    .join(' ') || undefined;

export const opens = <T>(options: TableOptions<T>): boolean => options.detail !== undefined || options.children !== undefined;

export interface TableOptions<T> {
  sorting?: Sorting;
  selection?: Selection;
  /** Opens below a row. */
  detail?: (row: T) => ReactNode;
  isMuted?: (row: T) => boolean;
  /** Rows that open below a row and have the same columns. */
  children?: (row: T) => readonly T[] | undefined;
}
