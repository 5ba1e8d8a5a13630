import { autoGroup, type PricingExtras, type PricingItem } from '@tollgate/contract';
import type { Language } from '../platform/errors.ts';
import { chargedGroups, type Options } from '../settings/index.ts';
import { nanoToNumber } from './decimal.ts';
import { createPriceBook, type DefaultPrice, type PriceBook, priceDay, priceName } from './price-book.ts';
import { priceTables } from './price-tables.ts';
import type { PriceSnapshot } from './types.ts';

/** What is on offer: the part of the routing snapshot that prices need. */
export interface PriceSource {
  readonly options: Options;
  readonly prices: PriceBook;
  /** Models that an enabled channel serves in this group. */
  models(group: string): readonly string[];
}

const lists = new WeakMap<PriceSource, { readonly day: number; readonly items: readonly PricingItem[] }>();

/**
 * The models that can be called in the groups the caller may use, priced before the group's ratio (contract 1.4); `userGroup`
 * "" = nobody is signed in. Other groups, and what only they have, are nobody else's business.
 */
export function pricingItemsFor(source: PriceSource, ownerOf: (model: string) => string, userGroup: string): PricingItem[] {
  const usable = new Set(Object.keys(chargedGroups(source.options, userGroup)));
  const { GroupRatio } = source.options;
  const isListed = userGroup === '' || GroupRatio.has(userGroup);
  const items = isListed ? pricingItems(source, ownerOf) : itemsIn([...GroupRatio.keys(), userGroup], source, ownerOf);
  return items.flatMap((item) => {
    const groups = item.enable_groups.filter((group) => usable.has(group));
    return groups.length === 0 ? [] : [{ ...item, enable_groups: groups }];
  });
}

/** Every model that can be called in some group with a ratio; made once a day for a snapshot. */
function pricingItems(source: PriceSource, ownerOf: (model: string) => string): readonly PricingItem[] {
  const known = lists.get(source);
  const day = priceDay();
  if (known?.day === day) return known.items;
  const items = itemsIn(source.options.GroupRatio.keys(), source, ownerOf);
  lists.set(source, { day, items });
  return items;
}

function itemsIn(names: Iterable<string>, source: PriceSource, ownerOf: (model: string) => string): readonly PricingItem[] {
  return [...enabledModels(source, names)].flatMap(([model, groups]) => {
    const price = source.prices.lookup({ model, userGroup: '', usingGroup: groups[0] ?? '' });
    if (price === undefined) return [];
    const tiers = source.options.ServiceTierRatio.get(priceName(model));
    const tools = source.options.ToolPrice.get(priceName(model));
    const item = itemOf({ model_name: model, owner_by: ownerOf(model), enable_groups: groups }, price);
    return [
      {
        ...item,
        ...(tiers === undefined ? {} : { service_tier_ratio: Object.fromEntries(tiers) }),
        ...(tools === undefined ? {} : { tool_price: Object.fromEntries(tools) }),
      },
    ];
  });
}

/** The groups the caller may use and what they cost there; `userGroup` "" = nobody is signed in. */
export function pricingExtras(options: Options, userGroup: string, language: Language): PricingExtras {
  const groups = Object.entries(chargedGroups(options, userGroup, language));
  const ratios = groups.flatMap(([group, { ratio }]): [string, number][] =>
    group !== autoGroup && typeof ratio === 'number' ? [[group, ratio]] : [],
  );
  return {
    group_ratio: Object.fromEntries(ratios),
    usable_group: Object.fromEntries(groups.map(([group, { desc }]) => [group, desc])),
    service_tier_ratio: Object.fromEntries(options.ServiceTierRatio.get('*') ?? []),
    tool_price: Object.fromEntries(options.ToolPrice.get('*') ?? []),
  };
}

/** Enabled models that nobody gave a price, whether calls of them are let through or not. */
export function unpricedModels(source: PriceSource, defaults: (model: string) => DefaultPrice): string[] {
  const book = createPriceBook({ ...priceTables(source.options), selfUseMode: false }, defaults, 0);
  return [...enabledModels(source).keys()].filter((model) => book.lookup({ model, userGroup: '', usingGroup: '' }) === undefined);
}

/** Model -> those of these groups that have it, sorted by model. */
export function enabledModels(
  source: PriceSource,
  names: Iterable<string> = source.options.GroupRatio.keys(),
): ReadonlyMap<string, string[]> {
  const groups = new Map<string, string[]>();
  for (const group of names) {
    for (const model of source.models(group)) groups.set(model, [...(groups.get(model) ?? []), group]);
  }
  return new Map([...groups].sort(([left], [right]) => (left < right ? -1 : 1)));
}

function itemOf(common: Pick<PricingItem, 'model_name' | 'owner_by' | 'enable_groups'>, price: PriceSnapshot): PricingItem {
  if (price.kind === 'call') {
    const dollars = nanoToNumber(price.callPriceNano);
    const unit = price.perSecond === true ? { per_second: true } : {};
    return { ...common, quota_type: 1, model_ratio: 0, model_price: dollars, completion_ratio: 0, ...unit };
  }
  const {
    cacheWrite1hRatioNano: lasting,
    audioRatioNano: audio,
    audioCompletionRatioNano: spoken,
    imageRatioNano: image,
    imageCompletionRatioNano: drawn,
  } = price;
  return {
    ...common,
    quota_type: 0,
    model_ratio: nanoToNumber(price.modelRatioNano),
    model_price: 0,
    completion_ratio: nanoToNumber(price.completionRatioNano),
    cache_ratio: nanoToNumber(price.cacheRatioNano),
    cache_creation_ratio: nanoToNumber(price.cacheWriteRatioNano),
    ...(lasting === undefined ? {} : { cache_creation_1h_ratio: nanoToNumber(lasting) }),
    ...(audio === undefined ? {} : { audio_ratio: nanoToNumber(audio) }),
    ...(spoken === undefined ? {} : { audio_completion_ratio: nanoToNumber(spoken) }),
    ...(image === undefined ? {} : { image_ratio: nanoToNumber(image) }),
    ...(drawn === undefined ? {} : { image_completion_ratio: nanoToNumber(drawn) }),
    ...(price.tiers === undefined ? {} : { tiers: price.tiers.map(tierOf) }),
  };
}

function tierOf(tier: NonNullable<PriceSnapshot['tiers']>[number]) {
  return {
    ...(tier.upTo === undefined ? {} : { up_to: tier.upTo }),
    model_ratio: nanoToNumber(tier.modelRatioNano),
    completion_ratio: nanoToNumber(tier.completionRatioNano),
    cache_ratio: nanoToNumber(tier.cacheRatioNano),
    cache_creation_ratio: nanoToNumber(tier.cacheWriteRatioNano),
  };
}
