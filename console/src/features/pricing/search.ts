import { type ListSearch, readListSearch } from '../../lib/list-search.ts';
import { type RawSearch, textParam } from '../../lib/search.ts';

export const billingTypes = ['token', 'call', 'second'] as const;
export type BillingType = (typeof billingTypes)[number];

const sorts = ['model', '-model', 'in', '-in', 'out', '-out'] as const;
type PriceSort = (typeof sorts)[number];

export interface PricingSearch extends ListSearch {
  q?: string;
  group?: string;
  type?: BillingType;
  provider?: string;
  /** Models that the shown group cannot call are left out. */
  hide?: '1';
  sort?: PriceSort;
}

export const readPricingSearch = (raw: RawSearch): PricingSearch => ({
  ...readListSearch(raw),
  q: textParam(raw.q),
  group: textParam(raw.group),
  type: billingTypes.find((type) => type === raw.type),
  provider: textParam(raw.provider),
  hide: String(raw.hide) === '1' ? '1' : undefined,
  sort: sorts.find((sort) => sort === raw.sort),
});
