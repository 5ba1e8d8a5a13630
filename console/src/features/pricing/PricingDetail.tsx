import type { PricingTier } from '@tollgate/contract';
import {
  col_group,
  pricing_audio_in,
  pricing_audio_out,
  pricing_cache_read,
  pricing_cache_write,
  pricing_cache_write_1h,
  pricing_from,
  pricing_group_ratio,
  pricing_image_in,
  pricing_image_out,
  pricing_in,
  pricing_out,
  pricing_tier,
  pricing_tier_last,
  pricing_type_call,
  pricing_type_second,
} from '../../i18n/generated/messages.ts';
import { usePhone } from '../../lib/media.ts';
import { formatUnits } from '../../lib/money.ts';
import { formatTime } from '../../lib/time.ts';
import { type PricedModel, type PriceList, type Prices, pricesOf, priceText, type Ratios } from './model.ts';

const faces: readonly [keyof Prices, () => string][] = [
  ['prompt', pricing_in],
  ['completion', pricing_out],
  ['cacheRead', pricing_cache_read],
  ['cacheWrite', pricing_cache_write],
  ['cacheWrite1h', pricing_cache_write_1h],
  ['audioPrompt', pricing_audio_in],
  ['audioCompletion', pricing_audio_out],
  ['imagePrompt', pricing_image_in],
  ['imageCompletion', pricing_image_out],
  ['call', pricing_type_call],
  ['second', pricing_type_second],
];

const tierName = ({ up_to }: PricingTier): string =>
  up_to === undefined ? pricing_tier_last() : pricing_tier({ count: formatUnits(up_to) });

/** A model's prices, or one for each length of a prompt. */
function shapesOf(item: Ratios, from = ''): { name: string; item: Ratios }[] {
  const tiers = item.tiers?.map((tier) => ({ name: `${from} ${tierName(tier)}`.trim(), item: { ...item, ...tier } }));
  return tiers?.length ? tiers : [{ name: from, item }];
}

interface DetailProps {
  model: PricedModel;
  list: PriceList;
  quotaPerUnit: number;
}

interface Line {
  group: string;
  ratio: number;
  /** "" without tiers. */
  tier: string;
  prices: Prices;
}
interface LinesProps {
  name: string;
  lines: readonly Line[];
  shown: typeof faces;
}

/** On phones nothing is beside anything: no scrolling sideways. */
function Blocks({ name, lines, shown }: LinesProps) {
  return (
    <ul aria-label={name} className="flex flex-col gap-3">
      {lines.map(({ group, ratio, tier, prices }) => (
        <li key={group + tier}>
          <p className="font-medium">
            {group} × {ratio} {tier && <span className="font-normal text-muted">{tier}</span>}
          </p>
          <dl className="grid grid-cols-2 gap-x-6">
            {shown.map(([face, label]) => (
              <div key={face} className="flex items-baseline justify-between gap-2">
                <dt className="text-muted text-xs">{label()}</dt>
                <dd className="whitespace-nowrap tabular-nums">{priceText(prices[face])}</dd>
              </div>
            ))}
          </dl>
        </li>
      ))}
    </ul>
  );
}

function Lines({ name, lines, shown }: LinesProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <div tabIndex={0} className="overflow-x-auto">
      <table className="bill whitespace-nowrap tabular-nums" aria-label={name}>
        <thead>
          <tr>
            <th scope="col">{col_group()}</th>
            <th scope="col">{pricing_group_ratio()}</th>
            {shown.map(([face, label]) => (
              <th key={face} scope="col">
                {label()}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {lines.map(({ group, ratio, tier, prices }) => (
            <tr key={group + tier}>
              <td>
                {group} {tier && <span className="text-muted">{tier}</span>}
              </td>
              <td>{ratio}</td>
              {shown.map(([face]) => (
                <td key={face}>{priceText(prices[face])}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** What the model costs in every group of the caller, by the length of the prompt, and from a later day on. */
export function PricingDetail({ model, list, quotaPerUnit }: DetailProps) {
  const { item, groups } = model;
  const { next } = item;
  const phone = usePhone();
  const lines: Line[] = groups.flatMap((group) => {
    const ratio = list.group_ratio[group] ?? 1;
    const shapes = [...shapesOf(item), ...(next ? shapesOf(next, pricing_from({ time: formatTime(next.from) })) : [])];
    return shapes.map((shape) => ({ group, ratio, tier: shape.name, prices: pricesOf(shape.item, ratio, quotaPerUnit) }));
  });
  const shown = faces.filter(([face]) => lines.some(({ prices }) => prices[face] !== undefined));
  const List = phone ? Blocks : Lines;
  return <List name={item.model_name} lines={lines} shown={shown} />;
}
