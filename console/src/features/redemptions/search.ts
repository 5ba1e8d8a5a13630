import { type ListSearch, readListSearch } from '../../lib/list-search.ts';
import { type RawSearch, textParam } from '../../lib/search.ts';

export interface RedemptionSearch extends ListSearch {
  /** An id, or how a name starts. */
  keyword?: string;
}
export const readRedemptionSearch = (raw: RawSearch): RedemptionSearch => ({
  ...readListSearch(raw),
  keyword: textParam(raw.keyword),
});
