import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { fillYoungRoom, tellLastingLoad } from './platform/young-room.ts';
import { startFlags, youngMb } from './start-flags.ts';

/**
 * By how much a heap grows over what it was left with until it is collected again, in percent; otherwise up to 300, and room
 * that filled once stays with the process. Bodies outside of it count: at `usual`, those of 20 KB have it collected five times
 * a second, at `large` not at all. At `large` alone, what streams leave behind piles up for ten minutes.
 */
const growthPercent = { usual: 50, large: 200 };

/** So many collections of the whole heap within so long are too many. */
const often = { times: 3, withinMs: 3_000 };

/**
 * How much of the room for young objects may fill before it is cleaned, in percent; 80 otherwise. A room that is whole from the
 * start is used to its end, or else its last fifth is touched for the first time over hours, by whatever could not wait. Without
 * a bound: bodies lie outside of the heap, and where so much of them gathers meanwhile that it looks like a lack of memory, the
 * runtime collects the whole heap instead.
 */
const cleanAtPercent = { bounded: 100, unbounded: 40 };

/**
 * When the room for young objects has been cleaned so many times there is load that lasts, and the rooms of all threads are
 * filled once to their end: otherwise their last pages are touched over half an hour. A server that is used now and then does
 * not pay for them.
 */
const filledAtCleaning = 1_000;

/** What the runtime is told of its heaps (decision 0105), by the thread that serves calls, before any other one starts. */
export function keepHeapsSmall(): void {
  const grow = (percent: number) => setFlagsFromString(`--heap-growing-percent=${percent}`);
  grow(growthPercent.usual);
  const noteCollection = createGrowth(grow);
  const isBounded = startFlags.every((flag) => process.execArgv.includes(flag));
  let cleaned = 0;
  new PerformanceObserver((collections) => {
    for (const { detail, startTime } of collections.getEntries() as Collection[])
      if (detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR) noteCollection(startTime);
      else if (detail.kind === constants.NODE_PERFORMANCE_GC_MINOR) {
        cleaned += 1;
        if (cleaned !== filledAtCleaning) continue;
        if (isBounded) fillYoungRoom(youngMb);
        tellLastingLoad();
      }
  }).observe({ entryTypes: ['gc'] });
  // Of the main thread alone: the flags would override the bounds that other threads have of their own.
  if (isBounded) {
    setFlagsFromString('--min-semi-space-size=0');
    setFlagsFromString('--max-semi-space-size=0');
  }
  setFlagsFromString(`--minor-gc-task-trigger=${isBounded ? cleanAtPercent.bounded : cleanAtPercent.unbounded}`);
}

type Collection = PerformanceEntry & { readonly detail: { readonly kind?: number } };

/** Told of each collection of the whole heap, in milliseconds of any clock: says how far it may grow from the next one on. */
export function createGrowth(grow: (percent: number) => void): (atMs: number) => void {
  let percent = growthPercent.usual;
  let times: number[] = [];
  return (atMs) => {
    times = [...times, atMs].slice(-often.times);
    const isOften = times.length === often.times && atMs - (times[0] ?? 0) < often.withinMs;
    const wanted = isOften ? growthPercent.large : growthPercent.usual;
    if (wanted !== percent) grow(wanted);
    percent = wanted;
  };
}
