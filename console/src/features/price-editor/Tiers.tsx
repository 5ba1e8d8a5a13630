import { useState } from 'react';
import { useMoney } from '../../api/status.ts';
import {
  col_model,
  price_col_in,
  price_col_out,
  price_tier_add_model,
  price_tier_delete,
  price_tier_delete_text,
  price_tier_empty,
  price_tier_empty_text,
  price_tier_over,
  price_tier_text,
  price_tier_title,
  price_tier_up_to,
} from '../../i18n/generated/messages.ts';
import { formatPrice } from '../../lib/price.ts';
import type { Column } from '../../ui/table/columns.ts';
import type { PriceTexts } from './draft.ts';
import { EntryTable } from './EntryTable.tsx';
import { TierDialog } from './TierDialog.tsx';
import {
  emptyTier,
  fieldsOfTier,
  type Tier,
  type TierFields,
  type TierRow,
  tierRows,
  tokensText,
  withoutTiers,
  withTiers,
} from './tiers.ts';

function Steps({ tiers, textOf }: { tiers: readonly Tier[]; textOf(tier: Tier): string }) {
  return (
    <ol className="flex flex-col gap-0.5 py-1 max-sm:items-end">
      {tiers.map((tier, index) => (
        <li key={tier.up_to ?? 'rest'} className="whitespace-nowrap">
          <span className="text-muted text-xs">
            {tier.up_to === undefined
              ? price_tier_over({ tokens: tokensText(tiers[index - 1]?.up_to ?? 0) })
              : price_tier_up_to({ tokens: tokensText(tier.up_to) })}{' '}
          </span>
          {textOf(tier)}
        </li>
      ))}
    </ol>
  );
}

const columnsOf = (base: number): readonly Column<TierRow>[] => [
  { id: 'model', header: col_model, card: 'title', cell: ({ model }) => <span className="font-medium">{model}</span> },
  {
    id: 'in',
    header: price_col_in,
    fill: true,
    cell: ({ tiers }) => <Steps tiers={tiers} textOf={({ ratio }) => formatPrice(ratio * base)} />,
  },
  {
    id: 'out',
    header: price_col_out,
    cell: ({ tiers }) =>
      tiers[0]?.completion === undefined ? (
        '–'
      ) : (
        <Steps tiers={tiers} textOf={({ ratio, completion = 1 }) => formatPrice(ratio * completion * base)} />
      ),
  },
];

interface Props {
  texts: PriceTexts;
  change(texts: PriceTexts): void;
}

/** Models whose prices depend on how long the prompt is. */
export function Tiers({ texts, change }: Props) {
  const base = 1e6 / useMoney().quotaPerUnit;
  const [open, setOpen] = useState<{ model: string; tiers: TierFields[] }>();
  const rows = tierRows(texts);
  return (
    <>
      <EntryTable
        label={price_tier_title()}
        text={price_tier_text()}
        rows={rows}
        columns={columnsOf(base)}
        nameOf={({ model }) => model}
        addLabel={price_tier_add_model()}
        add={() => setOpen({ model: '', tiers: [{ ...emptyTier, up_to: '200k' }, emptyTier] })}
        edit={({ model, tiers }) => setOpen({ model, tiers: tiers.map(fieldsOfTier) })}
        remove={({ model }) => change(withoutTiers(texts, model))}
        removeTitle={({ model }) => price_tier_delete({ model })}
        removeText={price_tier_delete_text()}
        empty={{ title: price_tier_empty(), text: price_tier_empty_text() }}
      />
      {open && (
        <TierDialog
          {...open}
          base={base}
          taken={new Set(rows.map(({ model }) => model).filter((model) => model !== open.model))}
          onClose={() => setOpen(undefined)}
          onDone={(model, tiers) => {
            change(withTiers(texts, model, tiers, open.model || model));
            setOpen(undefined);
          }}
        />
      )}
    </>
  );
}
