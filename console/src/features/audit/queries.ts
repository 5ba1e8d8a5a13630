import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import type { AuditEntry } from '@tollgate/contract';
import { call } from '../../api/call.ts';
import { pageOfTotal } from '../../api/page.ts';
import { routes } from '../../api/routes.ts';
import type { AuditSearch } from './search.ts';

/** An entry as a table row. */
export interface AuditRow extends AuditEntry {
  id: number;
}

export const auditQuery = (filter: Omit<AuditSearch, 'p' | 'size'>, page: number, size: number) =>
  queryOptions({
    queryKey: ['audit', filter, page, size],
    queryFn: async ({ signal }) => {
      const { actor, action, target, from, to } = filter;
      const query = { p: page, page_size: size, actor, action, target, start_timestamp: from, end_timestamp: to };
      const answer = await call(routes.audit.list, { query, signal });
      const items: AuditRow[] = answer.items.map((entry) => ({ ...entry, id: entry.seq }));
      return pageOfTotal({ ...answer, items }, page, size);
    },
    placeholderData: keepPreviousData,
  });
