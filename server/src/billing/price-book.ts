import { toNano } from './decimal.ts';
import type { PriceTables } from './price-tables.ts';
import type { PriceSnapshot, PriceTier } from './types.ts';

/** What is known of a model without the operator: decimals as text or numbers. */
export interface DefaultPrice {
  /** Dollars for a second of what is made. */
  secondPrice?: string | number;
  callPrice?: string | number;
  ratio?: string | number;
  completion?: string | number;
  cache?: string | number;
  cacheWrite?: string | number;
  cacheWrite1h?: string | number;
  audio?: string | number;
  audioCompletion?: string | number;
  image?: string | number;
  imageCompletion?: string | number;
  tiers?: readonly DefaultTier[];
  /** What holds from a later `priceDay` on, where that is known. */
  next?: { day: number; price: DefaultPrice };
}

/** As PriceTier, in decimals; what a tier does not say is as without tiers. */
export interface DefaultTier {
  upTo?: number;
  ratio: string | number;
  completion?: string | number;
  cache?: string | number;
  cacheWrite?: string | number;
}

export interface PriceQuery {
  model: string;
  userGroup: string;
  usingGroup: string;
  /** The user's setting accept_unset_model_ratio_model. */
  acceptUnpriced?: boolean;
}

export interface PriceBook {
  /** The price of one call now, the same frozen record for the same query of a day; undefined: the call must be refused. */
  lookup(query: PriceQuery): PriceSnapshot | undefined;
}

/** What a model without a price costs where such calls are let through. */
export const unpricedRatio = 37.5;
const defaultCacheWrite = 1.25;
const cacheLimit = 50_000;
export const dayMs = 86_400_000;

/** The day (UTC) for which a price that was looked up holds: vendors name days from which on another one does. */
export const priceDay = (): number => Math.floor(Date.now() / dayMs);

/**
 * Compiles one immutable price book. Order of every price: the operator's entry, then `defaults` (catalogue, then
 * family rules), then 1 (rulings 2). `version` is stored in every snapshot. `defaults` are asked again each `priceDay`.
 */
export function createPriceBook(tables: PriceTables, defaults: (model: string) => DefaultPrice, version: number): PriceBook {
  const known = new Map<string, PriceSnapshot | undefined>();
  let day = 0;
  const compile = ({ model, userGroup, usingGroup, acceptUnpriced = false }: PriceQuery): PriceSnapshot | undefined => {
    if (tables.closed === true) return undefined;
    const name = priceName(model);
    const fallback = defaults(name);
    const unpricedAllowed = tables.selfUseMode || acceptUnpriced;
    const price =
      priceModel(tables, fallback, name) ?? (unpricedAllowed ? ratios(tables, fallback, name, unpricedRatio) : undefined);
    if (price === undefined) return undefined;
    const special = tables.groupGroupRatio.get(userGroup)?.get(usingGroup);
    return Object.freeze({
      ...price,
      version,
      model,
      group: usingGroup,
      groupRatioNano: toNano(special ?? tables.groupRatio.get(usingGroup) ?? 1),
      specialGroup: special !== undefined,
      quotaPerUnit: tables.quotaPerUnit,
    });
  };
  return {
    lookup(query) {
      const today = priceDay();
      if (today !== day) known.clear();
      day = today;
      const key = `${query.acceptUnpriced === true}\n${query.userGroup}\n${query.usingGroup}\n${query.model}`;
      const found = known.get(key);
      if (found !== undefined || known.has(key)) return found;
      if (known.size >= cacheLimit) known.clear();
      const price = compile(query);
      known.set(key, price);
      return price;
    },
  };
}

/** Names of custom assistants share one: of a price, in the lists of channels and in the limits of keys (contract 4.7). */
export function priceName(model: string): string {
  if (model.startsWith('gpt-4-gizmo')) return 'gpt-4-gizmo-*';
  if (model.startsWith('gpt-4o-gizmo')) return 'gpt-4o-gizmo-*';
  return model;
}

