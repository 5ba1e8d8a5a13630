import { ChevronRight } from 'lucide-react';
import { Fragment, useEffect, useRef, useState } from 'react';
import { table_details, table_select_all, table_select_row } from '../../i18n/generated/messages.ts';
import type { Column, TableOptions } from './columns.ts';
import type { RowModel } from './useRows.ts';

interface Props<T extends { id: number }> {
  label: string;
  model: RowModel<T>;
  columns: readonly Column<T>[];
  options: TableOptions<T>;
}

export const cellClass = <T,>(column: Column<T>): string | undefined =>
  [column.end && 'end', column.clip && 'clip', column.fill && 'fill'].filter(Boolean).join(' ') || undefined;

function Head<T extends { id: number }>({ model, columns, options }: Omit<Props<T>, 'label'>) {
  return (
    <thead>
      <tr>
        {options.selection && (
          <th scope="col" className="w-8">
            <input
              type="checkbox"
              className="checkbox align-middle"
              aria-label={table_select_all()}
              checked={model.getIsAllRowsSelected()}
              ref={(box) => {
                if (box) box.indeterminate = model.getIsSomeRowsSelected();
              }}
              onChange={() => model.toggleAllRowsSelected()}
            />
          </th>
        )}
        {options.detail && (
          <th scope="col" className="w-8">
            <span className="sr-only">{table_details()}</span>
          </th>
        )}
        {columns.map((column) => (
          <th key={column.id} scope="col" className={column.end ? 'end' : undefined}>
            {column.header()}
          </th>
        ))}
      </tr>
    </thead>
  );
}

function Row<T extends { id: number }>({
  row,
  columns,
  options,
}: Omit<Props<T>, 'label' | 'model'> & { row: ReturnType<RowModel<T>['getRow']> }) {
  const selected = row.getIsSelected();
  return (
    <tr aria-selected={options.selection ? selected : undefined} data-muted={options.isMuted?.(row.original) || undefined}>
      {options.selection && (
        <td>
          <input
            type="checkbox"
            className="checkbox align-middle"
            aria-label={table_select_row({ id: row.original.id })}
            checked={selected}
            onChange={() => row.toggleSelected()}
          />
        </td>
      )}
      {options.detail && (
        <td>
          <button
            type="button"
            aria-label={table_details()}
            aria-expanded={row.getIsExpanded()}
            className="-ml-1 grid size-6 place-items-center rounded-sm text-muted hover:bg-grey-tint aria-expanded:rotate-90"
            onClick={() => row.toggleExpanded()}
          >
            <ChevronRight size={15} aria-hidden />
          </button>
        </td>
      )}
      {columns.map((column) => (
        <td key={column.id} className={cellClass(column)}>
          {column.cell(row.original)}
        </td>
      ))}
    </tr>
  );
}

/** Whether the table is as wide as its place. A table that is wider scrolls by itself, so that the page never does. */
function useFits() {
  const scroller = useRef<HTMLDivElement>(null);
  const [fits, setFits] = useState(false);
  useEffect(() => {
    const box = scroller.current;
    const table = box?.firstElementChild;
    if (!box || !table || typeof ResizeObserver !== 'function') return;
    const observer = new ResizeObserver(() => setFits(table.getBoundingClientRect().width <= box.clientWidth + 0.5));
    observer.observe(box);
    observer.observe(table);
    return () => observer.disconnect();
  }, []);
  return { scroller, fits };
}

/** The wide face of a table. */
export function TableGrid<T extends { id: number }>({ label, model, columns, options }: Props<T>) {
  const { scroller, fits } = useFits();
  const width = columns.length + (options.selection ? 1 : 0) + (options.detail ? 1 : 0);
  return (
    <div className="table-scroller" ref={scroller} data-fits={fits || undefined}>
      <table className="data-table" aria-label={label}>
        <Head model={model} columns={columns} options={options} />
        <tbody>
          {model.getRowModel().rows.map((row) => (
            <Fragment key={row.id}>
              <Row row={row} columns={columns} options={options} />
              {options.detail && row.getIsExpanded() && (
                <tr className="detail">
                  <td colSpan={width}>{options.detail(row.original)}</td>
                </tr>
              )}
            </Fragment>
          ))}
        </tbody>
      </table>
    </div>
  );
}
