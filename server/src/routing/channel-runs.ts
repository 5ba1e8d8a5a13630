import { setTimeout as sleep } from 'node:timers/promises';
import type { ChannelJob, ChannelJobResult, ErrorCode } from '@tollgate/contract';
import { PublicError } from '../platform/errors.ts';
import type { Log } from '../platform/log.ts';
import { type RunBoard, tellOthers } from '../storage/run-board.ts';

/** A background run over a list, one after the other, on one node at a time. */
export interface Run {
  /** Resolves when it has begun. Throws PublicError with `refusal` while one is running on any node, or when this one is stopping. */
  start(): Promise<void>;
  /** Of the run that is under way or was the last one, on whichever node. */
  state(): Promise<ChannelJob>;
  /** Gives the present item up and resolves when nothing runs any more; nothing starts after it. */
  stop(): Promise<void>;
}

/** How many were done, and how many of them without success. */
export type RunFigures = Pick<ChannelJob, 'done' | 'failed'>;

export interface RunPlan<Item> {
  items(): Promise<readonly Item[]>;
  /** Never throws for what an upstream does. */
  each(item: Item, signal: AbortSignal): Promise<ChannelJobResult>;
  pauseSeconds(): number;
  /** All of them are done. */
  finished(run: RunFigures): Promise<unknown>;
  refusal: ErrorCode;
  board: RunBoard<ChannelJob>;
  log: Log;
}

const keptResults = 1000;
const idle: ChannelJob = { running: false, done: 0, total: 0, failed: 0, results: [] };

export function createRun<Item>(plan: RunPlan<Item>): Run {
  const stopping = new AbortController();
  let state = idle;
  let running: Promise<void> | undefined;

  const loop = async (signal: AbortSignal) => {
    const items = await plan.items();
    state = { ...state, total: items.length };
    for (const item of items) {
      if (state.done > 0) await sleep(plan.pauseSeconds() * 1000, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      const result = await plan.each(item, signal);
      const failed = state.failed + (result.success ? 0 : 1);
      state = { ...state, done: state.done + 1, failed, results: [...state.results, result].slice(-keptResults) };
    }
    await plan.finished(state);
  };
  const begin = async () => {
    const lost = new AbortController();
    const telling = tellOthers(plan, () => state, lost);
    try {
      await loop(AbortSignal.any([stopping.signal, lost.signal]));
    } catch (error) {
      plan.log.error({ err: error }, 'a run over the channels ended early');
    }
    await telling.end();
    state = { ...state, running: false };
    running = undefined;
  };
  return {
    async start() {
      if (stopping.signal.aborted) throw new PublicError('shutting_down');
      if (running !== undefined) throw new PublicError(plan.refusal);
      const { promise, resolve } = Promise.withResolvers<void>();
      running = promise;
      const giveUp = () => {
        running = undefined;
        resolve();
      };
      const isOurs = await plan.board.begin().catch((error: unknown) => {
        giveUp();
        throw error;
      });
      if (!isOurs) {
        giveUp();
        throw new PublicError(plan.refusal);
      }
      state = { ...idle, running: true };
      void begin().finally(resolve);
    },
    async state() {
      if (state.running) return state;
      const said = await plan.board.read();
      return said === undefined ? state : { ...idle, ...said.state, running: said.isRunning };
    },
    async stop() {
      stopping.abort();
      await running;
    },
  };
}
