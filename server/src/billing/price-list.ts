import { isDeepStrictEqual } from 'node:util';
import { autoGroup, type PricingExtras, type PricingItem } from '@tollgate/contract';
import type { Language } from '../platform/errors.ts';
import { chargedGroups, type Options } from '../settings/index.ts';
import { nanoToNumber } from './decimal.ts';
import { createPriceBook, type DefaultPrice, dayMs, type PriceBook, priceDay, priceName } from './price-book.ts';
import { priceTables } from './price-tables.ts';
import type { PriceSnapshot } from './types.ts';

/** What is on offer: the part of the routing snapshot that prices need. */
export interface PriceSource {
  readonly options: Options;
  readonly prices: PriceBook;
  /** Models that an enabled channel serves in this group. */
  models(group: string): readonly string[];
}

/** What is known of a model without the operator. */
interface Known {
  readonly ownerOf: (model: string) => string;
  readonly defaultPrice: (model: string) => DefaultPrice;
}

type PricedModel = Omit<PricingItem, 'enable_groups'>;

interface Coming {
  readonly model: string;
  /** In Unix seconds. */
  readonly from: number;
}

/** A snapshot on one day: each model is priced at its first use. */
interface Priced {
  readonly day: number;
  readonly of: (model: string) => PricedModel | undefined;
  coming?: readonly Coming[];
}

const priced = new WeakMap<PriceSource, Priced>();

/**
 * The models that can be called in the groups the caller may use, priced before the group's ratio (contract 1.4); `userGroup`
 * "" = nobody is signed in. Other groups, and what only they have, are nobody else's business and are not looked at.
 */
export function pricingItemsFor(source: PriceSource, known: Known, userGroup: string): PricingItem[] {
  const usable = chargedGroups(source.options, userGroup);
  const names = new Set([...source.options.GroupRatio.keys(), userGroup].filter((group) => Object.hasOwn(usable, group)));
  const { of } = pricedModels(source, known);
  return groupsByModel(source, names).flatMap(([model, enable_groups]) => {
    const item = of(model);
    return item === undefined ? [] : [{ ...item, enable_groups }];
  });
}

function pricedModels(source: PriceSource, { ownerOf, defaultPrice }: Known): Priced {
  const day = priceDay();
  const made = priced.get(source);
  if (made?.day === day) return made;
  const then = createPriceBook(priceTables(source.options), (model) => defaultPrice(model).next?.price ?? {}, 0);
  const models = new Map<string, PricedModel | undefined>();
  const of = (model: string) => {
    if (!models.has(model)) models.set(model, priceOf(model));
    return models.get(model);
  };
  const priceOf = (model: string): PricedModel | undefined => {
    const query = { model, userGroup: '', usingGroup: '' };
    const price = source.prices.lookup(query);
    if (price === undefined) return undefined;
    const step = defaultPrice(priceName(model)).next;
    const tiers = source.options.ServiceTierRatio.get(priceName(model));
    const tools = source.options.ToolPrice.get(priceName(model));
    const now = memberPrices(price);
    return {
      ...{ model_name: model, owner_by: ownerOf(model), ...now },
      ...(step && nextOf(now, then.lookup(query), (step.day * dayMs) / 1000)),
      ...(tiers === undefined ? {} : { service_tier_ratio: Object.fromEntries(tiers) }),
      ...(tools === undefined ? {} : { tool_price: Object.fromEntries(tools) }),
    };
  };
  const fresh = { day, of };
  priced.set(source, fresh);
  return fresh;
}

type MemberPrices = Omit<NonNullable<PricingItem['next']>, 'from'>;

/** Nothing where the operator's own price goes on. */
function nextOf(now: MemberPrices, later: PriceSnapshot | undefined, from: number): Pick<PricingItem, 'next'> {
  const next = later && memberPrices(later);
  return next === undefined || isDeepStrictEqual(now, next) ? {} : { next: { ...next, from } };
}

/** The models that will cost something else. */
export function comingPrices(source: PriceSource, known: Known): readonly Coming[] {
  const made = pricedModels(source, known);
  made.coming ??= [...servedModels(source)].flatMap((model) => {
    const next = made.of(model)?.next;
    return next === undefined ? [] : [{ model, from: next.from }];
  });
  return made.coming;
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

function memberPrices(price: PriceSnapshot): MemberPrices {
  if (price.kind === 'call') {
    const dollars = nanoToNumber(price.callPriceNano);
    const unit = price.perSecond === true ? { per_second: true } : {};
    return { quota_type: 1, model_ratio: 0, model_price: dollars, completion_ratio: 0, ...unit };
  }
  const {
    cacheWrite1hRatioNano: lasting,
    audioRatioNano: audio,
    audioCompletionRatioNano: spoken,
    imageRatioNano: image,
    imageCompletionRatioNano: drawn,
  } = price;
  return {
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
