import type { AsyncTask, Drawing, DrawingQuery, TaskPlatform, TaskQuery } from '@tollgate/contract';
import { parseJson } from '@tollgate/wire';
import type { ExpressionBuilder, ExpressionWrapper, SqlBool } from 'kysely';
import { toSeconds } from '../platform/clock.ts';
import { splitList } from '../platform/split-list.ts';
import type { Database } from '../storage/database.ts';
import { rowsOf } from '../storage/page.ts';
import type { Schema } from '../storage/schema.ts';
import { drawingData, imageAddress } from './drawing-data.ts';
import { taskOf } from './rows.ts';
import type { Task } from './types.ts';

/** Who reads: everybody's rows, or one user's own without what only administrators may see. */
export type TaskScope = { readonly kind: 'all' } | { readonly kind: 'own'; readonly userId: number };

export interface TaskLists {
  drawings(scope: TaskScope, query: DrawingQuery): Promise<Drawing[]>;
  tasks(scope: TaskScope, query: TaskQuery): Promise<AsyncTask[]>;
}

interface Deps {
  readonly db: Pick<Database, 'read'>;
  readonly options: () => { readonly MjForwardUrlEnabled: boolean; readonly ServerAddress: string };
}

const maxIds = 100;

/** The drawing log and the task log (contract 1.11), newest first. */
export function createTaskLists({ db, options }: Deps): TaskLists {
  return {
    async drawings(scope, query) {
      const { MjForwardUrlEnabled: isProxied, ServerAddress: server } = options();
      const filters: Filters = { ...query, platforms: ['mj'], name: query.mj_id, unitMs: 1 };
      const tasks = await readPage(db, scope, filters);
      const seen = await sightOf(db, scope, tasks);
      return tasks.map((task) => {
        const { imageUrl } = drawingData(task);
        const shown = imageUrl !== '' && isProxied ? imageAddress(server, task) : imageUrl;
        return { ...toDrawing(task, shown), ...seen(task) };
      });
    },
    async tasks(scope, query) {
      const platforms: TaskPlatform[] =
        query.platform === 'suno' || query.platform === 'video' ? [query.platform] : ['suno', 'video'];
      if (query.platform !== '' && !platforms.includes(query.platform as TaskPlatform)) return [];
      const filters: Filters = { ...query, platforms, name: query.task_id, unitMs: 1000 };
      const tasks = await readPage(db, scope, filters);
      const seen = await sightOf(db, scope, tasks);
      return tasks.map((task) => ({ ...toAsyncTask(task), ...seen(task) }));
    },
  };
}

type CommonFilters = Pick<TaskQuery, 'p' | 'page_size' | 'peek' | 'ids' | 'action' | 'status' | 'channel_id' | 'username'>;

interface Filters extends CommonFilters {
  readonly start_timestamp: number;
  readonly end_timestamp: number;
  readonly platforms: readonly TaskPlatform[];
  /** The upstream's name for it. */
  readonly name: string;
  /** Of the two timestamps. */
  readonly unitMs: number;
}

type Build = ExpressionBuilder<Schema, 'task'>;

async function readPage(db: Deps['db'], scope: TaskScope, filters: Filters): Promise<Task[]> {
  const { limit, offset } = rowsOf(filters);
  const owner = await ownerOf(db, filters.username);
  const rows = await db.read
    .selectFrom('task')
    .selectAll()
    .where((build) => build.and(conditions(build, scope, { ...filters, owner })))
    .orderBy('id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute();
  return rows.map(taskOf);
}

/** Whose rows are asked for by name: in one read of its own, so that they are found like an owner's. 0 = nobody's; undefined = everybody's. */
async function ownerOf({ read }: Deps['db'], username: string): Promise<number | undefined> {
  if (username === '') return undefined;
  const user = await read.selectFrom('users').select('id').where('username', '=', username).executeTakeFirst();
  return user?.id ?? 0;
}

type Seen = Pick<AsyncTask, 'channel_id' | 'username'>;

/** What only administrators see of a task: where it ran, and whose it is. */
async function sightOf({ read }: Deps['db'], scope: TaskScope, tasks: readonly Task[]): Promise<(task: Task) => Seen> {
  if (scope.kind === 'own' || tasks.length === 0) return () => ({ channel_id: 0, username: '' });
  const ids = [...new Set(tasks.map(({ userId }) => userId))];
  const users = await read.selectFrom('users').select(['id', 'username']).where('id', 'in', ids).execute();
  const names = new Map(users.map(({ id, username }) => [id, username]));
  return ({ channelId, userId }) => ({ channel_id: channelId, username: names.get(userId) ?? '' });
}

function conditions(
  build: Build,
  scope: TaskScope,
  filters: Filters & { owner: number | undefined },
): ExpressionWrapper<Schema, 'task', SqlBool>[] {
  const { name, owner, action, status, channel_id: channel, start_timestamp: start, end_timestamp: end, unitMs } = filters;
  const ids = splitList(filters.ids).slice(0, maxIds);
  return [
    build('platform', 'in', filters.platforms),
    ...(scope.kind === 'own' ? [build('user_id', '=', scope.userId), build('hidden', '=', 0)] : []),
    ...(owner === undefined ? [] : [build('user_id', '=', owner)]),
    ...(scope.kind === 'all' && channel !== 0 ? [build('channel_id', '=', channel)] : []),
    ...(name === '' ? [] : [build('upstream_id', '=', name)]),
    ...(ids.length === 0 ? [] : [build('upstream_id', 'in', ids)]),
    ...(action === '' ? [] : [build('action', '=', action.toUpperCase())]),
    ...(status === '' ? [] : [build('status', '=', status.toUpperCase())]),
    ...(start > 0 ? [build('submit_at_ms', '>=', start * unitMs)] : []),
    // To the end of its second, as the row shows that.
    ...(end > 0 ? [build('submit_at_ms', '<', (end + 1) * unitMs)] : []),
  ];
}

function toDrawing(task: Task, imageUrl: string): Omit<Drawing, keyof Seen> {
  const { state, input } = task;
  const { promptEn, description, buttons, properties } = drawingData(task);
  return {
    id: task.id,
    code: state.code,
    user_id: task.userId,
    action: task.action,
    mj_id: state.upstreamId,
    prompt: input.prompt ?? '',
    prompt_en: promptEn,
    description,
    state: input.state ?? '',
    submit_time: task.submitAtMs,
    start_time: state.startAtMs,
    finish_time: state.finishAtMs,
    image_url: imageUrl,
    status: state.status,
    progress: `${state.progress}%`,
    fail_reason: state.failReason,
    quota: task.quota,
    buttons: buttons.length === 0 ? '' : JSON.stringify(buttons),
    properties: properties === undefined ? '' : JSON.stringify(properties),
  };
}

function toAsyncTask(task: Task): Omit<AsyncTask, keyof Seen> {
  const { state } = task;
  return {
    id: task.id,
    created_at: task.createdAt,
    updated_at: task.updatedAt,
    task_id: state.upstreamId,
    platform: task.platform,
    user_id: task.userId,
    quota: task.quota,
    action: task.action,
    status: state.status,
    fail_reason: state.failReason,
    submit_time: toSeconds(task.submitAtMs),
    start_time: toSeconds(state.startAtMs),
    finish_time: toSeconds(state.finishAtMs),
    progress: `${state.progress}%`,
    properties: { input: task.input.prompt ?? '' },
    data: parseJson(state.data) ?? null,
  };
}
