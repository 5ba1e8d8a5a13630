import type { JsonObject, WireError } from '@tollgate/wire';
import { listOf, nameless, objectOf, percentOf, statusOf, textOf, timeOf } from './read.ts';
import type { TaskApi, UpstreamTask } from './task-api.ts';

const secondMs = 1_000;

/** The Suno API (channel type 36). */
export const suno: TaskApi = {
  platform: 'suno',
  submitPath: ({ action }) => `/suno/submit/${action}`,
  readSubmit(value) {
    const answer = objectOf(value);
    const upstreamId = textOf(answer.data, 255);
    const isTaken = answer.code === 'success';
    if (isTaken && upstreamId !== '') return { kind: 'accepted', upstreamId, code: 1 };
    const error = isTaken ? nameless('bad_response') : errorOf(answer, 200);
    return { kind: 'refused', code: 0, error, elsewhere: false };
  },
  readError: (status, answer) => errorOf(objectOf(answer), status),
  polls: (ids) => [{ method: 'POST', path: '/suno/fetch', body: { ids: [...ids] } }],
  readPoll: (answer) =>
    listOf(objectOf(answer).data).flatMap((one) => {
      const task = objectOf(one);
      const id = textOf(task.task_id, 255);
      return id === '' ? [] : [[id, readTask(task)] as const];
    }),
};

function readTask(task: JsonObject): UpstreamTask {
  const failReason = textOf(task.fail_reason, 1_000);
  const said = statusOf(task.status) ?? 'UNKNOWN';
  return {
    status: failReason !== '' && said !== 'SUCCESS' ? 'FAILURE' : said,
    progress: percentOf(task.progress),
    failReason,
    startAtMs: timeOf(task.start_time, secondMs),
    finishAtMs: timeOf(task.finish_time, secondMs),
    ...(task.data === undefined || task.data === null ? {} : { data: JSON.stringify(task.data) }),
  };
}

function errorOf(answer: JsonObject, status: number): WireError {
  const text = [answer.message, objectOf(answer.error).message].map((one) => textOf(one, 1_000)).find((one) => one !== '');
  const code = textOf(answer.code, 64);
  return {
    message: text ?? `bad response status code ${status}`,
    type: 'upstream_error',
    param: null,
    code: code || 'bad_response',
  };
}
