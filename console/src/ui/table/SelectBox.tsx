import { table_select_children, table_select_row } from '../../i18n/generated/messages.ts';
import type { RowModel } from './useRows.ts';

interface Props<T extends { id: number }> {
  row: ReturnType<RowModel<T>['getRow']>;
  className: string;
}

/** Selects a row, and with a row that stands for others all of these. */
export function SelectBox<T extends { id: number }>({ row, className }: Props<T>) {
  const selected = row.getIsSelected();
  return (
    <input
      type="checkbox"
      className={className}
      aria-label={
        row.subRows.length > 0 ? table_select_children({ count: row.subRows.length }) : table_select_row({ id: row.original.id })
      }
      checked={selected}
      ref={(box) => {
        if (box) box.indeterminate = !selected && row.getIsSomeSelected();
      }}
      onChange={() => row.toggleSelected(!selected)}
    />
  );
}
