import { ArrowDown, ArrowUp, ArrowUpDown } from 'lucide-react';
import { table_sort, table_sort_down, table_sort_up } from '../../i18n/generated/messages.ts';
import type { Column, Sorting } from './columns.ts';
import { FilterSelect } from './FilterSelect.tsx';

const icons = { none: ArrowUpDown, ascending: ArrowUp, descending: ArrowDown };

/** The head of a column that rows can be sorted by: upwards, downwards, as they were. */
function SortHeader<T>({ column, sorting: { by, onChange } }: { column: Column<T>; sorting: Sorting }) {
  const { id, end, header } = column;
  const order = by === id ? 'ascending' : by === `-${id}` ? 'descending' : 'none';
  const next = { none: id, ascending: `-${id}`, descending: undefined };
  const Icon = icons[order];
  return (
    <th scope="col" className={end ? 'end' : undefined} aria-sort={order}>
      <button
        type="button"
        className={`-mx-1 inline-flex h-6 items-center gap-1 rounded-sm px-1 hover:text-fg ${order === 'none' ? '' : 'text-accent'}`}
        onClick={() => onChange(next[order])}
      >
        {header()}
        <Icon size={13} aria-hidden className={order === 'none' ? 'opacity-50' : ''} />
      </button>
    </th>
  );
}

/** The same on phones, where tables have no heads. */
function SortSelect<T>({ columns, sorting: { by, onChange } }: { columns: readonly Column<T>[]; sorting: Sorting }) {
  const texts = new Map(
    columns
      .filter(({ sortBy }) => sortBy)
      .flatMap(({ id, header }): [string, string][] => [
        [id, table_sort_up({ column: header() })],
        [`-${id}`, table_sort_down({ column: header() })],
      ]),
  );
  return (
    <div className="mb-2">
      <FilterSelect
        label={table_sort()}
        value={by}
        options={[...texts.keys()]}
        textOf={(each) => texts.get(each) ?? each}
        onChange={onChange}
      />
    </div>
  );
}

export const sortParts = { Header: SortHeader, Select: SortSelect };
