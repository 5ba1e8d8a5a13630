import type { TaskPlatform } from '@tollgate/contract';
import type { Log } from '../platform/log.ts';
import type { Database } from '../storage/database.ts';
import { promptly } from '../storage/prompt.ts';
import { closeTask, type GateParts } from './gate.ts';
import { hasten, keepWaiting } from './leases.ts';
import { isFinal, type TaskEvent } from './machine.ts';
import { taskOf } from './rows.ts';
import { type Along, applyEvent, hideTask, insertTask, type NewTask, removeTask } from './store.ts';
import type { Task, TaskName } from './types.ts';

/** What surfaces do with tasks. */
export interface TaskDesk {
  /** Writes the row; durable before anything is held or sent. */
  begin(task: NewTask): Promise<Task>;
  /** Its submit is still under way. */
  keep(task: Task, dueAtMs: number): Promise<void>;
  /** Nothing was held for it: there never was such a task. */
  forget(task: Task): Promise<void>;
  /**
   * Something happened to it. An end closes its hold, once, whoever tells it; when the ledger is away that is made up
   * for later. Undefined = there is no such task.
   */
  tell(task: TaskName, event: TaskEvent, along: Omit<Along, 'nowMs'>): Promise<Task | undefined>;
  /** A user's own, the newest where two upstreams gave one name; of the first `maxFound` names. */
  find(owner: Owner, upstreamIds: readonly string[]): Promise<Task[]>;
  /** Newest first. */
  list(owner: Owner, page: { readonly limit: number; readonly after?: number; readonly isAscending?: boolean }): Promise<Task[]>;
  /** Gone for its owner: it is found no more, and nothing that it showed is kept. */
  hide(task: Task): Promise<void>;
  /** By its random name, whoever asks. */
  published(publicId: string): Promise<Task | undefined>;
  /** Somebody says that there is news of it: it is looked at soon. */
  hasten(upstreamId: string): Promise<void>;
}

export interface Owner {
  readonly userId: number;
  readonly platform: TaskPlatform;
}

type Reader = Pick<Database, 'read'>;

interface Deps extends GateParts {
  readonly log: Log;
}

/** The poller may look at what is closed a moment later than this. */
const closingMs = 5_000;
/** A notification is heard at most this often per task. */
const quietMs = 1_000;
/** As many as pollers of this protocol ask for at once, and more. */
export const maxFound = 1_000;
const namesAtATime = 100;

export function createTaskDesk(deps: Deps): TaskDesk {
  const { db, clock, log } = deps;
  return {
    begin: (task) => insertTask(db, task),
    keep: (task, dueAtMs) => keepWaiting(db, task, dueAtMs),
    forget: (task) => removeTask(db, task),
    async tell(name, event, along) {
      const nowMs = clock.nowMs();
      const task = await applyEvent(db, name, event, { ...along, nowMs }, (state) =>
        isFinal(state) ? nowMs + closingMs : along.dueAtMs,
      );
      if (task === undefined || !isFinal(task.state)) return task;
      try {
        // Its hold may have come after its end: nobody else would close that.
        if (task.closedAt > 0) await deps.ledger.release(task.holdId);
        else await closeTask(deps, task, { isTold: event.kind === 'refused' });
      } catch (error) {
        log.warn({ err: error, task: task.id }, 'the hold of a task could not be closed; trying again');
      }
      return task;
    },
    find: (owner, upstreamIds) => promptly(findOwn(db, owner, upstreamIds)),
    list: (owner, page) => promptly(listOwn(db, owner, page)),
    hide: (task) => hideTask(db, task),
    published: (publicId) => promptly(readPublished(db, publicId)),
    hasten: (upstreamId) => hasten(db, upstreamId, clock.nowMs(), quietMs),
  };
}

async function findOwn({ read }: Reader, { userId, platform }: Owner, upstreamIds: readonly string[]): Promise<Task[]> {
  const wanted = [...new Set(upstreamIds)].filter((id) => id !== '').slice(0, maxFound);
  const found = new Map<string, Task>();
  for (let from = 0; from < wanted.length; from += namesAtATime) {
    const rows = await read
      .selectFrom('task')
      .selectAll()
      .where('upstream_id', 'in', wanted.slice(from, from + namesAtATime))
      .where('user_id', '=', userId)
      .where('platform', '=', platform)
      .where('hidden', '=', 0)
      .orderBy('id', 'desc')
      .limit(namesAtATime * 2)
      .execute();
    for (const task of rows.map(taskOf)) {
      const newer = found.get(task.state.upstreamId);
      if (newer === undefined || isRepeated(newer, task)) found.set(task.state.upstreamId, task);
    }
  }
  return [...found.values()].sort((left, right) => right.id - left.id);
}

async function listOwn({ read }: Reader, { userId, platform }: Owner, page: Parameters<TaskDesk['list']>[1]): Promise<Task[]> {
  const { limit, after, isAscending = false } = page;
  const own = read.selectFrom('task').selectAll().where('user_id', '=', userId).where('platform', '=', platform);
  const beyond = after === undefined ? own : own.where('id', isAscending ? '>' : '<', after);
  const rows = await beyond
    .where('upstream_id', '<>', '')
    .where('hidden', '=', 0)
    .orderBy('id', isAscending ? 'asc' : 'desc')
    .limit(limit)
    .execute();
  return rows.map(taskOf);
}

/** How the drawing protocol says that it has made this before. */
const existed = 21;

/** What was there already is told with its picture alone: all else stands in the row that was followed to its end. */
function isRepeated(newer: Task, older: Task): boolean {
  const isSame = newer.channelId === older.channelId && newer.keyId === older.keyId;
  return isSame && newer.state.code === existed && older.state.status === 'SUCCESS';
}

async function readPublished({ read }: Reader, publicId: string): Promise<Task | undefined> {
  const row = await read.selectFrom('task').selectAll().where('public_id', '=', publicId).executeTakeFirst();
  return row === undefined ? undefined : taskOf(row);
}
