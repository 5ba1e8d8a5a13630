import type { ReactNode } from 'react';
import type { Page } from '../../api/page.ts';
import type { Column, LoadState, TableOptions } from './columns.ts';
import { DataTable } from './DataTable.tsx';
import type { ListState } from './list-state.ts';
import { Pager } from './Pager.tsx';
import { NoRows } from './placeholders.tsx';

interface Props<T extends { id: number }> {
  label: string;
  columns: readonly Column<T>[];
  query: LoadState & { data: Page<T> | undefined };
  list: ListState;
  /** Takes the filters away; none is set where it is absent. */
  clear?: false | (() => void);
  /** Shown when nothing is there yet. */
  empty: ReactNode;
  options?: TableOptions<T>;
  /** Between the rows and the pages. */
  children?: ReactNode;
}

/** A list page by page: its rows, or why there are none, and its pages. */
export function PagedTable<T extends { id: number }>({ query, list, clear, empty, children, ...table }: Props<T>) {
  const { data } = query;
  const nothing = (
    <NoRows list={list} page={data} clear={clear}>
      {empty}
    </NoRows>
  );
  return (
    <>
      <DataTable {...table} rows={data?.items} state={query} size={list.size} empty={nothing} />
      {children}
      {data && <Pager list={list} {...data} />}
    </>
  );
}
