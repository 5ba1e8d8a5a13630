import { nano, toNano } from './decimal.ts';
import { priceName } from './price-book.ts';
import type { PriceSnapshot, Usage } from './types.ts';

/** Model -> tool that an upstream runs itself -> dollars for 1,000 uses. `*` stands for every model. */
export type ToolPrices = ReadonlyMap<string, ReadonlyMap<string, number>>;

type Uses = NonNullable<Usage['tools']>;

/** Dollars for 1,000 uses: the operator's word for the model, then for every model; 0 = its tokens are all it costs. */
export function toolPrice(prices: ToolPrices, model: string, tool: string): number {
  return prices.get(priceName(model))?.get(tool) ?? prices.get('*')?.get(tool) ?? 0;
}

const pricedByModel = new WeakMap<ToolPrices, Map<string, readonly string[]>>();

/** The tools that cost something when this model uses them; the same list for the same model. */
export function pricedTools(prices: ToolPrices, model: string): readonly string[] {
  const own = prices.get(priceName(model));
  // What has no entry of its own is one case.
  const key = own === undefined ? '*' : priceName(model);
  const known = pricedByModel.get(prices) ?? new Map<string, readonly string[]>();
  const found = known.get(key);
  if (found !== undefined) return found;
  const names = new Set([...(own?.keys() ?? []), ...(prices.get('*')?.keys() ?? [])]);
  const priced = [...names].filter((tool) => toolPrice(prices, model, tool) > 0);
  pricedByModel.set(prices, known.set(key, priced));
  return priced;
}

const withTools = new WeakMap<PriceSnapshot, Map<string, PriceSnapshot>>();

/**
 * The same price with those of the tools that are used, and of no other; one frozen record for the same ones, since many
 * calls share it. Undefined = none are. Decision 0129.
 */
export function withToolPrices(price: PriceSnapshot, prices: ToolPrices, uses: Uses | undefined): PriceSnapshot {
  const used = Object.keys(uses ?? {})
    .map((tool) => [tool, toNano(toolPrice(prices, price.model, tool))] as const)
    .filter(([, toolNano]) => toolNano > 0)
    .sort(([left], [right]) => (left < right ? -1 : 1));
  if (used.length === 0 && price.toolNano === undefined) return price;
  const key = JSON.stringify(used);
  const known = withTools.get(price) ?? new Map<string, PriceSnapshot>();
  const found = known.get(key);
  if (found !== undefined) return found;
  const { toolNano: _, ...rest } = price;
  const made = Object.freeze(used.length === 0 ? rest : { ...rest, toolNano: Object.freeze(Object.fromEntries(used)) });
  withTools.set(price, known.set(key, made));
  return made;
}

/** The tools that a usage is charged for: how often each was used, and its dollars for 1,000 uses scaled by 1e9. */
export function chargedTools(
  { toolNano }: PriceSnapshot,
  uses: Uses | undefined,
): { tool: string; uses: number; priceNano: number }[] {
  if (toolNano === undefined || uses === undefined) return [];
  return Object.entries(toolNano).flatMap(([tool, priceNano]) => {
    const count = Object.hasOwn(uses, tool) ? (uses[tool] ?? 0) : 0;
    return count > 0 ? [{ tool, uses: count, priceNano }] : [];
  });
}

/** Quota for a price of 1e-9 dollars for 1,000 uses is 1 of this many parts, before the ratios (two, each scaled by 1e9). */
export const toolScale = BigInt(nano) ** 3n * 1000n;

/**
 * What those uses cost in quota, as parts of `toolScale`: group and backup pool multiply it, the tier of the call does not,
 * since no vendor asks more for a search because the answer was made faster.
 */
export function toolParts(price: PriceSnapshot, uses: Uses | undefined): bigint {
  const charged = chargedTools(price, uses);
  if (charged.length === 0) return 0n;
  const sum = charged.reduce((total, { uses: count, priceNano }) => total + BigInt(count) * BigInt(priceNano), 0n);
  return sum * BigInt(price.quotaPerUnit) * BigInt(price.groupRatioNano) * BigInt(price.surchargeNano ?? nano);
}
