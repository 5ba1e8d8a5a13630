import { type ListSearch, readListSearch } from '../../lib/list-search.ts';
import { intParam, latestSeconds, type RawSearch, textParam } from '../../lib/search.ts';

export interface AuditSearch extends ListSearch {
  /** User name or id. */
  actor?: string;
  action?: string;
  /** `user:7`, `channel:3`. */
  target?: string;
  /** Unix seconds. */
  from?: number;
  to?: number;
}

export const readAuditSearch = (raw: RawSearch): AuditSearch => ({
  ...readListSearch(raw),
  actor: textParam(raw.actor, 64),
  action: textParam(raw.action, 64),
  target: textParam(raw.target, 200),
  from: intParam(raw.from, 0, latestSeconds),
  to: intParam(raw.to, 0, latestSeconds),
});
