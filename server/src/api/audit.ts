import type { auditRoutes } from '@tollgate/contract';
import type { AuditTrail } from '../audit/index.ts';
import type { Handlers } from './types.ts';

export function auditHandlers({ auditTrail }: { auditTrail: AuditTrail }): Handlers<typeof auditRoutes> {
  return { list: ({ query }) => auditTrail.page(query) };
}
