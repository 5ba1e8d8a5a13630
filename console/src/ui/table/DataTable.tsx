import type { ReactNode } from 'react';
import { usePhone } from '../../lib/media.ts';
import type { Column, LoadState, TableOptions } from './columns.ts';
import { LoadError, Skeletons } from './placeholders.tsx';
import { TableCards } from './TableCards.tsx';
import { TableGrid } from './TableGrid.tsx';
import { useRows } from './useRows.ts';

interface Props<T extends { id: number }> {
  label: string;
  columns: readonly Column<T>[];
  rows: readonly T[] | undefined;
  state: LoadState;
  /** Shown when there is no row: nothing yet, or nothing that matches. */
  empty: ReactNode;
  /** Number of rows that the skeleton stands for. */
  size: number;
  options?: TableOptions<T>;
}

/** The one table of the console: a grid on wide screens, cards on phones; skeleton, error and empty state included. */
export function DataTable<T extends { id: number }>({ label, columns, rows, state, empty, size, options = {} }: Props<T>) {
  const phone = usePhone();
  const model = useRows(rows, columns, options);
  const refreshing = state.isFetching && !state.isPending;
  return (
    <section
      aria-label={label}
      aria-busy={state.isFetching}
      className="relative rounded-lg border bg-surface max-sm:border-0 max-sm:bg-transparent"
    >
      {refreshing && <div className="progress-line rounded-t-lg" />}
      {state.error && !rows ? (
        <LoadError error={state.error} retry={state.refetch} />
      ) : rows?.length === 0 ? (
        empty
      ) : rows === undefined ? (
        <Skeletons columns={columns} size={size} phone={phone} />
      ) : phone ? (
        <TableCards model={model} columns={columns} options={options} />
      ) : (
        <TableGrid label={label} model={model} columns={columns} options={options} />
      )}
    </section>
  );
}
