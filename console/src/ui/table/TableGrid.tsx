import { Fragment, memo, type ReactNode, useEffect, useRef, useState } from 'react';
import { table_children, table_details, table_select_all } from '../../i18n/generated/messages.ts';
import { useLanguage } from '../../i18n/language.ts';
import { writeJson } from '../../lib/storage.ts';
import { ChildRows } from './ChildRows.tsx';
import { type Column, cellClass, opens, rowHeightPx, type TableOptions, widthsKey } from './columns.ts';
import { SelectBox } from './SelectBox.tsx';
import { rowsAtOnce } from './useGrowing.ts';
import type { RowModel } from './useRows.ts';

interface Props<T extends { id: number }> {
  label: string;
  model: RowModel<T>;
  columns: readonly Column<T>[];
  options: TableOptions<T>;
  /** How many rows are drawn by now; the others have their room. */
  count: number;
}

function Head<T extends { id: number }>({ model, columns, options }: Omit<Props<T>, 'label' | 'count'>) {
  const all = model.getIsAllRowsSelected();
  return (
    <thead>
      <tr>
        {options.selection && (
          <th scope="col" className="w-8">
            <input
              type="checkbox"
              className="checkbox align-middle"
              aria-label={table_select_all()}
              checked={all}
              ref={(box) => {
                if (box) box.indeterminate = !all && model.getIsSomeRowsSelected();
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
        {columns.map((column) =>
          column.sortBy && options.sorting ? (
            <options.sorting.parts.Header key={column.id} column={column} sorting={options.sorting} />
          ) : (
            <th key={column.id} scope="col" className={cellClass({ ...column, clip: false, fill: false })}>
              {column.header()}
            </th>
          ),
        )}
      </tr>
    </thead>
  );
}

type RowOf<T extends { id: number }> = ReturnType<RowModel<T>['getRow']>;
type RowProps<T extends { id: number }> = Omit<Props<T>, 'label' | 'model' | 'count'> & { row: RowOf<T> };

function Expander<T extends { id: number }>({ row }: { row: RowOf<T> }) {
  return (
    <button
      type="button"
      aria-label={row.subRows.length > 0 ? table_children({ count: row.subRows.length }) : table_details()}
      aria-expanded={row.getIsExpanded()}
      className="expander -ml-1 grid size-6 place-items-center rounded-sm text-muted hover:bg-grey-tint aria-expanded:rotate-90"
      onClick={() => row.toggleExpanded()}
    />
  );
}

interface CellsProps<T> {
  item: T;
  columns: readonly Column<T>[];
  /** Of the texts in the cells. */
  language: string;
}

/** The values of a row: drawn anew when the row, the columns or the language change, not with every step of the page. */
const Cells = memo(<T,>({ item, columns }: CellsProps<T>) =>
  columns.map((column) => (
    <td key={column.id} className={cellClass(column)}>
      {column.cell(item)}
    </td>
  )),
) as <T>(props: CellsProps<T>) => ReactNode;

function Row<T extends { id: number }>({ row, columns, options }: RowProps<T>) {
  const language = useLanguage();
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
      <Cells item={row.original} columns={columns} language={language} />
    </tr>
  );
}

/**
 * Whether the table is as wide as its place. A table that is wider scrolls by itself, so that the page never does. How wide its
 * columns are is kept for the place that it takes while its rows are read.
 */
function useFits(label: string) {
  const scroller = useRef<HTMLDivElement>(null);
  const [fits, setFits] = useState(false);
  useEffect(() => {
    const box = scroller.current;
    const table = box?.firstElementChild;
    if (!box || !table || typeof ResizeObserver !== 'function') return;
    const observer = new ResizeObserver(() => {
      setFits(table.getBoundingClientRect().width <= box.clientWidth + 0.5);
      const heads = table.querySelectorAll<HTMLElement>(':scope > thead th');
      writeJson(
        widthsKey(label),
        Array.from(heads, (head) => head.offsetWidth),
      );
    });
    observer.observe(box);
    observer.observe(table);
    return () => observer.disconnect();
  }, [label]);
  return { scroller, fits };
}

/** Rows that are drawn together: the browser paints a group anew when one of its rows has changed, not the whole table. */
function groupsOf<R>(rows: readonly R[]): { start: number; rows: readonly R[] }[] {
  const starts = Array.from({ length: Math.ceil(rows.length / rowsAtOnce) }, (_, index) => index * rowsAtOnce);
  return starts.map((start) => ({ start, rows: rows.slice(start, start + rowsAtOnce) }));
}

/** The wide face of a table. */
export function TableGrid<T extends { id: number }>({ label, model, columns, options, count }: Props<T>) {
  const { scroller, fits } = useFits(label);
  const { rows } = model.getRowModel();
  const width = columns.length + (options.selection ? 1 : 0) + (opens(options) ? 1 : 0);
  return (
    <div
      className="table-scroller"
      ref={scroller}
      data-fits={fits || undefined}
      style={{ paddingBottom: Math.max(0, rows.length - count) * rowHeightPx }}
    >
      <table className="data-table" aria-label={label}>
        <Head model={model} columns={columns} options={options} />
        {groupsOf(rows.slice(0, count)).map((group) => (
          <tbody key={group.start}>
            {group.rows.map((row) => (
              <Fragment key={row.id}>
                <Row row={row} columns={columns} options={options} />
                {row.getIsExpanded() && (
                  <ChildRows
                    rows={row.subRows}
                    draw={(child) => <Row key={child.id} row={child} columns={columns} options={options} />}
                    end={(button) => (
                      <tr>
                        <td colSpan={width}>{button}</td>
                      </tr>
                    )}
                  />
                )}
                {options.detail && row.getIsExpanded() && (
                  <tr className="detail">
                    <td colSpan={width}>{options.detail(row.original)}</td>
                  </tr>
                )}
              </Fragment>
            ))}
          </tbody>
        ))}
      </table>
    </div>
  );
}
