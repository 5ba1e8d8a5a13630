import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { startFlags } from './start-flags.ts';

/**
 * By how much a heap grows over what it was left with until it is collected again, in percent; otherwise up to 300, and room
 * that filled once stays with the process. Bodies outside of it count: at 50, those of 20 KB have it collected five times a second.
 */
const growthPercent = 200;

/**
 * The room for young objects that may fill before it is cleaned, in percent of a room without a bound; 80 otherwise. Bodies lie
 * outside of the heap: where so much of them gathers meanwhile that it looks like a lack of memory, the runtime collects the
 * whole heap instead.
 */
const cleanUnboundAtPercent = 40;

/** What the runtime is told of its heaps (decision 0105), by the thread that serves calls, before any other one starts. */
export function keepHeapsSmall(): void {
  setFlagsFromString(`--heap-growing-percent=${growthPercent}`);
  const isBounded = startFlags.every((flag) => process.execArgv.includes(flag));
  // Of the main thread alone: the flags would override the bounds that other threads have of their own.
  if (isBounded) {
    setFlagsFromString('--min-semi-space-size=0');
    setFlagsFromString('--max-semi-space-size=0');
  } else setFlagsFromString(`--minor-gc-task-trigger=${cleanUnboundAtPercent}`);
  setFlagsFromString('--expose-gc');
  const turn = createCollection(() => getHeapStatistics().used_heap_size, runInNewContext('gc') as () => void);
  setInterval(turn, collectMs).unref();
}

const collectMs = 60_000;
const megabyte = 1 << 20;
/** A collection stops everything: some 12 ms here, more the more it finds. What is larger is left to the runtime, which does most beside the calls. */
const mostBytes = 96 * megabyte;
/** Less is not worth it, nor is a server that nobody uses. */
const leastGrownBytes = 8 * megabyte;

/**
 * By the clock, since a heap that may grow threefold lets what streams leave behind pile up for ten minutes. A turn of it:
 * collects where the heap has grown since the one before.
 */
export function createCollection(usedBytes: () => number, collect: () => void): () => void {
  let leftBytes = 0;
  return () => {
    const used = usedBytes();
    leftBytes = Math.min(leftBytes, used);
    if (used > mostBytes || used - leftBytes < leastGrownBytes) return;
    collect();
    leftBytes = usedBytes();
  };
}
