import { nano } from './decimal.ts';
import type { DefaultPrice, PriceBook } from './price-book.ts';
import type { PriceSnapshot } from './types.ts';

interface Sale {
  readonly options: {
    readonly GroupRatio: ReadonlyMap<string, unknown>;
    readonly GroupGroupRatio: ReadonlyMap<string, ReadonlyMap<string, unknown>>;
  };
  readonly prices: PriceBook;
  /** Models that are served in a group. */
  models(group: string): readonly string[];
  /** What the vendor asks. */
  readonly listPrice: (model: string) => DefaultPrice;
  /** What is paid for a model, as a share of the list price. */
  readonly cost: number;
}

/**
 * Models that some group gets for less than they cost, with the smallest share of the list price that anybody pays; the worst
 * first. Models without a list price are left out. For a look at it, not for bookings: in plain numbers.
 */
export function soldBelow({ options, prices, models, listPrice, cost }: Sale): { model: string; share: number }[] {
  const lowest = new Map<string, number>();
  for (const usingGroup of options.GroupRatio.keys()) {
    for (const userGroup of payersOf(usingGroup, options)) {
      for (const model of models(usingGroup)) {
        const price = prices.lookup({ model, userGroup, usingGroup });
        const share = price === undefined ? undefined : shareOf(price, listPrice(model));
        if (share !== undefined && share < cost) lowest.set(model, Math.min(share, lowest.get(model) ?? share));
      }
    }
  }
  return [...lowest].map(([model, share]) => ({ model, share })).sort((left, right) => left.share - right.share);
}

/** Its own users, and those of other groups who pay a ratio of their own in it. */
function payersOf(group: string, { GroupGroupRatio }: Sale['options']): Set<string> {
  return new Set([group, ...[...GroupGroupRatio].flatMap(([user, ratios]) => (ratios.has(group) ? [user] : []))]);
}

/** Of the list price, for what is the cheapest part of a call; undefined where the two cannot be compared. */
function shareOf(price: PriceSnapshot, list: DefaultPrice): number | undefined {
  const group = price.groupRatioNano / nano;
  if (price.kind === 'call') {
    const asked = Number(price.perSecond === true ? list.secondPrice : list.callPrice);
    return asked > 0 ? ((price.callPriceNano / nano) * group) / asked : undefined;
  }
  const asked = Number(list.ratio);
  if (!(asked > 0)) return undefined;
  const prompt = ((price.modelRatioNano / nano) * group) / asked;
  const completion = Number(list.completion);
  return completion > 0 ? Math.min(prompt, (prompt * price.completionRatioNano) / nano / completion) : prompt;
}
