import type { AuditEntry } from '@tollgate/contract';
import { call } from '../../api/call.ts';
import { totalQuery } from '../../api/page.ts';
import { routes } from '../../api/routes.ts';
import type { AuditSearch } from './search.ts';

/** An entry as a table row. */
export interface AuditRow extends AuditEntry {
  id: number;
}

export const auditQuery = (filter: Omit<AuditSearch, 'p' | 'size'>, page: number, size: number) =>
  totalQuery(['audit', filter], [page, size], async (place, signal) => {
    const { from, to, ...named } = filter;
    const query = { ...place, ...named, start_timestamp: from, end_timestamp: to };
    const answer = await call(routes.audit.list, { query, signal });
    return { ...answer, items: answer.items.map((entry): AuditRow => ({ ...entry, id: entry.seq })) };
  });
