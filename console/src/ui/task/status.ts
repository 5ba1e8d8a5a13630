import type { TaskStatus } from '@tollgate/contract';
import {
  task_status_done,
  task_status_failed,
  task_status_modal,
  task_status_not_start,
  task_status_queued,
  task_status_running,
  task_status_submitted,
  task_status_submitting,
  task_status_unknown,
} from '../../i18n/generated/messages.ts';
import type { Tone } from '../Badge.tsx';

interface Face {
  text: () => string;
  tone: Tone;
}

const faces: Record<TaskStatus, Face> = {
  '': { text: task_status_submitting, tone: 'grey' },
  NOT_START: { text: task_status_not_start, tone: 'grey' },
  SUBMITTED: { text: task_status_submitted, tone: 'warn' },
  QUEUED: { text: task_status_queued, tone: 'warn' },
  IN_PROGRESS: { text: task_status_running, tone: 'accent' },
  MODAL: { text: task_status_modal, tone: 'violet' },
  UNKNOWN: { text: task_status_unknown, tone: 'grey' },
  FAILURE: { text: task_status_failed, tone: 'bad' },
  SUCCESS: { text: task_status_done, tone: 'ok' },
};
const isKnown = (status: string): status is TaskStatus => Object.hasOwn(faces, status);

/** Word and colour of a state; states that nobody knows are unknown. */
export const faceOfStatus = (status: string): Face => faces[isKnown(status) ? status : 'UNKNOWN'];

/** What one can filter by: everything that has a name on the wire. */
export const statusChoices = (Object.keys(faces) as TaskStatus[]).filter((status) => status !== '');

/** Nothing will happen to it any more. */
export const isFinal = (status: string): boolean => status === 'SUCCESS' || status === 'FAILURE';

/** "45%" as 45; what is no percentage as 0. */
export function percentOf(progress: string): number {
  const value = Number.parseInt(progress, 10);
  return Number.isFinite(value) ? Math.min(100, Math.max(0, value)) : 0;
}

/** Seconds that are red. */
const slowSeconds = 60;
export const durationTone = (seconds: number): Tone => (seconds > slowSeconds ? 'bad' : 'ok');
