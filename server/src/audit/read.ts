import type { AuditEntry, AuditQuery, PageOf } from '@tollgate/contract';
import type { ExpressionBuilder } from 'kysely';
import { batchesOf } from '../platform/batches.ts';
import type { Database } from '../storage/database.ts';
import { pageOf } from '../storage/page.ts';
import type { Schema } from '../storage/schema.ts';

export interface AuditTrail {
  /** Newest first; `p` counts from 1. */
  page(query: AuditQuery): Promise<PageOf<AuditEntry>>;
  /** What this user did, newest first, some at a time; not what was found there, which may be other people's. */
  acts(userId: number): AsyncGenerator<readonly Act[]>;
}

interface Act {
  readonly id: number;
  readonly time: number;
  readonly action: string;
  readonly target: string;
  readonly ip: string;
}

/** What a filter leaves may be few of a million: nothing quick waits for the others to be passed over. */
export const createAuditTrail = ({ db: { analyse: read } }: { db: Pick<Database, 'analyse'> }): AuditTrail => ({
  async page(query) {
    const ids = await idsOf(read, query.actor);
    const rows = read.selectFrom('audit').where((build) => build.and(conditions(build, query, ids)));
    const isRange = query.start_timestamp !== 0 || query.end_timestamp !== 0;
    return pageOf(read, rows, query, (page) => {
      // In the order of the index that narrows them: a day of long ago is not looked for from the newest row down.
      const ordered = isRange ? page.orderBy('created_at', 'desc') : page;
      return ordered.selectAll().orderBy('seq', 'desc').execute();
    });
  },
  acts: (userId) =>
    batchesOf(({ before, limit }) =>
      read
        .selectFrom('audit')
        .select(['seq as id', 'created_at as time', 'action', 'target', 'ip'])
        .where('actor_id', '=', userId)
        .where('seq', '<', before)
        .orderBy('seq', 'desc')
        .limit(limit)
        .execute(),
    ),
});

/** Whose name or id it is now: in rows of before they may have another name. */
async function idsOf(read: Database['analyse'], actor: string): Promise<number[]> {
  if (actor === '') return [];
  const users = await read.selectFrom('users').select('id').where('username', '=', actor).execute();
  return [...users.map(({ id }) => id), ...(/^\d{1,15}$/.test(actor) ? [Number(actor)] : [])];
}

function conditions(build: ExpressionBuilder<Schema, 'audit'>, query: AuditQuery, ids: readonly number[]) {
  const { actor, action, target, start_timestamp: start, end_timestamp: end } = query;
  const byActor = build.or([build('actor', '=', actor), ...ids.map((id) => build('actor_id', '=', id))]);
  return [
    ...(actor === '' ? [] : [byActor]),
    ...(action === '' ? [] : [build('action', '=', action)]),
    ...(target === '' ? [] : [build('target', '=', target)]),
    ...(start === 0 ? [] : [build('created_at', '>=', start)]),
    ...(end === 0 ? [] : [build('created_at', '<=', end)]),
  ];
}
