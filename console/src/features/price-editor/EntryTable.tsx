import { Pencil, Plus, Tags, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { pageOfAll } from '../../api/page.ts';
import { action_delete, action_edit, col_actions, price_search } from '../../i18n/generated/messages.ts';
import { fuzzyFilter } from '../../lib/fuzzy.ts';
import { Button, IconButton } from '../../ui/Button.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { confirm } from '../../ui/overlays.ts';
import type { Column } from '../../ui/table/columns.ts';
import { DataTable } from '../../ui/table/DataTable.tsx';
import { usePages } from '../../ui/table/list-state.ts';
import { Pager } from '../../ui/table/Pager.tsx';
import { NoMatch } from '../../ui/table/placeholders.tsx';
import { SearchField } from '../../ui/table/SearchField.tsx';
import { sortParts } from '../../ui/table/SortHeader.tsx';
import { sortRows } from '../../ui/table/sort.ts';

const idle = { isPending: false, isFetching: false, error: null, refetch: () => undefined };
const pageSize = 10;

interface Props<Row> {
  label: string;
  /** What the table is about; absent: it speaks for itself. */
  text?: string;
  rows: readonly Row[];
  columns: readonly Column<Row>[];
  /** What a row is called: searched, and named in questions. */
  nameOf(row: Row): string;
  addLabel: string;
  add(): void;
  edit(row: Row): void;
  remove(row: Row): void;
  /** The question before one is removed, and what removing it means. */
  removeTitle(row: Row): string;
  removeText: string;
  /** Where there is none. */
  empty: { title: string; text: string };
}

/** Entries of an option as a table: ten a page, searched, added, edited, and removed after a question. */
export function EntryTable<Row extends { id: number }>(props: Props<Row>) {
  const { label, text, rows, columns, nameOf, addLabel, add, edit, remove, removeTitle, removeText, empty } = props;
  const [search, setSearch] = useState('');
  const list = usePages(pageSize);
  const [sort, setSort] = useState<string>();
  const found = sortRows(fuzzyFilter(rows, search, nameOf), columns, sort);
  const current = Math.min(list.page, Math.max(1, Math.ceil(found.length / list.size)));
  const shown = pageOfAll(found, current, list.size);
  const ask = async (row: Row) => {
    const question = { title: removeTitle(row), text: removeText, confirmLabel: action_delete(), tone: 'bad' } as const;
    if (await confirm(question)) remove(row);
  };
  const actions: Column<Row> = {
    id: 'actions',
    header: col_actions,
    end: true,
    card: 'actions',
    cell: (row) => (
      <span className="inline-flex gap-1">
        <IconButton icon={Pencil} size="sm" label={`${action_edit()} ${nameOf(row)}`} onClick={() => edit(row)} />
        <IconButton
          icon={Trash2}
          size="sm"
          tone="bad"
          label={`${action_delete()} ${nameOf(row)}`}
          onClick={() => void ask(row)}
        />
      </span>
    ),
  };
  return (
    <>
      <div className="mb-2 flex flex-wrap items-end gap-2">
        {text && (
          <div className="min-w-0 grow basis-80">
            <h3 className="text-base">{label}</h3>
            <p className="text-muted text-xs">{text}</p>
          </div>
        )}
        {(rows.length > pageSize || search !== '') && (
          <SearchField
            label={price_search()}
            value={search}
            onCommit={(value) => {
              setSearch(value);
              list.setPage(1);
            }}
            className="w-60 max-sm:w-full"
          />
        )}
        <Button icon={Plus} className="ml-auto" onClick={add}>
          {addLabel}
        </Button>
      </div>
      <DataTable
        label={label}
        columns={[...columns, actions]}
        rows={shown.items}
        state={idle}
        size={list.size}
        options={
          columns.some(({ sortBy }) => sortBy) ? { sorting: { by: sort, onChange: setSort, parts: sortParts } } : undefined
        }
        empty={search === '' ? <EmptyState icon={Tags} {...empty} /> : <NoMatch clear={() => setSearch('')} />}
      />
      {found.length > pageSize && <Pager list={{ ...list, page: current }} total={found.length} hasNext={shown.hasNext} />}
    </>
  );
}
