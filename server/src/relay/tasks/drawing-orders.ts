import type { DrawingAction } from '@tollgate/contract';
import { asWord, type JsonObject } from '@tollgate/wire';
import type { Options } from '../../settings/index.ts';
import { localFault } from '../faults.ts';

/** A submit of the drawing protocol as it was understood (contract 6.15). */
export interface DrawingWish {
  readonly action: DrawingAction;
  readonly prompt: string;
  readonly state: string;
  /** The task it goes on from, by the name that the caller knows. */
  readonly parentId: string | undefined;
}

type Read = (body: JsonObject) => Omit<DrawingWish, 'state'>;

const readers: Readonly<Record<string, Read>> = {
  '/submit/imagine': (body) => ({ action: 'IMAGINE', prompt: needed(body, 'prompt', 'prompt_is_required'), parentId: undefined }),
  '/submit/change': readChange,
  '/submit/simple-change': readSimpleChange,
  '/submit/action': readAction,
  '/submit/modal': (body) => ({
    action: 'MODAL',
    prompt: asWord(body.prompt),
    parentId: needed(body, 'taskId', 'task_id_is_required'),
  }),
  '/submit/shorten': (body) => ({ action: 'SHORTEN', prompt: needed(body, 'prompt', 'prompt_is_required'), parentId: undefined }),
  '/submit/describe': (body) => {
    if (asWord(body.base64) === '' && asWord(body.link) === '' && pictures(body) === 0) throw localFault('base64_is_required');
    return plain('DESCRIBE');
  },
  '/submit/blend': (body) => withPictures(body, 'BLEND'),
  '/submit/upload-discord-images': (body) => withPictures(body, 'UPLOAD'),
  '/insight-face/swap': (body) => {
    if (asWord(body.sourceBase64) === '' || asWord(body.targetBase64) === '')
      throw localFault('sour_base64_and_target_base64_is_required');
    return plain('SWAP_FACE');
  },
};

/** Throws RelayFault with the protocol's own words. */
export function readDrawingWish(path: string, body: JsonObject): DrawingWish {
  const read = readers[path];
  if (read === undefined) throw localFault('unknown_action');
  return { ...read(body), state: asWord(body.state) };
}

/** The model that a drawing is billed as. */
export function drawingModel(action: DrawingAction): string {
  return action === 'SWAP_FACE' ? 'swap_face' : `mj_${action.toLowerCase()}`;
}

const changes: Readonly<Record<string, DrawingAction>> = {
  UPSCALE: 'UPSCALE',
  VARIATION: 'VARIATION',
  REROLL: 'REROLL',
};

function readChange(body: JsonObject): Omit<DrawingWish, 'state'> {
  const parentId = needed(body, 'taskId', 'task_id_is_required');
  const action = changes[needed(body, 'action', 'action_is_required').toUpperCase()];
  if (action === undefined) throw localFault('unknown_action');
  const index = Number(asWord(body.index));
  if (action !== 'REROLL' && !(Number.isInteger(index) && index >= 1 && index <= 4)) throw localFault('index_is_required');
  return { action, prompt: '', parentId };
}

const letters: Readonly<Record<string, DrawingAction>> = { U: 'UPSCALE', V: 'VARIATION', R: 'REROLL' };

/** `ID U2`: the task, what to do, and with which of its pictures. */
function readSimpleChange(body: JsonObject): Omit<DrawingWish, 'state'> {
  const content = needed(body, 'content', 'content_is_required');
  const match = /^(\S{1,255})\s+(?:([UV])([1-4])|(R)[1-4]?)$/i.exec(content.trim());
  const action = letters[(match?.[2] ?? match?.[4] ?? '').toUpperCase()];
  if (match === null || action === undefined) throw localFault('content_parse_failed');
  return { action, prompt: '', parentId: match[1] };
}

/** What the button of a drawing does, by a word in its name; the first that fits. */
const buttons: readonly (readonly [word: string, action: DrawingAction])[] = [
  ['upsample', 'UPSCALE'],
  ['low_variation', 'LOW_VARIATION'],
  ['high_variation', 'HIGH_VARIATION'],
  ['variation', 'VARIATION'],
  ['pan', 'PAN'],
  ['reroll', 'REROLL'],
  ['customzoom', 'CUSTOM_ZOOM'],
  ['outpaint', 'ZOOM'],
  ['inpaint', 'INPAINT'],
];

/** `MJ::JOB::upsample::2::...`: the button's name says everything. */
function readAction(body: JsonObject): Omit<DrawingWish, 'state'> {
  const customId = needed(body, 'customId', 'custom_id_is_required');
  const parentId = needed(body, 'taskId', 'task_id_is_required');
  const [, second = '', third = '', fourth = ''] = customId.split('::');
  const word = (second === 'JOB' ? third : second).toLowerCase();
  const action = buttons.find(([each]) => word.includes(each))?.[1];
  if (action === undefined) throw localFault('unknown_action');
  const needsIndex = second === 'JOB' && (action === 'UPSCALE' || word === 'variation');
  if (needsIndex && !/^\d{1,2}$/.test(fourth)) throw localFault('index_parse_failed');
  return { action, prompt: '', parentId };
}

function plain(action: DrawingAction): Omit<DrawingWish, 'state'> {
  return { action, prompt: '', parentId: undefined };
}

function withPictures(body: JsonObject, action: DrawingAction): Omit<DrawingWish, 'state'> {
  if (pictures(body) === 0) throw localFault('base64_is_required');
  return plain(action);
}

function pictures({ base64Array }: JsonObject): number {
  return Array.isArray(base64Array) ? base64Array.length : 0;
}

function needed(body: JsonObject, name: string, code: Parameters<typeof localFault>[0]): string {
  const value = asWord(body[name]);
  if (value.trim() === '') throw localFault(code);
  return value;
}

const modeFlag = /(?:--|—)(?:fast|relax|turbo)(?=\s|$)/i;

/** The prompt without flags of a speed and the blanks before them. */
function withoutModes(prompt: string): string {
  const between = prompt.split(modeFlag);
  const last = between.pop() ?? '';
  return (between.map((text) => text.trimEnd()).join('') + last).trim();
}

type DrawingOptions = Pick<Options, 'MjNotifyEnabled' | 'MjAccountFilterEnabled' | 'MjModeClearEnabled'>;

/** The body for the upstream: without what the operator does not let callers decide. */
export function drawingBody(body: JsonObject, options: DrawingOptions): JsonObject {
  const { notifyHook, accountFilter, ...rest } = body;
  const prompt = typeof rest.prompt === 'string' && options.MjModeClearEnabled ? withoutModes(rest.prompt) : undefined;
  return {
    ...rest,
    ...(notifyHook !== undefined && options.MjNotifyEnabled ? { notifyHook } : {}),
    ...(accountFilter !== undefined && options.MjAccountFilterEnabled ? { accountFilter } : {}),
    ...(prompt === undefined ? {} : { prompt }),
  };
}
