import type { drawingRoutes, taskRoutes } from '@tollgate/contract';
import type { TaskLists, TaskScope } from '../tasks/index.ts';
import { type Call, type Handlers, signedIn } from './types.ts';

interface Deps {
  taskLists: TaskLists;
}

const everybody: TaskScope = { kind: 'all' };
/** An owner's query has no filter of channels and users. */
const unfiltered = { channel_id: 0, username: '' };

export function drawingHandlers({ taskLists }: Deps): Handlers<typeof drawingRoutes> {
  return {
    list: ({ query }) => taskLists.drawings(everybody, query),
    self: (call) => taskLists.drawings(own(call), { ...call.query, ...unfiltered }),
  };
}

export function taskHandlers({ taskLists }: Deps): Handlers<typeof taskRoutes> {
  return {
    list: ({ query }) => taskLists.tasks(everybody, query),
    self: (call) => taskLists.tasks(own(call), { ...call.query, ...unfiltered }),
  };
}

function own(call: Pick<Call, 'identity'>): TaskScope {
  return { kind: 'own', userId: signedIn(call).user.id };
}
