import type { TaskPlatform, TaskStatus } from '@tollgate/contract';
import type { JsonObject, WireError } from '@tollgate/wire';

/** A request below the channel's address. */
export interface TaskRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  /** JSON. */
  readonly body?: JsonObject;
}

/** What an upstream says of one task. Absent = it says nothing about that. Structurally the tasks' own report. */
export interface UpstreamTask {
  readonly status: TaskStatus;
  /** Percent. */
  readonly progress?: number;
  readonly failReason?: string;
  readonly startAtMs?: number;
  readonly finishAtMs?: number;
  /** JSON text that is kept and shown. */
  readonly data?: string;
}

export type SubmitReading =
  | { readonly kind: 'accepted'; readonly upstreamId: string; readonly code: number; readonly task?: UpstreamTask }
  | {
      readonly kind: 'refused';
      readonly code: number;
      readonly error: WireError;
      /** Another channel may take it. */
      readonly elsewhere: boolean;
      /** The channel has no account left: it is switched off with this reason (contract 4.9). */
      readonly unusable?: string;
    };

/** How an upstream that works in the background is asked. All readers are total: odd JSON gives a refusal, or nothing. */
export interface TaskApi {
  readonly platform: TaskPlatform;
  /** Where a submit goes, for the path that the caller used below the surface's root. */
  submitPath(asked: { readonly path: string; readonly mode: string; readonly action: string }): string;
  /** An answer with status 200. */
  readSubmit(answer: unknown, action: string): SubmitReading;
  /** An answer with another status. */
  readError(status: number, answer: unknown): WireError;
  /** How to ask for the state of these; one request for many where the upstream can. */
  polls(ids: readonly string[]): readonly TaskRequest[];
  /** Each task that a poll's answer tells of, by the upstream's name for it. */
  readPoll(answer: unknown): readonly (readonly [id: string, task: UpstreamTask])[];
  /** An upstream that has forgotten a task says so with this status; default none. */
  readonly forgottenStatus?: number;
}
