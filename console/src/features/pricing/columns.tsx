import {
  col_model,
  pricing_cache_read,
  pricing_cache_write,
  pricing_col_groups,
  pricing_col_type,
  pricing_copy_name,
  pricing_from,
  pricing_in,
  pricing_out,
  pricing_per_call,
  pricing_per_second,
  pricing_provider,
  pricing_type_call,
  pricing_type_second,
  pricing_type_token,
  pricing_unavailable,
} from '../../i18n/generated/messages.ts';
import { formatPrice } from '../../lib/price.ts';
import { formatTime } from '../../lib/time.ts';
import { Badge, type Tone } from '../../ui/Badge.tsx';
import { CopyButton } from '../../ui/CopyButton.tsx';
import type { Column } from '../../ui/table/columns.ts';
import { type PricedModel, type Prices, priceText } from './model.ts';
import { type BillingType, billingTypes } from './search.ts';

function Name({ model }: { model: PricedModel }) {
  const { model_name: name, next } = model.item;
  return (
    <span className="inline-flex max-w-full flex-wrap items-center gap-1">
      <span className="min-w-0 whitespace-normal font-medium">{name}</span>
      <CopyButton text={name} label={pricing_copy_name({ model: name })} />
      {next && <Badge tone="warn">{pricing_from({ time: formatTime(next.from) })}</Badge>}
    </span>
  );
}

const types: Record<BillingType, { tone: Tone; text: () => string }> = {
  token: { tone: 'violet', text: pricing_type_token },
  call: { tone: 'info', text: pricing_type_call },
  second: { tone: 'info', text: pricing_type_second },
};

/** The price of what goes in, or of the whole. */
function priceIn({ prompt, call, second }: Prices): string {
  if (call !== undefined) return pricing_per_call({ price: formatPrice(call) });
  return second === undefined ? priceText(prompt) : pricing_per_second({ price: formatPrice(second) });
}

/** The columns, with the prices of one group. */
export const pricingColumns: readonly Column<PricedModel>[] = [
  {
    id: 'model',
    header: col_model,
    card: 'title',
    fill: true,
    sortBy: ({ item }) => [0, item.model_name],
    cell: (model) => <Name model={model} />,
  },
  { id: 'provider', header: pricing_provider, cell: ({ item }) => item.owner_by || '–' },
  {
    id: 'type',
    header: pricing_col_type,
    card: 'corner',
    cell: ({ type }) => <Badge tone={types[type].tone}>{types[type].text()}</Badge>,
  },
  {
    id: 'in',
    header: pricing_in,
    end: true,
    sortBy: ({ type, prices: { prompt, call, second } }) => [billingTypes.indexOf(type), prompt ?? call ?? second ?? 0],
    cell: ({ prices }) => priceIn(prices),
  },
  {
    id: 'out',
    header: pricing_out,
    end: true,
    sortBy: ({ prices: { completion } }) => [Number(completion === undefined), completion ?? 0],
    cell: ({ prices }) => priceText(prices.completion),
  },
  { id: 'cache-read', header: pricing_cache_read, end: true, cell: ({ prices }) => priceText(prices.cacheRead) },
  { id: 'cache-write', header: pricing_cache_write, end: true, cell: ({ prices }) => priceText(prices.cacheWrite) },
  {
    id: 'groups',
    header: pricing_col_groups,
    cell: ({ groups, available }) => (
      <span className="inline-flex flex-wrap items-center gap-1 sm:min-w-36">
        {!available && <Badge tone="warn">{pricing_unavailable()}</Badge>}
        {groups.map((group) => (
          <Badge key={group}>{group}</Badge>
        ))}
      </span>
    ),
  },
];
