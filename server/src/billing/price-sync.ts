import { fields, type PricePreview, type PriceSync, type PriceSyncRow, type SyncOption, syncOptions } from '@tollgate/contract';
import { nanoToNumber, parseNano } from './decimal.ts';
import type { DefaultPrice } from './price-book.ts';
import { type PriceSource, servedModels } from './price-list.ts';
import type { PriceSnapshot } from './types.ts';

/** What somebody else asks for models, by option. */
export type Offer = ReadonlyMap<SyncOption, number>;
export type Offers = ReadonlyMap<string, Offer>;
type Value = string | number | undefined;

const maxOffers = 10_000;
const maxRows = 2_000;
const ratioLimit = 1_000_000;
/** A price that changes by more than this factor, or becomes nothing, is applied only when somebody says so again. */
export const extremeFactor = 100;

/** The bundled catalogue's prices for the models that are served or priced here. */
export function catalogueOffers(source: PriceSource, defaults: (model: string) => DefaultPrice): Offers {
  const models = new Set([...servedModels(source), ...source.options.ModelRatio.keys(), ...source.options.ModelPrice.keys()]);
  return new Map([...models].map((model) => [model, offerOf(defaults(model))]));
}

function offerOf(price: DefaultPrice): Offer {
  // No option of a change set is a price for a second.
  if (price.secondPrice !== undefined) return new Map();
  if (price.callPrice !== undefined) return numbers([['ModelPrice', price.callPrice]]);
  if (price.ratio === undefined) return new Map();
  return numbers([
    ['ModelRatio', price.ratio],
    ['CompletionRatio', price.completion],
    ['CacheRatio', price.cache],
    ['CreateCacheRatio', price.cacheWrite],
    ['CreateCacheRatio1h', price.cacheWrite1h],
    ['AudioRatio', price.audio],
    ['AudioCompletionRatio', price.audioCompletion],
    ['ImageRatio', price.image],
  ]);
}

/** The body of another gateway's /api/pricing; undefined when it is none. Entries that are not prices are left out. */
export function gatewayOffers(body: Readonly<Record<string, unknown>> | undefined): Offers | undefined {
  const items = body?.data;
  if (!Array.isArray(items)) return undefined;
  const offers = new Map<string, Offer>();
  for (const item of items.slice(0, maxOffers) as unknown[]) {
    if (typeof item !== 'object' || item === null) continue;
    const { model_name: name, ...price } = item as Record<string, unknown>;
    const model = fields.modelName.safeParse(name);
    if (model.success) offers.set(model.data, offerIn(price));
  }
  return offers;
}

function offerIn(item: Record<string, unknown>): Offer {
  const number = (name: string) => (typeof item[name] === 'number' ? item[name] : undefined);
  if (item.per_second === true) return new Map();
  if (item.quota_type === 1) return numbers([['ModelPrice', number('model_price')]]);
  if (item.quota_type !== 0) return new Map();
  return numbers([
    ['ModelRatio', number('model_ratio')],
    ['CompletionRatio', number('completion_ratio')],
    ['CacheRatio', number('cache_ratio')],
    ['CreateCacheRatio', number('cache_creation_ratio')],
    ['CreateCacheRatio1h', number('cache_creation_1h_ratio')],
    ['AudioRatio', number('audio_ratio')],
    ['AudioCompletionRatio', number('audio_completion_ratio')],
    ['ImageRatio', number('image_ratio')],
  ]);
}

/** As they would be counted here: what differs in digits beyond that is no other price. What is that little is not offered as free. */
function numbers(entries: readonly (readonly [SyncOption, Value])[]): Offer {
  const usable = entries.flatMap(([option, value = '']): [SyncOption, number][] => {
    const counted = parseNano(value);
    if (counted === undefined || (counted === 0 && Number(value) > 0)) return [];
    const price = nanoToNumber(counted);
    return price <= ratioLimit ? [[option, price]] : [];
  });
  return new Map(usable);
}

/** What would change here; models that are served come first. */
export function changeSet(source: PriceSource, from: string, offers: Offers): PriceSync {
  const enabled = servedModels(source);
  const rows = [...offers].flatMap(([model, offer]) =>
    [...offer].flatMap(([option, to]) => {
      const row = {
        ...compare(source, { option, model, to }),
        enabled: enabled.has(model),
        ...besideTiers(source, option, model),
      };
      return row.from === to ? [] : [row];
    }),
  );
  rows.sort((left, right) => Number(right.enabled) - Number(left.enabled) || (left.model < right.model ? -1 : 1));
  return { source: from, rows: rows.slice(0, maxRows), truncated: rows.length > maxRows };
}

/** One price beside the one in force. */
export function compare(source: PriceSource, { option, model, to }: { option: SyncOption; model: string; to: number }) {
  const from = currentOf(source.prices.lookup({ model, userGroup: '', usingGroup: '' }), option);
  const factor = from === null || from === 0 ? null : Number((to / from).toPrecision(6));
  const extreme = factor !== null && (factor > extremeFactor || factor < 1 / extremeFactor);
  return { option, model, from, to, ratio_change: factor, extreme } satisfies Omit<PriceSyncRow, 'enabled'>;
}

const maxInherited = 1_000;

/** What the catalogue, or a rule, says where the one side has an entry and the other has none. */
export function inheritedIn(...sides: readonly [BookOf, BookOf]): PricePreview['inherited'] {
  const found = syncOptions.flatMap((option) => {
    const models = new Set(sides.flatMap(({ options }) => [...options[option].keys()]));
    return [...models].flatMap((model) => {
      const without = sides.filter(({ options }) => !options[option].has(model));
      const value = currentOf(without[0]?.prices.lookup({ model, userGroup: '', usingGroup: '' }), option);
      return value === null ? [] : [{ option, model, value }];
    });
  });
  return found.slice(0, maxInherited);
}

type BookOf = Pick<PriceSource, 'options' | 'prices'>;

/** What a tier says of its own in place of a flat price. */
const tierFields: Partial<Record<SyncOption, 'ratio' | 'completion' | 'cache' | 'cacheWrite'>> = {
  ModelRatio: 'ratio',
  CompletionRatio: 'completion',
  CacheRatio: 'cache',
  CreateCacheRatio: 'cacheWrite',
};

function besideTiers({ options, prices }: PriceSource, option: SyncOption, model: string): Pick<PriceSyncRow, 'tiers'> {
  const field = tierFields[option];
  if (field === undefined) return {};
  const own = options.PriceTiers.get(model);
  if (own !== undefined) return own.some((tier) => tier[field] !== undefined) ? { tiers: 'own' } : {};
  const present = prices.lookup({ model, userGroup: '', usingGroup: '' });
  return present?.tiers === undefined ? {} : { tiers: 'catalogue' };
}

function currentOf(price: PriceSnapshot | undefined, option: SyncOption): number | null {
  if (price === undefined || price.perSecond === true || (price.kind === 'call') !== (option === 'ModelPrice')) return null;
  const values: Partial<Record<SyncOption, number | undefined>> = {
    ModelPrice: price.callPriceNano,
    ModelRatio: price.modelRatioNano,
    CompletionRatio: price.completionRatioNano,
    CacheRatio: price.cacheRatioNano,
    CreateCacheRatio: price.cacheWriteRatioNano,
    CreateCacheRatio1h: price.cacheWrite1hRatioNano,
    AudioRatio: price.audioRatioNano,
    AudioCompletionRatio: price.audioCompletionRatioNano,
    ImageRatio: price.imageRatioNano,
  };
  const value = values[option];
  return value === undefined ? null : nanoToNumber(value);
}
