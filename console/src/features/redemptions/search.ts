import { type ListSearch, readListSearch } from '../../lib/list-search.ts';
import { intParam, type RawSearch, textParam } from '../../lib/search.ts';

export interface RedemptionSearch extends ListSearch {
  /** An id, or how a name starts. */
  keyword?: string;
  status?: number;
}
export const readRedemptionSearch = (raw: RawSearch): RedemptionSearch => ({
  ...readListSearch(raw),
  keyword: textParam(raw.keyword),
  status: intParam(raw.status, 1, 4),
});
