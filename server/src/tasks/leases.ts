import { taskPlatforms } from '@tollgate/contract';
import type { Database } from '../storage/database.ts';
import { beyondLeaseMs } from '../storage/leases.ts';
import { taskOf } from './rows.ts';
import { longestMs, type Task, type TaskName } from './types.ts';

export interface Claim {
  readonly node: string;
  readonly nowMs: number;
  readonly leaseUntilMs: number;
  readonly limit: number;
}

/** Takes due rows for this node alone until the lease ends. */
export async function claimDue(db: Database, { node, nowMs, leaseUntilMs, limit }: Claim): Promise<Task[]> {
  const due = await db.read
    .selectFrom('task')
    .select('id')
    .where('due_at_ms', '<=', nowMs)
    .where('lease_until_ms', '<=', nowMs)
    // What a newer program began is for newer programs.
    .where('platform', 'in', taskPlatforms)
    .orderBy('due_at_ms')
    .limit(limit)
    .execute();
  if (due.length === 0) return [];
  const rows = await db.transaction((tx) =>
    tx.query
      .updateTable('task')
      .set({ lease_owner: node, lease_until_ms: leaseUntilMs })
      .where(
        'id',
        'in',
        due.map(({ id }) => id),
      )
      // Judged again on the row as it is: another node may have taken it meanwhile.
      .where('lease_until_ms', '<=', nowMs)
      .where('due_at_ms', '<=', nowMs)
      .returningAll()
      .execute(),
  );
  return rows.map(taskOf);
}

/** Whatever its platform is. */
const mostMs = Math.max(...Object.values(longestMs));

/**
 * What a clock ahead of time wrote, and that was set back since, waits no longer than what one of now writes: `dueMs` until it
 * is looked at, `leaseMs` in a node's hands, and for its end. Throws DatabaseError.
 */
export async function cutWaits(db: Database, wait: { nowMs: number; dueMs: number; leaseMs: number }): Promise<void> {
  const { nowMs, dueMs, leaseMs } = wait;
  const most = { due_at_ms: dueMs, lease_until_ms: leaseMs, deadline_at_ms: mostMs };
  for (const column of ['due_at_ms', 'lease_until_ms', 'deadline_at_ms'] as const) {
    const ms = most[column];
    const latest = beyondLeaseMs(nowMs, ms);
    const open = db.read.selectFrom('task').select('id').where('due_at_ms', 'is not', null);
    if ((await open.where(column, '>', latest).limit(1).executeTakeFirst()) === undefined) continue;
    await db.transaction(({ query }) =>
      query
        .updateTable('task')
        .set(column, nowMs + ms)
        .where('due_at_ms', 'is not', null)
        .where(column, '>', latest)
        .execute(),
    );
  }
}

/** Still in this node's hands. */
export async function renewLeases(db: Database, node: string, ids: readonly number[], leaseUntilMs: number): Promise<void> {
  if (ids.length === 0) return;
  await db.transaction((tx) =>
    tx.query
      .updateTable('task')
      .set({ lease_until_ms: leaseUntilMs })
      .where('id', 'in', ids)
      .where('lease_owner', '=', node)
      .execute(),
  );
}

/** Nothing new: looked at again later, by whoever comes first. `isMissed`: there was no answer at all. */
export async function postpone(
  db: Database,
  node: string,
  ids: readonly number[],
  when: { readonly dueAtMs: number; readonly isMissed: boolean },
): Promise<void> {
  if (ids.length === 0) return;
  await db.transaction((tx) =>
    tx.query
      .updateTable('task')
      .set((column) => ({
        due_at_ms: when.dueAtMs,
        lease_owner: '',
        lease_until_ms: 0,
        attempts: when.isMissed ? column('attempts', '+', 1) : 0,
      }))
      .where('id', 'in', ids)
      .where('lease_owner', '=', node)
      .where('closed_at', '=', 0)
      .execute(),
  );
}

/** Its submit is still under way: nobody else need look at it before then. */
export async function keepWaiting(db: Database, { id, holdId }: TaskName, dueAtMs: number): Promise<void> {
  await db.transaction((tx) =>
    tx.query
      .updateTable('task')
      .set({ due_at_ms: dueAtMs })
      .where('id', '=', id)
      .where('hold_id', '=', holdId)
      .where('status', '=', '')
      .where('upstream_id', '=', '')
      .execute(),
  );
}

/** A notification came: look at it now. Rows that were looked at a moment ago are not hastened. */
export async function hasten(db: Database, upstreamId: string, nowMs: number, quietMs: number): Promise<void> {
  const rows = await db.read
    .selectFrom('task')
    .select('id')
    .where('upstream_id', '=', upstreamId)
    .where('due_at_ms', '>', nowMs + quietMs)
    .limit(10)
    .execute();
  if (rows.length === 0) return;
  await db.transaction((tx) =>
    tx.query
      .updateTable('task')
      .set({ due_at_ms: nowMs + quietMs })
      .where(
        'id',
        'in',
        rows.map(({ id }) => id),
      )
      .where('due_at_ms', '>', nowMs + quietMs)
      .execute(),
  );
}