type ModelPrice = Omit<PriceSnapshot, 'version' | 'model' | 'group' | 'groupRatioNano' | 'specialGroup' | 'quotaPerUnit'>;

function priceModel(tables: PriceTables, fallback: DefaultPrice, model: string): ModelPrice | undefined {
  const isOwn = tables.modelPrice.has(model) || tables.modelRatio.has(model) || tables.tiers.has(model);
  const secondPrice = tables.secondPrice.get(model) ?? (isOwn ? undefined : fallback.secondPrice);
  if (secondPrice !== undefined) {
    const { tiers, ...price } = ratios(tables, fallback, model, 0);
    return { ...price, kind: 'call', callPriceNano: toNano(secondPrice), perSecond: true };
  }
  const callPrice =
    tables.modelPrice.get(model) ?? (tables.modelRatio.has(model) || tables.tiers.has(model) ? undefined : fallback.callPrice);
  if (callPrice !== undefined) {
    const { tiers, ...price } = ratios(tables, fallback, model, 0);
    return { ...price, kind: 'call', callPriceNano: toNano(callPrice) };
  }
  const own = tables.tiers.get(model);
  const ratio = tables.modelRatio.get(model) ?? own?.[0]?.ratio ?? fallback.ratio;
  return ratio === undefined ? undefined : ratios(tables, fallback, model, ratio);
}

function ratios(tables: PriceTables, fallback: DefaultPrice, model: string, ratio: string | number): ModelPrice {
  const plain = {
    modelRatioNano: toNano(ratio),
    completionRatioNano: toNano(tables.completionRatio.get(model) ?? fallback.completion ?? 1),
    cacheRatioNano: toNano(tables.cacheRatio.get(model) ?? fallback.cache ?? 1),
    cacheWriteRatioNano: toNano(tables.cacheWriteRatio.get(model) ?? fallback.cacheWrite ?? defaultCacheWrite),
  };
  return {
    kind: 'token',
    callPriceNano: 0,
    ...plain,
    ...media(tables, fallback, model),
    ...tiersOf(tables, fallback, model, plain),
  };
}

function media(tables: PriceTables, fallback: DefaultPrice, model: string) {
  const given = {
    cacheWrite1hRatioNano: tables.cacheWrite1hRatio.get(model) ?? fallback.cacheWrite1h,
    audioRatioNano: tables.audioRatio.get(model) ?? fallback.audio,
    audioCompletionRatioNano: tables.audioCompletionRatio.get(model) ?? fallback.audioCompletion,
    imageRatioNano: tables.imageRatio.get(model) ?? fallback.image,
    // The operator's word on what is answered is one on pictures, too.
    imageCompletionRatioNano: tables.completionRatio.has(model) ? undefined : fallback.imageCompletion,
  };
  return Object.fromEntries(
    Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [[name, toNano(value)]])),
  );
}

/** The operator's tiers; the catalogue's only while the operator has no ratios of the model's own. */
function tiersOf(
  tables: PriceTables,
  fallback: DefaultPrice,
  model: string,
  plain: Omit<PriceTier, 'upTo'>,
): Pick<ModelPrice, 'tiers'> {
  const isOwn = [tables.modelRatio, tables.completionRatio, tables.cacheRatio, tables.cacheWriteRatio].some((table) =>
    table.has(model),
  );
  const tiers: readonly DefaultTier[] | undefined = tables.tiers.get(model) ?? (isOwn ? undefined : fallback.tiers);
  if (tiers === undefined || tiers.length === 0) return {};
  return {
    tiers: tiers.map(({ upTo, ratio, completion, cache, cacheWrite }) => ({
      ...(upTo === undefined ? {} : { upTo }),
      modelRatioNano: toNano(ratio),
      completionRatioNano: completion === undefined ? plain.completionRatioNano : toNano(completion),
      cacheRatioNano: cache === undefined ? plain.cacheRatioNano : toNano(cache),
      cacheWriteRatioNano: cacheWrite === undefined ? plain.cacheWriteRatioNano : toNano(cacheWrite),
    })),
  };
}
