import { type ListSearch, readListSearch } from '../../lib/list-search.ts';
import { intParam, latestSeconds, type RawSearch, textParam } from '../../lib/search.ts';

/** What narrows drawings and tasks alike. */
export interface TaskListSearch extends ListSearch {
  /** Unix seconds; absent = the usual range of the page. */
  from?: number;
  to?: number;
  id?: string;
  status?: string;
  /** For administrators. */
  channel?: number;
  /** A username; for administrators. */
  user?: string;
}

export const readTaskListSearch = (raw: RawSearch): TaskListSearch => ({
  ...readListSearch(raw),
  from: intParam(raw.from, 0, latestSeconds),
  to: intParam(raw.to, 0, latestSeconds),
  id: textParam(raw.id, 255),
  status: textParam(raw.status, 32),
  channel: intParam(raw.channel, 1, Number.MAX_SAFE_INTEGER),
  user: textParam(raw.user, 255),
});
