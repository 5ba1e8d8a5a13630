import { type ListSearch, readListSearch } from '../../lib/list-search.ts';
import { intParam, type RawSearch, textParam } from '../../lib/search.ts';

export interface TokenSearch extends ListSearch {
  keyword?: string;
  /** Part of the key, with or without `sk-`. */
  token?: string;
  status?: number;
}
export const readTokenSearch = (raw: RawSearch): TokenSearch => ({
  ...readListSearch(raw),
  keyword: textParam(raw.keyword),
  token: textParam(raw.token),
  status: intParam(raw.status, 1, 4),
});
