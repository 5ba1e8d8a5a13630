import { ChevronDown } from 'lucide-react';
import type { ReactNode } from 'react';
import { table_children, table_details } from '../../i18n/generated/messages.ts';
import { ChildRows } from './ChildRows.tsx';
import type { CardPlace, Column, TableOptions } from './columns.ts';
import { SelectBox } from './SelectBox.tsx';
import type { RowModel } from './useRows.ts';

interface Props<T extends { id: number }> {
  model: RowModel<T>;
  columns: readonly Column<T>[];
  options: TableOptions<T>;
  /** How many rows are drawn by now. */
  count: number;
}

/** One labelled value; none when the row has nothing there. */
function Line({ name, content }: { name: string; content: ReactNode }) {
  if (content === null || content === undefined || content === false || content === '') return null;
  return (
    <div className="contents">
      <dt className="text-muted text-xs">{name}</dt>
      <dd className="flex min-w-0 items-baseline justify-end gap-1 text-end">{content}</dd>
    </div>
  );
}

type CardProps<T extends { id: number }> = Omit<Props<T>, 'model' | 'count'> & { row: ReturnType<RowModel<T>['getRow']> };

/** Opens what belongs to a row: its details, or the rows that it stands for. */
function Opener<T extends { id: number }>({ row }: Pick<CardProps<T>, 'row'>) {
  return (
    <button
      type="button"
      aria-expanded={row.getIsExpanded()}
      className="mr-auto inline-flex h-9 items-center gap-1 rounded-md px-1 text-accent"
      onClick={() => row.toggleExpanded()}
    >
      <ChevronDown size={15} aria-hidden />
      {row.subRows.length > 0 ? table_children({ count: row.subRows.length }) : table_details()}
    </button>
  );
}

function Card<T extends { id: number }>({ row, columns, options }: CardProps<T>) {
  const item = row.original;
  const at = (place: CardPlace) =>
    columns.filter(({ card = 'line' }) => (typeof card === 'function' ? card(item) : card) === place);
  const [titles, corners, lines, actions] = [at('title'), at('corner'), at('line'), at('actions')];
  const opens = options.detail !== undefined || row.subRows.length > 0;
  return (
    <li className={`rounded-lg border p-3 ${options.isMuted?.(item) ? 'bg-sunken' : 'bg-surface'}`}>
      <div className="flex min-h-7 items-center gap-2">
        {options.selection && <SelectBox row={row} className="checkbox size-5" />}
        <div className="min-w-0 grow font-medium">
          {titles.map((column) => (
            <div key={column.id}>{column.cell(item)}</div>
          ))}
        </div>
        {corners.map((column) => (
          <div key={column.id} className="shrink-0 whitespace-nowrap">
            {column.cell(item)}
          </div>
        ))}
      </div>
      <dl className="mt-2 grid grid-cols-[auto_1fr] items-center gap-x-4 gap-y-1">
        {lines.map((column) => (
          <Line key={column.id} name={column.header()} content={column.cell(item)} />
        ))}
      </dl>
      {(actions.length > 0 || opens) && (
        <div className="mt-2 -mb-1 flex flex-wrap items-center justify-end gap-1 border-t pt-2 not-has-[button,a]:hidden">
          {opens && <Opener row={row} />}
          {actions.map((column) => (
            <div key={column.id}>{column.cell(item)}</div>
          ))}
        </div>
      )}
      {options.detail && row.getIsExpanded() && <div className="mt-2 rounded-md bg-sunken p-3">{options.detail(item)}</div>}
      {row.subRows.length > 0 && row.getIsExpanded() && (
        <ul className="mt-2 flex flex-col gap-2">
          <ChildRows
            rows={row.subRows}
            draw={(child) => <Card key={child.id} row={child} columns={columns} options={options} />}
            end={(button) => <li className="text-center">{button}</li>}
          />
        </ul>
      )}
    </li>
  );
}

/** The face of a table on phones: one card a row, nothing scrolls sideways. */
export function TableCards<T extends { id: number }>({ model, columns, options, count }: Props<T>) {
  return (
    <ul className="flex flex-col gap-2">
      {model
        .getRowModel()
        .rows.slice(0, count)
        .map((row) => (
          <Card key={row.id} row={row} columns={columns} options={options} />
        ))}
    </ul>
  );
}
