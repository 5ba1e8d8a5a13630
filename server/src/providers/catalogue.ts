import { calcPrice } from '@pydantic/genai-prices';
import { recentCache } from '../platform/cache.ts';
import {
  audioFamilies,
  cacheFamilies,
  completionFamilies,
  defaultCallPrices,
  defaultRatios,
  defaultSecondPrices,
  spokenAnswer,
} from './default-prices.ts';

/** What is known of a model without the operator; decimals. Structurally the price book's `DefaultPrice`. */
export interface CataloguePrice extends ListPrice {
  callPrice?: string;
  secondPrice?: string;
  /** What holds from a later day (UTC) on, where the list names one. */
  next?: { day: number; price: CataloguePrice };
}

interface Ratios {
  ratio?: string | number;
  completion?: string | number;
  cache?: string | number;
  cacheWrite?: number;
}

interface ListPrice extends Ratios {
  cacheWrite1h?: number;
  audio?: string | number;
  audioCompletion?: string | number;
  image?: number;
  imageCompletion?: number;
  tiers?: readonly (Ratios & { upTo?: number; ratio: number })[];
}

const callPrices = new Map(defaultCallPrices);
const secondPrices = new Map(defaultSecondPrices);
const ratios = new Map(defaultRatios.map(([model, ratio, completion]) => [model, { ratio, completion }]));

const dayMs = 86_400_000;
/** Looking through the list takes its time, and the same models are asked for again at every change of channels or options. */
const known = recentCache<Readonly<CataloguePrice>>(20_000);
let knownOn = 0;

/** The bundled catalogue's present list price, then the contract's table and family rules. */
export function cataloguePrice(model: string): Readonly<CataloguePrice> {
  const today = Math.floor(Date.now() / dayMs);
  if (knownOn !== today) known.clear();
  knownOn = today;
  const found = known.get(model);
  if (found !== undefined) return found;
  const price = Object.freeze(priceOf(model, today));
  known.set(model, price);
  return price;
}

function priceOf(model: string, day: number): CataloguePrice {
  const { prices, nextDay } = pricesOf(model, day);
  const listed = listPrice(prices);
  const own = ratios.get(model);
  const spoken = listed?.audio ?? family(audioFamilies, model);
  return {
    ...listed,
    callPrice: callPrices.get(model),
    secondPrice: secondPrices.get(model),
    ratio: listed?.ratio ?? own?.ratio,
    completion: listed?.completion ?? own?.completion ?? family(completionFamilies, model),
    cache: listed?.cache ?? family(cacheFamilies, model),
    audio: spoken,
    audioCompletion: listed?.audioCompletion ?? (spoken === undefined ? undefined : spokenAnswer),
    ...(nextDay === undefined ? {} : { next: { day: nextDay, price: priceOf(model, nextDay) } }),
  };
}

/** List prices are dollars per million tokens; ratio 1 = 2 dollars. */
function listPrice(prices: ListPrices | undefined): ListPrice | undefined {
  const base = prices && ratiosAt(prices, 0);
  if (base === undefined) return undefined;
  const input = dollarsAt(prices?.input_mtok, 0);
  const heard = dollarsAt(prices?.input_audio_mtok, 0);
  const spoken = dollarsAt(prices?.output_audio_mtok, 0);
  return {
    ...base,
    cacheWrite1h: relative(dollarsAt(prices?.cache_write_1h_mtok, 0), input),
    audio: relative(heard, input),
    audioCompletion: relative(spoken, heard),
    image: relative(dollarsAt(prices?.input_image_mtok, 0), input),
    imageCompletion: relative(dollarsAt(prices?.output_image_mtok, 0), input),
    ...tiersOf(prices),
  };
}

type ListPrices = NonNullable<ReturnType<typeof calcPrice>>['model_price'];
type Price = ListPrices['input_mtok'];

/**
 * What the list asks on a day (UTC), and the next one from which it asks something else. Where it depends on the hour it is what the
 * dearest hour of the day costs: who keeps a price that was looked up once must not sell at it below cost at another hour
 * (decision 0167).
 */
function pricesOf(model: string, day: number): { prices: ListPrices | undefined; nextDay: number | undefined } {
  const begin = new Date(day * dayMs);
  const at = (timestamp: Date) => calcPrice({ input_tokens: 1, output_tokens: 1 }, model, { timestamp });
  const found = at(begin);
  const listed = found?.model.prices;
  const constraints = (Array.isArray(listed) ? listed : []).flatMap(({ constraint }) => constraint ?? []);
  const turns = constraints.flatMap((each) => (each.type === 'time_of_date' ? [each.start_time, each.end_time] : []));
  const days = constraints.flatMap((each) => (each.type === 'start_date' ? [Date.parse(each.start_date) / dayMs] : []));
  const [date] = begin.toISOString().split('T');
  // The end of one window is outside of it: between them the two see every price of the day.
  const prices = turns
    .map((time) => at(new Date(`${date}T${time}`))?.model_price)
    .reduce((dearest, each) => (inputOf(each) > inputOf(dearest) ? each : dearest), found?.model_price);
  return { prices, nextDay: days.filter((start) => start > day).sort((left, right) => left - right)[0] };
}

const inputOf = (prices: ListPrices | undefined): number => dollarsAt(prices?.input_mtok, 0) ?? 0;

/** Relative to the price of a prompt token of so long a prompt. */
function ratiosAt(prices: ListPrices, prompt: number) {
  const input = dollarsAt(prices.input_mtok, prompt);
  if (input === undefined) return undefined;
  return {
    ratio: tidy(input / 2),
    completion: relative(dollarsAt(prices.output_mtok, prompt), input),
    cache: relative(dollarsAt(prices.cache_read_mtok, prompt), input),
    cacheWrite: relative(dollarsAt(prices.cache_write_mtok, prompt), input),
  };
}

function relative(price: number | undefined, whole: number | undefined): number | undefined {
  return price === undefined || whole === undefined || whole === 0 ? undefined : tidy(price / whole);
}

/** The list names where a dearer price starts; here a tier ends there. */
function tiersOf(prices: ListPrices | undefined): Pick<ListPrice, 'tiers'> {
  const steps = typeof prices?.input_mtok === 'object' ? prices.input_mtok.tiers.map(({ start }) => start) : [];
  if (prices === undefined || steps.length === 0) return {};
  const starts = [0, ...steps.sort((left, right) => left - right)];
  const tiers = starts.flatMap((start, index) => {
    const upTo = starts[index + 1];
    const ratios = ratiosAt(prices, start === 0 ? 0 : start + 1);
    return ratios === undefined ? [] : [{ ...(upTo === undefined ? {} : { upTo }), ...ratios }];
  });
  return { tiers };
}

/** Nine decimals, the ledger's precision: 0.1 / 0.4 must not leave a binary tail. */
function tidy(value: number): number {
  return Number(value.toFixed(9));
}

function dollarsAt(price: Price, prompt: number): number | undefined {
  if (typeof price !== 'object') return price;
  return price.tiers.reduce((dollars, tier) => (prompt > tier.start ? tier.price : dollars), price.base);
}

function family(rules: readonly (readonly [RegExp, string])[], model: string): string | undefined {
  return rules.find(([pattern]) => pattern.test(model))?.[1];
}
