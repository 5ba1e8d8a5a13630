import type { Drawing, DrawingAction } from '@tollgate/contract';
import {
  task_action_blend,
  task_action_custom_zoom,
  task_action_describe,
  task_action_high_variation,
  task_action_imagine,
  task_action_inpaint,
  task_action_low_variation,
  task_action_modal,
  task_action_pan,
  task_action_reroll,
  task_action_shorten,
  task_action_swap_face,
  task_action_upload,
  task_action_upscale,
  task_action_variation,
  task_action_zoom,
  task_code_account,
  task_code_banned,
  task_code_busy,
  task_code_duplicate,
  task_code_full,
  task_code_gateway,
  task_code_none,
  task_code_ok,
  task_code_other,
  task_code_request,
  task_code_waiting,
} from '../../i18n/generated/messages.ts';
import type { Tone } from '../../ui/Badge.tsx';
import type { TaskFacts } from '../../ui/task/cells.tsx';

const day = 86_400;
const ahead = 3600;

/** The range when none is chosen: the last 30 days, and an hour ahead for clocks that differ. */
export const defaultDrawingRange = (nowSeconds: number) => ({ from: nowSeconds - 30 * day, to: nowSeconds + ahead });

const actions: Record<DrawingAction, { text: () => string; tone: Tone }> = {
  IMAGINE: { text: task_action_imagine, tone: 'accent' },
  UPSCALE: { text: task_action_upscale, tone: 'warn' },
  VARIATION: { text: task_action_variation, tone: 'violet' },
  HIGH_VARIATION: { text: task_action_high_variation, tone: 'violet' },
  LOW_VARIATION: { text: task_action_low_variation, tone: 'violet' },
  PAN: { text: task_action_pan, tone: 'info' },
  DESCRIBE: { text: task_action_describe, tone: 'warn' },
  BLEND: { text: task_action_blend, tone: 'ok' },
  UPLOAD: { text: task_action_upload, tone: 'accent' },
  SHORTEN: { text: task_action_shorten, tone: 'grey' },
  REROLL: { text: task_action_reroll, tone: 'accent' },
  INPAINT: { text: task_action_inpaint, tone: 'violet' },
  ZOOM: { text: task_action_zoom, tone: 'info' },
  CUSTOM_ZOOM: { text: task_action_custom_zoom, tone: 'info' },
  MODAL: { text: task_action_modal, tone: 'ok' },
  SWAP_FACE: { text: task_action_swap_face, tone: 'ok' },
};
const isKnown = (action: string): action is DrawingAction => Object.hasOwn(actions, action);

/** Word and colour of what was asked for; an action that nobody knows shows itself. */
export function faceOfAction(action: string): { text: string; tone: Tone } {
  return isKnown(action) ? { text: actions[action].text(), tone: actions[action].tone } : { text: action, tone: 'grey' };
}

const codes: Record<number, { text: () => string; tone: Tone }> = {
  0: { text: task_code_none, tone: 'warn' },
  1: { text: task_code_ok, tone: 'ok' },
  3: { text: task_code_account, tone: 'bad' },
  4: { text: task_code_request, tone: 'bad' },
  5: { text: task_code_gateway, tone: 'bad' },
  21: { text: task_code_waiting, tone: 'info' },
  22: { text: task_code_duplicate, tone: 'warn' },
  23: { text: task_code_full, tone: 'bad' },
  24: { text: task_code_banned, tone: 'bad' },
  30: { text: task_code_busy, tone: 'bad' },
};

/** What the upstream said to the submit. */
export function faceOfCode(code: number): { text: string; tone: Tone } {
  const known = codes[code];
  return known ? { text: known.text(), tone: known.tone } : { text: task_code_other({ code }), tone: 'bad' };
}

/** What the common cells need; the row's own times are milliseconds. */
export const factsOf = (row: Drawing): TaskFacts => ({
  taskId: row.mj_id,
  status: row.status,
  progress: row.progress,
  submitTime: row.submit_time / 1000,
  finishTime: row.finish_time / 1000,
});
