import type { TaskPlatform, TaskStatus } from '@tollgate/contract';
import type { LogDraft } from '../billing/index.ts';

/** Which task: a fail-over to a standby that lagged behind gives numbers out again, holds have names of their own. */
export type TaskName = Pick<Task, 'id' | 'holdId'>;

/** One piece of work at an upstream. Times are milliseconds, 0 = not yet. */
export interface Task {
  readonly id: number;
  /** Random: the only name of it that strangers may use. */
  readonly publicId: string;
  readonly platform: TaskPlatform;
  readonly action: string;
  readonly userId: number;
  readonly tokenId: number;
  /** 0 until it was sent to one. */
  readonly channelId: number;
  /** `RouteKey.id` of the credential that submitted it: another account knows nothing of it. */
  readonly keyId: string;
  readonly group: string;
  readonly model: string;
  /** Id of the call and of its hold. */
  readonly holdId: string;
  /** Quota that is held for it, and charged when it succeeds. */
  readonly quota: number;
  /** Undefined = nothing was held. */
  readonly charge: TaskCharge | undefined;
  /** Drawing: fast, relax, turbo; "" = as the upstream likes. */
  readonly mode: string;
  /** What was asked for. */
  readonly input: TaskInput;
  readonly state: TaskState;
  /** Without an end by then it is a failure. */
  readonly deadlineAtMs: number;
  readonly submitAtMs: number;
  /** Unix seconds. */
  readonly createdAt: number;
  readonly updatedAt: number;
  /** When its hold was closed; 0 = it is open. Unix seconds. */
  readonly closedAt: number;
  /** Polls in a row without an answer. */
  readonly attempts: number;
  readonly revision: number;
}

/** The part of a task that its upstream's words change. */
export interface TaskState {
  readonly upstreamId: string;
  /** What the upstream said to the submit; 0 = nothing, or nothing of the kind. */
  readonly code: number;
  readonly status: TaskStatus;
  /** Percent. */
  readonly progress: number;
  readonly failReason: string;
  /** What the upstream said after the end, when that was something else. */
  readonly lateStatus: TaskStatus;
  readonly startAtMs: number;
  readonly finishAtMs: number;
  /** What the upstream says of it: JSON text, "" = nothing yet. */
  readonly data: string;
}

/** The charge as it will be booked, once. */
export interface TaskCharge {
  readonly cost: number;
  readonly draft: LogDraft;
}

/** What the caller asked for, as far as it is shown again. */
export interface TaskInput {
  readonly prompt?: string;
  readonly state?: string;
  /** Of videos. */
  readonly seconds?: number;
  readonly size?: string;
}

/** What an upstream says of one task. Absent = it says nothing about that. */
export interface TaskReport {
  readonly status: TaskStatus;
  /** Percent. */
  readonly progress?: number;
  readonly failReason?: string;
  readonly startAtMs?: number;
  readonly finishAtMs?: number;
  /** JSON text. */
  readonly data?: string;
}

/** How long a task may take before it is a failure (rulings 5). */
export const longestMs: Readonly<Record<TaskPlatform, number>> = {
  mj: 3_600_000,
  suno: 86_400_000,
  video: 86_400_000,
};
