import { Pencil, Plus, Tags, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { pageOfAll } from '../../api/page.ts';
import { useMoney } from '../../api/status.ts';
import {
  action_delete,
  action_edit,
  price_add,
  price_call_tag,
  price_col_actions,
  price_col_call,
  price_col_completion,
  price_col_in,
  price_col_model,
  price_col_out,
  price_col_ratio,
  price_delete_text,
  price_delete_title,
  price_empty,
  price_empty_text,
  price_search,
  price_visual,
} from '../../i18n/generated/messages.ts';
import { fuzzyFilter } from '../../lib/fuzzy.ts';
import { Badge } from '../../ui/Badge.tsx';
import { Button, IconButton } from '../../ui/Button.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { confirm } from '../../ui/overlays.ts';
import type { Column } from '../../ui/table/columns.ts';
import { DataTable } from '../../ui/table/DataTable.tsx';
import { Pager } from '../../ui/table/Pager.tsx';
import { NoMatch } from '../../ui/table/placeholders.tsx';
import { SearchField } from '../../ui/table/SearchField.tsx';
import { type PriceRow, type PriceTexts, rowsOf, withoutModel, withRow } from './draft.ts';
import { RowDialog } from './RowDialog.tsx';

const idle = { isPending: false, isFetching: false, error: null, refetch: () => undefined };
const pageSize = 10;
const text = (value: number | undefined, sign = '') => (value === undefined ? '–' : sign + Number(value.toPrecision(6)));

function columnsOf(base: number, edit: (row: PriceRow) => void, remove: (row: PriceRow) => void): readonly Column<PriceRow>[] {
  const prompt = ({ numbers }: PriceRow) => (numbers.ratio === undefined ? undefined : numbers.ratio * base);
  const completion = (row: PriceRow) => {
    const dollars = prompt(row);
    return dollars === undefined || row.numbers.completion === undefined ? undefined : dollars * row.numbers.completion;
  };
  return [
    {
      id: 'model',
      header: price_col_model,
      card: 'title',
      fill: true,
      cell: ({ model }) => <span className="font-medium">{model}</span>,
    },
    {
      id: 'call',
      header: price_col_call,
      end: true,
      cell: ({ numbers }) =>
        numbers.price === undefined ? '–' : <Badge tone="info">{price_call_tag({ price: text(numbers.price, '$') })}</Badge>,
    },
    { id: 'ratio', header: price_col_ratio, end: true, cell: ({ numbers }) => text(numbers.ratio) },
    { id: 'in', header: price_col_in, end: true, cell: (row) => text(prompt(row), '$') },
    { id: 'completion', header: price_col_completion, end: true, cell: ({ numbers }) => text(numbers.completion) },
    { id: 'out', header: price_col_out, end: true, cell: (row) => text(completion(row), '$') },
    {
      id: 'actions',
      header: price_col_actions,
      card: 'actions',
      cell: (row) => (
        <span className="inline-flex gap-1">
          <IconButton icon={Pencil} size="sm" label={`${action_edit()} ${row.model}`} onClick={() => edit(row)} />
          <IconButton icon={Trash2} size="sm" tone="bad" label={`${action_delete()} ${row.model}`} onClick={() => remove(row)} />
        </span>
      ),
    },
  ];
}

interface Props {
  texts: PriceTexts;
  change(texts: PriceTexts): void;
}

/** The table of models with prices of their own. */
export function Visual({ texts, change }: Props) {
  const { quotaPerUnit } = useMoney();
  const [search, setSearch] = useState('');
  const [page, setPage] = useState(1);
  const [size, setSize] = useState(pageSize);
  /** The row that is edited; without a name it is new. */
  const [open, setOpen] = useState<Pick<PriceRow, 'model' | 'numbers'>>();
  const rows = rowsOf(texts);
  const found = fuzzyFilter(rows, search, ({ model }) => model);
  const last = Math.max(1, Math.ceil(found.length / size));
  const shown = pageOfAll(found, Math.min(page, last), size);
  const remove = async ({ model }: PriceRow) => {
    const sure = await confirm({
      title: price_delete_title({ model }),
      text: price_delete_text(),
      confirmLabel: action_delete(),
      tone: 'bad',
    });
    if (sure) change(withoutModel(texts, model));
  };
  const list = { page: Math.min(page, last), size, setPage, setSize };
  return (
    <>
      <div className="mb-2 flex flex-wrap items-center gap-2">
        <SearchField
          label={price_search()}
          value={search}
          onCommit={(value) => {
            setSearch(value);
            setPage(1);
          }}
          className="w-60 max-sm:w-full"
        />
        <Button icon={Plus} className="ml-auto" onClick={() => setOpen({ model: '', numbers: {} })}>
          {price_add()}
        </Button>
      </div>
      <DataTable
        label={price_visual()}
        columns={columnsOf(1e6 / quotaPerUnit, setOpen, (row) => void remove(row))}
        rows={shown.items}
        state={idle}
        size={size}
        empty={
          search === '' ? (
            <EmptyState icon={Tags} title={price_empty()} text={price_empty_text()} />
          ) : (
            <NoMatch clear={() => setSearch('')} />
          )
        }
      />
      <Pager list={list} total={found.length} hasNext={shown.hasNext} />
      {open && (
        <RowDialog
          row={open}
          taken={new Set(rows.map(({ model }) => model).filter((model) => model !== open.model))}
          onClose={() => setOpen(undefined)}
          onDone={(model, numbers) => {
            change(withRow(texts, model, numbers, open.model || model));
            setOpen(undefined);
          }}
        />
      )}
    </>
  );
}
