import { type ListSearch, readListSearch } from '../../lib/list-search.ts';
import { intParam, type RawSearch, textParam } from '../../lib/search.ts';

export interface UserSearch extends ListSearch {
  keyword?: string;
  group?: string;
  role?: number;
  status?: number;
}
export const readUserSearch = (raw: RawSearch): UserSearch => ({
  ...readListSearch(raw),
  keyword: textParam(raw.keyword),
  group: textParam(raw.group),
  role: intParam(raw.role, 1, 100),
  status: intParam(raw.status, 1, 4),
});
