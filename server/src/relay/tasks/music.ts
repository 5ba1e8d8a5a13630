import { type JsonObject, parseJson } from '@tollgate/wire';
import { toSeconds } from '../../platform/clock.ts';
import type { Task } from '../../tasks/index.ts';
import type { Authenticated } from '../authenticate.ts';
import { localFault, RelayFault } from '../faults.ts';
import { askedIds } from './asked-ids.ts';
import { maxPrompt } from './order.ts';
import { passedOn } from './refusals.ts';
import { ownTask, type TaskRequest } from './request.ts';
import { submitTask } from './submit.ts';

const actions = ['MUSIC', 'LYRICS'] as const;
const defaultVersion = 'chirp-v3-0';
const said = ['gpt_description_prompt', 'prompt', 'title', 'tags'] as const;

/** Music and lyrics (contract 6.16). Rejects with RelayFault. */
export async function submitMusic(request: TaskRequest, who: Authenticated): Promise<void> {
  const { parts, arrival, caller, endpoint } = request;
  const action = actions.find((each) => each === endpoint.id.toUpperCase());
  if (action === undefined) throw notOffered();
  const { body } = await request.json();
  const parent = await parentOf(request, who, body);
  const wanted = action === 'MUSIC' && text(body.mv) === '' ? { ...body, mv: defaultVersion } : body;
  if (action === 'LYRICS' && text(body.prompt) === '') throw localFault('prompt_empty');
  const { reading, answer } = await submitTask(parts, arrival, who, {
    platform: 'suno',
    action,
    model: `suno_${action.toLowerCase()}`,
    input: { prompt: (text(body.gpt_description_prompt) || text(body.prompt)).slice(0, maxPrompt) },
    // Everything that is said or sung.
    bytes: Buffer.from(JSON.stringify({ prompt: said.map((name) => text(body[name])).join('\n') })),
    ...{ parent, mode: '' },
    build: ({ api, channel }) => ({
      method: 'POST',
      path: api.submitPath({ path: '', mode: '', action }),
      body: Buffer.from(JSON.stringify({ ...wanted, ...channel.paramOverride })),
    }),
  });
  if (reading.kind === 'refused') throw passedOn(reading.error, 'upstream_error');
  caller.answer(200, JSON.stringify(answer));
}

async function parentOf(request: TaskRequest, who: Authenticated, body: JsonObject): Promise<Task | undefined> {
  if (text(body.continue_clip_id) === '') return undefined;
  const id = text(body.task_id);
  if (id === '') throw localFault('task_id_empty');
  return ownSong(request, who, id);
}

function ownSong(request: TaskRequest, who: Authenticated, id: string): Promise<Task> {
  return ownTask(request, who, { platform: 'suno', id, missing: 'task_not_exist' });
}

export async function fetchMusic(request: TaskRequest, who: Authenticated): Promise<void> {
  const task = await ownSong(request, who, request.endpoint.id);
  request.caller.answer(200, JSON.stringify({ code: 'success', message: '', data: musicView(task) }));
}

export async function listMusic(request: TaskRequest, { key }: Authenticated): Promise<void> {
  const { body } = await request.json();
  const ids = askedIds(body.ids);
  const action = text(body.action).toUpperCase();
  const tasks = await request.parts.tasks.find({ userId: key.user.id, platform: 'suno' }, ids);
  const data = tasks.filter((task) => action === '' || task.action === action).map(musicView);
  request.caller.answer(200, JSON.stringify({ code: 'success', message: '', data }));
}

function musicView({ state, action, submitAtMs }: Task): object {
  return {
    task_id: state.upstreamId,
    action,
    status: state.status,
    fail_reason: state.failReason,
    submit_time: toSeconds(submitAtMs),
    start_time: toSeconds(state.startAtMs),
    finish_time: toSeconds(state.finishAtMs),
    progress: `${state.progress}%`,
    data: parseJson(state.data) ?? null,
  };
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** The protocol says which action it is in the message alone. */
function notOffered(): RelayFault {
  const { status, message } = localFault('invalid_action');
  return new RelayFault({ status, message, code: 'invalid_request' });
}
