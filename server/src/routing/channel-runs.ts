import type { ChannelJob, ChannelJobResult, ErrorCode } from '@tollgate/contract';
import { PublicError } from '../platform/errors.ts';
import type { Log } from '../platform/log.ts';

/** A background run over a list, one after the other. */
export interface Run {
  /** Answers at once. Throws PublicError with `refusal` while one is running, or when the node is stopping. */
  start(): void;
  state(): ChannelJob;
  /** Gives the present item up and resolves when nothing runs any more; nothing starts after it. */
  stop(): Promise<void>;
}

export interface RunPlan<Item> {
  items(): Promise<readonly Item[]>;
  /** Never throws for what an upstream does. */
  each(item: Item, signal: AbortSignal): Promise<ChannelJobResult>;
  pauseSeconds(): number;
  finished(results: readonly ChannelJobResult[]): Promise<unknown>;
  refusal: ErrorCode;
  log: Log;
}

const keptResults = 1000;

export function createRun<Item>(plan: RunPlan<Item>): Run {
  const stopping = new AbortController();
  let state: ChannelJob = { running: false, done: 0, total: 0, results: [] };
  let running: Promise<void> | undefined;

  const loop = async () => {
    const items = await plan.items();
    state = { ...state, total: items.length };
    for (const item of items) {
      if (state.done > 0) await pause(plan.pauseSeconds() * 1000, stopping.signal);
      if (stopping.signal.aborted) return;
      const result = await plan.each(item, stopping.signal);
      state = { ...state, done: state.done + 1, results: [...state.results, result].slice(-keptResults) };
    }
    await plan.finished(state.results);
  };
  return {
    start() {
      if (stopping.signal.aborted) throw new PublicError('shutting_down');
      if (running !== undefined) throw new PublicError(plan.refusal);
      state = { running: true, done: 0, total: 0, results: [] };
      running = loop()
        .catch((error: unknown) => plan.log.error({ err: error }, 'a run over the channels ended early'))
        .finally(() => {
          running = undefined;
          state = { ...state, running: false };
        });
    },
    state: () => state,
    async stop() {
      stopping.abort();
      await running;
    },
  };
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (ms <= 0 || signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end, { once: true });
  });
}
