import { type ColumnDef, type ReactTable, type RowSelectionState, useTable } from '@tanstack/react-table';
import { useMemo } from 'react';
import { type Column, features, type Selection } from './columns.ts';

export type RowModel<T extends { id: number }> = ReactTable<typeof features, T>;
const none: never[] = [];

/** Selection and expansion of the rows on screen. Rows are known by their id, so both survive a reload of the list. */
export function useRows<T extends { id: number }>(
  rows: readonly T[] | undefined,
  columns: readonly Column<T>[],
  selection: Selection | undefined,
): RowModel<T> {
  const definitions = useMemo<ColumnDef<typeof features, T>[]>(() => columns.map(({ id }) => ({ id })), [columns]);
  const ids = selection?.ids;
  const rowSelection = useMemo<RowSelectionState>(
    () => Object.fromEntries([...(ids ?? [])].map((id) => [String(id), true])),
    [ids],
  );
  return useTable({
    features,
    columns: definitions,
    data: rows ?? none,
    getRowId: (row) => String(row.id),
    getRowCanExpand: () => true,
    enableRowSelection: selection !== undefined,
    state: { rowSelection },
    onRowSelectionChange(update) {
      const next = typeof update === 'function' ? update(rowSelection) : update;
      selection?.onChange(new Set(Object.keys(next).map(Number)));
    },
  });
}
