import type { AuditEntry, AuditQuery, PageOf } from '@tollgate/contract';
import type { ExpressionBuilder } from 'kysely';
import type { Database } from '../storage/database.ts';
import { countRows } from '../storage/page.ts';
import type { Schema } from '../storage/schema.ts';

export interface AuditTrail {
  /** Newest first; `p` counts from 1. */
  page(query: AuditQuery): Promise<PageOf<AuditEntry>>;
}

/** Totals are counted up to here; nobody pages further. */
const countLimit = 100_000;

export function createAuditTrail({ db }: { db: Pick<Database, 'read'> }): AuditTrail {
  return {
    async page(query) {
      const matching = (build: ExpressionBuilder<Schema, 'audit'>) => build.and(conditions(build, query));
      const items = await db.read
        .selectFrom('audit')
        .selectAll()
        .where(matching)
        .orderBy('seq', 'desc')
        .limit(query.page_size)
        .offset((query.p - 1) * query.page_size)
        .execute();
      const counted = db.read.selectFrom('audit').select('seq').where(matching).limit(countLimit);
      const total = await countRows(db.read.selectFrom(counted.as('matching')));
      return { items, page: query.p, page_size: query.page_size, total };
    },
  };
}

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
