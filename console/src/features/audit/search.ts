import { type ListSearch, readListSearch } from '../../lib/list-search.ts';
import { intParam, type RawSearch, textParam } from '../../lib/search.ts';

export interface AuditSearch extends ListSearch {
  /** User name or id. */
  actor?: string;
  action?: string;
  /** Unix seconds. */
  from?: number;
  to?: number;
}

const latest = 253_402_300_800;

export const readAuditSearch = (raw: RawSearch): AuditSearch => ({
  ...readListSearch(raw),
  actor: textParam(raw.actor, 64),
  action: textParam(raw.action, 64),
  from: intParam(raw.from, 0, latest),
  to: intParam(raw.to, 0, latest),
});
