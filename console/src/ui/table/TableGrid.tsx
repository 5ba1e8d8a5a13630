import { ChevronRight } from 'lucide-react';
import { Fragment, useEffect, useRef, useState } from 'react';
import { table_children, table_details, table_select_all } from '../../i18n/generated/messages.ts';
import type { Column, TableOptions } from './columns.ts';
import { SelectBox } from './SelectBox.tsx';
import type { RowModel } from './useRows.ts';

interface Props<T extends { id: number }> {
  label: string;
  model: RowModel<T>;
  columns: readonly Column<T>[];
  options: TableOptions<T>;
}

export const cellClass = <T,>(column: Column<T>): string | undefined =>
  [column.end && 'end', column.clip && 'clip', column.fill && 'fill'].filter(Boolean).join(' ') || undefined;

const opens = <T,>(options: TableOptions<T>): boolean => options.detail !== undefined || options.children !== undefined;

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
        {opens(options) && (
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

type RowOf<T extends { id: number }> = ReturnType<RowModel<T>['getRow']>;
type RowProps<T extends { id: number }> = Omit<Props<T>, 'label' | 'model'> & { row: RowOf<T> };

function Expander<T extends { id: number }>({ row }: { row: RowOf<T> }) {
  return (
    <button
      type="button"
      aria-label={row.subRows.length > 0 ? table_children({ count: row.subRows.length }) : table_details()}
      aria-expanded={row.getIsExpanded()}
      className="-ml-1 grid size-6 place-items-center rounded-sm text-muted hover:bg-grey-tint aria-expanded:rotate-90"
      onClick={() => row.toggleExpanded()}
    >
      <ChevronRight size={15} aria-hidden />
    </button>
  );
}

function Row<T extends { id: number }>({ row, columns, options }: RowProps<T>) {
  return (
    <tr
      aria-selected={options.selection ? row.getIsSelected() : undefined}
      data-muted={options.isMuted?.(row.original) || undefined}
      data-child={row.depth > 0 || undefined}
    >
      {options.selection && (
        <td>
          <SelectBox row={row} className="checkbox align-middle" />
        </td>
      )}
      {opens(options) && <td>{(options.detail || row.subRows.length > 0) && <Expander row={row} />}</td>}
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
  const width = columns.length + (options.selection ? 1 : 0) + (opens(options) ? 1 : 0);
  return (
    <div className="table-scroller" ref={scroller} data-fits={fits || undefined}>
      <table className="data-table" aria-label={label}>
        <Head model={model} columns={columns} options={options} />
        <tbody>
          {model.getRowModel().rows.map((row) => (
            <Fragment key={row.id}>
              <Row row={row} columns={columns} options={options} />
              {row.getIsExpanded() &&
                row.subRows.map((child) => <Row key={child.id} row={child} columns={columns} options={options} />)}
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
