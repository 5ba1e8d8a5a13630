import type { JsonObject } from '@tollgate/wire';
import type { Task } from '../../tasks/index.ts';
import type { Authenticated } from '../authenticate.ts';
import { jsonOf } from '../exchange.ts';
import { localFault } from '../faults.ts';
import { askedIds } from './asked-ids.ts';
import { drawingBody, drawingModel, readDrawingWish } from './drawing-orders.ts';
import { drawingView, type ImageView } from './drawing-views.ts';
import { maxPrompt } from './order.ts';
import { ownTask, type TaskRequest } from './request.ts';
import { submitTask } from './submit.ts';
import { askUpstream, upstreamOf } from './upstream.ts';

/** What clients of the protocol know as "busy", and as an upstream that is broken, also where it said something else. */
const [busy, gateway] = [30, 5];
const hidden: ReadonlySet<number> = new Set([21, 22]);
/** Waiting for what a person enters next: the client must see that. */
const open: ReadonlySet<string> = new Set(['INPAINT', 'CUSTOM_ZOOM']);
const seedTimeoutMs = 30_000;
const maxSeedBytes = 64 * 1024;

/** The submits of the drawing protocol. Rejects with RelayFault. */
export async function submitDrawing(request: TaskRequest, who: Authenticated): Promise<void> {
  const { parts, arrival, caller, endpoint } = request;
  const { options } = parts.snapshot();
  const { body, bytes } = await request.json();
  const wish = readDrawingWish(endpoint.path, body);
  const parent = wish.parentId === undefined ? undefined : await parentOf(request, who, wish.parentId, wish.action);
  const mode = who.key.policy?.mj_mode || endpoint.mode;
  const upstreamBody = drawingBody(body, options);
  const { reading, answer } = await submitTask(parts, arrival, who, {
    platform: 'mj',
    action: wish.action,
    model: drawingModel(wish.action),
    input: { prompt: wish.prompt.slice(0, maxPrompt), state: wish.state.slice(0, 1_024) },
    ...{ bytes, parent, mode },
    build: ({ api, channel }) => ({
      method: 'POST',
      path: api.submitPath({ path: endpoint.path, mode, action: wish.action }),
      body: Buffer.from(JSON.stringify({ ...upstreamBody, ...channel.paramOverride })),
    }),
  });
  if (reading.kind === 'refused' && reading.code === busy) throw localFault('upstream_saturated', {}, { retryAfterSeconds: 5 });
  if (reading.kind === 'refused' && reading.code === gateway) {
    const { message: description } = reading.error;
    return caller.answer(200, JSON.stringify({ ...answer, code: gateway, description }));
  }
  const code = hidden.has(reading.code) && !(reading.code === 21 && open.has(wish.action)) ? 1 : answer.code;
  caller.answer(200, JSON.stringify({ ...answer, code }));
}

async function parentOf(request: TaskRequest, who: Authenticated, id: string, action: string): Promise<Task> {
  const parent = await ownTask(request, who, { platform: 'mj', id, missing: 'task_not_found' });
  const mustBeDone = request.parts.snapshot().options.MjActionCheckSuccessEnabled && action !== 'MODAL';
  if (mustBeDone && parent.state.status !== 'SUCCESS') throw localFault('task_status_not_success');
  return parent;
}

/** One drawing of the caller's. */
export async function fetchDrawing(request: TaskRequest, who: Authenticated): Promise<void> {
  const task = await ownDrawing(request, who);
  request.caller.answer(200, JSON.stringify(drawingView(task, viewOf(request, who))));
}

export async function listDrawings(request: TaskRequest, who: Authenticated): Promise<void> {
  const { body } = await request.json();
  const ids = askedIds(body.ids);
  const tasks = await request.parts.tasks.find({ userId: who.key.user.id, platform: 'mj' }, ids);
  const view = viewOf(request, who);
  request.caller.answer(200, JSON.stringify(tasks.map((task) => drawingView(task, view))));
}

/** Asked of the account that drew it. */
export async function answerSeed(request: TaskRequest, who: Authenticated): Promise<void> {
  const { parts, caller, endpoint } = request;
  const task = await ownDrawing(request, who);
  const upstream = await upstreamOf(parts, task);
  const path = `/mj/task/${encodeURIComponent(endpoint.id)}/image-seed`;
  const limits = { timeoutMs: seedTimeoutMs, maxBytes: maxSeedBytes };
  const answer = await askUpstream(parts.upstream, upstream, { method: 'GET', path }, limits);
  if (answer === undefined) throw localFault('do_request_failed');
  caller.answer(answer.status === 200 ? 200 : 400, seedText(jsonOf(answer, upstream.channel.key)));
}

/** Only what is JSON, and of it what the protocol has. */
function seedText(answer: unknown): string {
  if (typeof answer !== 'object' || answer === null) throw localFault('do_request_failed');
  const { code, description, result, properties } = answer as JsonObject;
  return JSON.stringify({ code, description, result, properties });
}

function ownDrawing(request: TaskRequest, who: Authenticated): Promise<Task> {
  return ownTask(request, who, { platform: 'mj', id: request.endpoint.id, missing: 'task_no_found' });
}

function viewOf({ parts, origin }: TaskRequest, { key }: Authenticated): ImageView {
  const { ServerAddress, MjForwardUrlEnabled } = parts.snapshot().options;
  const server = (ServerAddress || origin).replace(/\/+$/, '');
  return { policy: key.policy, isForwarded: MjForwardUrlEnabled, server, nowMs: parts.clock.nowMs() };
}
