import type { PricingTier } from '@tollgate/contract';
import {
  pricing_audio_in,
  pricing_audio_out,
  pricing_cache_read,
  pricing_cache_write,
  pricing_cache_write_1h,
  pricing_col_cache_read,
  pricing_col_cache_write,
  pricing_col_groups,
  pricing_col_in,
  pricing_col_model,
  pricing_col_out,
  pricing_col_provider,
  pricing_col_type,
  pricing_copy_name,
  pricing_group,
  pricing_group_ratio,
  pricing_image_in,
  pricing_in,
  pricing_out,
  pricing_per_call,
  pricing_tier,
  pricing_tier_last,
  pricing_type_call,
  pricing_type_token,
  pricing_unavailable,
} from '../../i18n/generated/messages.ts';
import { formatUnits } from '../../lib/money.ts';
import { Badge } from '../../ui/Badge.tsx';
import { CopyButton } from '../../ui/CopyButton.tsx';
import type { Column } from '../../ui/table/columns.ts';
import { dollars, type PricedModel, type PriceList, type Prices, pricesOf } from './model.ts';

const price = (amount: number | undefined) => (amount === undefined ? '–' : dollars(amount));

function Name({ model }: { model: PricedModel }) {
  const name = model.item.model_name;
  return (
    <span className="inline-flex min-w-0 items-center gap-1">
      <span className="min-w-0 break-all font-medium">{name}</span>
      <CopyButton text={name} label={pricing_copy_name({ model: name })} />
    </span>
  );
}

/** The columns, with the prices of one group. */
export const pricingColumns: readonly Column<PricedModel>[] = [
  { id: 'model', header: pricing_col_model, card: 'title', fill: true, cell: (model) => <Name model={model} /> },
  { id: 'provider', header: pricing_col_provider, cell: ({ item }) => item.owner_by || '–' },
  {
    id: 'type',
    header: pricing_col_type,
    card: 'corner',
    cell: ({ type }) =>
      type === 'call' ? <Badge tone="info">{pricing_type_call()}</Badge> : <Badge tone="violet">{pricing_type_token()}</Badge>,
  },
  {
    id: 'in',
    header: pricing_col_in,
    end: true,
    cell: ({ prices }) => (prices.call === undefined ? price(prices.prompt) : pricing_per_call({ price: dollars(prices.call) })),
  },
  { id: 'out', header: pricing_col_out, end: true, cell: ({ prices }) => price(prices.completion) },
  { id: 'cache-read', header: pricing_col_cache_read, end: true, cell: ({ prices }) => price(prices.cacheRead) },
  { id: 'cache-write', header: pricing_col_cache_write, end: true, cell: ({ prices }) => price(prices.cacheWrite) },
  {
    id: 'groups',
    header: pricing_col_groups,
    cell: ({ groups, available }) => (
      <span className="inline-flex flex-wrap items-center gap-1">
        {!available && <Badge tone="warn">{pricing_unavailable()}</Badge>}
        {groups.map((group) => (
          <Badge key={group}>{group}</Badge>
        ))}
      </span>
    ),
  },
];

const faces: readonly [keyof Prices, () => string][] = [
  ['prompt', pricing_in],
  ['completion', pricing_out],
  ['cacheRead', pricing_cache_read],
  ['cacheWrite', pricing_cache_write],
  ['cacheWrite1h', pricing_cache_write_1h],
  ['audioPrompt', pricing_audio_in],
  ['audioCompletion', pricing_audio_out],
  ['imagePrompt', pricing_image_in],
  ['call', pricing_type_call],
];

const tierName = ({ up_to }: PricingTier): string =>
  up_to === undefined ? pricing_tier_last() : pricing_tier({ count: formatUnits(up_to) });

interface DetailProps {
  model: PricedModel;
  list: PriceList;
  quotaPerUnit: number;
}

/** What the model costs in every group of the caller, and by the length of the prompt. */
export function PricingDetail({ model, list, quotaPerUnit }: DetailProps) {
  const { item, groups } = model;
  const tiers = item.tiers ?? [];
  const rows = groups.flatMap((group) => {
    const ratio = list.group_ratio[group] ?? 1;
    const shapes =
      tiers.length > 0 ? tiers.map((tier) => ({ name: tierName(tier), item: { ...item, ...tier } })) : [{ name: '', item }];
    return shapes.map((shape) => ({ group, ratio, tier: shape.name, prices: pricesOf(shape.item, ratio, quotaPerUnit) }));
  });
  const shown = faces.filter(([face]) => rows.some(({ prices }) => prices[face] !== undefined));
  return (
    <div className="overflow-x-auto">
      <table className="bill whitespace-nowrap tabular-nums" aria-label={item.model_name}>
        <thead>
          <tr>
            <th scope="col">{pricing_group()}</th>
            <th scope="col">{pricing_group_ratio()}</th>
            {shown.map(([face, label]) => (
              <th key={face} scope="col">
                {label()}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map(({ group, ratio, tier, prices }) => (
            <tr key={group + tier}>
              <td>
                {group} {tier && <span className="text-muted">{tier}</span>}
              </td>
              <td>{ratio}</td>
              {shown.map(([face]) => (
                <td key={face}>{price(prices[face])}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
