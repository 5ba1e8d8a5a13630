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

type PricedModel = Omit<PricingItem, 'enable_groups'>;

const priced = new WeakMap<PriceSource, { readonly day: number; readonly models: Map<string, PricedModel | undefined> }>();

/**
 * The models that can be called in the groups the caller may use, priced before the group's ratio (contract 1.4); `userGroup`
 * "" = nobody is signed in. Other groups, and what only they have, are nobody else's business and are not looked at.
 */
export function pricingItemsFor(source: PriceSource, ownerOf: (model: string) => string, userGroup: string): PricingItem[] {
  const usable = chargedGroups(source.options, userGroup);
  const names = new Set([...source.options.GroupRatio.keys(), userGroup].filter((group) => Object.hasOwn(usable, group)));
  const known = pricedModels(source);
  return groupsByModel(source, names).flatMap(([model, enable_groups]) => {
    if (!known.has(model)) known.set(model, pricedModel(source, ownerOf, model));
    const item = known.get(model);
    return item === undefined ? [] : [{ ...item, enable_groups }];
  });
}

/** What was priced so far of a snapshot on this day. */
function pricedModels(source: PriceSource): Map<string, PricedModel | undefined> {
  const day = priceDay();
  const known = priced.get(source);
  if (known?.day === day) return known.models;
  const models = new Map<string, PricedModel | undefined>();
  priced.set(source, { day, models });
  return models;
}

function pricedModel(source: PriceSource, ownerOf: (model: string) => string, model: string): PricedModel | undefined {
  const price = source.prices.lookup({ model, userGroup: '', usingGroup: '' });
  if (price === undefined) return undefined;
  const tiers = source.options.ServiceTierRatio.get(priceName(model));
  const tools = source.options.ToolPrice.get(priceName(model));
  return {
    ...itemOf({ model_name: model, owner_by: ownerOf(model) }, price),
    ...(tiers === undefined ? {} : { service_tier_ratio: Object.fromEntries(tiers) }),
    ...(tools === undefined ? {} : { tool_price: Object.fromEntries(tools) }),
  };
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
  return [...servedModels(source)].filter((model) => book.lookup({ model, userGroup: '', usingGroup: '' }) === undefined);
}

/** Every model that can be called in some group with a ratio, sorted. */
export function servedModels(source: PriceSource): ReadonlySet<string> {
  const models = new Set<string>();
  for (const group of source.options.GroupRatio.keys()) for (const model of source.models(group)) models.add(model);
  return new Set([...models].sort());
}

/** Each model with those of these groups that have it, sorted by model. */
function groupsByModel(source: PriceSource, names: Iterable<string>): [string, string[]][] {
  const groups = new Map<string, string[]>();
  for (const group of names) {
    for (const model of source.models(group)) {
      const others = groups.get(model);
      if (others === undefined) groups.set(model, [group]);
      else others.push(group);
    }
  }
  return [...groups].sort(([left], [right]) => (left < right ? -1 : 1));
}

function itemOf(common: Pick<PricingItem, 'model_name' | 'owner_by'>, price: PriceSnapshot): PricedModel {
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
