import { type TaskPlatform, type TaskStatus, taskPlatforms, taskStatuses } from '@tollgate/contract';
import type { Selectable } from 'kysely';
import type { TaskTable } from '../storage/schema.ts';
import type { Task, TaskCharge, TaskInput } from './types.ts';

/** A row as the rest of the program knows it. */
export function taskOf(row: Selectable<TaskTable>): Task {
  return {
    id: row.id,
    publicId: row.public_id,
    platform: platformOf(row.platform),
    action: row.action,
    userId: row.user_id,
    tokenId: row.token_id,
    channelId: row.channel_id,
    keyId: row.key_id,
    group: row.group_name,
    model: row.model,
    holdId: row.hold_id,
    quota: row.quota,
    charge: row.charge === '' ? undefined : (JSON.parse(row.charge) as TaskCharge),
    mode: row.mode,
    input: inputOf(row.input),
    state: {
      upstreamId: row.upstream_id,
      code: row.code,
      status: statusOf(row.status),
      progress: row.progress,
      failReason: row.fail_reason,
      lateStatus: statusOf(row.late_status),
      startAtMs: row.start_at_ms,
      finishAtMs: row.finish_at_ms,
      data: row.data,
    },
    deadlineAtMs: row.deadline_at_ms,
    submitAtMs: row.submit_at_ms,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    closedAt: row.closed_at,
    attempts: row.attempts,
    revision: row.revision,
  };
}

export function inputOf(text: string): TaskInput {
  return text === '' ? {} : (JSON.parse(text) as TaskInput);
}

function platformOf(text: string): TaskPlatform {
  const found = taskPlatforms.find((platform) => platform === text);
  if (found === undefined) throw new Error(`Unknown task platform ${text}`);
  return found;
}

function statusOf(text: string): TaskStatus {
  return taskStatuses.find((status) => status === text) ?? 'UNKNOWN';
}
