import { type ReactNode, useMemo } from 'react';
import { useMoney } from '../../api/status.ts';
import { usePhone } from '../../lib/media.ts';
import { LoadError } from '../LoadError.tsx';
import { TableMoney } from '../Quota.tsx';
import type { Column, LoadState, TableOptions } from './columns.ts';
import { Skeletons } from './placeholders.tsx';
import { TableCards } from './TableCards.tsx';
import { TableGrid } from './TableGrid.tsx';
import { useGrowing } from './useGrowing.ts';
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

const none: never[] = [];

/** The one table of the console: a grid on wide screens, cards on phones; skeleton, error and empty state included. */
export function DataTable<T extends { id: number }>({ label, columns, rows, state, empty, size, options = {} }: Props<T>) {
  const phone = usePhone();
  const { quotaPerUnit, inCurrency } = useMoney();
  const money = useMemo(() => ({ quotaPerUnit, inCurrency }), [quotaPerUnit, inCurrency]);
  const model = useRows(rows, columns, options);
  const count = useGrowing(rows ?? none);
  const growing = rows !== undefined && count < rows.length;
  const refreshing = state.isFetching && !state.isPending;
  return (
    <section
      aria-label={label}
      aria-busy={state.isFetching || growing}
      className="relative rounded-lg border bg-surface max-sm:border-0 max-sm:bg-transparent"
    >
      {refreshing && <div className="progress-line rounded-t-lg" />}
      {state.error && <LoadError error={state.error} retry={state.refetch} />}
      {!rows?.length ? (
        // That another page had none says nothing of this one.
        !state.error && (rows && !state.isPlaceholderData ? empty : <Skeletons {...{ label, columns, options, size, phone }} />)
      ) : (
        <TableMoney value={money}>
          {phone ? (
            <>
              {options.sorting && <options.sorting.parts.Select columns={columns} sorting={options.sorting} />}
              <TableCards model={model} columns={columns} options={options} count={count} />
            </>
          ) : (
            <TableGrid label={label} model={model} columns={columns} options={options} count={count} />
          )}
        </TableMoney>
      )}
    </section>
  );
}
