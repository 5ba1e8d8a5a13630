import type { ErrorEntry } from './relay-errors.ts';

/** One word of the drawing and music protocols: clients compare it, so it is the same in every language. */
const word = (text: string): ErrorEntry => ({ status: 400, zh: text, en: text });

/** Part of the registry of errors: what callers of drawings, music and videos are told (contract 6.15, 6.16). */
export const taskErrors = {
  bind_request_body_failed: word('bind_request_body_failed'),
  prompt_is_required: word('prompt_is_required'),
  task_id_is_required: word('task_id_is_required'),
  action_is_required: word('action_is_required'),
  index_is_required: word('index_is_required'),
  content_is_required: word('content_is_required'),
  content_parse_failed: word('content_parse_failed'),
  custom_id_is_required: word('custom_id_is_required'),
  unknown_action: word('unknown_action'),
  index_parse_failed: word('index_parse_failed'),
  base64_is_required: word('base64_is_required'),
  sour_base64_and_target_base64_is_required: word('sour_base64_and_target_base64_is_required'),
  task_no_found: word('task_no_found'),
  task_not_found: word('task_not_found'),
  task_status_not_success: word('task_status_not_success'),
  quota_not_enough: { status: 403, zh: 'quota_not_enough', en: 'quota_not_enough' },
  invalid_action: word('invalid_action'),
  prompt_empty: word('prompt_empty'),
  task_id_empty: word('task id is empty'),
  task_not_exist: word('task_not_exist'),
  task_channel_disabled: { status: 400, zh: '该任务所属渠道已被禁用', en: 'The channel of this task is disabled' },
  video_seconds_invalid: {
    status: 400,
    zh: 'seconds 必须是 1 到 600 的整数',
    en: 'seconds must be a whole number from 1 to 600',
  },
  video_not_found: { status: 404, zh: '找不到视频 {id}', en: "Video with id '{id}' not found" },
  video_not_ready: { status: 400, zh: '视频尚未生成完毕', en: 'The video is not ready yet' },
} as const satisfies Record<string, ErrorEntry>;
