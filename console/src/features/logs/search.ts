import { type ListSearch, readListSearch } from '../../lib/list-search.ts';
import { intParam, latestSeconds, type RawSearch, textParam } from '../../lib/search.ts';

export interface LogSearch extends ListSearch {
  /** Unix seconds; absent = the default range. */
  from?: number;
  to?: number;
  token?: string;
  model?: string;
  group?: string;
  /** For administrators. */
  channel?: number;
  user?: string;
  type?: number;
  request?: string;
  /** An upstream's own id of a call; for administrators. */
  upstream?: string;
  /** Where calls came from. */
  ip?: string;
  /** The cursor of the screen `p`; without it the screen is found by its number. */
  before?: number;
}

export function readLogSearch(raw: RawSearch): LogSearch {
  return {
    ...readListSearch(raw),
    from: intParam(raw.from, 0, latestSeconds),
    to: intParam(raw.to, 0, latestSeconds),
    token: textParam(raw.token, 255),
    model: textParam(raw.model, 255),
    group: textParam(raw.group, 255),
    channel: intParam(raw.channel, 1, Number.MAX_SAFE_INTEGER),
    user: textParam(raw.user, 255),
    request: textParam(raw.request),
    upstream: textParam(raw.upstream, 255),
    ip: textParam(raw.ip, 255),
    before: intParam(raw.before, 1, Number.MAX_SAFE_INTEGER),
    type: intParam(raw.type, 1, 6),
  };
}
