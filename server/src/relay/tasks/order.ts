import type { TaskPlatform } from '@tollgate/contract';
import type { RouteChannel } from '../../routing/index.ts';
import type { Task, TaskInput } from '../../tasks/index.ts';
import type { Outgoing, TaskUpstream } from './upstream.ts';

/** More of what was asked for in words is not shown again. */
export const maxPrompt = 8_192;

/** What a caller wants made, whatever the surface it asked through. */
export interface TaskOrder {
  readonly platform: TaskPlatform;
  readonly action: string;
  /** Whose price applies. */
  readonly model: string;
  /** Shown again, to its owner. */
  readonly input: TaskInput;
  /** JSON in which forbidden words are looked for. */
  readonly bytes: Buffer;
  /** What its size multiplies the price by, scaled by 1e9; absent = one. How long it is stands in `input`. */
  readonly unitsNano?: number;
  /** What it goes on from: only that upstream account knows it. */
  readonly parent?: Task | undefined;
  readonly mode: string;
  /** What a channel's upstream is asked for where the operator wants another length or size there; absent or undefined = the same. */
  measuredAt?(channel: RouteChannel): Pick<TaskOrder, 'input' | 'unitsNano'> | undefined;
  /** The request for one upstream. `isTimed`: its price counts seconds. Throws or rejects with RelayFault. */
  build(upstream: TaskUpstream, isTimed: boolean): Outgoing | Promise<Outgoing>;
}
