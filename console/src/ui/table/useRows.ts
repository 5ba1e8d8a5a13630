import { type ColumnDef, type ReactTable, type RowSelectionState, useTable } from '@tanstack/react-table';
import { useMemo } from 'react';
import { type Column, features, type TableOptions } from './columns.ts';

export type RowModel<T extends { id: number }> = ReactTable<typeof features, T>;
const none: never[] = [];

/** What is selected: the ids, and every row with children that are all among them. */
function stateOf<T extends { id: number }>(
  rows: readonly T[] | undefined,
  ids: ReadonlySet<number> | undefined,
  childrenOf: TableOptions<T>['children'],
): RowSelectionState {
  const whole = childrenOf ? (rows ?? []).filter((row) => childrenOf(row)?.every(({ id }) => ids?.has(id))) : [];
  return Object.fromEntries([...(ids ?? []), ...whole.map(({ id }) => id)].map((id) => [String(id), true]));
}

/**
 * Selection and expansion of the rows on screen. Rows are known by their id, so both survive a reload of the list; a row
 * that stands for its children has a negative one, which is never among the selected.
 */
export function useRows<T extends { id: number }>(
  rows: readonly T[] | undefined,
  columns: readonly Column<T>[],
  { selection, children }: TableOptions<T>,
): RowModel<T> {
  const definitions = useMemo<ColumnDef<typeof features, T>[]>(() => columns.map(({ id }) => ({ id })), [columns]);
  const ids = selection?.ids;
  const rowSelection = useMemo(() => stateOf(rows, ids, children), [rows, ids, children]);
  return useTable({
    features,
    columns: definitions,
    data: rows ?? none,
    getRowId: (row) => String(row.id),
    getSubRows: children,
    getRowCanExpand: () => true,
    autoResetExpanded: false,
    enableRowSelection: selection !== undefined,
    state: { rowSelection },
    onRowSelectionChange(update) {
      const next = typeof update === 'function' ? update(rowSelection) : update;
      const chosen = Object.entries(next).flatMap(([id, on]) => (on && Number(id) > 0 ? [Number(id)] : []));
      selection?.onChange(new Set(chosen));
    },
  });
}
