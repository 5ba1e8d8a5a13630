import type { ReactNode } from 'react';
import { PageHeader } from '../PageHeader.tsx';
import { RefreshButton } from '../RefreshButton.tsx';
import { ColumnMenu, useColumnChoice } from '../table/ColumnMenu.tsx';
import type { Column } from '../table/columns.ts';
import type { ListState } from '../table/list-state.ts';
import { PagedTable } from '../table/PagedTable.tsx';
import type { Watched } from './useWatched.ts';
import { Watching } from './Watching.tsx';

interface Props<T extends { id: number }> {
  title: string;
  /** Under which the choice of columns is remembered. */
  table: string;
  columns: readonly Column<T>[];
  watched: Watched<T>;
  list: ListState;
  filters: { active: number; clear(): void; fields: ReactNode };
  /** Takes filters and range away; false where none is set. */
  clear: false | (() => void);
  /** Before the rows are read again by hand. */
  renew(): void;
  /** Shown when nothing is there yet. */
  empty: ReactNode;
  /** Between the head and the table. */
  children?: ReactNode;
}

/** A page of drawings or tasks: its filters, its rows, and that they move. */
export function TaskPage<T extends { id: number }>({ title, table, columns, watched, list, filters, clear, ...rest }: Props<T>) {
  const choice = useColumnChoice(table, columns);
  const { data, running, state, refresh } = watched;
  const refreshAll = () => {
    rest.renew();
    refresh();
  };
  return (
    <>
      <PageHeader
        title={title}
        aside={running && <Watching />}
        below
        active={filters.active}
        clear={filters.clear}
        filters={filters.fields}
      >
        <ColumnMenu columns={columns} choice={choice} />
        <RefreshButton onClick={refreshAll} />
      </PageHeader>
      {rest.children}
      <PagedTable label={title} columns={choice.shown} query={{ ...state, data }} list={list} clear={clear} empty={rest.empty} />
    </>
  );
}
