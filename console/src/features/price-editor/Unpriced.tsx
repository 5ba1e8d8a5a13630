import { useQuery } from '@tanstack/react-query';
import { CircleCheck } from 'lucide-react';
import { useState } from 'react';
import { price_set, price_unpriced_none, price_unpriced_text } from '../../i18n/generated/messages.ts';
import { Alert } from '../../ui/Alert.tsx';
import { Button } from '../../ui/Button.tsx';
import { EmptyState } from '../../ui/EmptyState.tsx';
import { LoadError } from '../../ui/LoadError.tsx';
import { type PriceTexts, pricedModels, rowsOf, withRow } from './draft.ts';
import { unpricedQuery } from './queries.ts';
import { RowDialog } from './RowDialog.tsx';

/** Enabled models that nobody gave a price; those that the draft prices are gone from the list. */
export function Unpriced({ texts, change }: { texts: PriceTexts; change(texts: PriceTexts): void }) {
  const query = useQuery(unpricedQuery);
  const [open, setOpen] = useState<string>();
  const rows = rowsOf(texts);
  const priced = pricedModels(texts);
  const models = query.data?.filter((model) => !priced.has(model));
  if (query.error && !models) return <LoadError error={query.error} retry={query.refetch} />;
  if (models?.length === 0) return <EmptyState icon={CircleCheck} title={price_unpriced_none()} />;
  return (
    <>
      <Alert tone="warn">{price_unpriced_text()}</Alert>
      <ul className="card mt-3">
        {models?.map((model) => (
          <li key={model} className="flex items-center gap-3 border-b px-4 py-2 last:border-b-0">
            <code className="min-w-0 grow break-all">{model}</code>
            <Button size="sm" aria-label={`${price_set()} ${model}`} onClick={() => setOpen(model)}>
              {price_set()}
            </Button>
          </li>
        ))}
      </ul>
      {open !== undefined && (
        <RowDialog
          row={rows.find(({ model }) => model === open) ?? { model: open, numbers: {} }}
          taken={new Set(rows.map(({ model }) => model).filter((model) => model !== open))}
          onClose={() => setOpen(undefined)}
          onDone={(model, numbers) => {
            change(withRow(texts, model, numbers, open));
            setOpen(undefined);
          }}
        />
      )}
    </>
  );
}
