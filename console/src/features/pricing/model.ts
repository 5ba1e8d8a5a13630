import type { PricingExtras, PricingItem } from '@tollgate/contract';
import { fuzzyFilter } from '../../lib/fuzzy.ts';
import { formatPrice } from '../../lib/price.ts';
import type { BillingType, PricingSearch } from './search.ts';

export interface PriceList extends PricingExtras {
  items: readonly PricingItem[];
}

/** Dollars per million tokens, per call or per second. Absent: this model has no such price. */
export interface Prices {
  prompt?: number;
  completion?: number;
  cacheRead?: number;
  cacheWrite?: number;
  cacheWrite1h?: number;
  audioPrompt?: number;
  audioCompletion?: number;
  imagePrompt?: number;
  imageCompletion?: number;
  call?: number;
  second?: number;
}

/** A model as the page shows it. */
export interface PricedModel {
  id: number;
  item: PricingItem;
  type: BillingType;
  /** In the shown group. */
  prices: Prices;
  /** The groups of the caller that may call it. */
  groups: readonly string[];
  /** The shown group may call it. */
  available: boolean;
}

/** The group whose prices are shown: the asked one, the user's own, "default", else any. */
export function shownGroup(list: PriceList, asked: string | undefined, own: string | undefined): string {
  const names = Object.keys(list.group_ratio);
  return [asked, own, 'default'].find((name) => name !== undefined && names.includes(name)) ?? names[0] ?? 'default';
}

export type Ratios = Pick<
  PricingItem,
  'quota_type' | 'model_ratio' | 'model_price' | 'completion_ratio' | 'cache_ratio' | 'cache_creation_ratio'
> &
  Partial<PricingItem>;

export const typeOf = ({ quota_type: type, per_second: isTimed }: Pick<PricingItem, 'quota_type' | 'per_second'>): BillingType =>
  type === 0 ? 'token' : isTimed ? 'second' : 'call';

/** `quotaPerUnit`: quota of one dollar; a ratio of 1 is one unit of quota per token. */
export function pricesOf(item: Ratios, groupRatio: number, quotaPerUnit: number): Prices {
  const type = typeOf(item);
  if (type !== 'token') return { [type]: item.model_price * groupRatio };
  const million = (item.model_ratio * groupRatio * 1e6) / quotaPerUnit;
  const times = (ratio: number | undefined) => (ratio === undefined ? undefined : million * ratio);
  const spoken = item.audio_ratio === undefined ? undefined : item.audio_ratio * (item.audio_completion_ratio ?? 1);
  return {
    prompt: million,
    completion: million * item.completion_ratio,
    cacheRead: times(item.cache_ratio),
    cacheWrite: times(item.cache_creation_ratio),
    cacheWrite1h: times(item.cache_creation_1h_ratio),
    audioPrompt: times(item.audio_ratio),
    audioCompletion: times(spoken),
    imagePrompt: times(item.image_ratio),
    imageCompletion: times(item.image_completion_ratio),
  };
}

/** All models with the prices of one group. */
export function modelsIn(list: PriceList, group: string, quotaPerUnit: number): PricedModel[] {
  const ratio = list.group_ratio[group] ?? 1;
  return list.items.map((item, index) => ({
    id: index + 1,
    item,
    type: typeOf(item),
    prices: pricesOf(item, ratio, quotaPerUnit),
    groups: item.enable_groups.filter((name) => name in list.group_ratio),
    available: item.enable_groups.includes(group),
  }));
}

export function filterModels(models: readonly PricedModel[], { q, type, provider, hide }: PricingSearch): PricedModel[] {
  const kept = models.filter(
    (model) =>
      (type === undefined || model.type === type) &&
      (provider === undefined || model.item.owner_by === provider) &&
      (hide === undefined || model.available),
  );
  return fuzzyFilter(kept, q ?? '', ({ item }) => item.model_name);
}

/** Providers that occur, sorted. */
export const providersOf = (items: readonly PricingItem[]): string[] =>
  [...new Set(items.map(({ owner_by }) => owner_by).filter(Boolean))].sort();

/** A price that may not exist. */
export const priceText = (amount: number | undefined): string => (amount === undefined ? '–' : formatPrice(amount));
