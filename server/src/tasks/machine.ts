import type { TaskStatus } from '@tollgate/contract';
import type { TaskReport, TaskState } from './types.ts';

/** What can happen to a task, in any order and any number of times. */
export type TaskEvent =
  | { readonly kind: 'accepted'; readonly upstreamId: string; readonly code: number; readonly report?: TaskReport | undefined }
  /** The upstream said no, or nobody could be asked. */
  | { readonly kind: 'refused'; readonly code: number; readonly reason: string }
  /** A poll or a notification, they are the same thing. */
  | { readonly kind: 'report'; readonly report: TaskReport }
  /** It took too long, or nobody is there any more who could say how it went. */
  | {
      readonly kind: 'given-up';
      readonly reason: string;
      /** Only if no upstream has taken it by now. */
      readonly isUnconfirmed?: boolean;
    };

export const freshState: TaskState = {
  upstreamId: '',
  code: 0,
  status: '',
  progress: 0,
  failReason: '',
  lateStatus: '',
  startAtMs: 0,
  finishAtMs: 0,
  data: '',
};

const maxReason = 1_000;
const maxUpstreamId = 255;
/** What an upstream says of one task; more is not kept. */
const maxDataChars = 256 * 1024;

/** SUCCESS and FAILURE are for ever. */
export function isFinal({ status }: Pick<TaskState, 'status'>): boolean {
  return status === 'SUCCESS' || status === 'FAILURE';
}

/** How far along a status is: reports that overtake each other must not turn a task back. */
const ranks: Readonly<Record<TaskStatus, number>> = {
  '': 0,
  UNKNOWN: 0,
  NOT_START: 1,
  SUBMITTED: 2,
  QUEUED: 2,
  MODAL: 3,
  IN_PROGRESS: 3,
  FAILURE: 4,
  SUCCESS: 4,
};

/** The task after the event; the same record when nothing changed. Pure: the first final state stays whatever comes later. */
export function nextState(state: TaskState, event: TaskEvent, nowMs: number): TaskState {
  switch (event.kind) {
    case 'accepted':
      return accepted(state, event, nowMs);
    case 'refused':
      return isFinal(state) || state.upstreamId !== '' ? state : failed({ ...state, code: event.code }, event.reason, nowMs);
    case 'report':
      return reported(state, event.report, nowMs);
    case 'given-up':
      if (event.isUnconfirmed === true && state.upstreamId !== '') return state;
      return isFinal(state) ? state : failed(state, event.reason, nowMs);
  }
}

function accepted(state: TaskState, event: Extract<TaskEvent, { kind: 'accepted' }>, nowMs: number): TaskState {
  const named =
    state.upstreamId !== '' || event.upstreamId === ''
      ? state
      : { ...state, upstreamId: event.upstreamId.slice(0, maxUpstreamId), code: event.code };
  const { report } = event;
  if (report !== undefined) return reported(named, report, nowMs);
  return named.status === '' ? { ...named, status: 'SUBMITTED' } : named;
}

function reported(state: TaskState, report: TaskReport, nowMs: number): TaskState {
  if (isFinal(state)) return late(state, report);
  const { status, failReason = '' } = report;
  // When something was is for the upstream to say: we may hear of it much later.
  const finishAtMs = report.finishAtMs || nowMs;
  const startAtMs = report.startAtMs || state.startAtMs;
  if (status === 'FAILURE') return failed({ ...withData(state, report), startAtMs }, failReason, finishAtMs);
  const known = withData(state, report);
  if (status === 'SUCCESS') return { ...known, status, progress: 100, failReason: '', startAtMs, finishAtMs };
  // 100 percent are for the end alone.
  const progress = Math.min(99, Math.max(state.progress, Math.round(report.progress ?? 0)));
  const moved = ranks[status] >= ranks[state.status] ? status : state.status;
  const next = { ...known, status: moved, progress, startAtMs };
  return sameState(next, state) ? state : next;
}

/** Recorded, so that people see it; neither charged nor given back any more. */
function late(state: TaskState, { status }: TaskReport): TaskState {
  const isOther = (status === 'SUCCESS' || status === 'FAILURE') && status !== state.status;
  return isOther && state.lateStatus !== status ? { ...state, lateStatus: status } : state;
}

function failed(state: TaskState, reason: string, finishAtMs: number): TaskState {
  return { ...state, status: 'FAILURE', progress: 100, failReason: reason.slice(0, maxReason), finishAtMs };
}

function withData(state: TaskState, { data }: TaskReport): TaskState {
  return data === undefined || data === '' || data.length > maxDataChars ? state : { ...state, data };
}

function sameState(left: TaskState, right: TaskState): boolean {
  return (Object.keys(left) as (keyof TaskState)[]).every((name) => left[name] === right[name]);
}
