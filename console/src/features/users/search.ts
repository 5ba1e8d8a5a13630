import { type ListSearch, readListSearch } from '../../lib/list-search.ts';
import { type RawSearch, textParam } from '../../lib/search.ts';

export interface UserSearch extends ListSearch {
  keyword?: string;
  group?: string;
}
export const readUserSearch = (raw: RawSearch): UserSearch => ({
  ...readListSearch(raw),
  keyword: textParam(raw.keyword),
  group: textParam(raw.group),
});
