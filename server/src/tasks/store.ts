import { type Clock, cautiousClock, nowSeconds, toSeconds } from '../platform/clock.ts';
import type { Database, Transaction } from '../storage/database.ts';
import { freshState, nextState, type TaskEvent } from './machine.ts';
import { inputOf, taskOf } from './rows.ts';
import type { Task, TaskName, TaskState } from './types.ts';

/** A task that is about to be submitted. */
export type NewTask = Omit<Task, 'id' | 'state' | 'createdAt' | 'updatedAt' | 'closedAt' | 'attempts' | 'revision'> & {
  readonly nowMs: number;
  /** When it is looked at although nothing was heard of it. */
  readonly dueAtMs: number;
};

/** What goes along with a change of state. */
export interface Along {
  readonly nowMs: number;
  /** When to look again. */
  readonly dueAtMs: number;
  /** Where it was sent, and what was asked for there. */
  readonly sentTo?: Pick<Task, 'channelId' | 'keyId' | 'group' | 'charge' | 'input'>;
}

const maxTries = 20;

/** Must be durable before the upstream hears of it: a hold of a task without a row would stay for ever. */
export async function insertTask(db: Database, task: NewTask): Promise<Task> {
  const { id } = await db.transaction((tx) =>
    tx.query
      .insertInto('task')
      .values({
        public_id: task.publicId,
        platform: task.platform,
        action: task.action,
        user_id: task.userId,
        token_id: task.tokenId,
        channel_id: task.channelId,
        key_id: task.keyId,
        group_name: task.group,
        model: task.model,
        hold_id: task.holdId,
        quota: task.quota,
        charge: task.charge === undefined ? '' : JSON.stringify(task.charge),
        upstream_id: '',
        mode: task.mode,
        input: JSON.stringify(task.input),
        created_at: toSeconds(task.nowMs),
        updated_at: toSeconds(task.nowMs),
        submit_at_ms: task.submitAtMs,
        deadline_at_ms: task.deadlineAtMs,
        due_at_ms: task.dueAtMs,
      })
      .returning('id')
      .executeTakeFirstOrThrow(),
  );
  const { nowMs, dueAtMs: _, ...rest } = task;
  const at = toSeconds(nowMs);
  return { ...rest, id, state: freshState, createdAt: at, updatedAt: at, closedAt: 0, attempts: 0, revision: 0 };
}

/** Of a task for which nothing was held and nobody asked. */
export async function removeTask(db: Database, { id, holdId }: TaskName): Promise<void> {
  await db.transaction((tx) =>
    tx.query
      .deleteFrom('task')
      .where('id', '=', id)
      .where('hold_id', '=', holdId)
      .where('upstream_id', '=', '')
      .where('status', '=', '')
      .execute(),
  );
}

/** The row stays, for the books, without what was asked for in words and what came of it. */
export async function hideTask(db: Database, task: Pick<Task, 'id' | 'input'>): Promise<void> {
  await db.transaction((tx) => hideIn(tx, task));
}

async function hideIn(tx: Transaction, { id, input }: Pick<Task, 'id' | 'input'>): Promise<void> {
  const { prompt: _, state: __, ...measured } = input;
  await tx.query
    .updateTable('task')
    // Whoever read it before must read again, and not write back what is gone.
    .set((column) => ({ hidden: 1, data: '', input: JSON.stringify(measured), revision: column('revision', '+', 1) }))
    .where('id', '=', id)
    .execute();
}

const daySeconds = 86_400;

