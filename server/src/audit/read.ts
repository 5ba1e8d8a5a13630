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
  const named = build('actor', '=', actor);
  // Whose name it is now had another one in rows of before.
  const owned = build('actor_id', 'in', build.selectFrom('users').select('users.id').where('users.username', '=', actor));
  const byId = /^\d{1,15}$/.test(actor) ? [build('actor_id', '=', Number(actor))] : [];
  const byActor = build.or([named, owned, ...byId]);
  return [
    ...(actor === '' ? [] : [byActor]),
    ...(action === '' ? [] : [build('action', '=', action)]),
    ...(start === 0 ? [] : [build('created_at', '>=', start)]),
    ...(end === 0 ? [] : [build('created_at', '<=', end)]),
  ];
}
