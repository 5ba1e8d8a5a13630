import * as z from 'zod/mini';
import { filter, listPage, timeRange } from './fields.ts';
import { data, defineRoute } from './route.ts';

/** Who makes what: drawings, music and lyrics, videos. */
export const taskPlatforms = ['mj', 'suno', 'video'] as const;
export type TaskPlatform = (typeof taskPlatforms)[number];

/** "" = being submitted. `MODAL` (drawing only): waits for what a person enters next. SUCCESS and FAILURE are final. */
export const taskStatuses = [
  '',
  'NOT_START',
  'SUBMITTED',
  'QUEUED',
  'IN_PROGRESS',
  'MODAL',
  'UNKNOWN',
  'FAILURE',
  'SUCCESS',
] as const;
export type TaskStatus = (typeof taskStatuses)[number];

/** Spec 2, section 4. */
const drawingActions = [
  'IMAGINE',
  'UPSCALE',
  'VARIATION',
  'HIGH_VARIATION',
  'LOW_VARIATION',
  'PAN',
  'DESCRIBE',
  'BLEND',
  'UPLOAD',
  'SHORTEN',
  'REROLL',
  'INPAINT',
  'ZOOM',
  'CUSTOM_ZOOM',
  'MODAL',
  'SWAP_FACE',
] as const;
export type DrawingAction = (typeof drawingActions)[number];

const taskActions = ['MUSIC', 'LYRICS', 'GENERATE', 'REMIX'] as const;
export type TaskAction = (typeof taskActions)[number];

/** One drawing (contract 1.11). All times are milliseconds, 0 = not yet. */
export interface Drawing {
  id: number;
  /** What the upstream said to the submit: 1 submitted, 21 exists, 22 queued, others refused, 0 = it did not answer. */
  code: number;
  user_id: number;
  action: string;
  /** "" until the upstream accepted it. */
  mj_id: string;
  prompt: string;
  prompt_en: string;
  description: string;
  state: string;
  submit_time: number;
  start_time: number;
  finish_time: number;
  /** "" = none; through the image proxy when MjForwardUrlEnabled is on. */
  image_url: string;
  status: TaskStatus;
  /** "0%" to "100%". */
  progress: string;
  fail_reason: string;
  /** 0 for those who are not admins. */
  channel_id: number;
  /** "" for those who are not admins. */
  username: string;
  quota: number;
  /** JSON text of a list; "" = none. */
  buttons: string;
  /** JSON text of an object; "" = none. */
  properties: string;
}

/** One task of another kind (contract 1.11). All times are unix seconds, 0 = not yet. */
export interface AsyncTask {
  id: number;
  created_at: number;
  updated_at: number;
  /** "" until the upstream accepted it. */
  task_id: string;
  platform: TaskPlatform;
  user_id: number;
  /** 0 for those who are not admins. */
  channel_id: number;
  /** "" for those who are not admins. */
  username: string;
  quota: number;
  action: string;
  status: TaskStatus;
  fail_reason: string;
  submit_time: number;
  start_time: number;
  finish_time: number;
  /** "0%" to "100%". */
  progress: string;
  properties: { input: string };
  /** What the upstream says of it: any JSON; null = nothing yet. */
  data: unknown;
}

/** What administrators alone filter by: where it ran, and whose it is. */
const everybodysFilters = { channel_id: z._default(z.coerce.number().check(z.int(), z.minimum(0)), 0), username: filter };
/** Comma separated, at most 100. */
const ids = z._default(z.string().check(z.trim(), z.maxLength(8_192)), '');
/** Unix milliseconds, 0 = not given. */
const millis = z._default(z.coerce.number().check(z.int(), z.minimum(0), z.maximum(253_402_300_800_999)), 0);

const ownDrawingFilters = {
  ...listPage,
  start_timestamp: millis,
  end_timestamp: millis,
  mj_id: filter,
  ids,
  action: filter,
  status: filter,
};
/** Times are milliseconds, compared with the submit time. */
const ownDrawingQuery = z.object(ownDrawingFilters);
export const drawingQuery = z.object({ ...ownDrawingFilters, ...everybodysFilters });
export type DrawingQuery = z.infer<typeof drawingQuery>;

const ownTaskFilters = { ...listPage, ...timeRange, task_id: filter, ids, platform: filter, action: filter, status: filter };
/** Times are unix seconds, compared with the submit time. */
const ownTaskQuery = z.object(ownTaskFilters);
export const taskQuery = z.object({ ...ownTaskFilters, ...everybodysFilters });
export type TaskQuery = z.infer<typeof taskQuery>;

/** Newest first; without `peek` a page that is shorter than asked for is the last one. */
export const drawingRoutes = {
  list: defineRoute({ method: 'GET', path: '/api/mj', access: 'admin', query: drawingQuery, data: data<Drawing[]>() }),
  self: defineRoute({ method: 'GET', path: '/api/mj/self', access: 'user', query: ownDrawingQuery, data: data<Drawing[]>() }),
} as const;

export const taskRoutes = {
  list: defineRoute({ method: 'GET', path: '/api/task', access: 'admin', query: taskQuery, data: data<AsyncTask[]>() }),
  self: defineRoute({ method: 'GET', path: '/api/task/self', access: 'user', query: ownTaskQuery, data: data<AsyncTask[]>() }),
} as const;