/** Makes tasks that ended as if their owners had removed them, once they are older than `days()`; 0 = never. */
export function createTaskExpiry({ db, clock, days }: { db: Database; clock: Clock; days(): number }) {
  /** Up to this id nothing is left to do: ids come in the order of time. */
  let done = 0;
  const cautious = cautiousClock(clock);
  return {
    /** Of the next `limit` tasks; answers how many it went through. Throws DatabaseError. */
    async expire(limit: number): Promise<number> {
      if (days() === 0) return 0;
      const before = nowSeconds(cautious) - days() * daySeconds;
      const columns = ['id', 'input', 'created_at', 'due_at_ms', 'hidden'] as const;
      const rows = await db.read.selectFrom('task').select(columns).where('id', '>', done).orderBy('id').limit(limit).execute();
      const young = rows.findIndex(({ created_at }) => created_at >= before);
      const old = young < 0 ? rows : rows.slice(0, young);
      const over = old.filter(({ due_at_ms, hidden }) => due_at_ms === null && hidden === 0);
      if (over.length > 0) {
        await db.transaction(async (tx) => {
          for (const { id, input } of over) await hideIn(tx, { id, input: inputOf(input) });
        });
      }
      // One that still waits for its end is come back to.
      const waiting = old.find(({ due_at_ms }) => due_at_ms !== null);
      done = waiting === undefined ? (old.at(-1)?.id ?? done) : waiting.id - 1;
      return waiting === undefined ? old.length : 0;
    },
  };
}

/**
 * Applies the event to the row as it is now: whoever was faster, the state machine decides on what they wrote. Resolves
 * with the task as it stands afterwards; undefined = there is none.
 */
export async function applyEvent(
  db: Database,
  { id, holdId }: TaskName,
  event: TaskEvent,
  along: Along,
  dueOf: (state: TaskState) => number,
): Promise<Task | undefined> {
  for (let tries = 0; tries < maxTries; tries += 1) {
    const task = await readTask(db, id);
    if (task === undefined || task.holdId !== holdId) return undefined;
    const next = nextState(task.state, event, along.nowMs);
    const written = await db.transaction((tx) => write(tx, task, next, { ...along, dueAtMs: dueOf(next) }));
    if (written !== undefined) return written;
  }
  throw new Error(`Task ${id} changes too often`);
}

async function write(tx: Transaction, task: Task, next: TaskState, along: Along): Promise<Task | undefined> {
  const { sentTo } = along;
  const sent =
    sentTo === undefined
      ? {}
      : {
          channel_id: sentTo.channelId,
          key_id: sentTo.keyId,
          group_name: sentTo.group,
          input: JSON.stringify(sentTo.input),
          charge: sentTo.charge === undefined ? '' : JSON.stringify(sentTo.charge),
          quota: sentTo.charge?.cost ?? task.quota,
        };
  const row = await tx.query
    .updateTable('task')
    .set({
      ...sent,
      upstream_id: next.upstreamId,
      code: next.code,
      status: next.status,
      progress: next.progress,
      fail_reason: next.failReason,
      late_status: next.lateStatus,
      start_at_ms: next.startAtMs,
      finish_at_ms: next.finishAtMs,
      data: next.data,
      attempts: 0,
      lease_owner: '',
      lease_until_ms: 0,
      updated_at: next === task.state ? task.updatedAt : toSeconds(along.nowMs),
      // What is closed is over.
      due_at_ms: task.closedAt > 0 ? null : along.dueAtMs,
      revision: task.revision + 1,
    })
    .where('id', '=', task.id)
    .where('revision', '=', task.revision)
    .returningAll()
    .executeTakeFirst();
  return row === undefined ? undefined : taskOf(row);
}

/** Marks the money as done. Runs `also` in the same transaction, once. */
export function markClosed(
  db: Database,
  { id, holdId }: TaskName,
  nowMs: number,
  also: (tx: Transaction) => Promise<void>,
): Promise<void> {
  return db.transaction(async (tx) => {
    const { numUpdatedRows } = await tx.query
      .updateTable('task')
      .set((column) => ({ closed_at: toSeconds(nowMs), due_at_ms: null, revision: column('revision', '+', 1) }))
      .where('id', '=', id)
      .where('hold_id', '=', holdId)
      .where('closed_at', '=', 0)
      .executeTakeFirst();
    if (numUpdatedRows > 0n) await also(tx);
  });
}

export async function readTask(db: Pick<Database, 'read'>, id: number): Promise<Task | undefined> {
  const row = await db.read.selectFrom('task').selectAll().where('id', '=', id).executeTakeFirst();
  return row === undefined ? undefined : taskOf(row);
}
