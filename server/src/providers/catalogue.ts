import { calcPrice } from '@pydantic/genai-prices';
import { cacheFamilies, completionFamilies, defaultCallPrices, defaultRatios } from './default-prices.ts';

/** What is known of a model without the operator; decimals. Structurally the price book's `DefaultPrice`. */
export interface CataloguePrice {
  callPrice?: string;
  ratio?: string | number;
  completion?: string | number;
  cache?: string | number;
  cacheWrite?: number;
}

const callPrices = new Map(defaultCallPrices);
const ratios = new Map(defaultRatios.map(([model, ratio, completion]) => [model, { ratio, completion }]));

/** The bundled catalogue's present list price, then the contract's table and family rules. */
export function cataloguePrice(model: string): CataloguePrice {
  const listed = listPrice(model);
  const own = ratios.get(model);
  return {
    callPrice: callPrices.get(model),
    ratio: listed?.ratio ?? own?.ratio,
    completion: listed?.completion ?? own?.completion ?? family(completionFamilies, model),
    cache: listed?.cache ?? family(cacheFamilies, model),
    cacheWrite: listed?.cacheWrite,
  };
}

/** List prices are dollars per million tokens; ratio 1 = 2 dollars. A tiered price counts with its first tier. */
function listPrice(model: string) {
  const prices = calcPrice({ input_tokens: 1, output_tokens: 1 }, model)?.model_price;
  const input = dollars(prices?.input_mtok);
  if (prices === undefined || input === undefined) return undefined;
  const relative = (price: number | undefined) => (price === undefined || input === 0 ? undefined : tidy(price / input));
  return {
    ratio: tidy(input / 2),
    completion: relative(dollars(prices.output_mtok)),
    cache: relative(dollars(prices.cache_read_mtok)),
    cacheWrite: relative(dollars(prices.cache_write_mtok)),
  };
}

/** Nine decimals, the ledger's precision: 0.1 / 0.4 must not leave a binary tail. */
function tidy(value: number): number {
  return Number(value.toFixed(9));
}

function dollars(price: number | { base: number } | undefined): number | undefined {
  return typeof price === 'object' ? price.base : price;
}

function family(rules: readonly (readonly [RegExp, string])[], model: string): string | undefined {
  return rules.find(([pattern]) => pattern.test(model))?.[1];
}
