import { parseObject } from '@tollgate/wire';
import { nano } from '../../billing/index.ts';
import { type RouteChannel, upstreamModel } from '../../routing/index.ts';
import { isFinal, type Task } from '../../tasks/index.ts';
import type { Authenticated } from '../authenticate.ts';
import { localFault } from '../faults.ts';
import { passedOn } from './refusals.ts';
import { ownTask, type TaskRequest } from './request.ts';
import { submitTask } from './submit.ts';
import { askUpstream, type Outgoing, type TaskUpstream, upstreamOf } from './upstream.ts';
import { readVideoWish, secondsOf, type VideoWish } from './video-wish.ts';

const usualLimit = 20;
const maxLimit = 100;
const maxAnswerBytes = 64 * 1024;
const timeoutMs = 30_000;
/** Points of a picture up to which a second costs so much, as sora-2-pro is sold: 0.30, 0.50 and 0.70 dollars. */
const tiers: readonly (readonly [number, number])[] = [
  [1280 * 720, nano],
  [1792 * 1024, 1_666_666_667],
];
const largestNano = 2_333_333_333;

/** `/v1/videos`: by the second or by the video, held before it is made and charged when it is done. Rejects with RelayFault. */
export async function submitVideo(request: TaskRequest, who: Authenticated): Promise<void> {
  const { parts, arrival, caller, endpoint } = request;
  const parent = endpoint.id === '' ? undefined : await ownVideo(request, who);
  if (parent !== undefined && parent.state.status !== 'SUCCESS') throw localFault('video_not_ready');
  const wish = await readVideoWish(await request.bytes(), request.contentType, parent);
  const { reading, task } = await submitTask(parts, arrival, who, {
    platform: 'video',
    action: parent === undefined ? 'GENERATE' : 'REMIX',
    model: wish.model,
    input: { prompt: wish.prompt, seconds: wish.seconds, size: wish.size },
    bytes: wish.words,
    unitsNano: unitsOf(wish.size),
    parent,
    mode: '',
    measuredAt: (channel) => measuredAt(wish, channel),
    build: (upstream, isTimed) =>
      outgoing(upstream, wish, endpoint.path.replace('{id}', encodeURIComponent(endpoint.id)), isTimed),
  });
  if (reading.kind === 'refused') throw passedOn(reading.error);
  caller.answer(200, JSON.stringify(videoView(task)));
}

/** What the operator lets a channel ask for instead is what is paid. */
export function measuredAt(
  wish: Pick<VideoWish, 'prompt' | 'seconds' | 'size'>,
  { paramOverride }: Pick<RouteChannel, 'paramOverride'>,
) {
  const seconds = secondsOf(paramOverride.seconds) ?? wish.seconds;
  const size = typeof paramOverride.size === 'string' ? paramOverride.size : wish.size;
  if (seconds === wish.seconds && size === wish.size) return undefined;
  return { input: { prompt: wish.prompt, seconds, size }, unitsNano: unitsOf(size) };
}

/** A size that is not known costs what those of as many points do. */
export function unitsOf(size: string): number {
  const [, width, height] = /^(\d{2,5})x(\d{2,5})$/.exec(size) ?? [];
  const points = Number(width ?? 0) * Number(height ?? 0);
  return tiers.find(([most]) => points <= most)?.[1] ?? largestNano;
}

async function outgoing({ api, channel }: TaskUpstream, wish: VideoWish, path: string, isTimed: boolean): Promise<Outgoing> {
  const model = upstreamModel(channel.modelMapping, wish.model);
  if (model === undefined) throw localFault('model_mapped_error', { reason: 'model_mapping_contains_cycle' });
  const said = await wish.body(model, channel.paramOverride, isTimed);
  return { method: 'POST', path: api.submitPath({ path, mode: '', action: '' }), ...said };
}

export async function fetchVideo(request: TaskRequest, who: Authenticated): Promise<void> {
  const task = await ownVideo(request, who);
  // Whoever waits for it wants to know soon.
  if (!isFinal(task.state)) await request.parts.tasks.hasten(task.state.upstreamId);
  request.caller.answer(200, JSON.stringify(videoView(task)));
}

export async function listVideos({ parts, caller, query }: TaskRequest, { key }: Authenticated): Promise<void> {
  const owner = { userId: key.user.id, platform: 'video' } as const;
  const limit = Math.min(maxLimit, Math.max(1, Math.floor(Number(query?.get('limit') ?? usualLimit)) || usualLimit));
  const cursor = query?.get('after') ?? '';
  const [after] = cursor === '' ? [] : await parts.tasks.find(owner, [cursor]);
  if (cursor !== '' && after === undefined) throw localFault('video_not_found', { id: cursor });
  const isAscending = query?.get('order') === 'asc';
  const page = { limit: limit + 1, isAscending, ...(after === undefined ? {} : { after: after.id }) };
  const tasks = await parts.tasks.list(owner, page);
  const data = tasks.slice(0, limit).map(videoView);
  const ids = tasks.slice(0, limit).map(({ state }) => state.upstreamId);
  const answer = { object: 'list', data, first_id: ids[0] ?? null, last_id: ids.at(-1) ?? null, has_more: tasks.length > limit };
  caller.answer(200, JSON.stringify(answer));
}

/** Gone for its owner; what was paid for stays in the books. */
export async function removeVideo(request: TaskRequest, who: Authenticated): Promise<void> {
  const { parts, caller } = request;
  const task = await ownVideo(request, who);
  if (!isFinal(task.state)) throw localFault('video_not_ready');
  const upstream = await upstreamOf(parts, task);
  const { upstreamId: id } = task.state;
  const limits = { timeoutMs, maxBytes: maxAnswerBytes };
  const path = upstream.api.submitPath({ path: `/videos/${encodeURIComponent(id)}`, mode: '', action: '' });
  const answer = await askUpstream(parts.upstream, upstream, { method: 'DELETE', path }, limits);
  const isGone = answer !== undefined && (Math.floor(answer.status / 100) === 2 || answer.status === 404);
  if (!isGone) throw localFault('do_request_failed');
  await parts.tasks.hide(task);
  caller.answer(200, JSON.stringify({ id, object: 'video.deleted', deleted: true }));
}

/** One of the caller's. Rejects with RelayFault. */
export function ownVideo(request: TaskRequest, who: Authenticated): Promise<Task> {
  return ownTask(request, who, { platform: 'video', id: request.endpoint.id, missing: 'video_not_found' });
}

function videoView({ state, model, input, createdAt }: Task): object {
  const said = parseObject(state.data) ?? {};
  const status = state.status === 'SUCCESS' ? 'completed' : state.status === 'FAILURE' ? 'failed' : waiting(state.status);
  const error = said.error ?? { code: 'task_failed', message: state.failReason };
  return {
    ...said,
    id: state.upstreamId,
    object: 'video',
    created_at: said.created_at ?? createdAt,
    model,
    status,
    progress: state.progress,
    seconds: said.seconds ?? String(input.seconds ?? ''),
    size: said.size ?? input.size ?? '',
    error: status === 'failed' ? error : null,
  };
}

function waiting(status: string): string {
  return status === 'IN_PROGRESS' ? 'in_progress' : 'queued';
}
