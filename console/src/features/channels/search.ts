import { maxChannelKeyword } from '@tollgate/contract';
import { type ListSearch, readListSearch } from '../../lib/list-search.ts';
import { intParam, type RawSearch, textParam } from '../../lib/search.ts';

export interface ChannelSearch extends ListSearch {
  /** Id, part of the name, or the whole key. */
  keyword?: string;
  model?: string;
  group?: string;
  status?: number;
  type?: number;
  /** Channels under the row of their tag. */
  view?: 'tags';
}
export const readChannelSearch = (raw: RawSearch): ChannelSearch => ({
  ...readListSearch(raw),
  keyword: textParam(raw.keyword, maxChannelKeyword),
  model: textParam(raw.model),
  group: textParam(raw.group),
  status: intParam(raw.status, 1, 3),
  type: intParam(raw.type, 1, 100_000),
  view: raw.view === 'tags' ? 'tags' : undefined,
});
