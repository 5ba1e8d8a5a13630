import { useState } from 'react';
import { useMoney } from '../../api/status.ts';
import {
  col_model,
  price_add,
  price_call_tag,
  price_col_call,
  price_col_completion,
  price_col_in,
  price_col_out,
  price_col_ratio,
  price_delete_text,
  price_delete_title,
  price_empty,
  price_empty_text,
  price_visual,
} from '../../i18n/generated/messages.ts';
import { formatPrice } from '../../lib/price.ts';
import { Badge } from '../../ui/Badge.tsx';
import type { Column } from '../../ui/table/columns.ts';
import { type PriceRow, type PriceTexts, rowsOf, withoutModel, withRow } from './draft.ts';
import { EntryTable } from './EntryTable.tsx';
import { RowDialog } from './RowDialog.tsx';

const text = (value: number | undefined) => (value === undefined ? '–' : String(Number(value.toPrecision(6))));
const price = (value: number | undefined) => (value === undefined ? '–' : formatPrice(value));
/** What has none comes last. */
const orLast = (value: number | undefined) => [Number(value === undefined), value ?? 0] as const;

function columnsOf(base: number): readonly Column<PriceRow>[] {
  const prompt = ({ numbers }: PriceRow) => (numbers.ratio === undefined ? undefined : numbers.ratio * base);
  const completion = (row: PriceRow) => {
    const dollars = prompt(row);
    return dollars === undefined || row.numbers.completion === undefined ? undefined : dollars * row.numbers.completion;
  };
  return [
    {
      id: 'model',
      header: col_model,
      card: 'title',
      fill: true,
      sortBy: ({ model }) => [0, model],
      cell: ({ model }) => <span className="font-medium">{model}</span>,
    },
    {
      id: 'call',
      header: price_col_call,
      end: true,
      sortBy: ({ numbers }) => orLast(numbers.price),
      cell: ({ numbers }) =>
        numbers.price === undefined ? '–' : <Badge tone="info">{price_call_tag({ price: price(numbers.price) })}</Badge>,
    },
    {
      id: 'ratio',
      header: price_col_ratio,
      end: true,
      sortBy: ({ numbers }) => orLast(numbers.ratio),
      cell: ({ numbers }) => text(numbers.ratio),
    },
    { id: 'in', header: price_col_in, end: true, sortBy: (row) => orLast(prompt(row)), cell: (row) => price(prompt(row)) },
    {
      id: 'completion',
      header: price_col_completion,
      end: true,
      sortBy: ({ numbers }) => orLast(numbers.completion),
      cell: ({ numbers }) => text(numbers.completion),
    },
    {
      id: 'out',
      header: price_col_out,
      end: true,
      sortBy: (row) => orLast(completion(row)),
      cell: (row) => price(completion(row)),
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
  /** The row that is edited; without a name it is new. */
  const [open, setOpen] = useState<Pick<PriceRow, 'model' | 'numbers'>>();
  const rows = rowsOf(texts);
  return (
    <>
      <EntryTable
        label={price_visual()}
        rows={rows}
        columns={columnsOf(1e6 / quotaPerUnit)}
        nameOf={({ model }) => model}
        addLabel={price_add()}
        add={() => setOpen({ model: '', numbers: {} })}
        edit={setOpen}
        remove={({ model }) => change(withoutModel(texts, model))}
        removeTitle={({ model }) => price_delete_title({ model })}
        removeText={price_delete_text()}
        empty={{ title: price_empty(), text: price_empty_text() }}
      />
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
