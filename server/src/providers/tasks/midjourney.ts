import { asNumber, type JsonObject, type WireError } from '@tollgate/wire';
import { addressOf, listOf, nameless, objectOf, percentOf, statusOf, textOf, timeOf } from './read.ts';
import type { SubmitReading, TaskApi, UpstreamTask } from './task-api.ts';

/** What the protocol answers to a submit (contract 6.15). */
const code = { submitted: 1, noAccount: 3, gateway: 5, exists: 21, queued: 22, queueFull: 23, busy: 30 } as const;
const accepting: ReadonlySet<number> = new Set([code.submitted, code.exists, code.queued]);
/** Nothing was wrong with the request. */
const elsewhere: ReadonlySet<number> = new Set([code.noAccount, code.queueFull, code.busy]);
const maxButtons = 64;
const maxMask = 64 * 1024;
const maxProperties = 16 * 1024;

/** midjourney-proxy, as its public API describes it. `usesModes`: it has paths for fast, relaxed and turbo drawing. */
function drawing(usesModes: boolean): TaskApi {
  const root = (mode: string) => (usesModes && mode !== '' ? `/mj-${mode}/mj` : '/mj');
  return {
    platform: 'mj',
    submitPath: ({ path, mode }) => root(mode) + path,
    readSubmit,
    readError: (status, answer) => errorOf(objectOf(answer), status),
    polls: (ids) => [{ method: 'POST', path: '/mj/task/list-by-condition', body: { ids: [...ids] } }],
    readPoll: (answer) =>
      listOf(answer).flatMap((one) => {
        const task = objectOf(one);
        const id = textOf(task.id, 255);
        return id === '' ? [] : [[id, readTask(task)] as const];
      }),
  };
}

/** Channel types 2 and 5. */
export const midjourney: TaskApi = drawing(false);
export const midjourneyPlus: TaskApi = drawing(true);

function readSubmit(value: unknown, action: string): SubmitReading {
  const answer = objectOf(value);
  const said = asNumber(answer.code);
  if (!accepting.has(said)) {
    return {
      kind: 'refused',
      code: Number.isSafeInteger(said) ? said : 0,
      error: errorOf(answer, 200),
      elsewhere: elsewhere.has(said),
      ...(said === code.noAccount ? { unusable: 'No available account instance' } : {}),
    };
  }
  // Uploads are done at once, and answer with addresses instead of a name.
  if (Array.isArray(answer.result) || action === 'UPLOAD') {
    const urls = [answer.result].flat().map(addressOf);
    return { kind: 'accepted', upstreamId: '', code: said, task: done({ imageUrl: urls[0] ?? '' }, objectOf(answer.properties)) };
  }
  const upstreamId = textOf(answer.result, 255);
  if (upstreamId === '')
    // It may have begun all the same: nobody else is asked.
    return { kind: 'refused', code: code.gateway, error: nameless(code.gateway), elsewhere: false };
  const task = said === code.exists ? existing(objectOf(answer.properties)) : undefined;
  return { kind: 'accepted', upstreamId, code: said, ...(task === undefined ? {} : { task }) };
}

/** A task that the upstream had before tells how far it is. */
function existing(properties: JsonObject): UpstreamTask | undefined {
  const status = statusOf(properties.status);
  if (status === undefined) return undefined;
  const imageUrl = addressOf(properties.imageUrl);
  return status === 'SUCCESS' ? done({ imageUrl }, undefined) : { status, data: JSON.stringify({ imageUrl }) };
}

function done(data: { imageUrl: string }, properties: JsonObject | undefined): UpstreamTask {
  return { status: 'SUCCESS', data: JSON.stringify({ ...data, properties: smallObject(properties) }) };
}

function readTask(task: JsonObject): UpstreamTask {
  const failReason = textOf(task.failReason, 1_000);
  const said = statusOf(task.status) ?? 'UNKNOWN';
  const data = {
    promptEn: textOf(task.promptEn, 8_192),
    description: textOf(task.description, 2_048),
    imageUrl: addressOf(task.imageUrl),
    customId: textOf(task.customId, 512),
    botType: textOf(task.botType, 64),
    maskBase64: typeof task.maskBase64 === 'string' && task.maskBase64.length <= maxMask ? task.maskBase64 : '',
    buttons: listOf(task.buttons).slice(0, maxButtons).map(buttonOf),
    properties: smallObject(objectOf(task.properties)),
  };
  return {
    status: failReason !== '' && said !== 'SUCCESS' ? 'FAILURE' : said,
    progress: percentOf(task.progress),
    failReason,
    startAtMs: timeOf(task.startTime, 1),
    finishAtMs: timeOf(task.finishTime, 1),
    data: JSON.stringify(data),
  };
}

function buttonOf(value: unknown): JsonObject {
  const { customId, emoji, label, type, style } = objectOf(value);
  return {
    customId: textOf(customId, 512),
    emoji: textOf(emoji, 64),
    label: textOf(label, 128),
    type: asNumber(type) || 0,
    style: asNumber(style) || 0,
  };
}

function smallObject(value: JsonObject | undefined): JsonObject | undefined {
  return value === undefined || Object.keys(value).length === 0 || JSON.stringify(value).length > maxProperties
    ? undefined
    : value;
}

function errorOf({ description, code: said, error, message }: JsonObject, status: number): WireError {
  const text = [description, objectOf(error).message, message].map((one) => textOf(one, 1_000)).find((one) => one !== '');
  return { message: text ?? `bad response status code ${status}`, type: 'upstream_error', param: null, code: textOf(said, 64) };
}
