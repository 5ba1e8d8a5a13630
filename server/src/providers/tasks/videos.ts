import type { TaskStatus } from '@tollgate/contract';
import { entryOf, type JsonObject, type WireError } from '@tollgate/wire';
import { objectOf, percentOf, textOf, timeOf } from './read.ts';
import type { TaskApi, UpstreamTask } from './task-api.ts';

const secondMs = 1_000;
const statuses: Readonly<Record<string, TaskStatus>> = {
  queued: 'QUEUED',
  in_progress: 'IN_PROGRESS',
  completed: 'SUCCESS',
  failed: 'FAILURE',
};

/** `/videos` of the OpenAI API, below its root. */
export function videos(root: string): TaskApi {
  return {
    platform: 'video',
    submitPath: ({ path }) => root + path,
    readSubmit(value) {
      const answer = objectOf(value);
      const upstreamId = textOf(answer.id, 255);
      const task = readVideo(answer);
      if (upstreamId !== '' && task.status !== 'FAILURE') return { kind: 'accepted', upstreamId, code: 1, task };
      return { kind: 'refused', code: 0, error: errorOf(answer, 200), elsewhere: false };
    },
    readError: (status, answer) => errorOf(objectOf(answer), status),
    polls: (ids) => ids.map((id) => ({ method: 'GET', path: `${root}/videos/${encodeURIComponent(id)}` })),
    readPoll(value) {
      const answer = objectOf(value);
      const id = textOf(answer.id, 255);
      return id === '' ? [] : [[id, readVideo(answer)]];
    },
    forgottenStatus: 404,
  };
}

function readVideo(video: JsonObject): UpstreamTask {
  const error = objectOf(video.error);
  return {
    status: entryOf(statuses, textOf(video.status, 32)) ?? 'UNKNOWN',
    progress: percentOf(video.progress),
    failReason: textOf(error.message, 1_000) || textOf(error.code, 64),
    finishAtMs: timeOf(video.completed_at, secondMs),
    data: JSON.stringify(video),
  };
}

function errorOf(answer: JsonObject, status: number): WireError {
  const { message, type, code, param } = objectOf(answer.error);
  return {
    message: textOf(message, 1_000) || textOf(answer.message, 1_000) || `bad response status code ${status}`,
    type: textOf(type, 64) || 'upstream_error',
    code: textOf(code, 64),
    param: typeof param === 'string' ? param.slice(0, 128) : null,
  };
}
