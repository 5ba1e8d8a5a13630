import type { AuditEntry, AuditQuery, PageOf } from '@tollgate/contract';
import type { ExpressionBuilder } from 'kysely';
import type { Database } from '../storage/database.ts';
import { pageOf } from '../storage/page.ts';
import type { Schema } from '../storage/schema.ts';

export interface AuditTrail {
  /** Newest first; `p` counts from 1. */
  page(query: AuditQuery): Promise<PageOf<AuditEntry>>;
}

export const createAuditTrail = ({ db }: { db: Pick<Database, 'read'> }): AuditTrail => ({
  page(query) {
    const rows = db.read.selectFrom('audit').where((build) => build.and(conditions(build, query)));
    return pageOf(db.read, rows, query, (page) => page.selectAll().orderBy('seq', 'desc').execute());
  },
});

function conditions(build: ExpressionBuilder<Schema, 'audit'>, query: AuditQuery) {
  const { actor, action, start_timestamp: start, end_timestamp: end } = query;
  const byActor = /^\d{1,15}$/.test(actor)
    ? build.or([build('actor_id', '=', Number(actor)), build('actor', '=', actor)])
    : build('actor', '=', actor);
  return [
    ...(actor === '' ? [] : [byActor]),
    ...(action === '' ? [] : [build('action', '=', action)]),
    ...(start === 0 ? [] : [build('created_at', '>=', start)]),
    ...(end === 0 ? [] : [build('created_at', '<=', end)]),
  ];
}
